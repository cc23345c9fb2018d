//! OpenHands CLI.
//!
//! | file | content |
//! |---|---|
//! | `stream` | events of the headless stream, and the text between them |
//! | `session` | conversations: the same events, and the state with the tokens |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where conversations are kept |
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

pub(super) static OPENHANDS: Adapter = Adapter {
    name: "openhands",
    capabilities: Capabilities {
        title: "OpenHands",
        basis: Basis::Recorded("1.16.0"),
        has_deltas: false,
        has_reasoning: true,
        has_subagents: false,
        tokens: TokenReport::None,
        has_cost: false,
    },
    dialects: &[
        Dialect {
            read_text: Some(stream::session_in_text),
            ..Dialect::lines(Harness::OpenHands, stream::claim, stream::decode)
        },
        Dialect::lines(Harness::OpenHands, session::claim, session::decode),
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
