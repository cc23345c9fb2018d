//! Session files of Kimi CLI: `wire.jsonl` with messages in an envelope. Those of subagents
//! are also in the file of their parent.

use jiff::Timestamp;

use super::outcome;
use super::stream::{function_call, texts};
use crate::event::{Event, Message, Retry, ToolCall, ToolResult};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, TokenMembers, count, tokens};
use crate::json::{Text, Value};

const TOKENS: TokenMembers = ["input_other", "output", "input_cache_read", "input_cache_creation"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_wire = |message: Value<'_, '_>| {
        message.get("type").is_some_and(Value::is_string) && message.get("payload").is_some()
    };
    let has_time = || envelope.get("timestamp").is_some_and(|time| time.as_f64().is_some());
    let is_bare = envelope.kind.is_none();
    Claim::certain_if(is_bare && envelope.message.is_some_and(is_wire) && has_time())
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let seconds = envelope.get("timestamp").and_then(Value::as_f64);
    let mut location =
        Location { on_disk: true, time: seconds.and_then(time), ..Location::default() };
    let Some(mut message) = envelope.message else { return location };
    if message.get("type").and_then(Value::as_str) == Some("SubagentEvent") {
        let Some(payload) = message.get("payload") else { return location };
        let id = |key| payload.get(key).and_then(Value::as_str);
        location.parent_id = id("parent_tool_call_id").or_else(|| id("agent_id"));
        let Some(inner) = payload.get("event") else { return location };
        message = inner;
    }
    events.extend(wire_message(message, location.parent_id.is_none()));
    location
}

#[allow(clippy::cast_possible_truncation)] // `as` saturates
fn time(seconds: f64) -> Option<Timestamp> {
    Timestamp::from_millisecond((seconds * 1e3) as i64).ok()
}

fn wire_message<'a>(message: Value<'_, 'a>, is_main: bool) -> Option<Event<'a>> {
    let payload = message.get("payload")?;
    let text = |key| payload.get(key).and_then(Value::as_str);
    let part = |key| payload.get(key)?.as_text().filter(|text: &Text<'_>| !text.is_empty());
    Some(match message.get("type")?.as_str()? {
        "TurnBegin" => Event::Prompt {
            text: texts(payload.get("user_input")?)?,
            replay: false,
            synthetic: !is_main,
        },
        "ContentPart" => match text("type")? {
            "text" => Event::Text { message_id: None, text: part("text")?, is_part: true },
            "think" => Event::ReasoningPart { text: part("think")? },
            _ => return None,
        },
        "ToolCall" => Event::ToolCall(function_call(payload)),
        "ToolResult" => {
            let value = payload.get("return_value")?;
            let is_error = value.get("is_error").and_then(Value::as_bool);
            let output = value.get("output").and_then(texts);
            let message = || value.get("message")?.as_text();
            let output = output.filter(|text| !text.is_empty()).or_else(message);
            let call = ToolCall { id: text("tool_call_id"), ..ToolCall::default() };
            Event::ToolResult(ToolResult { call, ..outcome::result(output, is_error) })
        }
        "StatusUpdate" => Event::Message(Message {
            id: text("message_id"),
            usage: Some(tokens(
                payload.get("token_usage").filter(|usage| usage.is_object())?,
                TOKENS,
            )),
            ..Message::default()
        }),
        "StepRetry" => Event::Retry(Retry {
            attempt: count(payload.get("n")),
            max: count(payload.get("max_attempts")),
            status: payload.get("status_code").and_then(Value::as_i64),
            message: text("error_type"),
            ..Retry::default()
        }),
        _ => return None,
    })
}
