//! Whether a run failed, and why.
//!
//! A failed result is the failure of the run: of several the last one counts, and
//! a later success does not clear it. The same holds for a failed request in a
//! session file, unless the same turn continued. Of failed turns and errors of
//! the stream the first one counts.

use std::time::SystemTime;

use jiff::Timestamp;

use super::{classify, retry_at};
use crate::event::{Category, Event, Evidence, FailureReason, Finished, Message, Scope};
use crate::harness::{ExitExplanation, Harness, Record};

/// A classified failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of failure.
    pub category: Category,
    /// The message for the user.
    pub message: String,
    /// The HTTP status.
    pub status: Option<i64>,
    /// The CLI's word for how the run ended.
    pub subtype: Option<String>,
    /// Why the run ended.
    pub terminal_reason: Option<String>,
    /// Why it failed, in more detail than the category.
    pub reason: Option<FailureReason>,
    /// When the exceeded limit is reset.
    pub retry_at: Option<Timestamp>,
    /// What reports the failure.
    pub source: FailureSource,
}

impl Failure {
    pub(super) fn new(category: Category, message: String, source: FailureSource) -> Self {
        Self {
            category,
            message,
            status: None,
            subtype: None,
            terminal_reason: None,
            reason: None,
            retry_at: None,
            source,
        }
    }

    /// Returns whether the CLI gave no message.
    pub(crate) fn has_no_detail(&self) -> bool {
        self.message == classify::NO_DETAIL
    }

    /// Returns whether the user or a signal ended the run or a turn of it.
    pub(crate) fn is_interruption(&self) -> bool {
        self.reason == Some(FailureReason::Interrupted)
    }

    /// Returns whether the same run may succeed if it is repeated later; `None` if that
    /// is unknown. A quota that is used up is temporary if its reset is known.
    #[must_use]
    pub fn retryable(&self) -> Option<bool> {
        match (self.reason, self.category) {
            (Some(FailureReason::Quota), _) => Some(self.retry_at.is_some()),
            (Some(reason), _) => Some(is_temporary(reason)),
            (None, Category::RateLimit) => Some(true),
            (None, Category::Auth | Category::Interactive) => Some(false),
            (None, _) => None,
        }
    }
}

/// Returns whether the same request may succeed later without a change.
fn is_temporary(reason: FailureReason) -> bool {
    matches!(
        reason,
        FailureReason::RateLimit
            | FailureReason::Overloaded
            | FailureReason::ServerError
            | FailureReason::Network
            | FailureReason::RequestTimeout
            | FailureReason::Interrupted
    )
}

/// What reports a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureSource {
    /// A result line.
    Result,
    /// A failed turn.
    Turn,
    /// A message in place of an answer.
    Message,
    /// An error line.
    Stream,
    /// A heuristic.
    Heuristic,
    /// The end of the stream, which has no terminal event.
    Truncated,
    /// The process that printed the stream.
    Process,
}

impl FailureSource {
    /// Returns the name used in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Turn => "turn",
            Self::Message => "message",
            Self::Stream => "stream",
            Self::Heuristic => "heuristic",
            Self::Truncated => "truncated",
            Self::Process => "process",
        }
    }
}

/// Watches for failures.
#[derive(Debug)]
pub(crate) struct Failures {
    found: Option<Failure>,
    /// What the last message says about a failed request.
    hint: ErrorHint,
    /// Whether a prompt came after the failed turn.
    is_turn_over: bool,
    /// When the limit that was exceeded last is reset.
    resets_at: Option<i64>,
    /// When the lines were written, for times of day in messages.
    written: SystemTime,
    /// The CLI that reported an end or an error last.
    harness: Harness,
}

/// Owned [`Evidence`].
#[derive(Debug, Default)]
struct ErrorHint {
    category: Option<String>,
    status: Option<i64>,
    api_type: Option<String>,
}

impl Failures {
    /// Watches lines that were written at `written`.
    pub fn new(written: SystemTime) -> Self {
        let hint = ErrorHint::default();
        let harness = Harness::Unknown;
        Self { found: None, hint, is_turn_over: false, resets_at: None, written, harness }
    }

