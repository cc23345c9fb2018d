//! Times as the store keeps them: UTC, of one length, so that their order is
//! that of the texts.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// A time as it is kept.
pub fn text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The time so long before now, as it is kept; the earliest there is, if need be.
pub fn before_now(duration: Duration) -> String {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    text(Timestamp::now().checked_sub(duration).unwrap_or(Timestamp::MIN))
}

/// How long before `now` that was; not at all if it is no time.
pub fn age(kept: &str, now: Timestamp) -> Duration {
    let then = kept.parse().unwrap_or(now);
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_one_length_and_come_back() {
        let time: Timestamp = "2026-11-16T15:00:00.5Z".parse().unwrap();
        assert_eq!(text(time), "2026-11-16T15:00:00.500Z");
        let week = Duration::from_hours(7 * 24);
        assert_eq!(age("2026-11-09T15:00:00.500Z", time), week);
        assert_eq!(age("2026-11-23T15:00:00.500Z", time), Duration::ZERO, "the future");
        assert_eq!(age("yesterday", time), Duration::ZERO);
    }
}
