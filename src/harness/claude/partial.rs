//! `stream_event` lines: the pieces of a message as the API sends them.

use std::borrow::Cow;

use super::message::header_member;
use super::{Event, Growth, Head};
use crate::event::{Message, Part};
use crate::json::{Json, Value};

pub(super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let Some(event) = head.get("event") else {
        return;
    };
    let part = match event.get("type").and_then(Value::as_str) {
        Some("message_start") => Part::MessageStart(header(event.get("message"))),
        Some("content_block_start") => Part::BlockStart {
            index: index(event),
            kind: event
                .get("content_block")
                .and_then(|block| block.get("type"))
                .and_then(Value::as_str),
        },
        Some("content_block_delta") => delta(event),
        Some("content_block_stop") => Part::BlockStop { index: index(event) },
        Some("message_delta") => {
            let mut message = header(event.get("delta"));
            for member in event.members() {
                header_member(&mut message, &member);
            }
            Part::MessageDelta(message)
        }
        Some("message_stop") => Part::MessageStop { abandoned: head.has("abandoned_blocks") },
        _ => Part::Other,
    };
    let message_id = match part {
        Part::MessageStart(message) => message.id,
        _ => head.str("api_message_id"),
    };
    events.push(Event::Partial { message_id, part });
}

fn header<'a>(message: Option<Value<'_, 'a>>) -> Message<'a> {
    let mut header = Message::default();
    for member in message.iter().flat_map(|message| message.members()) {
        header_member(&mut header, &member);
    }
    header
}

fn delta<'a>(event: Value<'_, 'a>) -> Part<'a> {
    let index = index(event);
    let text = |key| event.get("delta").and_then(|delta| delta.get(key)).and_then(Value::as_str);
    match text("type") {
        Some("text_delta") => Part::Text { index, text: text("text").unwrap_or_default() },
        Some("thinking_delta") => {
            Part::Reasoning { index, text: text("thinking").unwrap_or_default() }
        }
        _ => Part::Other,
    }
}

fn index(event: Value<'_, '_>) -> u64 {
    event.get("index").map_or(0, Value::as_count)
}

/// What a line does to the texts of its thread.
pub(in crate::harness) fn growth(line: Json<'_>) -> Growth<'_> {
    let word = |json: Json<'_>| json.get("type").and_then(Json::as_str).map(Cow::into_owned);
    let thread = || line.get("parent_tool_use_id").and_then(Json::as_str).unwrap_or_default();
    match word(line).as_deref() {
        Some("stream_event") => {}
        Some("assistant" | "user") => return Growth::Ends(thread()),
        Some("result") => return Growth::EndsAll,
        _ => return Growth::None,
    }
    let Some(event) = line.get("event") else { return Growth::None };
    match word(event).as_deref() {
        Some("content_block_delta") => {
            let index = event.get("index").and_then(|index| str::from_utf8(index.bytes()).ok());
            let index = index.and_then(|index| index.parse().ok()).unwrap_or(0);
            let delta = event.get("delta");
            let member = |name| delta.and_then(|delta| delta.get(name));
            let piece = member("text").or(member("thinking")).or(member("partial_json"));
            Growth::piece(thread(), index, piece)
        }
        Some("ping") | None => Growth::None,
        Some(_) => Growth::Ends(thread()),
    }
}
