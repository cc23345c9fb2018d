//! Amp, by Sourcegraph.
//!
//! The stream has the shape of Claude Code's and is decoded by its functions. Written from
//! the published types; no run could be recorded.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | threads on disk |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the types say, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where threads are kept |
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

pub(super) static AMP: Adapter = Adapter {
    name: "amp",
    capabilities: Capabilities {
        title: "Amp",
        basis: Basis::Documented,
        has_deltas: false,
        has_reasoning: true,
        has_subagents: true,
        tokens: TokenReport::Requests,
        has_cost: false,
    },
    dialects: &[
        Dialect::messages(Harness::Amp, stream::claim, stream::decode),
        Dialect::lines(Harness::Amp, session::claim, session::decode),
        Dialect {
            elements: Some("messages"),
            ..Dialect::lines(Harness::Amp, session::claim_document, session::decode_document)
        },
    ],
    rules: &rules::RULES,
    text_delta: None,
    base_model: None,
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_recorded,
};
