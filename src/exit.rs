//! Exit statuses: one enum, one conversion.

use crate::run::Category;

/// How the program ends.
///
/// | status | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | the answer is no: `check` found violations, `structured` found no document or an invalid one, a line was skipped under `--strict`, no record has the member asked for |
/// | 2 | usage or I/O error |
///
/// `wrap` ends with its command's status, or 124 to 127 and 128+N as
/// timeout(1) does. `escalate` does so with that of a tier that failed, and with 3
/// when a tier asks for another that may not run.
///
/// With `error -e` the category of the run's failure decides:
///
/// | status | category |
/// |---|---|
/// | 0 | none |
/// | 65 | `interactive`, `background-task`, `incomplete` |
/// | 69 | `api` |
/// | 70 | `subprocess` |
/// | 75 | `rate_limit` |
/// | 77 | `auth` |
/// | 124 | `timeout` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    #[default]
    Done,
    /// The answer is no.
    No,
    /// The run failed this way.
    Failed(Category),
    /// Wrong usage, or reading or writing failed.
    Trouble,
    /// Exactly this status: a child's, or what `wrap` says instead.
    Status(u8),
}

impl Exit {
    /// The status the process ends with.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Trouble => 2,
            Self::Status(status) => status,
            Self::Failed(category) => match category {
                Category::Interactive | Category::BackgroundTask | Category::Incomplete => 65,
                Category::Api => 69,
                Category::Subprocess => 70,
                Category::RateLimit => 75,
                Category::Auth => 77,
                Category::Timeout => 124,
            },
        }
    }

    /// The graver of two, the first of equals.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let gravity = |exit| match exit {
            Self::Done => 0,
            Self::No => 1,
            Self::Failed(_) => 2,
            Self::Trouble | Self::Status(_) => 3,
        };
        if gravity(other) > gravity(self) { other } else { self }
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
    fn the_codes_are_those_of_the_table() {
        let failed = |category| Exit::Failed(category).code();
        assert_eq!([Exit::Done, Exit::No, Exit::Trouble].map(Exit::code), [0, 1, 2]);
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
    fn trouble_is_worse_than_a_failed_run_is_worse_than_no() {
        let failed = Exit::Failed(Category::Auth);
        assert_eq!(Exit::Done.or_worse(Exit::No), Exit::No);
        assert_eq!(Exit::No.or_worse(failed), failed);
        assert_eq!(failed.or_worse(Exit::Failed(Category::Api)), failed);
        assert_eq!(failed.or_worse(Exit::Trouble), Exit::Trouble);
        assert_eq!(Exit::Trouble.or_worse(Exit::Done), Exit::Trouble);
    }
}
