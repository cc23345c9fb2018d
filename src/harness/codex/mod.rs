//! Codex, by OpenAI.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `legacy` | the stream of releases before October 2025 |
//! | `session`, `tool_output`, `call_messages` | session files |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format`, `members`, `session_format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |
//! | `recorded` | events in the record of a run |

mod call_messages;
mod command;
mod format;
mod legacy;
mod members;
mod recorded;
mod rules;
mod session;
mod session_format;
mod shell;
mod store;
mod stream;
mod tool_output;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static CODEX: Adapter = Adapter {
    name: "codex",
    capabilities: Capabilities {
        title: "Codex",
        basis: Basis::Recorded("0.60.1 to 0.169.0"),
        has_deltas: false,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Codex, stream::claim, stream::decode),
        Dialect::lines(Harness::Codex, legacy::claim, legacy::decode),
        Dialect::lines(Harness::Codex, session::claim, session::decode),
    ],
    rules: &rules::RULES,
    text_delta: Some(legacy::text_delta),
    base_model: None,
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: recorded::write,
};
