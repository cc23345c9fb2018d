//! The stream of `grok -p … --output-format streaming-json`, and the document of
//! `--output-format json`.
//!
//! Text and reasoning arrive in parts, and nothing is printed as a whole. Only the last line
//! has the id of the session.

use std::borrow::Cow;

use super::spend;
use crate::event::{Event, Evidence, Finished, Message, MessagePart, Notice, Scope, SessionInfo};
use crate::harness::TextDelta;
use crate::harness::acp;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::{Text, Value};

/// Types that no other CLI prints.
const OWN_TYPES: [&str; 7] = [
    "max_turns_reached",
    "auto_compact_started",
    "auto_compact_completed",
    "auto_compact_failed",
    "auto_compact_cancelled",
    "auto_continue_completed",
    "image_compressed",
];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has = |key: &&str| envelope.has(key);
    let is_list = |key| envelope.get(key).is_some_and(Value::is_array);
    Claim::certain_if(match envelope.kind {
        Some("text" | "thought") => {
            let members = 2 + usize::from(envelope.is_tagged);
            envelope.str("data").is_some() && envelope.object.members().count() == members
        }
        Some("tool_call") => envelope.has("toolCallId") && ["rawInput", "toolName"].iter().any(has),
        Some("tool_call_update") => envelope.has("toolCallId"),
        Some("usage") => spend::tokens(envelope).is_some(),
        Some("plan") => is_list("entries"),
        Some("available_commands") => is_list("tools") && is_list("commands"),
        Some("end") => ["stopReason", "requestId"].iter().all(has),
        Some("error") => envelope.has("message") && ["usage", "modelUsage"].iter().any(has),
        Some(kind) => OWN_TYPES.contains(&kind),
        None => ["text", "stopReason", "requestId"].iter().all(has),
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let data = || envelope.get("data").and_then(Value::as_text);
    let notice = |text, warning| Event::Notice(Notice { text, warning });
    match envelope.kind {
        Some("text") => {
            events.extend(data().map(|text| Event::Text { message_id: None, text, is_part: true }));
        }
        Some("thought") => events.extend(data().map(|text| Event::ReasoningPart { text })),
        Some("tool_call") => acp::call::decode(envelope.object, true, events),
        Some("tool_call_update") => acp::call::decode(envelope.object, false, events),
        Some("usage") => events.push(response(envelope)),
        Some("available_commands") => events.push(available(envelope)),
        Some("max_turns_reached") => {
            events.push(notice("the run reached its limit of turns", true));
        }
        Some("auto_compact_completed") => events.push(Event::Compacted {
            trigger: Some("auto"),
            before: None,
            after: None,
            summary: None,
        }),
        Some("auto_compact_failed") => {
            events.extend(envelope.str("error").map(|text| notice(text, true)));
        }
        Some("image_compressed") => {
            events.extend(envelope.str("message").map(|text| notice(text, false)));
        }
        Some("end") => end(envelope, None, events),
        Some("error") => error(envelope, events),
        None => {
            let thought = envelope.get("thought").and_then(Value::as_text);
            events.extend(thought.map(|text| Event::Reasoning { text }));
            end(envelope, envelope.text("text"), events);
        }
        _ => {}
    }
    Location { session_id: envelope.session_id, ..Location::default() }
}

/// Decodes the tokens of a response, which comes after its text.
fn response<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let id = envelope.str("messageId");
    let stop_reason = envelope.str("stopReason");
    let usage = spend::tokens(envelope);
    let header = Message { id, usage, stop_reason, ..Message::default() };
    Event::Partial { message_id: id, part: MessagePart::MessageDelta(header) }
}

fn available<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let list = |key| Some(envelope.object.members().find(|member| member.key == key)?.json());
    Event::Session(Box::new(SessionInfo {
        tools: list("tools"),
        slash_commands: list("commands"),
        ..SessionInfo::default()
    }))
}

/// Decodes the end of a run; `text` is all of its text, if that is not printed otherwise.
fn end<'a>(envelope: &Envelope<'_, 'a>, text: Option<Text<'a>>, events: &mut Vec<Event<'a>>) {
    let reason = envelope.str("stopReason").map(known_reason);
    let failure = reason.and_then(acp::failure);
    let document = ["structuredOutput", "structured_output"].iter().find_map(|key| {
        let member = envelope.object.members().find(|member| member.key == *key)?;
        (!member.value.is_null()).then(|| member.json())
    });
    let finished = Finished {
        failed: failure.is_some(),
        text: failure.map(Text::from).or(text),
        stop_reason: reason,
        error: Evidence { category: reason.filter(|_| failure.is_some()), ..Evidence::default() },
        structured_output: document,
        ..Finished::default()
    };
    spend::finish(envelope, finished, events);
}

/// Returns the reason as the protocol writes it; the document has it in camel case.
fn known_reason(reason: &str) -> &str {
    match reason {
        "EndTurn" => "end_turn",
        "MaxTokens" => "max_tokens",
        "MaxTurnRequests" => "max_turn_requests",
        "Refusal" => "refusal",
        "Cancelled" => "cancelled",
        other => other,
    }
}

fn error<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let text = envelope.str("message").map(Text::from);
    let finished = Finished { scope: Scope::Result, failed: true, text, ..Finished::default() };
    spend::finish(envelope, finished, events);
}

/// Returns what a line adds to the text or to the reasoning.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    // One thread: a text is complete when another kind of text starts.
    let thread = Cow::Borrowed("grok");
    match kind {
        "text" => TextDelta::append(thread, 0, line.get("data")),
        "thought" => TextDelta::append(thread, 1, line.get("data")),
        "tool_call" if line.get("toolCallId").is_some() => TextDelta::EndAll,
        "end" | "error" | "max_turns_reached" => TextDelta::EndThread(thread),
        _ => TextDelta::None,
    }
}
