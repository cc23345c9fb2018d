//! The end of the process that printed a stream.

use std::time::Duration;

use super::failure::Failure;

/// How a supervised process ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessEnd {
    /// The exit status; 128+N for signal N, -1 if a clock ended the process or it
    /// never started.
    pub(crate) exit_code: i32,
    /// The same in words: `exit status 1`, `killed by SIGKILL`.
    pub(crate) exit_description: String,
    /// Whether a signal ended it that was not sent by streamj.
    pub(crate) was_killed: bool,
    /// The clock or signal that ended it, if it did not end by itself.
    pub(crate) stopped_by: Option<StoppedBy>,
    /// Whether the terminal event had come before that.
    pub(crate) had_result: bool,
    /// Whether the stream reports a failure.
    pub(crate) has_failed: bool,
    /// Whether streamj ended it for any reason, so that its exit status says nothing
    /// about the run.
    pub(crate) was_ended: bool,
    /// Why it could not be started.
    pub(crate) not_started: Option<String>,
    /// How long it ran.
    pub(crate) duration: Duration,
    /// How the CLI explains the exit status.
    pub(crate) explanation: Option<Failure>,
    /// Its standard error, redacted and truncated.
    pub(crate) stderr: String,
    /// The command line.
    pub(crate) command: Vec<String>,
    /// Additional metadata for the summary.
    pub(crate) metadata: Vec<(&'static str, String)>,
    /// Members of the metadata that are true.
    pub(crate) flags: Vec<&'static str>,
    /// The last message, if the CLI wrote it to a file.
    pub(crate) last_message: Option<String>,
    /// Whether the run was asked for a document.
    pub(crate) requests_document: bool,
    /// Warnings for the summary.
    pub(crate) warnings: Vec<String>,
}

impl ProcessEnd {
    /// Returns what ended the run, if that explains how it ended: before its result, or a
    /// clock after a failed one.
    pub fn interruption(&self) -> Option<&StoppedBy> {
        self.stopped_by.as_ref().filter(|stopped| match stopped {
            StoppedBy::Clock => !self.had_good_result(),
            StoppedBy::Signal(_) => !self.had_result,
        })
    }

    /// Returns whether the run was complete when it was ended, and had not failed.
    pub fn had_good_result(&self) -> bool {
        self.had_result && !self.has_failed
    }
}

/// A clock or signal that ended a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoppedBy {
    /// A clock.
    Clock,
    /// A signal to this process, by its name.
    Signal(String),
}
