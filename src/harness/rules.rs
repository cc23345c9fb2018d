//! The wording of a CLI's contract, as data for the run.

use crate::event::Category;

/// What the run has to know about a CLI.
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
    /// How the reason for an end by the user starts.
    pub(crate) aborted_reason: Option<&'static str>,
    /// Appended to an error text that was cut.
    pub(crate) truncated: &'static str,
    /// The warning about a stream without its terminal event, if the contract
    /// asks for one.
    pub(crate) missing_end: Option<&'static str>,
    /// What is wrong with a stream that stops.
    pub(crate) stopped: &'static str,
    /// Whether the summary contains the thread and its turns.
    pub(crate) has_thread_metadata: bool,
    /// Whether the last message is the requested document.
    pub(crate) answers_with_document: bool,
    /// Whether a successful end may be doubted: see [`crate::run`].
    pub(crate) has_heuristics: bool,
}
