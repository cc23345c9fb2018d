//! What the exit status and standard error of a CLI say about a failure.

use crate::event::{Category, Evidence, FailureReason};

/// How a CLI explains an exit status other than 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExitExplanation<'a> {
    /// The message on standard error.
    pub(crate) message: Option<&'a str>,
    /// Structured details.
    pub(crate) evidence: Evidence<'a>,
    /// The category, if the status itself has a meaning; otherwise it follows from the
    /// rest.
    pub(crate) category: Option<Category>,
    /// The reason, if the status itself has a meaning.
    pub(crate) reason: Option<FailureReason>,
}
