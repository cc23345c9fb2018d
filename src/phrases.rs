//! Events as short phrases.

use std::time::SystemTime;

use jiff::Timestamp;

use crate::event::{Category, Finished, RateLimit, Retry};
use crate::output::{one_line, sanitize, seconds, thousands};
use crate::run::{Failure, FailureSource, Run, Verdict};

/// Maximum width of a tool's name, of its summary, and of other text from the
/// stream that is shown on one line.
pub(crate) const MAX_LINE_WIDTH: usize = 400;

/// Describes a retry.
pub(crate) fn retry(retry: &Retry<'_>) -> String {
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
pub(crate) fn limit(limit: &RateLimit<'_>, now: SystemTime) -> Option<String> {
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

/// Describes the compaction of a conversation.
pub(crate) fn compacted(trigger: Option<&str>, before: Option<u64>, after: Option<u64>) -> String {
    let trigger = trigger.map(|trigger| format!(" ({})", sanitize(trigger)));
    let before = before.map(|count| format!(", {} tokens", thousands(count)));
    let after = after.map(|count| format!(" to {}", thousands(count)));
    let parts = [trigger, before, after].map(Option::unwrap_or_default);
    format!("conversation compacted{}", parts.concat())
}

/// Describes the end of a turn that is not the last one.
pub(crate) fn describe_turn(finished: &Finished<'_>, run: &Run) -> String {
    let outcome = match finished.failed {
        true if is_aborted(finished.terminal_reason, run) => "turn interrupted",
        true if run.was_turn_interrupted() => "turn interrupted",
        true => "turn failed",
        false => "turn complete",
    };
    match finished.duration_ms {
        Some(duration) => format!("{outcome} after {}", seconds(duration)),
        None => outcome.to_owned(),
    }
}

/// Returns whether this reason for the end of a run is the user.
fn is_aborted(reason: Option<&str>, run: &Run) -> bool {
    let aborted = run.session.harness().rules().aborted_reason;
    reason.zip(aborted).is_some_and(|(reason, aborted)| reason.starts_with(aborted))
}

/// How a run ended, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    /// The agent asked a question that was not answered.
    Waiting,
    /// Subagents were left running.
    Unfinished,
    /// The user, a signal or the end of the stream.
    Interrupted,
    Failed,
}

impl Outcome {
    /// Returns how a run ended, given its verdict.
    pub(crate) fn of(run: &Run, verdict: &Verdict) -> Self {
        match &verdict.failure {
            None => Self::Success,
            Some(failure) if run.has_recovered(failure) => Self::Success,
            Some(Failure { category: Category::Interactive, .. }) => Self::Waiting,
            Some(Failure { category: Category::BackgroundTask, .. }) => Self::Unfinished,
            Some(failure) if is_abort(failure, run) => Self::Interrupted,
            Some(_) if !verdict.complete && verdict.error.is_none() => Self::Interrupted,
            Some(_) => Self::Failed,
        }
    }

    /// Returns a phrase for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Waiting => "waiting for an answer",
            Self::Unfinished => "agents not finished",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// Returns whether a failure is that the user ended the run. Its message is internal to the
/// CLI.
pub(crate) fn is_abort(failure: &Failure, run: &Run) -> bool {
    let is_reported = matches!(failure.source, FailureSource::Result | FailureSource::Turn);
    is_reported && failure.is_interruption() || is_aborted(failure.terminal_reason.as_deref(), run)
}
