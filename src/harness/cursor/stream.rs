//! The stream of `cursor-agent -p --output-format stream-json`.
//!
//! A message is printed as a whole. With `--stream-partial-output` its parts precede it: they
//! have a time and, unlike whole messages, no `model_call_id`. Reasoning is printed in parts
//! only.
//!
//! Tokens are those of the run. Input excludes what was read from and written to the cache,
//! as in the usage reports of the vendor; the documentation of the stream does not say so.

use std::borrow::Cow;

use jiff::Timestamp;

use super::call;
use crate::event::{Event, Evidence, Finished, MessagePart, Notice, Retry, Tokens};
use crate::harness::TextDelta;
use crate::harness::claude::stream as messages;
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count};
use crate::json::Value;

/// Members of the first line of other CLIs with messages of this shape.
const FOREIGN: [&str; 4] = ["tools", "uuid", "claude_code_version", "qwen_code_version"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has = |key: &&str| envelope.has(key);
    let is_object = |key| envelope.get(key).is_some_and(Value::is_object);
    let certain_or_shared = |is_own| {
        if is_own { Claim::Certain } else { messages::claim(envelope).min(Claim::Shared) }
    };
    match (envelope.kind.filter(|_| !envelope.has_parent_uuid), envelope.subtype) {
        (Some("system"), Some("init")) => {
            let is_own = ["apiKeySource", "permissionMode"].iter().all(has);
            Claim::certain_if(is_own && !FOREIGN.iter().any(has))
        }
        (Some("tool_call"), Some(_)) => {
            Claim::certain_if(envelope.has("call_id") && is_object("tool_call"))
        }
        (Some("thinking"), Some("delta" | "completed"))
        | (Some("interaction_query"), Some("request" | "response")) => {
            Claim::certain_if(envelope.session_id.is_some())
        }
        (Some("assistant"), _) => {
            certain_or_shared(["timestamp_ms", "model_call_id"].iter().any(has))
        }
        (Some("user"), _) => certain_or_shared(false),
        (Some("result"), _) => {
            let is_foreign = || envelope.has_uuid || envelope.has_cost || envelope.has("num_turns");
            let is_own =
                || envelope.has("request_id") || usage(envelope).is_some_and(|it| it.input > 0);
            certain_or_shared(!is_foreign() && is_own())
        }
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    match envelope.kind {
        Some("assistant") if is_part(envelope) => parts(envelope, events),
        Some("assistant") => {
            messages::decode(envelope, events);
            // Parts that follow are those of another message.
            let part = MessagePart::MessageStop { abandoned: false };
            events.push(Event::Partial { message_id: None, part });
        }
        Some("thinking") => {
            let text = envelope.get("text").filter(|_| envelope.subtype == Some("delta"));
            let text = text.and_then(Value::as_text).filter(|text| !text.is_empty());
            events.extend(text.map(|text| Event::ReasoningPart { text }));
        }
        Some("tool_call") => events.extend(call::decode(envelope)),
        Some("retry") => events.push(Event::Retry(Retry {
            attempt: count(envelope.get("attempt")),
            message: envelope.str("message").or_else(|| envelope.str("error")),
            ..Retry::default()
        })),
        Some("connection") => {
            let text = envelope.str("message");
            events.extend(text.map(|text| Event::Notice(Notice { text, warning: true })));
        }
        Some("error") => {
            let message = envelope.str("message").or_else(|| envelope.str("error"));
            events.push(Event::Error { message, error: Evidence::default() });
        }
        _ => {
            // The list may already contain events of other lines.
            let first = events.len();
            messages::decode(envelope, events);
            for event in &mut events[first..] {
                if let Event::Finished(finished) = event {
                    complete_result(envelope, finished);
                }
            }
        }
    }
    let time = envelope.get("timestamp_ms").and_then(Value::as_i64);
    Location {
        session_id: envelope.session_id,
        time: time.and_then(|time| Timestamp::from_millisecond(time).ok()),
        ..Location::default()
    }
}

/// Returns whether a message is a part of one that is printed as a whole later.
fn is_part(envelope: &Envelope<'_, '_>) -> bool {
    envelope.has("timestamp_ms") && !envelope.has("model_call_id")
}

fn parts<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let content = envelope.message.and_then(|message| message.get("content"));
    let texts = content.into_iter().flat_map(Value::elements);
    let texts = texts.filter_map(|block| block.get("text")?.as_str());
    events.extend(texts.map(|text| {
        let part = MessagePart::Text { index: 0, text };
        Event::Partial { message_id: None, part }
    }));
}

/// Sets what a result says in another way than Claude Code's.
fn complete_result<'a>(envelope: &Envelope<'_, 'a>, finished: &mut Finished<'a>) {
    finished.usage = usage(envelope);
    finished.has_all_text = true;
    if let Some(error) = envelope.text("error") {
        finished.error = Evidence::default();
        finished.text = finished.text.take().or(Some(error));
    }
}

fn usage(envelope: &Envelope<'_, '_>) -> Option<Tokens> {
    const MEMBERS: TokenMembers =
        ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
    let usage = envelope.get("usage").filter(|usage| usage.get("inputTokens").is_some())?;
    Some(envelope::tokens(usage, MEMBERS))
}

/// Returns what a line adds to a message or to reasoning. What ends a message, ends those of
/// other CLIs, too.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    match kind {
        "assistant" if line.get("timestamp_ms").is_some() => match line.get("model_call_id") {
            None => {
                let content = line.get("message").and_then(|message| message.get("content"));
                let block = content.and_then(|content| content.elements().next());
                let text = block.and_then(|block| block.get("text"));
                TextDelta::append(Cow::Borrowed(""), 0, text)
            }
            Some(_) => TextDelta::EndThread(Cow::Borrowed("")),
        },
        "thinking" if line.get("subtype").is_some() => match line.get("text") {
            Some(text) => TextDelta::append(Cow::Borrowed("thinking"), 0, Some(text)),
            None => TextDelta::EndThread(Cow::Borrowed("thinking")),
        },
        _ => TextDelta::None,
    }
}
