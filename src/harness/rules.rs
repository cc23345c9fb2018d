//! Constants of a CLI's contract that the run uses.

use crate::event::{Category, FailureReason};

/// Constants of a CLI's contract that the run uses.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Error texts that contain one of these are about a limit. Lower case.
    pub(crate) rate_limit: &'static [&'static str],
    /// Error texts that contain one of these are about credentials. Lower case.
    pub(crate) auth: &'static [&'static str],
    /// The CLI's own error categories.
    pub(crate) error_words: &'static [(&'static str, Category)],
    /// Error types of its API; others are `Api`.
    pub(crate) api_error_types: &'static [(&'static str, Category)],
    /// Reasons for the end of a run that are failures of the request.
    pub(crate) failed_reasons: &'static [&'static str],
    /// Reasons by the words of structured evidence: the CLI's own category, the API's
    /// error type, why the run or its last message ended, the subtype of the result.
    pub(crate) reason_words: &'static [(&'static str, FailureReason)],
    /// Reasons by phrases in error texts, for what has no structured evidence. Lower
    /// case; the first one that occurs counts.
    pub(crate) reason_phrases: &'static [(&'static str, FailureReason)],
    /// How the reason for an end by the user starts.
    pub(crate) aborted_reason: Option<&'static str>,
    /// Appended to an error text that was cut.
    pub(crate) truncated: &'static str,
    /// The warning about a stream without its terminal event, if the contract
    /// asks for one.
    pub(crate) missing_end: Option<&'static str>,
    /// What is wrong with a stream that stops.
    pub(crate) stopped: &'static str,
    /// Whether every finished run has a terminal event. Otherwise a run is finished if
    /// it ends with an answer, and its process exits with 0.
    pub(crate) has_terminal_event: bool,
    /// Whether the summary contains the thread and its turns.
    pub(crate) has_thread_metadata: bool,
    /// Whether lines of a message may repeat its text so far.
    pub(crate) prints_snapshots: bool,
    /// Whether session files contain the summary of a compaction as a text before it.
    pub(crate) writes_summary_as_text: bool,
    /// Whether the last message is the requested document.
    pub(crate) answers_with_document: bool,
    /// Words before the time of the next attempt in an error text.
    pub(crate) retry_words: &'static [&'static str],
    /// What precedes the time of the next attempt in seconds since 1970, at the end of
    /// an error text.
    pub(crate) retry_seconds_marker: Option<&'static str>,
    /// Data for the heuristics about runs that end without a failure; `None` if they
    /// do not apply.
    pub(crate) heuristics: Option<HeuristicRules>,
}

/// Data for the heuristics about runs that end without a failure.
#[derive(Debug)]
pub(crate) struct HeuristicRules {
    /// Which closing questions mean that the run waits for an answer.
    pub(crate) closing_question: ClosingQuestion,
    /// Phrases for pending work, in lower case. Each contains a `g`.
    pub(crate) pending_phrases: &'static [&'static str],
}

/// Which closing questions mean that the run waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClosingQuestion {
    /// Those of a run with one request to the model whose last message ended for this
    /// reason.
    OfSingleRequest {
        /// The reason for the end of a message that ends the turn.
        end_of_turn: &'static str,
    },
    /// Those of a run with one prompt.
    OfSinglePrompt,
}

/// Words before the time of the next attempt that several CLIs use.
pub(super) const RETRY_WORDS: &[&str] = &["try again at", "resets", "resets at"];
