//! Goose, by Block.
//!
//! Written from its source; no run could be recorded.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `content` | the items of a message, which streams and sessions share |
//! | `session` | sessions in its database, and in files of older releases |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the source says, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod content;
mod format;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static GOOSE: Adapter = Adapter {
    name: "goose",
    capabilities: Capabilities {
        title: "Goose",
        basis: Basis::Documented,
        has_deltas: true,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Goose, stream::claim, stream::decode),
        Dialect::lines(Harness::Goose, session::claim, session::decode),
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
