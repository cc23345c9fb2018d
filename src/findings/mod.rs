//! Findings of an agent: events, memories, a request to escalate, the status of
//! services.
//!
//! They are read from the structured output ([`response`]) or, without one, from
//! markers in the text ([`markers`]).

pub mod markers;
pub mod response;
pub(crate) mod response_schema;

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// The summary of the run.
    Summary {
        /// The summary.
        text: String,
    },
    /// An event.
    Event {
        /// The severity.
        level: Level,
        /// The service it is about.
        service: Option<String>,
        /// The description.
        message: String,
    },
    /// An observation for later runs.
    Memory {
        /// The service it is about.
        service: Option<String>,
        /// The category.
        category: String,
        /// The observation.
        observation: String,
    },
    /// A request to run the next agent.
    Escalation {
        /// Whether the next agent is needed.
        needed: bool,
        /// The reason.
        reason: Option<String>,
        /// Context for the next agent.
        context: Option<String>,
        /// The checks that failed.
        failed_checks: Vec<String>,
    },
    /// The status of a service.
    Service {
        /// The name of the service.
        name: String,
        /// The status.
        status: String,
        /// Details.
        detail: Option<String>,
    },
    /// An action that must not be repeated too often.
    Cooldown {
        /// `restart` or `redeployment`.
        action_type: String,
        /// The service.
        service: String,
        /// Whether the action succeeded.
        success: bool,
        /// The outcome.
        message: String,
    },
}

/// The source of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// The structured output.
    Structured,
    /// Markers in the text.
    Markers,
}

impl Extraction {
    /// Returns the name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Markers => "markers",
        }
    }
}

/// The severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A routine event.
    Info,
    /// A degraded service.
    Warning,
    /// A failure that needs attention.
    Critical,
}

impl Level {
    /// Returns the name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }

    /// Returns the level for a word and its common synonyms.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "warning" | "warn" | "degraded" => Self::Warning,
            "critical" | "error" | "err" | "fatal" | "failure" | "failed" => Self::Critical,
            _ => Self::Info,
        }
    }
}

/// Returns whether a character can be part of a service's name.
fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}
