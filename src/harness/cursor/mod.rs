//! Cursor Agent CLI, by Anysphere.
//!
//! The stream has messages of Claude Code's shape, which are decoded by its functions, and
//! lines of its own for tool calls and reasoning. Written from the documentation; no run
//! could be recorded.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `call` | tool calls and their results |
//! | `session` | transcripts on disk |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the documentation says, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where transcripts are kept |
//! | `tools` | descriptions for people |

mod call;
mod command;
mod format;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static CURSOR: Adapter = Adapter {
    name: "cursor",
    capabilities: Capabilities {
        title: "Cursor",
        basis: Basis::Documented,
        has_deltas: true,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: false,
    },
    dialects: &[
        Dialect::messages(Harness::Cursor, stream::claim, stream::decode),
        Dialect::lines(Harness::Cursor, session::claim, session::decode),
    ],
    rules: &rules::RULES,
    text_delta: Some(stream::text_delta),
    base_model: None,
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_recorded,
};
