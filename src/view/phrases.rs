//! Events as short phrases.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use super::MAX_LINE_WIDTH;
use crate::event::{RateLimit, Retry};
use crate::output::{one_line, sanitize, seconds, thousands};
use crate::run::milliseconds;

/// Describes a retry.
pub(super) fn retry(retry: &Retry<'_>) -> String {
    if let Some(message) = retry.message.filter(|_| retry.is_self_contained) {
        return one_line(&sanitize(message), MAX_LINE_WIDTH);
    }
    let mut text = match (retry.attempt, retry.max) {
        (Some(attempt), Some(max)) => format!("retry {attempt} of {max}"),
        (Some(attempt), None) => format!("retry {attempt}"),
        _ => "retry".to_owned(),
    };
    text += &retry.delay_ms.map(|delay| format!(" in {}", seconds(delay))).unwrap_or_default();
    text += &retry.status.map(|status| format!(", status {status}")).unwrap_or_default();
    if let Some(message) = retry.message {
        text.extend([": ", &one_line(&sanitize(message), MAX_LINE_WIDTH)]);
    }
    text
}

/// Describes a limit, unless it is far from being reached.
pub(super) fn limit(limit: &RateLimit<'_>, now: SystemTime) -> Option<String> {
    let status = limit.status.unwrap_or("reached");
    if status == "allowed" {
        return None;
    }
    let kind = limit.kind.unwrap_or("rate").replace('_', " ");
    let mut text = format!("{} limit: {}", sanitize(&kind), sanitize(&status.replace('_', " ")));
    let used = limit.utilization.map(|used| format!(", {:.0} % used", used * 100.0));
    text += &used.unwrap_or_default();
    if let Some(resets) = limit.resets_at.and_then(|at| Timestamp::from_second(at).ok()) {
        let now = Timestamp::try_from(now).unwrap_or_default();
        let left = resets.as_second() - now.as_second();
        match left {
            1..604_800 => text.extend([", resets in ", &duration(left)]),
            _ => text.extend([", resets at ", &resets.to_string()]),
        }
    }
    Some(text)
}

/// Formats a duration: `2 h 10 min`, `5 min`, `40 s`.
fn duration(seconds: i64) -> String {
    match seconds {
        86_400.. => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
        3600.. => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        60.. => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// Formats the duration of a call: `65 ms`, `1.2 s`.
pub(super) fn call_duration(duration: Duration) -> String {
    match milliseconds(duration) {
        short @ 0..1000 => format!("{short} ms"),
        long => seconds(long),
    }
}

/// Formats a duration that is still growing: `3 s`, `2 min 5 s`, `1 h 2 min`.
pub(super) fn live_duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 3600.. => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        seconds @ 60.. => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{seconds} s"),
    }
}

/// Describes the compaction of a conversation.
pub(super) fn compacted(trigger: Option<&str>, before: Option<u64>, after: Option<u64>) -> String {
    let trigger = trigger.map(|trigger| format!(" ({})", sanitize(trigger)));
    let before = before.map(|count| format!(", {} tokens", thousands(count)));
    let after = after.map(|count| format!(" to {}", thousands(count)));
    let parts = [trigger, before, after].map(Option::unwrap_or_default);
    format!("conversation compacted{}", parts.concat())
}
