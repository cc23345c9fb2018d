//! Windows of five hours, in which subscriptions limit what is used.
//!
//! A window starts with the first request after the previous window, at the full hour
//! (UTC) before it. Every CLI has an account, and windows, of its own.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::merge::{MergedSession, UsageItem};
use crate::codec::codec_struct;
use crate::harness::Harness;

/// The length of a window.
const BLOCK_LENGTH: SignedDuration = SignedDuration::from_hours(5);

/// A rate over less than this would be arbitrary.
const MIN_ELAPSED: SignedDuration = SignedDuration::from_mins(1);

/// The starts of the windows of each CLI, in order.
#[derive(Debug, Default)]
pub(crate) struct Blocks(HashMap<&'static str, Vec<Timestamp>>);

impl Blocks {
    /// Finds the windows of everything that was used.
    pub(crate) fn new(sessions: &[MergedSession<'_>], items: &[UsageItem<'_>]) -> Self {
        let mut times: HashMap<&'static str, Vec<Timestamp>> = HashMap::new();
        for item in items.iter().filter(|item| item.is_used()) {
            times.entry(sessions[item.session].harness.name()).or_default().push(item.at);
        }
        for times in times.values_mut() {
            times.sort_unstable();
            let mut starts: Vec<Timestamp> = Vec::new();
            for at in times.iter() {
                if starts.last().is_none_or(|start| at.duration_since(*start) >= BLOCK_LENGTH) {
                    starts.push(full_hour(*at));
                }
            }
            *times = starts;
        }
        Self(times)
    }

    /// Returns the window that has not ended.
    pub(crate) fn active(&self, harness: Harness, now: Timestamp) -> Option<BlockFacts> {
        let starts = self.0.get(harness.name())?.iter().rev();
        let mut windows = starts.map(|start| BlockFacts { harness, start: *start });
        windows.find(|window| window.left(now).is_some())
    }

    /// Returns the start of the window that a time is in.
    pub(super) fn start(&self, harness: Harness, at: Timestamp) -> Timestamp {
        let starts = self.0.get(harness.name()).map(Vec::as_slice).unwrap_or_default();
        let later = starts.partition_point(|start| *start <= at);
        later.checked_sub(1).map_or_else(|| full_hour(at), |index| starts[index])
    }
}

/// Returns the full hour before a time.
fn full_hour(at: Timestamp) -> Timestamp {
    const HOUR: i64 = 3600;
    let second = at.as_second();
    Timestamp::from_second(second - second.rem_euclid(HOUR)).unwrap_or(at)
}

/// What a row about a window shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockFacts {
    pub(crate) harness: Harness,
    pub(crate) start: Timestamp,
}

codec_struct!(BlockFacts { harness, start });

impl BlockFacts {
    /// Returns the end of the window.
    pub(crate) fn end(&self) -> Timestamp {
        self.start.checked_add(BLOCK_LENGTH).unwrap_or(Timestamp::MAX)
    }

    /// Returns the time left, if the window has not ended.
    pub(crate) fn left(&self, now: Timestamp) -> Option<SignedDuration> {
        (self.start <= now && now < self.end()).then(|| self.end().duration_since(now))
    }

    /// Returns how the usage since `first` continues at the same rate.
    pub(crate) fn pace(&self, first: Timestamp, now: Timestamp) -> Option<Pace> {
        let left = self.left(now)?;
        Some(Pace { elapsed: now.duration_since(first).max(MIN_ELAPSED), left })
    }
}

/// How far a window is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The time since the first request.
    elapsed: SignedDuration,
    /// The time to the end of the window.
    pub(crate) left: SignedDuration,
}

impl Pace {
    /// Returns the rate per minute of an amount.
    pub(crate) fn per_minute(&self, amount: f64) -> f64 {
        amount * 60.0 / self.elapsed.as_secs_f64()
    }

    /// Returns an amount as it will be at the end of the window.
    pub(crate) fn projected(&self, amount: f64) -> f64 {
        amount + self.per_minute(amount) * self.left.as_secs_f64() / 60.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_starts_at_the_full_hour() {
        for (at, hour) in [
            ("2026-11-15T23:19:59.5Z", "2026-11-15T23:00:00Z"),
            ("2026-11-15T23:00:00Z", "2026-11-15T23:00:00Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:00:00Z"),
        ] {
            assert_eq!(full_hour(at.parse().unwrap()).to_string(), hour);
        }
    }

    #[test]
    fn usage_is_projected_to_the_end_of_the_window() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let block = BlockFacts { harness: Harness::ALL[0], start: time("2026-11-15T10:00:00Z") };
        let pace = block.pace(time("2026-11-15T11:00:00Z"), time("2026-11-15T13:00:00Z")).unwrap();
        let is_near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(is_near(pace.per_minute(1200.0), 10.0));
        assert!(is_near(pace.projected(1200.0), 2400.0));
        assert_eq!(pace.left, SignedDuration::from_hours(2));
        assert!(block.left(time("2026-11-15T15:00:00Z")).is_none());
    }
}
