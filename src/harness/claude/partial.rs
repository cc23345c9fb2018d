//! `stream_event` lines: parts of a message as the API sends them.

use std::borrow::Cow;

use super::message::header_member;
use crate::event::{Event, Message, MessagePart};
use crate::harness::delta::TextDelta;
use crate::harness::envelope::Envelope;
use crate::json::{Member, Value};

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let Some(event) = envelope.event else {
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
        Some("message_start") => MessagePart::MessageStart(header(message)),
        Some("message_delta") => {
            let mut message = header(delta);
            for member in event.members() {
                header_member(&mut message, &member);
            }
            MessagePart::MessageDelta(message)
        }
        // The rest is text, and most of a stream.
        _ if !envelope.filter.includes_text() => return,
        Some("content_block_start") => {
            let kind = block.and_then(|block| block.get("type")).and_then(Value::as_str);
            MessagePart::BlockStart { index, kind }
        }
        Some("content_block_delta") => delta_part(index, delta),
        Some("content_block_stop") => MessagePart::BlockStop { index },
        Some("message_stop") => {
            MessagePart::MessageStop { abandoned: envelope.has("abandoned_blocks") }
        }
        _ => MessagePart::Other,
    };
    let message_id = match part {
        MessagePart::MessageStart(message) => message.id,
        _ => envelope.str("api_message_id"),
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

fn delta_part<'a>(index: u64, delta: Option<Value<'_, 'a>>) -> MessagePart<'a> {
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
        Some("text_delta") => MessagePart::Text { index, text: text.unwrap_or_default() },
        Some("thinking_delta") => {
            MessagePart::Reasoning { index, text: thinking.unwrap_or_default() }
        }
        _ => MessagePart::Other,
    }
}

/// Returns what a line adds to the texts of its thread.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    const THREAD: &str = "parent_tool_use_id";
    let thread = || Cow::Borrowed(line.get(THREAD).and_then(Value::as_str).unwrap_or_default());
    match kind {
        "stream_event" => {}
        "assistant" | "user" => return TextDelta::EndThreadOf(THREAD),
        "result" => return TextDelta::EndAll,
        _ => return TextDelta::None,
    }
    let Some(event) = line.get("event") else { return TextDelta::None };
    match event.get("type").and_then(Value::as_str) {
        Some("content_block_delta") => {
            let index = event.get("index").map_or(0, Value::as_count);
            let delta = event.get("delta");
            let member = |name| delta.and_then(|delta| delta.get(name));
            let text = member("text").or(member("thinking")).or(member("partial_json"));
            TextDelta::append(thread(), index, text)
        }
        Some("ping") | None => TextDelta::None,
        Some("message_start") => TextDelta::StartMessage(thread()),
        Some(_) => TextDelta::EndThreadOf(THREAD),
    }
}
