//! Mistral Vibe.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `legacy` | the stream and the session files of releases before 3 |
//! | `session` | the description of a session |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod format;
mod legacy;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static VIBE: Adapter = Adapter {
    name: "vibe",
    capabilities: Capabilities {
        title: "Mistral Vibe",
        basis: Basis::Recorded("3.0.2"),
        has_deltas: false,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::None,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Vibe, stream::claim, stream::decode),
        Dialect::lines(Harness::Vibe, session::claim, session::decode),
        Dialect::lines(Harness::Vibe, legacy::claim, legacy::decode),
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
