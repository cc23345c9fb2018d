//! Three clocks over a run. Pure: they are told the time.

use std::time::{Duration, Instant};

/// How long what may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The whole run.
    pub timeout: Option<Duration>,
    /// Silence on standard output.
    pub idle: Option<Duration>,
    /// Going on after the terminal event.
    pub grace: Option<Duration>,
}

/// A clock that has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// The run took too long.
    Timeout,
    /// It was silent for too long.
    Idle,
    /// It was over, and went on.
    Grace,
}

/// The clocks.
#[derive(Debug)]
pub struct Clocks {
    limits: Limits,
    started: Instant,
    last_output: Instant,
    /// When the terminal event came, or the last output after it.
    ended: Option<Instant>,
}

impl Clocks {
    /// Starts them.
    pub fn start(limits: Limits, now: Instant) -> Self {
        Self { limits, started: now, last_output: now, ended: None }
    }

    /// The child said something.
    pub fn heard(&mut self, now: Instant) {
        self.last_output = now;
        self.ended = self.ended.map(|_| now);
    }

    /// When the child last said something, or started.
    pub fn last_output(&self) -> Instant {
        self.last_output
    }

    /// The run has come to its end, or has not after all. While something
    /// is `pending` the clock for what follows stands.
    pub fn set_ended(&mut self, ended: bool, pending: bool, now: Instant) {
        self.ended = match (ended, pending) {
            (true, false) => Some(self.ended.unwrap_or(now)),
            _ => None,
        };
    }

    /// Time during which everything was stopped does not count.
    pub fn skip(&mut self, stopped: Duration) {
        self.started += stopped;
        self.last_output += stopped;
        self.ended = self.ended.map(|ended| ended + stopped);
    }

    /// The next alarm, and when.
    pub fn next(&self) -> Option<(Instant, Alarm)> {
        let at = |since: Instant, limit: Option<Duration>| since.checked_add(limit?);
        let grace = self.ended.and_then(|ended| at(ended, self.limits.grace));
        let alarms = [
            (at(self.started, self.limits.timeout), Alarm::Timeout),
            (at(self.last_output, self.limits.idle), Alarm::Idle),
            (grace, Alarm::Grace),
        ];
        let set = alarms.into_iter().filter_map(|(at, alarm)| Some((at?, alarm)));
        set.min_by_key(|(at, _)| *at)
    }

    /// The alarm that is due.
    pub fn due(&self, now: Instant) -> Option<Alarm> {
        self.next().filter(|(at, _)| *at <= now).map(|(_, alarm)| alarm)
    }

    /// How long the run has taken.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    const ALL: Limits =
        Limits { timeout: Some(seconds(100)), idle: Some(seconds(30)), grace: Some(seconds(10)) };

    #[test]
    fn silence_is_measured_from_the_last_output() {
        let start = Instant::now();
        let mut clocks = Clocks::start(ALL, start);
        assert_eq!(clocks.due(start + seconds(29)), None);
        assert_eq!(clocks.due(start + seconds(30)), Some(Alarm::Idle));
        clocks.heard(start + seconds(80));
        assert_eq!(clocks.due(start + seconds(99)), None);
        assert_eq!(clocks.due(start + seconds(100)), Some(Alarm::Timeout));
    }

    #[test]
    fn the_grace_starts_with_the_end_and_again_with_any_output() {
        let start = Instant::now();
        let mut clocks = Clocks::start(Limits { timeout: None, idle: None, ..ALL }, start);
        assert_eq!(clocks.next(), None);
        clocks.set_ended(true, false, start + seconds(5));
        clocks.set_ended(true, false, start + seconds(9));
        assert_eq!(clocks.next(), Some((start + seconds(15), Alarm::Grace)));
        clocks.heard(start + seconds(12));
        assert_eq!(clocks.next(), Some((start + seconds(22), Alarm::Grace)));
        clocks.set_ended(true, true, start + seconds(13));
        assert_eq!(clocks.next(), None, "something is pending");
        clocks.set_ended(false, false, start + seconds(14));
        assert_eq!(clocks.next(), None, "a new turn has begun");
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
