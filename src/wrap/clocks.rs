//! The clocks of a run. They are given the time, so that tests need not wait.

use std::time::{Duration, Instant};

/// Limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// Duration of the whole run.
    pub(super) timeout: Option<Duration>,
    /// Silence on standard output.
    pub(super) idle: Option<Duration>,
    /// Time after the terminal event.
    pub(super) grace: Option<Duration>,
    /// Time after the terminal event while background tasks are running.
    pub(super) background: Option<Duration>,
}

/// What the process may be waiting for after the terminal event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// Nothing: it should exit.
    Nothing,
    /// Background tasks.
    Background,
    /// Further input.
    Input,
}

/// A clock that has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alarm {
    /// The run took too long.
    Timeout,
    /// The run was silent for too long.
    Idle,
    /// The process did not exit after its result.
    Grace,
    /// Background tasks did not end after the result.
    Background,
}

/// The clocks of a run.
#[derive(Debug)]
pub(super) struct Clocks {
    limits: Limits,
    started: Instant,
    last_output: Instant,
    /// When the terminal event came, or the last output after it.
    ended: Option<Instant>,
    pending: Pending,
}

impl Clocks {
    pub(super) fn start(limits: Limits, now: Instant) -> Self {
        let pending = Pending::Nothing;
        Self { limits, started: now, last_output: now, ended: None, pending }
    }

    /// Sets the time of the last output. If it is new, the grace period starts again, but
    /// not that of background tasks, which may go on to report their progress.
    pub(super) fn output(&mut self, at: Instant) {
        if at <= self.last_output {
            return;
        }
        self.last_output = at;
        if self.pending != Pending::Background {
            self.ended = self.ended.map(|ended| ended.max(at));
        }
    }

    /// Returns the time of the last output, or of the start.
    pub(super) fn last_output(&self) -> Instant {
        self.last_output
    }

    /// Records whether the run has ended. The grace period starts again when what is
    /// pending changes, and does not run while further input may come.
    pub(super) fn set_ended(&mut self, has_ended: bool, pending: Pending, now: Instant) {
        if std::mem::replace(&mut self.pending, pending) != pending {
            self.ended = None;
        }
        let is_over = has_ended && pending != Pending::Input;
        self.ended = is_over.then(|| self.ended.unwrap_or(now));
    }

    /// Excludes time during which everything was stopped.
    pub(super) fn skip(&mut self, stopped: Duration) {
        self.started += stopped;
        self.last_output += stopped;
        self.ended = self.ended.map(|ended| ended + stopped);
    }

    /// Returns the next alarm and its time.
    pub(super) fn next(&self) -> Option<(Instant, Alarm)> {
        let at = |since: Instant, limit: Option<Duration>| since.checked_add(limit?);
        let (grace, alarm) = match self.pending {
            Pending::Background => (self.limits.background, Alarm::Background),
            Pending::Nothing | Pending::Input => (self.limits.grace, Alarm::Grace),
        };
        let alarms = [
            (at(self.started, self.limits.timeout), Alarm::Timeout),
            (at(self.last_output, self.limits.idle), Alarm::Idle),
            (self.ended.and_then(|ended| at(ended, grace)), alarm),
        ];
        let set = alarms.into_iter().filter_map(|(at, alarm)| Some((at?, alarm)));
        set.min_by_key(|(at, _)| *at)
    }

    /// Returns the alarm that is due.
    pub(super) fn due(&self, now: Instant) -> Option<Alarm> {
        self.next().filter(|(at, _)| *at <= now).map(|(_, alarm)| alarm)
    }

    /// Returns how long the run has taken.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    const ALL: Limits = Limits {
        timeout: Some(seconds(100)),
        idle: Some(seconds(30)),
        grace: Some(seconds(10)),
        background: Some(seconds(60)),
    };

    #[test]
    fn silence_is_measured_from_the_last_output() {
        let start = Instant::now();
        let mut clocks = Clocks::start(ALL, start);
        assert_eq!(clocks.due(start + seconds(29)), None);
        assert_eq!(clocks.due(start + seconds(30)), Some(Alarm::Idle));
        clocks.output(start + seconds(80));
        assert_eq!(clocks.due(start + seconds(99)), None);
        assert_eq!(clocks.due(start + seconds(100)), Some(Alarm::Timeout));
    }

    #[test]
    fn grace_starts_with_the_end_and_again_with_any_output() {
        let start = Instant::now();
        let mut clocks = Clocks::start(Limits { timeout: None, idle: None, ..ALL }, start);
        assert_eq!(clocks.next(), None);
        clocks.set_ended(true, Pending::Nothing, start + seconds(5));
        clocks.set_ended(true, Pending::Nothing, start + seconds(9));
        assert_eq!(clocks.next(), Some((start + seconds(15), Alarm::Grace)));
        clocks.output(start + seconds(12));
        assert_eq!(clocks.next(), Some((start + seconds(22), Alarm::Grace)));
        clocks.set_ended(true, Pending::Input, start + seconds(13));
        assert_eq!(clocks.next(), None, "a prompt may come");
        clocks.set_ended(false, Pending::Nothing, start + seconds(14));
        assert_eq!(clocks.next(), None, "a new turn has started");
    }

    #[test]
    fn background_tasks_have_a_limit_of_their_own() {
        let start = Instant::now();
        let mut clocks = Clocks::start(Limits { timeout: None, idle: None, ..ALL }, start);
        clocks.set_ended(true, Pending::Background, start + seconds(5));
        clocks.output(start + seconds(15));
        assert_eq!(clocks.next(), Some((start + seconds(65), Alarm::Background)));
        clocks.set_ended(true, Pending::Nothing, start + seconds(20));
        assert_eq!(clocks.next(), Some((start + seconds(30), Alarm::Grace)), "they have ended");
        let unlimited = Limits { background: None, ..ALL };
        let mut clocks = Clocks::start(Limits { timeout: None, idle: None, ..unlimited }, start);
        clocks.set_ended(true, Pending::Background, start);
        assert_eq!(clocks.next(), None);
    }

    #[test]
    fn time_spent_stopped_does_not_count() {
        let start = Instant::now();
        let mut clocks = Clocks::start(ALL, start);
        clocks.skip(seconds(1000));
        assert_eq!(clocks.due(start + seconds(1029)), None);
        assert_eq!(clocks.due(start + seconds(1030)), Some(Alarm::Idle));
    }
}
