//! The end of the process that printed a stream.

use std::time::Duration;

/// How a supervised process ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessEnd {
    /// The exit status; 128+N for signal N, -1 if a clock ended the process or it
    /// never started.
    pub(crate) exit_code: i32,
    /// The clock or signal that ended it, if it did not end by itself.
    pub(crate) stopped_by: Option<StoppedBy>,
    /// Whether that was after a good result, so that the run is complete.
    pub(crate) had_result: bool,
    /// Whether streamj ended it for any reason, so that its exit status says nothing
    /// about the run.
    pub(crate) was_ended: bool,
    /// Why it could not be started.
    pub(crate) not_started: Option<String>,
    /// How long it ran.
    pub(crate) duration: Duration,
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
    /// Warnings for the summary.
    pub(crate) warnings: Vec<String>,
}

impl ProcessEnd {
    /// Returns what ended the run before its result.
    pub fn interruption(&self) -> Option<&StoppedBy> {
        self.stopped_by.as_ref().filter(|_| !self.had_result)
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
