//! The stream of `gemini -p … --output-format stream-json`.
//!
//! Text arrives in parts, and a message is never printed as a whole. Tokens are told once,
//! at the end, for the whole process.

use std::borrow::Cow;

use crate::event::{
    Event, EventFilter, Evidence, Finished, ModelUsage, Notice, Scope, SessionInfo, Tokens,
    ToolCall, ToolResult, ToolStatus,
};
use crate::harness::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count, tool_input};
use crate::json::{Member, Text, Value};

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    // Every line has a time, and none a subtype.
    if envelope.timestamp.is_none() || envelope.subtype.is_some() {
        return Claim::No;
    }
    let has = |keys: &[&str]| keys.iter().all(|key| envelope.has(key));
    Claim::certain_if(match envelope.kind {
        Some("init") => envelope.session_id.is_some() && has(&["model"]),
        Some("message") => has(&["role", "content"]) && !envelope.has("id"),
        Some("tool_use") => has(&["tool_name", "tool_id"]),
        Some("tool_result") => has(&["tool_id", "status"]),
        Some("error") => has(&["severity", "message"]),
        Some("result") => has(&["status"]) && (has(&["stats"]) || has(&["error"])),
        _ => false,
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let includes_tools = envelope.filter != EventFilter::Usage;
    match envelope.kind {
        Some("init") => {
            let model = envelope.str("model");
            let info = SessionInfo { model, ..SessionInfo::default() };
            events.push(Event::Session(Box::new(info)));
        }
        Some("message") => events.extend(message(envelope)),
        Some("tool_use") if includes_tools => events.push(Event::ToolCall(call(envelope))),
        Some("tool_result") if includes_tools => events.push(Event::ToolResult(result(envelope))),
        Some("error") => events.extend(error(envelope)),
        Some("result") => events.push(finished(envelope)),
        _ => {}
    }
    Location { session_id: envelope.session_id, ..Location::default() }
}

fn message<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let text = envelope.get("content")?.as_text()?;
    match envelope.str("role")? {
        "assistant" => Some(Event::Text { message_id: None, text, is_part: true }),
        "user" => Some(Event::Prompt { text, replay: true, synthetic: false }),
        _ => None,
    }
}

fn call<'a>(envelope: &Envelope<'_, 'a>) -> ToolCall<'a> {
    ToolCall {
        id: envelope.str("tool_id"),
        name: envelope.str("tool_name"),
        input: tool_input(envelope.object, "parameters"),
        ..ToolCall::default()
    }
}

fn result<'a>(envelope: &Envelope<'_, 'a>) -> ToolResult<'a> {
    let has_failed = envelope.str("status") == Some("error");
    let message = || envelope.get("error")?.get("message")?.as_text();
    let output = envelope.get("output").and_then(Value::as_text);
    ToolResult {
        call: ToolCall { id: envelope.str("tool_id"), ..ToolCall::default() },
        status: if has_failed { ToolStatus::Failed } else { ToolStatus::Completed },
        output: output.or_else(message),
        ..ToolResult::default()
    }
}

/// A line about a problem does not end the run.
fn error<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let message = envelope.str("message");
    match envelope.str("severity") {
        Some("error") => Some(Event::Error { message, error: Evidence::default() }),
        _ => message.map(|text| Event::Notice(Notice { text, warning: true })),
    }
}

fn finished<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let error = envelope.get("error");
    let failed = envelope.str("status") == Some("error");
    let stats = envelope.get("stats");
    let models = stats.and_then(|stats| stats.get("models"));
    let models = models.map(|models| models.members().map(|member| model(&member)).collect());
    Event::Finished(Box::new(Finished {
        // A failure without an error has been told before.
        scope: if failed && error.is_none() { Scope::Turn } else { Scope::Result },
        failed,
        subtype: envelope.str("status"),
        text: error.and_then(|error| error.get("message")?.as_str()).map(Text::from),
        usage: stats.map(tokens),
        models_total: models,
        duration_ms: stats.and_then(|stats| count(stats.get("duration_ms"))),
        error: Evidence {
            category: error.and_then(|error| error.get("type")?.as_str()),
            status: error.and_then(|error| status(error.get("message")?.as_str()?)),
            ..Evidence::default()
        },
        ..Finished::default()
    }))
}

/// Returns the HTTP status in the JSON that the message of a failed request contains.
fn status(message: &str) -> Option<i64> {
    let (_, code) = message.split_once("\"code\":")?;
    let end = code.find(|c: char| !c.is_ascii_digit()).unwrap_or(code.len());
    code[..end].parse().ok()
}

fn model<'a>(member: &Member<'_, 'a>) -> ModelUsage<'a> {
    ModelUsage { model: member.key, tokens: tokens(member.value), cost_usd: None }
}

/// Reads the counts of a run or of a model. Input includes what was read from the cache;
/// output lacks what was spent on reasoning, which is the rest of the total.
fn tokens(stats: Value<'_, '_>) -> Tokens {
    let count = |key| stats.get(key).map_or(0, Value::as_count);
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    let reasoning = count("total_tokens").saturating_sub(input).saturating_sub(output);
    Tokens {
        input,
        output: output.saturating_add(reasoning),
        cache_read: Some(count("cached")),
        reasoning: Some(reasoning),
        input_has_cache: true,
        ..Tokens::default()
    }
}

/// Returns what a line adds to the text of the answer.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    let role = || line.get("role").and_then(Value::as_str);
    match kind {
        "message" if role() == Some("assistant") => {
            let is_part = line.get("delta").and_then(Value::as_bool) == Some(true);
            TextDelta::append(Cow::Borrowed(""), 0, line.get("content").filter(|_| is_part))
        }
        "tool_use" if line.get("tool_id").is_some() => TextDelta::EndAll,
        "result" if line.get("stats").is_some() => TextDelta::EndAll,
        _ => TextDelta::None,
    }
}
