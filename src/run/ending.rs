//! Whether a stream has come to its end.
//!
//! Session files, and the streams of some CLIs, have no terminal event: they are complete
//! when the agent wrote the last message.

use crate::event::Event;
use crate::harness::{Harness, Record};

/// Watches for the terminal event.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    has_ended: bool,
    /// Whether a turn has started since the last end.
    in_turn: bool,
    last_retry: Option<String>,
    on_disk: bool,
    /// Whether the stream has no terminal event, and the agent has written a message.
    has_answer: bool,
    response: Response,
    /// Whether the last turn of a session ended without a response of the model.
    is_unanswered: bool,
}

/// Whether the model has responded to its last input. Releases that do not write why a turn
/// failed leave no other trace of that.
#[derive(Clone, Copy, Debug, Default)]
struct Response {
    has_come: bool,
    /// Output tokens of the session.
    output_tokens: u64,
}

impl Response {
    fn apply(&mut self, event: &Event<'_>) {
        match event {
            Event::Prompt { .. } | Event::ToolResult(_) => self.has_come = false,
            Event::Text { .. } | Event::Reasoning { .. } | Event::ToolCall(_) => {
                self.has_come = true;
            }
            // The counts are repeated when the next request starts.
            Event::Usage { total, .. } => {
                self.has_come |= total.output > self.output_tokens;
                self.output_tokens = total.output;
            }
            _ => {}
        }
    }
}

impl Ending {
    pub fn apply(&mut self, record: &Record<'_>) {
        self.on_disk |= record.on_disk;
        for event in record.events {
            if record.on_disk {
                self.response.apply(event);
                self.is_unanswered &= !goes_on(event);
            }
            match event {
                Event::Finished(end) => {
                    *self = Self {
                        has_ended: true,
                        on_disk: self.on_disk,
                        response: self.response,
                        is_unanswered: end.is_unanswered && !self.response.has_come,
                        ..Self::default()
                    };
                }
                Event::TurnStarted { .. } => self.in_turn = true,
                _ if self.has_ended && !record.on_disk => {
                    self.in_turn |= starts_turn(record, event);
                }
                Event::Retry(retry) => self.last_retry = retry.message.map(str::to_owned),
                _ if record.parent_id.is_some() => {}
                _ if record.on_disk => self.session_event(event),
                _ if !record.harness.rules().has_terminal_event => {
                    self.session_event(event);
                    self.has_answer |= matches!(event, Event::Text { .. });
                }
                _ => {}
            }
        }
    }

    /// Describes a stream that is not complete.
    pub fn description(&self, harness: Harness) -> String {
        let stopped = if self.is_unanswered {
            "the last turn ended without an answer, and the transcript does not say why"
        } else if self.on_disk {
            "the transcript ends in the middle of a turn"
        } else if self.has_ended {
            "the stream ends in the middle of a later turn"
        } else {
            harness.rules().stopped
        };
        match &self.last_retry {
            Some(retry) => format!("{stopped}; the last request failed: {retry}"),
            None => stopped.to_owned(),
        }
    }

    fn session_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Text { .. } => self.in_turn = false,
            Event::ToolCall(_) | Event::ToolResult(_) | Event::Prompt { synthetic: false, .. } => {
                self.in_turn = true;
            }
            _ => {}
        }
    }

    /// Returns whether the lines are from a session file.
    pub fn is_on_disk(&self) -> bool {
        self.on_disk
    }

    /// Returns whether a terminal event came and nothing has started since.
    pub fn is_complete(&self) -> bool {
        (self.has_ended || self.on_disk || self.has_answer) && !self.in_turn && !self.is_unanswered
    }

    /// Returns whether a terminal event of a stream came and nothing has started since.
    pub fn has_terminal_event(&self) -> bool {
        self.has_ended && !self.on_disk && !self.in_turn
    }

    /// Returns the contract's warning about a stream without a terminal event.
    pub fn warning(&self, harness: Harness) -> Option<&'static str> {
        harness.rules().missing_end.filter(|_| !self.has_ended && !self.on_disk)
    }
}

/// Returns whether a session goes on after the end of a turn.
fn goes_on(event: &Event<'_>) -> bool {
    matches!(event, Event::TurnStarted { .. } | Event::Prompt { .. } | Event::Text { .. })
}

/// Returns whether an event after a terminal one starts another turn: the session
/// describes itself again, or the main thread goes on.
fn starts_turn(record: &Record<'_>, event: &Event<'_>) -> bool {
    record.parent_id.is_none()
        && matches!(
            event,
            Event::Session(_) | Event::Message(_) | Event::Text { .. } | Event::ToolCall(_)
        )
}
