//! Exit statuses.

use crate::event::Category;
use crate::run::Failure;

/// How the program ends.
///
/// | status | meaning |
/// |---|---|
/// | 0 | success |
/// | 1 | the answer is no: `check` found violations or a CLI without format tables, `structured` found no document or an invalid one, a line was skipped under `--strict`, no row has the member that `--get` names |
/// | 2 | usage or I/O error |
///
/// `wrap` ends with its command's status, or 124 to 127 and 128+N like timeout(1).
/// `escalate` does the same for a tier that failed, and ends with 3 when a tier
/// requests another one that may not run.
///
/// With `error -e` the category of the run's failure decides:
///
/// | status | category |
/// |---|---|
/// | 0 | none |
/// | 65 | `interactive`, `background-task`, `incomplete` |
/// | 69 | `api`, if a later attempt may succeed or that is unknown |
/// | 70 | `subprocess` |
/// | 75 | `rate_limit` |
/// | 76 | `api`, if a later attempt cannot succeed |
/// | 77 | `auth` |
/// | 124 | `timeout` |
/// | 130 | `interrupted` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything was done.
    #[default]
    Success,
    /// The answer is no.
    No,
    /// The run failed.
    Failed {
        category: Category,
        /// Whether a later attempt cannot succeed.
        is_permanent: bool,
    },
    /// Wrong usage, or reading or writing failed.
    Error,
    /// Exactly this status: that of a child, or what `wrap` uses instead.
    Status(u8),
}

impl Exit {
    /// Returns the exit of a run that failed.
    pub fn of_failure(failure: &Failure) -> Self {
        let is_permanent = failure.retryable() == Some(false);
        Self::Failed { category: failure.category, is_permanent }
    }

    /// Returns the status of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::No => 1,
            Self::Error => 2,
            Self::Status(status) => status,
            Self::Failed { category, is_permanent } => match category {
                Category::Interactive | Category::BackgroundTask | Category::Incomplete => 65,
                Category::Api if is_permanent => 76,
                Category::Api => 69,
                Category::Subprocess => 70,
                Category::RateLimit => 75,
                Category::Auth => 77,
                Category::Timeout => 124,
                // Under `wrap` the signal itself decides.
                Category::Interrupted => 130,
            },
        }
    }

    /// Returns the more severe of two; the first if they are equal.
    pub fn or_worse(self, other: Self) -> Self {
        let severity = |exit| match exit {
            Self::Success => 0,
            Self::No => 1,
            Self::Failed { .. } => 2,
            Self::Error | Self::Status(_) => 3,
        };
        if severity(other) > severity(self) { other } else { self }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_match_the_table() {
        let failed = |category| Exit::Failed { category, is_permanent: false }.code();
        let permanent = Exit::Failed { category: Category::Api, is_permanent: true };
        assert_eq!(permanent.code(), 76);
        assert_eq!([Exit::Success, Exit::No, Exit::Error].map(Exit::code), [0, 1, 2]);
        assert_eq!(failed(Category::RateLimit), 75);
        assert_eq!(failed(Category::Auth), 77);
        assert_eq!(failed(Category::Api), 69);
        assert_eq!(failed(Category::Subprocess), 70);
        assert_eq!(failed(Category::Timeout), 124);
        assert_eq!(failed(Category::Interactive), 65);
        assert_eq!(failed(Category::BackgroundTask), 65);
        assert_eq!(failed(Category::Incomplete), 65);
    }

    #[test]
    fn error_is_worse_than_a_failed_run_is_worse_than_no() {
        let failed = Exit::Failed { category: Category::Auth, is_permanent: true };
        let other = Exit::Failed { category: Category::Api, is_permanent: false };
        assert_eq!(Exit::Success.or_worse(Exit::No), Exit::No);
        assert_eq!(Exit::No.or_worse(failed), failed);
        assert_eq!(failed.or_worse(other), failed);
        assert_eq!(failed.or_worse(Exit::Error), Exit::Error);
        assert_eq!(Exit::Error.or_worse(Exit::Success), Exit::Error);
    }
}
