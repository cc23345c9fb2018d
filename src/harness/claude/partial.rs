//! `stream_event` lines: the pieces of a message as the API sends them.

use std::borrow::Cow;

use super::message::header_member;
use super::{Event, Growth, Head};
use crate::event::{Message, Part};
use crate::json::{Json, Member, Value};

pub(super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let Some(event) = head.event else {
        return;
    };
    let (mut kind, mut index) = (None, 0);
    let (mut message, mut delta, mut block) = (None, None, None);
    for Member { key, value } in event.members() {
        match key {
            "type" => kind = value.as_str(),
            "index" => index = value.as_count(),
            "message" => message = Some(value),
            "delta" => delta = Some(value),
            "content_block" => block = Some(value),
            _ => {}
        }
    }
    let part = match kind {
        Some("message_start") => Part::MessageStart(header(message)),
        Some("message_delta") => {
            let mut message = header(delta);
            for member in event.members() {
                header_member(&mut message, &member);
            }
            Part::MessageDelta(message)
        }
        // The rest is about what is said, and it is most of a stream.
        _ if !head.interest.in_words() => return,
        Some("content_block_start") => {
            let kind = block.and_then(|block| block.get("type")).and_then(Value::as_str);
            Part::BlockStart { index, kind }
        }
        Some("content_block_delta") => piece(index, delta),
        Some("content_block_stop") => Part::BlockStop { index },
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

fn piece<'a>(index: u64, delta: Option<Value<'_, 'a>>) -> Part<'a> {
    let (mut kind, mut text, mut thinking) = (None, None, None);
    for Member { key, value } in delta.iter().flat_map(|delta| delta.members()) {
        match key {
            "type" => kind = value.as_str(),
            "text" => text = value.as_str(),
            "thinking" => thinking = value.as_str(),
            _ => {}
        }
    }
    match kind {
        Some("text_delta") => Part::Text { index, text: text.unwrap_or_default() },
        Some("thinking_delta") => Part::Reasoning { index, text: thinking.unwrap_or_default() },
        _ => Part::Other,
    }
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
