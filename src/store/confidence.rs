//! The confidence of memories: pure functions.

use std::time::Duration;

/// The confidence of a new memory.
pub(super) const NEW: f64 = 0.7;

/// Below this a memory is inactive.
const MIN_ACTIVE: f64 = 0.3;

/// One step up or down.
const STEP: f64 = 0.1;

/// A memory keeps its confidence for this long, and then loses a step every week.
const FRESH: Duration = Duration::from_hours(30 * 24);
const WEEK: Duration = Duration::from_hours(7 * 24);

/// Returns the confidence after the same observation.
pub(super) fn reinforced(confidence: f64) -> f64 {
    steps(confidence, 1)
}

/// Returns the confidence after a different observation.
pub(super) fn contradicted(confidence: f64) -> f64 {
    steps(confidence, -1)
}

/// Returns the confidence after this many stale weeks.
pub(super) fn decayed(confidence: f64, weeks: u32) -> f64 {
    steps(confidence, -i64::from(weeks))
}

/// Returns whether a memory is active.
pub(super) fn is_active(confidence: f64) -> bool {
    confidence >= MIN_ACTIVE
}

/// Returns the number of full weeks for which a memory of this age is stale.
pub(super) fn stale_weeks(age: Duration) -> u32 {
    let weeks = age.saturating_sub(FRESH).as_secs() / WEEK.as_secs();
    u32::try_from(weeks).unwrap_or(u32::MAX)
}

/// Adds steps, rounded to hundredths so that ten steps are exactly one.
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
    fn confidence_stays_between_zero_and_one() {
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
    fn memory_loses_a_step_for_each_full_week_after_thirty_days() {
        let day = |days: u64| Duration::from_hours(days * 24);
        let weeks = [0, 30, 36, 37, 43, 44, 100].map(|days| stale_weeks(day(days)));
        assert_eq!(weeks, [0, 0, 0, 1, 1, 2, 10]);
        assert_eq!(decayed(0.9, 0), 0.9);
        assert_eq!(decayed(0.9, 3), 0.6);
        assert_eq!(decayed(0.9, 400), 0.0);
    }
}
