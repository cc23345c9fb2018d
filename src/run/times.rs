//! When lines were written.

use std::time::Duration;

use jiff::Timestamp;

use crate::harness::Record;

/// Where the times of lines come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineClock {
    /// They are not needed.
    #[default]
    None,
    /// From the lines, if these have any.
    Lines,
    /// The same, else a line is written when it is read: the run is live.
    Arrival,
}

impl LineClock {
    /// Returns when a record was written.
    pub(crate) fn time(self, record: &Record<'_>) -> Option<Timestamp> {
        match self {
            Self::None => None,
            Self::Lines => record.time(),
            Self::Arrival => record.time().or_else(|| Some(Timestamp::now())),
        }
    }
}

/// Returns the time from one moment to a later one.
pub(crate) fn elapsed(from: Timestamp, to: Timestamp) -> Option<Duration> {
    Duration::try_from(to.duration_since(from)).ok()
}

/// Converts a duration to milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The times of the first and the last line of a run. Only the first one is parsed at once.
#[derive(Debug, Default)]
pub(super) struct RunTimes {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// The last time as it was printed, which replaces `last` unless it is empty.
    printed: String,
}

impl RunTimes {
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        if self.first.is_none() {
            self.first = record.time();
        }
        self.last = record.written.or(self.last);
        if let Some(printed) = record.timestamp.filter(|_| record.written.is_none()) {
            printed.clone_into(&mut self.printed);
        }
    }

    /// Returns when the run started.
    pub(super) fn started_at(&self) -> Option<Timestamp> {
        self.first
    }

    /// Returns the time from the first line to the last one, if two lines have times.
    pub(super) fn duration(&self) -> Option<Duration> {
        let duration = elapsed(self.first?, self.printed.parse().ok().or(self.last)?);
        duration.filter(|duration| !duration.is_zero())
    }
}
