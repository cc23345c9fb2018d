//! Did it fail, and why?
//!
//! A result tells a run's failure: of several the last failing one counts,
//! and a later success does not clear it; so on disk with a request that failed,
//! unless the same turn went on after it. A turn's failure or an error of the
//! stream counts when it is the first.

use std::time::SystemTime;

use jiff::Timestamp;

use super::classify::{self, Category};
use super::retry_at;
use crate::event::{Event, Evidence, Finished, Message, Packet, Scope};
use crate::harness::Harness;

/// A failure, classified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub category: Category,
    /// What the user is told.
    pub message: String,
    /// The HTTP status.
    pub status: Option<i64>,
    /// The harness' word for how the run ended.
    pub subtype: Option<String>,
    /// Why the run ended.
    pub terminal_reason: Option<String>,
    /// When a limit is reset.
    pub retry_at: Option<Timestamp>,
    /// Who says so.
    pub source: Source,
}

impl Failure {
    pub(super) fn new(category: Category, message: String, source: Source) -> Self {
        Self {
            category,
            message,
            status: None,
            subtype: None,
            terminal_reason: None,
            retry_at: None,
            source,
        }
    }
}

/// Who says that a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A result line.
    Result,
    /// A failed turn.
    Turn,
    /// A message in the place of an answer.
    Message,
    /// An error line.
    Stream,
    /// A guess.
    Heuristic,
    /// Nobody: the stream just stops.
    Truncated,
    /// The process behind the stream.
    Process,
}

impl Source {
    /// Its name in records.
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

/// Watches out for failures.
#[derive(Debug)]
pub struct Failures {
    found: Option<Failure>,
    /// What the last message said about a failed request.
    hint: Hint,
    /// The turn that failed is over.
    turn_is_over: bool,
    /// When the limit that was last hit is reset.
    resets_at: Option<i64>,
    /// When the lines being read were written, for times of day in messages.
    written: SystemTime,
}

/// [`Evidence`] that outlives its line.
#[derive(Debug, Default)]
struct Hint {
    category: Option<String>,
    status: Option<i64>,
    api_type: Option<String>,
}

impl Failures {
    /// For lines written at `written`.
    #[must_use]
    pub fn new(written: SystemTime) -> Self {
        Self { found: None, hint: Hint::default(), turn_is_over: false, resets_at: None, written }
    }

    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                // A subagent that fails is not the run.
                Event::Message(message) if packet.parent_id.is_none() => {
                    self.hint(&message.error);
                    self.goes_on(message);
                }
                Event::Prompt { .. } => self.turn_is_over = true,
                Event::RateLimit(limit) if matches!(limit.status, None | Some("rejected")) => {
                    self.resets_at = limit.resets_at.or(self.resets_at);
                }
                Event::Finished(finished) => self.finished(packet.harness, finished),
                Event::Error { message } => {
                    self.first(|| Self::told(packet.harness, *message, Source::Stream));
                }
                _ => {}
            }
        }
    }

    /// The failure found, if any.
    #[must_use]
    pub fn found(&self) -> Option<Failure> {
        let found = self.found.clone()?;
        Some(Failure { retry_at: self.retry_at(&found), ..found })
    }

    /// When the limit that was hit is reset; a line after the failure may
    /// tell.
    fn retry_at(&self, failure: &Failure) -> Option<Timestamp> {
        if failure.category != Category::RateLimit {
            return None;
        }
        let told = self.resets_at.and_then(|at| Timestamp::from_second(at).ok());
        told.or_else(|| retry_at::in_text(&failure.message, self.written))
    }

    /// A message without evidence clears that of the one before.
    fn hint(&mut self, evidence: &Evidence<'_>) {
        self.hint = Hint {
            category: evidence.category.map(str::to_owned),
            status: evidence.status,
            api_type: evidence.api_type.map(str::to_owned),
        };
        self.resets_at = evidence.resets_at.or(self.resets_at);
    }

    /// An answer after all takes back that the request failed.
    fn goes_on(&mut self, message: &Message<'_>) {
        let failed = |found: &Failure| found.source == Source::Message;
        if !message.synthetic && !self.turn_is_over && self.found.as_ref().is_some_and(failed) {
            self.found = None;
        }
    }

    fn finished(&mut self, harness: Harness, finished: &Finished<'_>) {
        let hint = std::mem::take(&mut self.hint);
        if !finished.failed {
            return;
        }
        let text = finished.text.as_deref();
        match finished.scope {
            Scope::Turn => self.first(|| Self::told(harness, text, Source::Turn)),
            Scope::Result | Scope::Request => {
                let message = classify::kept_text(harness, text);
                let hint = Evidence {
                    category: hint.category.as_deref(),
                    status: hint.status,
                    api_type: hint.api_type.as_deref(),
                    resets_at: None,
                };
                self.turn_is_over = false;
                let source = match finished.scope {
                    Scope::Request => Source::Message,
                    _ => Source::Result,
                };
                let reason = finished.terminal_reason;
                let evidence = [finished.error, hint];
                let category = classify::category(harness, &evidence, reason, &message);
                let status = evidence.iter().find_map(|given| given.status);
                self.found = Some(Failure {
                    status: status.or_else(|| classify::status_in(&message)),
                    subtype: finished.subtype.map(str::to_owned),
                    terminal_reason: reason.map(str::to_owned),
                    ..Failure::new(category, message, source)
                });
            }
        }
    }

    fn first(&mut self, failure: impl FnOnce() -> Failure) {
        self.found.get_or_insert_with(failure);
    }

    /// A failure that is a text and nothing else.
    fn told(harness: Harness, text: Option<&str>, source: Source) -> Failure {
        let message = classify::kept_text(harness, text);
        let category = classify::category(harness, &[], None, &message);
        Failure { status: classify::status_in(&message), ..Failure::new(category, message, source) }
    }
}
