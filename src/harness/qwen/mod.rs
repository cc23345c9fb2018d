//! Qwen Code, by Alibaba.
//!
//! The stream has the shape of Claude Code's and is decoded by its functions; session
//! files contain messages of the Gemini API.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | session files |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod format;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static QWEN: Adapter = Adapter {
    name: "qwen",
    capabilities: Capabilities {
        title: "Qwen Code",
        basis: Basis::Recorded("0.24.4"),
        has_deltas: true,
        has_reasoning: true,
        has_subagents: true,
        tokens: TokenReport::Total,
        has_cost: false,
    },
    dialects: &[
        Dialect::messages(Harness::Qwen, stream::claim, stream::decode),
        Dialect::lines(Harness::Qwen, session::claim, session::decode),
    ],
    rules: &rules::RULES,
    // Deltas have the shape of Claude Code's, whose function finds them.
    text_delta: None,
    base_model: None,
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_recorded,
};
