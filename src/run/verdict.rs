//! The verdict on a run.

use super::failure::{Failure, FailureSource};
use super::heuristics::Guess;
use super::process::ProcessEnd;
use crate::event::Category;

/// Whether heuristics are applied to a run that ended well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Heuristics {
    /// A run that ended with a question, or left subagents running, is not a
    /// success.
    #[default]
    Apply,
    /// Only what the stream reports counts.
    Ignore,
}

/// The verdict on a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether a terminal event came.
    pub complete: bool,
    /// Whether the run is complete, has no error, and no heuristic applies.
    pub succeeded_cleanly: bool,
    /// The error that the stream reports.
    pub error: Option<Failure>,
    /// The category of the error or of the heuristic.
    pub category: Option<Category>,
    /// Why the run is not a success: the error, the heuristic, or the missing end.
    pub failure: Option<Failure>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// Combines the error that the stream reports, a guess, and the description of a
    /// stream that stopped.
    pub(super) fn new(
        error: Option<Failure>,
        guess: Option<Guess>,
        stopped: Option<String>,
        warnings: Vec<String>,
    ) -> Self {
        let complete = stopped.is_none();
        let guessed = || {
            let guess = guess?;
            let message = guess.warning().to_owned();
            Some(Failure::new(guess.category(), message, FailureSource::Heuristic))
        };
        let truncated = || {
            let source = FailureSource::Truncated;
            stopped.map(|message| Failure::new(Category::Incomplete, message, source))
        };
        let failure = error.clone().or_else(guessed).or_else(truncated);
        let category = error.as_ref().map(|error| error.category);
        Self {
            complete,
            succeeded_cleanly: failure.is_none(),
            category: category.or(guess.map(Guess::category)),
            error,
            failure,
            warnings,
        }
    }

    /// Takes the end of the process into account. A clock that ended the process
    /// overrides everything; another failure of the process counts if the stream
    /// reports none.
    pub(crate) fn with_process(mut self, process: &ProcessEnd) -> Self {
        self.warnings.extend(process.warnings.iter().cloned());
        if let Some(reason) = &process.not_started {
            self.fail(Category::Subprocess, reason.clone());
            // A run that never started has no category.
            self.category = None;
        } else if process.timed_out {
            self.fail(Category::Timeout, "timeout".to_owned());
        } else if process.exit_code != 0 && self.error.is_none() {
            let stderr = process.stderr.trim();
            let status = || format!("exited with status {}", process.exit_code);
            self.fail(
                Category::Subprocess,
                if stderr.is_empty() { status() } else { stderr.to_owned() },
            );
        }
        self.succeeded_cleanly &= process.exit_code == 0;
        self
    }

    fn fail(&mut self, category: Category, message: String) {
        let failure = Failure::new(category, message, FailureSource::Process);
        self.error = Some(failure.clone());
        self.failure = Some(failure);
        self.category = Some(category);
        self.succeeded_cleanly = false;
    }
}
