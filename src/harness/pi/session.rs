//! Session files: `sessions/--CWD--/TIME_ID.jsonl`. A fork copies the entries of its parent
//! with their ids and times.

use super::message::{self, MessageIds};
use super::stream::is_message;
use crate::event::{Event, Message};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::Value;

/// Entries beside messages.
const ENTRIES: &[&str] = &[
    "model_change",
    "thinking_level_change",
    "usage",
    "compaction",
    "branch_summary",
    "context_edit",
    "custom",
    "custom_message",
    "label",
    "session_info",
];

/// The header is decoded like that of a stream. Entries of the first releases have no ids.
pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let (Some(kind), Some(_)) = (envelope.kind, envelope.timestamp) else { return Claim::No };
    Claim::certain_if(match kind {
        "message" => envelope.message.is_some_and(is_message),
        _ => ENTRIES.contains(&kind) && envelope.has("parentId") && envelope.str("id").is_some(),
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    // Ids of entries are short: together with the time they are unique.
    let ids = MessageIds { id: envelope.str("id"), request_id: envelope.timestamp };
    match envelope.kind {
        Some("message") => events_of_message(envelope, ids, events),
        Some("model_change") => {
            let model = envelope.str("modelId");
            events.extend(model.map(|model| Event::Model { model }));
        }
        Some("usage") => {
            let model = envelope.str("model");
            let header = Message { model, ..Message::default() };
            events.push(message::request(header, ids, envelope.get("usage")));
        }
        Some("compaction" | "branch_summary") => {
            if let Some(usage) = envelope.get("usage") {
                events.push(message::request(Message::default(), ids, Some(usage)));
            }
            let before = count(envelope.get("tokensBefore"));
            let (trigger, after, summary) = (None, None, None);
            events.push(Event::Compacted { trigger, before, after, summary });
        }
        _ => {}
    }
    Location { on_disk: true, ..Location::default() }
}

fn events_of_message<'a>(
    envelope: &Envelope<'_, 'a>,
    ids: MessageIds<'a>,
    events: &mut Vec<Event<'a>>,
) {
    let Some(message) = envelope.message else { return };
    match message.get("role").and_then(Value::as_str) {
        Some("assistant") => {
            let id = message.get("responseId").and_then(Value::as_str);
            let own = id.map(|id| MessageIds { id: Some(id), request_id: None });
            message::assistant(message, own.unwrap_or(ids), events);
        }
        Some("user") => events.extend(message::prompt(message, false)),
        Some("toolResult") => {
            if let Some(usage) = message.get("usage") {
                events.push(message::request(Message::default(), ids, Some(usage)));
            }
            events.push(Event::ToolResult(message::tool_result(message, message)));
        }
        _ => {}
    }
}
