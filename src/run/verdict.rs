//! The verdict on a run.

use super::failure::{Failure, FailureSource};
use super::heuristics::Guess;
use super::process::{ProcessEnd, StoppedBy};
use crate::event::{Category, FailureReason};

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

/// The error of a process that ended without the end of its stream.
const UNFINISHED: &str = "the stream ended without a result";

/// The verdict on a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether the run came to its end: by its terminal event, or with an answer if its
    /// format has none.
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
            Some(Failure::new(guess.category(), guess.warning(), FailureSource::Heuristic))
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

    /// Takes the end of the process into account. The first of these decides:
    ///
    /// | evidence | category | error |
    /// |---|---|---|
    /// | the process could not be started | none | why |
    /// | a clock ended it before a good result | `timeout` | `timeout` |
    /// | a signal ended it before its result | `interrupted` | `interrupted (SIGINT)` |
    /// | the stream reports a failure | that of the failure | its message |
    /// | a heuristic applies | `interactive`, `background-task` | none |
    /// | the exit status is not 0 and the CLI explains it | that of the explanation | its message |
    /// | the exit status is not 0 | `subprocess` | standard error |
    /// | the stream has no end | `incomplete` | `the stream ended without a result` |
    pub(crate) fn with_process(mut self, process: &ProcessEnd) -> Self {
        if process.not_started.is_some() {
            // There is no stream that could lack a result.
            self.warnings.clear();
        }
        self.warnings.extend(process.warnings.iter().cloned());
        let has_explanation = self.error.is_some() || self.is_guess();
        let has_failed = process.exit_code != 0 && !process.was_ended;
        if let Some(reason) = &process.not_started {
            self.fail(Category::Subprocess, reason.clone());
            // A run that never started has no category.
            self.category = None;
        } else if let Some(stopped) = process.interruption() {
            match stopped {
                StoppedBy::Clock => self.fail(Category::Timeout, "timeout".to_owned()),
                StoppedBy::Signal(name) => {
                    self.fail(Category::Interrupted, format!("interrupted ({name})"));
                    self.set_reason(FailureReason::Interrupted);
                }
            }
        } else if let Some(failure) =
            process.explanation.as_ref().filter(|_| has_failed && !has_explanation)
        {
            self.fail(failure.category, failure.message.clone());
            self.refine(failure);
        } else if has_failed && !has_explanation {
            let stderr = process.stderr.trim();
            let has_reason = !stderr.is_empty() && !process.was_killed;
            let message = if has_reason { stderr } else { &process.exit_description };
            self.fail(Category::Subprocess, message.to_owned());
        } else if !self.complete && !has_explanation {
            self.fail(Category::Incomplete, UNFINISHED.to_owned());
        }
        self.succeeded_cleanly &= !has_failed;
        self
    }

    /// Returns whether the failure is that of a heuristic.
    fn is_guess(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.source == FailureSource::Heuristic)
    }

    fn set_reason(&mut self, reason: FailureReason) {
        for failure in [&mut self.error, &mut self.failure].into_iter().flatten() {
            failure.reason = Some(reason);
        }
    }

    /// Adds the details of a failure.
    fn refine(&mut self, details: &Failure) {
        for failure in [&mut self.error, &mut self.failure].into_iter().flatten() {
            *failure = details.clone();
        }
    }

    fn fail(&mut self, category: Category, message: String) {
        let source = match category {
            Category::Incomplete => FailureSource::Truncated,
            _ => FailureSource::Process,
        };
        let failure = Failure::new(category, message, source);
        self.error = Some(failure.clone());
        self.failure = Some(failure);
        self.category = Some(category);
        self.succeeded_cleanly = false;
    }
}
