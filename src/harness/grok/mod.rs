//! Grok Build, by xAI, and Grok CLI of the community, whose program has the same name.
//!
//! Written from their sources; no run could be recorded.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream, and its single document |
//! | `messages` | the headless stream in the shape of Claude Code's |
//! | `spend` | tokens and costs at the end of a run |
//! | `session` | session files, which contain updates of the Agent Client Protocol |
//! | `community` | the stream and the database of Grok CLI |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the sources say, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
mod community;
mod format;
mod messages;
mod rules;
mod session;
mod spend;
mod store;
mod stream;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static GROK: Adapter = Adapter {
    name: "grok",
    capabilities: Capabilities {
        title: "Grok Build",
        basis: Basis::Documented,
        has_deltas: true,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::Total,
        has_cost: true,
    },
    dialects: &[
        Dialect::lines(Harness::Grok, stream::claim, stream::decode),
        Dialect::messages(Harness::Grok, messages::claim, messages::decode),
        Dialect::lines(Harness::Grok, session::claim, session::decode),
        Dialect::lines(Harness::Grok, community::claim, community::decode),
    ],
    rules: &rules::RULES,
    // Deltas of the other formats are found by the functions of those who share them.
    text_delta: Some(stream::text_delta),
    base_model: None,
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_recorded,
};
