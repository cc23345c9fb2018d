//! The stream of `kimi -p … --output-format stream-json`: chat messages, known by their
//! `role`, and lines of the CLI with the role `meta`.
//!
//! It contains neither tokens nor times, and the error of a run is printed on standard error
//! only. The last line of a run that succeeded has the id of its session.

use super::outcome;
use crate::event::{Event, Finished, Notice, Retry, SessionInfo, ToolCall, ToolInput, ToolResult};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

/// The tools that start subagents.
const AGENT_TOOLS: [&str; 2] = ["Agent", "AgentSwarm"];

/// The tool that asks the user.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// Other programs print chat messages, too.
pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    match (envelope.kind, envelope.str("role")) {
        (Some(_), Some("meta")) => Claim::Certain,
        (None, Some("assistant")) if is_bare(envelope) => {
            let has_content = envelope.has("content") || envelope.has("tool_calls");
            if has_content { Claim::Typical } else { Claim::No }
        }
        (None, Some("tool")) if is_bare(envelope) && envelope.has("tool_call_id") => Claim::Typical,
        (Some("goal.summary"), None) => Claim::certain_if(envelope.has("goalId")),
        (Some(_), None) => {
            Claim::certain_if(envelope.has("source_kind") && envelope.has("severity"))
        }
        _ => Claim::No,
    }
}

/// Returns whether a message has no id, time or mark, with which others print or store it.
fn is_bare(envelope: &Envelope<'_, '_>) -> bool {
    !["id", "message_id", "ts", "timestamp", "injected"].iter().any(|key| envelope.has(key))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location::default();
    match (envelope.str("role"), envelope.kind) {
        (Some("assistant"), _) => message(envelope, events),
        (Some("tool"), _) => events.push(Event::ToolResult(result(envelope))),
        (_, Some("system.version")) => {
            let version = envelope.str("version");
            let info = SessionInfo { version, ..SessionInfo::default() };
            events.push(Event::Session(Box::new(info)));
        }
        (_, Some("turn.step.retrying")) => events.push(retry(envelope)),
        (_, Some("session.resume_hint")) => {
            location.session_id = envelope.session_id;
            events.push(Event::Finished(Box::<Finished<'_>>::default()));
        }
        (None, Some(_)) => {
            let text = envelope.str("title").or_else(|| envelope.str("reason"));
            let warning = matches!(envelope.str("severity"), Some("warning" | "error"));
            events.extend(text.map(|text| Event::Notice(Notice { text, warning })));
        }
        _ => {}
    }
    location
}

/// Decodes an answer: text, in older releases also reasoning, and calls.
fn message<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let content = envelope.get("content");
    let whole = content.and_then(Value::as_text).filter(|text| !text.is_empty());
    let text = |text| Event::Text { message_id: None, text, is_part: false };
    events.extend(whole.map(text));
    for part in content.into_iter().flat_map(Value::elements) {
        events.extend(content_part(part, None));
    }
    let calls = envelope.get("tool_calls").into_iter().flat_map(Value::elements);
    events.extend(calls.map(|call| Event::ToolCall(function_call(call))));
}

/// Decodes a part of a message: text or reasoning.
pub(super) fn content_part<'a>(
    part: Value<'_, 'a>,
    message_id: Option<&'a str>,
) -> Option<Event<'a>> {
    let text = |key| part.get(key)?.as_text().filter(|text: &Text<'_>| !text.is_empty());
    match part.get("type")?.as_str()? {
        "text" => text("text").map(|text| Event::Text { message_id, text, is_part: false }),
        "think" => text("think").map(|text| Event::Reasoning { text }),
        _ => None,
    }
}

/// Decodes a call whose arguments are a string that contains JSON.
pub(super) fn function_call<'a>(call: Value<'_, 'a>) -> ToolCall<'a> {
    let function = call.get("function");
    let arguments = function.and_then(|function| {
        let member = function.members().find(|member| member.key == "arguments");
        member.filter(|member| member.value.is_string())
    });
    let input = arguments.map_or(ToolInput::None, |member| ToolInput::Encoded(member.json()));
    let name = function.and_then(|function| function.get("name")?.as_str());
    let id = call.get("id").and_then(Value::as_str);
    tool_call(id, name, input)
}

pub(super) fn tool_call<'a>(
    id: Option<&'a str>,
    name: Option<&'a str>,
    input: ToolInput<'a>,
) -> ToolCall<'a> {
    ToolCall {
        id,
        name,
        input,
        starts_agent: name.is_some_and(|name| AGENT_TOOLS.contains(&name)),
        asks_user: name == Some(QUESTION_TOOL),
        ..ToolCall::default()
    }
}

fn result<'a>(envelope: &Envelope<'_, 'a>) -> ToolResult<'a> {
    let call = ToolCall { id: envelope.str("tool_call_id"), ..ToolCall::default() };
    let output = envelope.get("content").and_then(texts);
    ToolResult { call, ..outcome::result(output, None) }
}

/// Returns the text of an output: a string or a list of parts.
pub(super) fn texts<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |part: Value<'_, 'a>| part.get("text")?.as_text();
    content.as_text().or_else(|| Text::joined(&mut content.elements().filter_map(part)))
}

fn retry<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    Event::Retry(Retry {
        attempt: count(envelope.get("failed_attempt")),
        max: count(envelope.get("max_attempts")),
        delay_ms: count(envelope.get("delay_ms")),
        status: envelope.get("status_code").and_then(Value::as_i64),
        message: envelope.str("error_message"),
        is_self_contained: false,
    })
}