    pub fn apply(&mut self, record: &Record<'_>) {
        for event in record.events {
            match event {
                // A failed subagent is not a failed run.
                Event::Message(message) if record.parent_id.is_none() => {
                    self.set_hint(&message.error);
                    self.clear_if_answered(message);
                }
                Event::Prompt { .. } => self.is_turn_over = true,
                Event::RateLimit(limit) if matches!(limit.status, None | Some("rejected")) => {
                    self.resets_at = limit.resets_at.or(self.resets_at);
                }
                Event::Finished(finished) => {
                    self.harness = record.harness;
                    self.finished(record.harness, finished);
                }
                Event::Error { message, error } => {
                    self.harness = record.harness;
                    self.resets_at = error.resets_at.or(self.resets_at);
                    self.set_first(|| {
                        plain_failure(record.harness, *message, *error, FailureSource::Stream)
                    });
                }
                _ => {}
            }
        }
    }

    /// Returns the failure.
    pub fn found(&self) -> Option<Failure> {
        let found = self.found.clone()?;
        Some(Failure { retry_at: self.retry_at(&found), ..found })
    }

    /// Returns when the limit is reset; a line after the failure may tell.
    fn retry_at(&self, failure: &Failure) -> Option<Timestamp> {
        if failure.category != Category::RateLimit {
            return None;
        }
        let structured = self.resets_at.and_then(|at| Timestamp::from_second(at).ok());
        structured
            .or_else(|| retry_at::in_text(&failure.message, self.harness.rules(), self.written))
    }

    /// Replaces the hint; a message without evidence clears it.
    fn set_hint(&mut self, evidence: &Evidence<'_>) {
        self.hint = ErrorHint {
            category: evidence.category.map(str::to_owned),
            status: evidence.status,
            api_type: evidence.api_type.map(str::to_owned),
        };
        self.resets_at = evidence.resets_at.or(self.resets_at);
    }

    /// An answer in the same turn clears the failure of a request.
    fn clear_if_answered(&mut self, message: &Message<'_>) {
        let is_request = |found: &Failure| found.source == FailureSource::Message;
        if !message.synthetic && !self.is_turn_over && self.found.as_ref().is_some_and(is_request) {
            self.found = None;
        }
    }

    fn finished(&mut self, harness: Harness, finished: &Finished<'_>) {
        let hint = std::mem::take(&mut self.hint);
        if !finished.failed {
            return;
        }
        let text = finished.text.as_deref();
        let source = match finished.scope {
            Scope::Turn => {
                return self.set_first(|| {
                    plain_failure(harness, text, finished.error, FailureSource::Turn)
                });
            }
            Scope::Request => FailureSource::Message,
            Scope::Result => FailureSource::Result,
        };
        let message = classify::error_text(harness, text);
        let hint = Evidence {
            category: hint.category.as_deref(),
            status: hint.status,
            api_type: hint.api_type.as_deref(),
            ..Evidence::default()
        };
        self.is_turn_over = false;
        let reason = finished.terminal_reason;
        let evidence = [finished.error, hint];
        let category = classify::category(harness, &evidence, reason, &message);
        let status = evidence.iter().find_map(|given| given.status);
        let status = status.or_else(|| classify::status_in(&message));
        let own_words = evidence.iter().flat_map(|given| [given.category, given.api_type]);
        let words = own_words.chain([reason, finished.stop_reason, finished.subtype]);
        self.found = Some(Failure {
            status,
            reason: classify::reason(harness, words, status, &message, category),
            subtype: finished.subtype.map(str::to_owned),
            terminal_reason: reason.map(str::to_owned),
            ..Failure::new(category, message, source)
        });
    }

    fn set_first(&mut self, failure: impl FnOnce() -> Failure) {
        self.found.get_or_insert_with(failure);
    }
}

/// Classifies a failure by a text and the evidence beside it.
fn plain_failure(
    harness: Harness,
    text: Option<&str>,
    evidence: Evidence<'_>,
    source: FailureSource,
) -> Failure {
    let message = classify::error_text(harness, text);
    let category = classify::category(harness, &[evidence], None, &message);
    let status = evidence.status.or_else(|| classify::status_in(&message));
    let words = [evidence.category, evidence.api_type];
    let reason = classify::reason(harness, words, status, &message, category);
    Failure { status, reason, ..Failure::new(category, message, source) }
}

/// Classifies how the CLI explains its exit status.
pub(crate) fn exit_failure(harness: Harness, explanation: &ExitExplanation<'_>) -> Failure {
    let ExitExplanation { message, evidence, category, reason } = *explanation;
    let failure = plain_failure(harness, message, evidence, FailureSource::Process);
    Failure {
        category: category.unwrap_or(failure.category),
        reason: reason.or(failure.reason),
        ..failure
    }
}
