//! Timestamps in the store: UTC with a fixed length, so that they sort as texts.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Formats a timestamp.
pub(super) fn text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Returns the time `duration` before now, or the earliest representable time.
pub(super) fn before_now(duration: Duration) -> String {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    text(Timestamp::now().checked_sub(duration).unwrap_or(Timestamp::MIN))
}

/// Returns the time from `timestamp` to `now`; zero if it is invalid.
pub(super) fn age(timestamp: &str, now: Timestamp) -> Duration {
    let then = timestamp.parse().unwrap_or(now);
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_have_a_fixed_length_and_can_be_parsed() {
        let time: Timestamp = "2026-11-16T15:00:00.5Z".parse().unwrap();
        assert_eq!(text(time), "2026-11-16T15:00:00.500Z");
        let week = Duration::from_hours(7 * 24);
        assert_eq!(age("2026-11-09T15:00:00.500Z", time), week);
        assert_eq!(age("2026-11-23T15:00:00.500Z", time), Duration::ZERO, "in the future");
        assert_eq!(age("yesterday", time), Duration::ZERO);
    }
}
