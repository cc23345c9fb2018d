//! Cline.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | sessions: a description and a document with messages |
//! | `outcome` | the outputs of tools |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod format;
mod outcome;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static CLINE: Adapter = Adapter {
    name: "cline",
    capabilities: Capabilities {
        title: "Cline",
        basis: Basis::Recorded("3.0.65"),
        has_deltas: true,
        has_reasoning: true,
        has_subagents: true,
        tokens: TokenReport::Requests,
        has_cost: true,
    },
    dialects: &[
        Dialect::lines(Harness::Cline, stream::claim, stream::decode),
        Dialect::lines(Harness::Cline, stream::claim_subagent, stream::decode_subagent),
        Dialect {
            elements: Some("messages"),
            ..Dialect::lines(Harness::Cline, session::claim, session::decode)
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
