//! The stream of `pi --mode json`.
//!
//! Text arrives in parts, then as a whole in `message_end`, and again in `turn_end` and
//! `agent_end`: only `message_end` counts. An API failure is a message with an error; the
//! process exits with 0.

use std::borrow::Cow;

use super::message::{self, MessageIds};
use crate::event::{Event, Finished, Message, MessagePart, Retry, SessionInfo};
use crate::harness::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::Value;

/// Events that no other CLI prints.
const EVENTS: &[&str] = &[
    "agent_start",
    "agent_end",
    "agent_settled",
    "turn_start",
    "turn_end",
    "queue_update",
    "entry_appended",
    "session_info_changed",
    "thinking_level_changed",
    "compaction_start",
    "compaction_end",
    "auto_retry_start",
    "auto_retry_end",
    "summarization_retry_start",
    "summarization_retry_end",
];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let Some(kind) = envelope.kind else { return Claim::No };
    Claim::certain_if(match kind {
        "session" => is_header(envelope),
        "message_update" => envelope.has("assistantMessageEvent"),
        "message_start" | "message_end" => envelope.message.is_some_and(is_message),
        "tool_execution_start" | "tool_execution_update" | "tool_execution_end" => {
            envelope.has("toolCallId") && envelope.has("toolName")
        }
        _ => EVENTS.contains(&kind) && envelope.session_id.is_none(),
    })
}

/// Returns whether an object is the first line, which streams and session files share.
fn is_header(envelope: &Envelope<'_, '_>) -> bool {
    envelope.has("version") && envelope.has("cwd") && envelope.str("id").is_some()
}

/// Returns whether a value is a message of this CLI, which have a time in milliseconds.
pub(super) fn is_message(message: Value<'_, '_>) -> bool {
    let has_time = message.get("timestamp").is_some_and(|time| time.as_i64().is_some());
    has_time && message.get("role").is_some_and(Value::is_string)
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location::default();
    let role = envelope.message.and_then(|message| message.get("role")?.as_str());
    match envelope.kind {
        Some("session") => {
            location.session_id = envelope.str("id");
            let cwd = envelope.str("cwd");
            events.push(Event::Session(Box::new(SessionInfo { cwd, ..SessionInfo::default() })));
        }
        Some("turn_start") => events.push(Event::TurnStarted { id: None }),
        Some("message_start") if role == Some("assistant") => {
            let part = MessagePart::MessageStart(Message::default());
            events.push(Event::Partial { message_id: None, part });
        }
        Some("message_update") => {
            events.extend(envelope.get("assistantMessageEvent").and_then(part));
        }
        Some("message_end") => {
            location.time = envelope.message.and_then(message::time);
            events_of_message(envelope, role, events);
        }
        Some("tool_execution_end") => events.extend(
            envelope
                .get("result")
                .map(|result| Event::ToolResult(message::tool_result(envelope.object, result))),
        ),
        Some("auto_retry_start" | "summarization_retry_start") => events.push(retry(envelope)),
        Some("compaction_end") => compacted(envelope, events),
        // Older releases have no other end.
        Some("agent_end") if !envelope.has("willRetry") => events.push(finished()),
        Some("agent_settled") => events.push(finished()),
        _ => {}
    }
    location
}

fn finished<'a>() -> Event<'a> {
    Event::Finished(Box::<Finished<'_>>::default())
}

/// Decodes a complete message. Results of tools were told before.
fn events_of_message<'a>(
    envelope: &Envelope<'_, 'a>,
    role: Option<&str>,
    events: &mut Vec<Event<'a>>,
) {
    let Some(message) = envelope.message else { return };
    let id = message.get("responseId").and_then(Value::as_str);
    let ids = MessageIds { id, request_id: None };
    match role {
        Some("assistant") => message::assistant(message, ids, events),
        Some("user") => events.extend(message::prompt(message, true)),
        // A tool may have used a model.
        Some("toolResult") => {
            let header = Message::default();
            let request = |usage| message::request(header, MessageIds::default(), Some(usage));
            events.extend(message.get("usage").map(request));
        }
        _ => {}
    }
}

/// Decodes a part of the message that is being written.
fn part<'a>(event: Value<'_, 'a>) -> Option<Event<'a>> {
    let index = event.get("contentIndex").map_or(0, Value::as_count);
    let text = event.get("delta")?.as_str()?;
    let part = match event.get("type")?.as_str()? {
        "text_delta" => MessagePart::Text { index, text },
        "thinking_delta" => MessagePart::Reasoning { index, text },
        _ => return None,
    };
    Some(Event::Partial { message_id: None, part })
}

fn retry<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let message = envelope.str("errorMessage");
    Event::Retry(Retry {
        attempt: count(envelope.get("attempt")),
        max: count(envelope.get("maxAttempts")),
        delay_ms: count(envelope.get("delayMs")),
        status: message.and_then(message::status),
        message,
        is_self_contained: false,
    })
}

/// Decodes the end of a compaction, for which a model may have been used.
fn compacted<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let Some(result) = envelope.get("result").filter(|result| result.is_object()) else { return };
    if let Some(usage) = result.get("usage") {
        events.push(message::request(Message::default(), MessageIds::default(), Some(usage)));
    }
    events.push(Event::Compacted {
        trigger: envelope.str("reason"),
        before: count(result.get("tokensBefore")),
        after: count(result.get("estimatedTokensAfter")),
        summary: None,
    });
}

/// Returns what a line adds to a block of the message that is being written.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    match kind {
        "message_update" => {
            let Some(event) = line.get("assistantMessageEvent") else { return TextDelta::None };
            let index = event.get("contentIndex").and_then(Value::as_i64);
            let thread = index.map_or(Cow::Borrowed(""), |index| Cow::Owned(index.to_string()));
            let is_end = || {
                event.get("type").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("_end"))
            };
            match event.get("delta") {
                Some(delta) => TextDelta::append(thread, 0, Some(delta)),
                None if is_end() => TextDelta::EndThread(thread),
                None => TextDelta::None,
            }
        }
        "message_end" | "agent_end" | "agent_settled" => TextDelta::EndAll,
        _ => TextDelta::None,
    }
}
