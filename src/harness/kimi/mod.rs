//! Kimi Code, by Moonshot AI, and its predecessor Kimi CLI.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream of both |
//! | `session` | session files of Kimi Code |
//! | `legacy` | session files of Kimi CLI |
//! | `outcome` | how calls ended, which only their outputs tell |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod format;
mod legacy;
mod outcome;
mod rules;
mod session;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static KIMI: Adapter = Adapter {
    name: "kimi",
    capabilities: Capabilities {
        title: "Kimi Code",
        basis: Basis::Recorded("2.1.0"),
        has_deltas: false,
        has_reasoning: false,
        has_subagents: false,
        tokens: TokenReport::None,
        has_cost: false,
    },
    dialects: &[
        Dialect::lines(Harness::Kimi, stream::claim, stream::decode),
        Dialect::lines(Harness::Kimi, session::claim, session::decode),
        Dialect::lines(Harness::Kimi, legacy::claim, legacy::decode),
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
