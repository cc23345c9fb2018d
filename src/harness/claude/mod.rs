//! Claude Code, by Anthropic.
//!
//! | file | content |
//! |---|---|
//! | `stream`, `message`, `partial`, `result`, `system` | the headless stream |
//! | `session` | session files |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format`, `members`, `session_format`, `contract` | what the releases print and store, and the published contract, for `check` |
//! | `command`, `grammar` | the command line, for `wrap` and `escalate` |
//! | `input` | input lines, for `prompt` |
//! | `status` | what its status line command is given, for `statusline` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
pub mod contract;
mod format;
mod grammar;
#[cfg(feature = "cli")]
pub(crate) mod input;
mod members;
mod message;
mod partial;
pub(super) mod result;
mod rules;
mod session;
mod session_format;
#[cfg(feature = "cli")]
pub(crate) mod status;
mod store;
pub(super) mod stream;
mod system;
mod tools;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::{Adapter, Dialect, Harness};

pub(super) static CLAUDE: Adapter = Adapter {
    name: "claude",
    capabilities: Capabilities {
        title: "Claude Code",
        basis: Basis::Recorded("1.0.128 to 2.1.326"),
        has_deltas: true,
        has_reasoning: true,
        has_subagents: true,
        tokens: TokenReport::Total,
        has_cost: true,
    },
    dialects: &[
        Dialect::messages(Harness::Claude, stream::claim, stream::decode),
        Dialect::lines(Harness::Claude, session::claim, session::decode),
    ],
    rules: &rules::RULES,
    text_delta: Some(partial::text_delta),
    base_model: Some(rules::base_model),
    format: Some(format::FORMAT),
    sessions: Some(store::SESSIONS),
    tools: tools::TOOLS,
    program: command::PROGRAM,
    write_recorded: super::record::write_untagged,
};
