//! Kilo, a fork of [OpenCode](super::opencode): the same stream and sessions, another
//! program and another folder.
//!
//! | file | content |
//! |---|---|
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |

mod command;
mod store;

use super::capabilities::{Basis, Capabilities};
use super::opencode::{CAPABILITIES, format, rules, session, stream, tools};
use super::{Adapter, Dialect, Harness};

pub(super) static KILO: Adapter = Adapter {
    name: "kilo",
    capabilities: Capabilities { title: "Kilo", basis: Basis::Recorded("7.7.9"), ..CAPABILITIES },
    dialects: &[
        Dialect::lines(Harness::Kilo, stream::claim_kilo, stream::decode),
        Dialect {
            elements: Some(session::ELEMENTS),
            ..Dialect::lines(Harness::Kilo, session::claim, session::decode)
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
