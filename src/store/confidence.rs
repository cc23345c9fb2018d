//! How sure the memories are. Pure.

use std::time::Duration;

/// Where a new memory begins.
pub const NEW: f64 = 0.7;

/// Below this a memory is not active any more.
const FORGOTTEN: f64 = 0.3;

/// One step up or down.
const STEP: f64 = 0.1;

/// How long a memory stays as it is, and how often it loses a step afterwards.
const FRESH: Duration = Duration::from_hours(30 * 24);
const WEEK: Duration = Duration::from_hours(7 * 24);

/// The same was observed again.
pub fn reinforced(confidence: f64) -> f64 {
    steps(confidence, 1)
}

/// Something else was observed.
pub fn contradicted(confidence: f64) -> f64 {
    steps(confidence, -1)
}

/// Nothing was observed for so many weeks too long.
pub fn decayed(confidence: f64, weeks: u32) -> f64 {
    steps(confidence, -i64::from(weeks))
}

/// Whether a memory is still active.
pub fn is_active(confidence: f64) -> bool {
    confidence >= FORGOTTEN
}

/// The full weeks that a memory of this age is without an update for too long.
pub fn stale_weeks(age: Duration) -> u32 {
    let weeks = age.saturating_sub(FRESH).as_secs() / WEEK.as_secs();
    u32::try_from(weeks).unwrap_or(u32::MAX)
}

/// In whole hundredths, so that ten steps are one.
#[allow(clippy::cast_precision_loss)]
fn steps(confidence: f64, count: i64) -> f64 {
    let moved = (confidence + STEP * count as f64).clamp(0.0, 1.0);
    (moved * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp)]
    fn confidence_goes_up_to_one_and_down_to_nothing() {
        let up: Vec<f64> =
            std::iter::successors(Some(NEW), |c| Some(reinforced(*c))).take(5).collect();
        assert_eq!(up, [0.7, 0.8, 0.9, 1.0, 1.0]);
        let down: Vec<f64> =
            std::iter::successors(Some(NEW), |c| Some(contradicted(*c))).take(9).collect();
        assert_eq!(down, [0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0]);
        assert!(is_active(down[4]) && !is_active(down[5]), "inactive below 0.3, not at it");
    }

    #[test]
    #[allow(clippy::float_cmp)]
    fn a_step_is_lost_for_each_full_week_after_thirty_days() {
        let day = |days: u64| Duration::from_hours(days * 24);
        let weeks = [0, 30, 36, 37, 43, 44, 100].map(|days| stale_weeks(day(days)));
        assert_eq!(weeks, [0, 0, 0, 1, 1, 2, 10]);
        assert_eq!(decayed(0.9, 0), 0.9);
        assert_eq!(decayed(0.9, 3), 0.6);
        assert_eq!(decayed(0.9, 400), 0.0);
    }
}
