//! OpenCode. [Kilo](super::kilo), its fork, prints and stores the same.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `session` | sessions: rows of a database, or an exported document |
//! | `legacy` | sessions of older releases: a file for each message and part |
//! | `part` | the parts of messages, the same in all of them |
//! | `failure` | errors of requests |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

pub(super) mod command;
mod failure;
pub(super) mod format;
mod legacy;
mod part;
pub(super) mod rules;
pub(super) mod session;
pub(super) mod store;
pub(super) mod stream;
pub(super) mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static OPENCODE: Adapter = Adapter {
    name: "opencode",
    capabilities: Capabilities { basis: Basis::Recorded("1.18.33"), ..CAPABILITIES },
    dialects: &[
        Dialect::lines(Harness::OpenCode, stream::claim, stream::decode),
        Dialect {
            elements: Some(session::ELEMENTS),
            ..Dialect::lines(Harness::OpenCode, session::claim, session::decode)
        },
        Dialect::lines(Harness::OpenCode, legacy::claim, legacy::decode),
        Dialect::lines(Harness::OpenCode, legacy::claim_prompt, legacy::decode_prompt),
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

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    title: "OpenCode",
    basis: Basis::Documented,
    has_deltas: false,
    has_reasoning: true,
    has_subagents: false,
    tokens: TokenReport::Requests,
    has_cost: true,
};
