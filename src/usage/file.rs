//! The usage of one file.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;

use super::{RequestLog, UsageReport};
use crate::harness::Harness;

/// The usage of one file.
pub(crate) struct FileUsage {
    pub(crate) path: PathBuf,
    /// The name of the session for messages.
    pub(crate) name: String,
    pub(crate) harness: Harness,
    /// The session it names first, or its own name.
    pub(crate) id: String,
    pub(crate) model: Option<String>,
    /// The session that started this one.
    pub(crate) started_by: Option<String>,
    /// The working directory of the agent.
    pub(crate) cwd: Option<String>,
    /// The CLI's folder for that directory.
    pub(crate) project_folder: Option<String>,
    /// Times of the first and the last line.
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Timestamp,
    /// Whether no line has a time, so that `last` is the file's modification time.
    pub(crate) is_undated: bool,
    pub(crate) used: Used,
    pub(crate) skipped: SkippedLines,
    /// A sentence about it if nothing was recognised.
    pub(crate) problem: Option<String>,
    /// Why it could not be read, or not to its end.
    pub(crate) error: Option<io::Error>,
}

/// How a file reports what was used.
pub(crate) enum Used {
    /// By request: a session file.
    Requests(Box<RequestLog>),
    /// As a whole: a recorded stream.
    Stream(Box<UsageReport>),
}

/// Lines that were skipped.
#[derive(Debug, Default)]
pub(crate) struct SkippedLines {
    pub(crate) count: u64,
    /// Number of the first one, and what is wrong with it.
    pub(crate) first: Option<(u64, String)>,
}

impl FileUsage {
    /// Returns the number of requests of a session file.
    pub(crate) fn request_count(&self) -> usize {
        self.log().map_or(0, |log| log.requests.len())
    }

    /// Returns the requests of a session file.
    pub(super) fn log(&self) -> Option<&RequestLog> {
        match &self.used {
            Used::Requests(log) => Some(log),
            Used::Stream(_) => None,
        }
    }
}
