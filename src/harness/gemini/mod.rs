//! Gemini CLI, by Google.
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

pub(super) static GEMINI: Adapter = Adapter {
    name: "gemini",
    capabilities: Capabilities {
        title: "Gemini CLI",
        basis: Basis::Recorded("0.61.0"),
        has_deltas: true,
        has_reasoning: false,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Gemini, stream::claim, stream::decode),
        Dialect::lines(Harness::Gemini, session::claim, session::decode),
        Dialect {
            elements: Some("messages"),
            ..Dialect::lines(Harness::Gemini, session::claim_document, session::decode_document)
        },
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
