//! Whether a run failed, and why.
//!
//! A failed result is the failure of the run: of several the last one counts, and
//! a later success does not clear it. The same holds for a failed request in a
//! session file, unless the same turn continued. Of failed turns and errors of
//! the stream the first one counts.

use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};

use super::classify::{self, Classified, Evident};
use super::retry_at;
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

    /// Returns the category, and the reason if that says more than category and status:
    /// `api, max_turns`.
    pub(crate) fn label(&self) -> String {
        let category = self.category.name();
        let is_implied = |reason: &FailureReason| match reason {
            FailureReason::RateLimit
            | FailureReason::Authentication
            | FailureReason::Interrupted => true,
            FailureReason::ServerError | FailureReason::InvalidRequest => self.status.is_some(),
            _ => false,
        };
        match self.reason.filter(|reason| !is_implied(reason)) {
            Some(reason) => format!("{category}, {}", reason.name()),
            None => category.to_owned(),
        }
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

/// Number of bytes of a prompt that show whether it is a note about an interruption.
const NOTE_LENGTH: usize = 64;

/// Watches for failures.
#[derive(Debug)]
pub(crate) struct Failures {
    found: Option<Failure>,
    /// What the last message says about a failed request.
    hint: ErrorHint,
    /// Whether a prompt came after the failed turn.
    is_turn_over: bool,
    /// Whether the CLI has written since the last message that the user interrupted it.
    was_interrupted: bool,
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
        Self {
            found: None,
            hint: ErrorHint::default(),
            is_turn_over: false,
            was_interrupted: false,
            resets_at: None,
            written,
            harness: Harness::Unknown,
        }
    }

    pub fn apply(&mut self, record: &Record<'_>) {
        for event in record.events {
            match event {
                // A failed subagent is not a failed run.
                Event::Message(message) if record.parent_id.is_none() => {
                    self.set_hint(&message.error);
                    self.clear_if_answered(message);
                    self.was_interrupted = false;
                }
                Event::Prompt { text, .. } => {
                    self.is_turn_over = true;
                    let start = text.prefix(NOTE_LENGTH);
                    self.was_interrupted = classify::is_interruption(record.harness, &start);
                }
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

    /// Returns whether the failure is that the user or a signal ended a turn.
    pub fn is_interruption(&self) -> bool {
        self.found.as_ref().is_some_and(Failure::is_interruption)
    }

    /// Returns the failure.
    pub fn found(&self) -> Option<Failure> {
        let found = self.found.clone()?;
        Some(Failure { retry_at: self.retry_at(&found), ..found })
    }

    /// Returns when the limit is reset; a line after the failure may tell.
    fn retry_at(&self, failure: &Failure) -> Option<Timestamp> {
        let is_quota = failure.reason == Some(FailureReason::Quota);
        if failure.category != Category::RateLimit && !is_quota {
            return None;
        }
        let rules = self.harness.rules();
        let min_delay = if is_quota { SignedDuration::ZERO } else { retry_at::MIN_DELAY };
        let told = || retry_at::in_text(&failure.message, rules, self.written, min_delay);
        let structured = self.resets_at.and_then(|at| Timestamp::from_second(at).ok());
        structured.or(failure.retry_at).or_else(told)
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
        let was_interrupted = std::mem::take(&mut self.was_interrupted);
        if !finished.failed {
            return;
        }
        self.resets_at = finished.error.resets_at.or(self.resets_at);
        let text = finished.text.as_ref().map(|text| text.prefix(classify::MAX_TEXT_BYTES));
        let text = text.as_deref();
        let source = match finished.scope {
            Scope::Turn => {
                return self.set_first(|| {
                    plain_failure(harness, text, finished.error, FailureSource::Turn)
                });
            }
            Scope::Request => FailureSource::Message,
            Scope::Result => FailureSource::Result,
        };
        let hint = Evidence {
            category: hint.category.as_deref(),
            status: hint.status,
            api_type: hint.api_type.as_deref(),
            ..Evidence::default()
        };
        self.is_turn_over = false;
        let given = Evident {
            evidence: &[finished.error, hint],
            terminal_reason: finished.terminal_reason,
            stop_reason: finished.stop_reason,
            subtype: finished.subtype,
            text: &classify::error_text(harness, text),
        };
        let failure = classified(harness, &given, source);
        let interrupted = was_interrupted.then_some(FailureReason::Interrupted);
        self.found = Some(Failure {
            reason: failure.reason.or(interrupted),
            subtype: finished.subtype.map(str::to_owned),
            terminal_reason: finished.terminal_reason.map(str::to_owned),
            ..failure
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
    let text = &classify::error_text(harness, text);
    classified(harness, &Evident { evidence: &[evidence], text, ..Evident::default() }, source)
}

fn classified(harness: Harness, given: &Evident<'_>, source: FailureSource) -> Failure {
    let Classified { category, reason, status, resets_at } = classify::classify(harness, given);
    let retry_at = resets_at.and_then(|at| Timestamp::from_second(at).ok());
    Failure { status, reason, retry_at, ..Failure::new(category, given.text.to_owned(), source) }
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
