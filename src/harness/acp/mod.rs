//! The Agent Client Protocol, which several CLIs speak over standard input and output.
//!
//! A stream contains the lines of the agent, and those of the client if it was recorded with
//! both. Written from the published schema; no run was recorded.
//!
//! | file | content |
//! |---|---|
//! | `stream` | requests, responses and notifications |
//! | `update` | what `session/update` reports, which session files of a CLI contain, too |
//! | `call` | tool calls and their results |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the schema says, for `check` |
//! | `command` | the command line: there is none, a client starts the agent |
//! | `tools` | descriptions for people |

pub(super) mod call;
mod command;
mod format;
mod rules;
mod stream;
mod tools;
pub(super) mod update;

pub(super) use stream::{failure, finished};

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static ACP: Adapter = Adapter {
    name: "acp",
    capabilities: Capabilities {
        title: "Agent Client Protocol",
        basis: Basis::Documented,
        has_deltas: true,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: true,
    },
    dialects: &[Dialect::lines(Harness::Acp, stream::claim, stream::decode)],
    rules: &rules::RULES,
    text_delta: Some(update::text_delta),
    base_model: None,
    format: Some(format::FORMAT),
    sessions: None,
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_recorded,
};
