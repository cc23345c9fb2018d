//! Pi, by Earendil Works.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | session files |
//! | `message` | messages, which both contain |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod format;
mod message;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static PI: Adapter = Adapter {
    name: "pi",
    capabilities: Capabilities {
        title: "Pi",
        basis: Basis::Recorded("0.74.2 to 1.5.0"),
        has_deltas: true,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Requests,
        has_cost: true,
    },
    dialects: &[
        Dialect::lines(Harness::Pi, stream::claim, stream::decode),
        Dialect::lines(Harness::Pi, session::claim, session::decode),
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
