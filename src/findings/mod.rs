//! What an agent reports: events, memories, a wish to escalate, the state of
//! services.
//!
//! Taken from its structured output ([`response`]) or, where there is none,
//! from the markers in its text ([`markers`]). Pure: bytes in, findings out.

pub mod markers;
pub mod response;

/// One thing an agent reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// The run in a few sentences.
    Summary {
        /// The sentences.
        text: String,
    },
    /// Something that happened.
    Event {
        /// How bad it is.
        level: Level,
        /// The service it is about.
        service: Option<String>,
        /// What happened.
        message: String,
    },
    /// Something worth knowing the next time.
    Memory {
        /// The service it is about.
        service: Option<String>,
        /// What kind of knowledge it is.
        category: String,
        /// The knowledge.
        observation: String,
    },
    /// Whether somebody else should take over.
    Escalation {
        /// Whether it is needed.
        needed: bool,
        /// Why.
        reason: Option<String>,
        /// What the next one should know.
        context: Option<String>,
        /// The checks that failed.
        failed_checks: Vec<String>,
    },
    /// A service that was looked at.
    Service {
        /// Its name.
        name: String,
        /// How it is.
        status: String,
        /// More about that.
        detail: Option<String>,
    },
    /// An action that must not be repeated too often.
    Cooldown {
        /// `restart` or `redeployment`.
        action_type: String,
        /// The service.
        service: String,
        /// Whether it helped.
        success: bool,
        /// What came of it.
        message: String,
    },
}

/// Where findings were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// In the structured output.
    Structured,
    /// In the text.
    Markers,
}

impl Extraction {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Markers => "markers",
        }
    }
}

/// How bad an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Routine.
    Info,
    /// Degraded.
    Warning,
    /// Somebody has to look.
    Critical,
}

impl Level {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }

    /// The level an agent means, whatever it calls it.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "warning" | "warn" | "degraded" => Self::Warning,
            "critical" | "error" | "err" | "fatal" | "failure" | "failed" => Self::Critical,
            _ => Self::Info,
        }
    }
}

/// Whether a character can be part of a service's name.
fn is_in_a_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}
