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

/// Returns the rest of the last line that starts with one of `prefixes`.
pub(super) fn line_after<'a>(stderr: &'a str, prefixes: &[&str]) -> Option<&'a str> {
    let rest = |line: &'a str| prefixes.iter().find_map(|prefix| line.strip_prefix(prefix));
    stderr.lines().rev().find_map(rest).map(str::trim)
}
