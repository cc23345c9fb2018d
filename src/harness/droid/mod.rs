//! Factory Droid.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | session files, and the settings beside them |
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

pub(super) static DROID: Adapter = Adapter {
    name: "droid",
    capabilities: Capabilities {
        title: "Factory Droid",
        basis: Basis::Recorded("0.225.2"),
        has_deltas: false,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Droid, stream::claim, stream::decode),
        Dialect::lines(Harness::Droid, session::claim, session::decode),
    ],
    rules: &rules::RULES,
    text_delta: None,
    base_model: Some(base_model),
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_recorded,
};

/// Returns the name of a model that the user has configured, which is no model of a vendor.
fn base_model(model: &str) -> Option<String> {
    model.starts_with("custom:").then(|| model.to_owned())
}
