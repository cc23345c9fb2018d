//! GitHub Copilot CLI, by GitHub.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | session files, which contain the same events |
//! | `call` | tool calls and their results |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
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

pub(super) static COPILOT: Adapter = Adapter {
    name: "copilot",
    capabilities: Capabilities {
        title: "GitHub Copilot CLI",
        basis: Basis::Recorded("1.0.102"),
        has_deltas: true,
        has_reasoning: true,
        has_subagents: true,
        tokens: TokenReport::None,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Copilot, stream::claim, stream::decode),
        Dialect::lines(Harness::Copilot, session::claim, session::decode),
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
