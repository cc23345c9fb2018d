//! Agent CLIs.
//!
//! Each CLI has a folder here that contains everything specific to it, behind
//! an `Adapter`: how its lines are recognised and translated into
//! [events](crate::event), what its releases print, how its command line is
//! completed, where it keeps sessions. Code outside this module does not match on a
//! particular CLI; it calls the adapter.
//!
//! Translating a line is a pure function of the line and its dialect. The only
//! state is the dialect the stream has shown so far, for lines whose shape
//! several CLIs share.
//!
//! A new CLI is a folder, a line in the registry below, and its fixtures.

mod adapter;
mod capabilities;
pub(crate) mod changes;
pub(crate) mod command;
mod delta;
mod described;
mod detector;
mod envelope;
mod exit;
pub(crate) mod format;
mod layout;
mod models;
mod record;
mod rules;
mod tools;

mod acp;
mod amp;
mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod goose;
mod grok;
mod kilo;
mod kimi;
mod opencode;
mod openhands;
mod pi;
mod qwen;
mod unknown;
mod vibe;

use std::fmt;

pub use claude::contract as claude_contract;
pub use described::{Described, Description, DescriptionError};
pub use record::Record;

pub(crate) use adapter::Adapter;
pub(crate) use changes::FileChange;
#[cfg(feature = "cli")]
pub(crate) use claude::{input as stream_input, status as status_input};
pub(crate) use delta::TextDelta;
#[cfg(feature = "cli")]
pub(crate) use described::{MAX_BYTES as MAX_DESCRIPTION, infer};
pub(crate) use detector::{Detected, Detector};
pub(crate) use envelope::{Envelope, Location};
pub(crate) use exit::ExitExplanation;
pub(crate) use layout::{SessionDatabase, SessionLayout};
pub(crate) use models::base_model;
pub(crate) use record::write_tagged;
pub(crate) use rules::{ClosingQuestion, HeuristicRules, Rules};
pub(crate) use tools::{TodoItem, TodoState};

use detector::Dialect;

/// Declares the enum of harnesses and connects each variant with its adapter.
macro_rules! registry {
    ($( $(#[$doc:meta])* $name:ident => $adapter:expr; )+) => {
        /// An agent CLI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Harness {
            $( $(#[$doc])* $name, )+
            /// A CLI that is not built in, by a description of its lines.
            Described(Described),
            /// A CLI that streamj does not know.
            Unknown,
        }

        impl Harness {
            /// All built-in CLIs, in the order in which detection tries them.
            pub const ALL: &[Self] = &[ $( Self::$name ),+ ];

            /// Returns everything that is specific to the CLI.
            pub(crate) fn adapter(self) -> &'static Adapter {
                match self {
                    $( Self::$name => &$adapter, )+
                    Self::Described(described) => described.adapter(),
                    Self::Unknown => &unknown::UNKNOWN,
                }
            }
        }
    };
}

registry! {
    /// Claude Code, by Anthropic.
    Claude => claude::CLAUDE;
    /// Codex, by OpenAI.
    Codex => codex::CODEX;
    /// Gemini CLI, by Google.
    Gemini => gemini::GEMINI;
    /// Qwen Code, by Alibaba.
    Qwen => qwen::QWEN;
    /// Amp, by Sourcegraph.
    Amp => amp::AMP;
    /// GitHub Copilot CLI, by GitHub.
    Copilot => copilot::COPILOT;
    /// Pi, by Earendil Works.
    Pi => pi::PI;
    /// Kimi Code, by Moonshot AI.
    Kimi => kimi::KIMI;
    /// Cline.
    Cline => cline::CLINE;
    /// OpenCode.
    OpenCode => opencode::OPENCODE;
    /// Kilo, a fork of OpenCode.
    Kilo => kilo::KILO;
    /// Cursor Agent CLI, by Anysphere.
    Cursor => cursor::CURSOR;
    /// Goose, by Block.
    Goose => goose::GOOSE;
    /// Grok Build, by xAI.
    Grok => grok::GROK;
    /// An agent that speaks the Agent Client Protocol.
    Acp => acp::ACP;
    /// Droid, by Factory.
    Droid => droid::DROID;
    /// Mistral Vibe, by Mistral AI.
    Vibe => vibe::VIBE;
    /// OpenHands CLI.
    OpenHands => openhands::OPENHANDS;
}

impl Harness {
    /// Returns the harness of a described CLI. The description is kept until the process
    /// ends.
    #[must_use]
    pub fn described(description: Description) -> Self {
        Self::Described(Described::new(description))
    }

    /// Returns the built-in harness called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|harness| harness.name() == name)
    }

    /// Returns the name used in records and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.adapter().name
    }

    /// Returns everything that defines a described CLI; the name of one that is built in.
    pub(crate) fn definition(self) -> String {
        match self {
            Self::Described(described) => format!("{:?}", described.description()),
            built_in => built_in.name().to_owned(),
        }
    }

    /// Returns the names of all built-in CLIs, for messages.
    pub(crate) fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|harness| harness.name()).collect();
        names.join(", ")
    }

    /// Returns whether it prints mostly the same lines as `other`, so that its stream may
    /// begin with lines that are taken for those.
    pub(crate) fn is_fork_of(self, other: Self) -> bool {
        matches!((self, other), (Self::Kilo, Self::OpenCode))
    }

    /// Returns the constants of its contract.
    pub(crate) fn rules(self) -> &'static Rules {
        self.adapter().rules
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
