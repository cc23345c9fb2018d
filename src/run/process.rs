//! The end of the process that printed a stream.

use std::time::Duration;

/// How a supervised process ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessEnd {
    /// The exit status; 128+N for signal N, -1 if a clock ended the process or it
    /// never started.
    pub(crate) exit_code: i32,
    /// Whether a clock ended it.
    pub(crate) timed_out: bool,
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
