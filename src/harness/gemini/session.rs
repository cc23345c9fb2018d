//! Session files: `chats/session-*.jsonl`, and documents of older releases.
//!
//! A message is written again whenever it changes, with the same id. `$set` lines repeat
//! the history, or change what is known about the session.

use crate::event::{
    Event, Evidence, Message, Notice, SessionInfo, Tokens, ToolCall, ToolResult, ToolStatus,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, tool_input};
use crate::json::{Text, Value};

/// How a prompt starts that the CLI itself writes.
const CONTEXT: &str = "<session_context>";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_header = envelope.has("projectHash") && !envelope.has("messages");
    let is_message = || {
        let is_own =
            matches!(envelope.kind, Some("user" | "gemini" | "info" | "error" | "warning"));
        is_own
            && envelope.message.is_none()
            && envelope.str("id").is_some()
            && envelope.timestamp.is_some()
            && envelope.has("content")
    };
    let is_change =
        || envelope.kind.is_none() && (envelope.has("$set") || envelope.has("$rewindTo"));
    Claim::certain_if(is_header || is_message() || is_change())
}

pub(super) fn claim_document(envelope: &Envelope<'_, '_>) -> Claim {
    let is_session = envelope.has("projectHash") && envelope.session_id.is_some();
    Claim::certain_if(is_session && envelope.get("messages").is_some_and(Value::is_array))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let location =
        Location { session_id: envelope.session_id, on_disk: true, ..Location::default() };
    let content = envelope.get("content");
    match envelope.kind {
        None if envelope.has("projectHash") => {
            events.push(Event::Session(Box::<SessionInfo<'_>>::default()));
        }
        Some("user") => events.extend(content.and_then(prompt)),
        Some("gemini") => answer(envelope, content, events),
        Some("error") => {
            let message = content.and_then(Value::as_str);
            events.push(Event::Error { message, error: Evidence::default() });
        }
        Some(kind @ ("info" | "warning")) => {
            let notice = |text| Event::Notice(Notice { text, warning: kind == "warning" });
            events.extend(content.and_then(Value::as_str).map(notice));
        }
        _ => {}
    }
    location
}

/// Decodes the header of a document; its messages follow as objects of their own.
pub(super) fn decode_document<'a>(
    envelope: &Envelope<'_, 'a>,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    events.push(Event::Session(Box::<SessionInfo<'_>>::default()));
    Location { session_id: envelope.session_id, on_disk: true, ..Location::default() }
}

/// Returns the prompt; results of tools, which come as a user's message, are none.
fn prompt<'a>(content: Value<'_, 'a>) -> Option<Event<'a>> {
    let text = text(content)?;
    let synthetic = text.has_prefix(CONTEXT);
    Some(Event::Prompt { text, replay: false, synthetic })
}

fn answer<'a>(
    envelope: &Envelope<'_, 'a>,
    content: Option<Value<'_, 'a>>,
    events: &mut Vec<Event<'a>>,
) {
    let id = envelope.str("id");
    let usage = envelope.get("tokens").filter(|tokens| tokens.is_object()).map(tokens);
    let model = envelope.str("model");
    events.push(Event::Message(Message { id, model, usage, ..Message::default() }));
    for thought in envelope.get("thoughts").into_iter().flat_map(Value::elements) {
        let text = thought.get("description").and_then(Value::as_text);
        events.extend(text.map(|text| Event::Reasoning { text }));
    }
    if let Some(text) = content.and_then(text).filter(|text| !text.is_empty()) {
        events.push(Event::Text { message_id: id, text, is_part: false });
    }
    for call in envelope.get("toolCalls").into_iter().flat_map(Value::elements) {
        tool_call(call, events);
    }
}

/// Decodes a call, and its result if it has ended.
fn tool_call<'a>(call: Value<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let word = |key| call.get(key).and_then(Value::as_str);
    let called = ToolCall {
        id: word("id"),
        name: word("name"),
        input: tool_input(call, "args"),
        ..ToolCall::default()
    };
    events.push(Event::ToolCall(called));
    let status = match word("status") {
        Some("success") => ToolStatus::Completed,
        Some("error") => ToolStatus::Failed,
        Some("cancelled") => ToolStatus::Denied,
        _ => return,
    };
    let shown = call.get("resultDisplay").and_then(Value::as_text);
    let received = || {
        let part = call.get("result")?.elements().next()?;
        let response = part.get("functionResponse")?.get("response")?;
        response.get("output").or_else(|| response.get("error"))?.as_text()
    };
    events.push(Event::ToolResult(ToolResult {
        call: ToolCall { id: called.id, ..ToolCall::default() },
        status,
        output: shown.or_else(received),
        ..ToolResult::default()
    }));
}

/// Reads the counts of a request. Input includes what was read from the cache, and output
/// lacks what was spent on reasoning. What tools add to the prompt is input.
fn tokens(tokens: Value<'_, '_>) -> Tokens {
    let count = |key| tokens.get(key).map_or(0, Value::as_count);
    let thoughts = count("thoughts");
    Tokens {
        input: count("input").saturating_add(count("tool")),
        output: count("output").saturating_add(thoughts),
        cache_read: Some(count("cached")),
        reasoning: Some(thoughts),
        input_has_cache: true,
        ..Tokens::default()
    }
}

/// Returns the text of a message: a string, a part or a list of parts.
fn text<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |part: Value<'_, 'a>| part.get("text")?.as_text();
    let parts = || Text::joined(&mut content.elements().filter_map(part));
    content.as_text().or_else(|| part(content)).or_else(parts)
}
