//! Grok CLI of the community: the stream of `grok --prompt … --format json`, and the rows of
//! its database as lines.
//!
//! Every line has the number of its step. Tokens are those of a step; whether input includes
//! the cache is not documented, and the cache is not told apart.

use jiff::Timestamp;

use super::spend;
use crate::event::{
    Event, Evidence, Finished, Message, Scope, SessionInfo, ToolCall, ToolInput, ToolResult,
    ToolStatus,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count};
use crate::json::Value;

/// The `type` of a row of the database about a session, and about a request.
const ROWS: [&str; 2] = ["grok_session", "grok_usage"];

const USAGE: TokenMembers = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_step = || envelope.has("stepNumber") && !envelope.has("part");
    Claim::certain_if(match envelope.kind {
        Some("step_start" | "text" | "tool_use" | "step_finish") => is_step(),
        Some(kind) => ROWS.contains(&kind),
        None => false,
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let time = envelope.get("timestamp").and_then(Value::as_i64);
    let mut location = Location {
        session_id: envelope.str("sessionID"),
        time: time.and_then(|time| Timestamp::from_millisecond(time).ok()),
        ..Location::default()
    };
    match envelope.kind {
        Some("text") => {
            let text = envelope.get("text").and_then(Value::as_text);
            let whole = |text| Event::Text { message_id: None, text, is_part: false };
            events.extend(text.map(whole));
        }
        Some("tool_use") => tool_use(envelope, events),
        Some("step_finish") => step_finish(envelope, events),
        Some("error") => {
            let message = envelope.str("message");
            events.push(Event::Error { message, error: Evidence::default() });
        }
        Some(row) if ROWS.contains(&row) => {
            location.on_disk = true;
            location.time = envelope.str("created_at").and_then(|time| time.parse().ok());
            stored(envelope, row, events);
        }
        _ => {}
    }
    location
}

/// Decodes a call, which is printed with its result.
fn tool_use<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let Some(made) = envelope.get("toolCall") else { return };
    let function = made.get("function");
    let arguments =
        function.and_then(|function| function.members().find(|member| member.key == "arguments"));
    let call = ToolCall {
        id: made.get("id").and_then(Value::as_str),
        name: function.and_then(|function| function.get("name")?.as_str()),
        input: arguments.map_or(ToolInput::None, |member| ToolInput::Encoded(member.json())),
        ..ToolCall::default()
    };
    events.push(Event::ToolCall(call));
    let Some(result) = envelope.get("toolResult") else { return };
    let text = |key| result.get(key).and_then(Value::as_text);
    let has_failed = result.get("success").and_then(Value::as_bool) == Some(false);
    let timing = envelope.get("timing");
    events.push(Event::ToolResult(ToolResult {
        call: ToolCall { input: ToolInput::None, ..call },
        status: if has_failed { ToolStatus::Failed } else { ToolStatus::Completed },
        output: text("output").or_else(|| text("error")),
        duration_ms: timing.and_then(|timing| count(timing.get("durationMs"))),
        is_error: Some(has_failed),
        ..ToolResult::default()
    }));
}

/// Decodes the end of a step. The last one calls no tools.
fn step_finish<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let reason = envelope.str("finishReason");
    if let Some(usage) = envelope.get("usage").filter(|usage| usage.is_object()) {
        events.push(Event::Message(Message {
            usage: Some(envelope::tokens(usage, USAGE)),
            cost_usd: usage.get("costUsdTicks").and_then(spend::ticks),
            stop_reason: reason,
            ..Message::default()
        }));
    }
    if reason.is_some_and(|reason| reason != "tool-calls") {
        let scope = Scope::Turn;
        events.push(Event::Finished(Box::new(Finished { scope, ..Finished::default() })));
    }
}

fn stored<'a>(envelope: &Envelope<'_, 'a>, row: &str, events: &mut Vec<Event<'a>>) {
    const COUNTS: TokenMembers = ["input_tokens", "output_tokens", "", ""];
    const MICROS: f64 = 1e6;
    let model = envelope.str("model");
    events.push(if row == ROWS[0] {
        let cwd = envelope.str("cwd");
        Event::Session(Box::new(SessionInfo { model, cwd, ..SessionInfo::default() }))
    } else {
        let micros = envelope.get("cost_micros").and_then(Value::as_f64);
        Event::Message(Message {
            id: envelope.str("id"),
            request_id: envelope.str("sessionID"),
            model,
            usage: Some(envelope::tokens(envelope.object, COUNTS)),
            cost_usd: micros.map(|micros| micros / MICROS),
            ..Message::default()
        })
    });
}
