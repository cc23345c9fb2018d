//! What happened, in a few words.

use std::time::SystemTime;

use jiff::Timestamp;

use super::REMEMBERED;
use crate::event::{RateLimit, Retry};
use crate::output::{seconds, thousands, visible};
use crate::projection::gist::one_line;

/// A request that is tried again.
pub(super) fn retry(retry: &Retry<'_>) -> String {
    // Codex says it all itself.
    if let Some(message) = retry.message.filter(|message| message.starts_with("Reconnecting")) {
        return one_line(&visible(message), REMEMBERED);
    }
    let mut words = match (retry.attempt, retry.max) {
        (Some(attempt), Some(max)) => format!("retry {attempt} of {max}"),
        (Some(attempt), None) => format!("retry {attempt}"),
        _ => "retry".to_owned(),
    };
    words += &retry.delay_ms.map(|delay| format!(" in {}", seconds(delay))).unwrap_or_default();
    words += &retry.status.map(|status| format!(", status {status}")).unwrap_or_default();
    if let Some(message) = retry.message {
        words.extend([": ", &one_line(&visible(message), REMEMBERED)]);
    }
    words
}

/// What a limit that matters says; one that is far away says nothing.
pub(super) fn limit(limit: &RateLimit<'_>, now: SystemTime) -> Option<String> {
    let status = limit.status.unwrap_or("reached");
    if status == "allowed" {
        return None;
    }
    let kind = limit.kind.unwrap_or("rate").replace('_', " ");
    let mut words = format!("{} limit: {}", visible(&kind), visible(&status.replace('_', " ")));
    let used = limit.utilization.map(|used| format!(", {:.0} % used", used * 100.0));
    words += &used.unwrap_or_default();
    if let Some(resets) = limit.resets_at.and_then(|at| Timestamp::from_second(at).ok()) {
        let now = Timestamp::try_from(now).unwrap_or_default();
        let left = resets.as_second() - now.as_second();
        match left {
            1..604_800 => words.extend([", resets in ", &super::ending::span(left)]),
            _ => words.extend([", resets at ", &resets.to_string()]),
        }
    }
    Some(words)
}

/// The conversation was made shorter.
pub(super) fn compacted(trigger: Option<&str>, before: Option<u64>, after: Option<u64>) -> String {
    let trigger = trigger.map(|trigger| format!(" ({})", visible(trigger)));
    let before = before.map(|count| format!(", {} tokens", thousands(count)));
    let after = after.map(|count| format!(" to {}", thousands(count)));
    let parts = [trigger, before, after].map(Option::unwrap_or_default);
    format!("conversation compacted{}", parts.concat())
}
