//! The stream of `vibe -p … --output streaming`: one line for each entry of the conversation,
//! when it is complete. A call and its result are one entry.
//!
//! It contains neither tokens nor the model, and the error of a run is printed on standard
//! error only. The last line is the last entry.

use jiff::Timestamp;

use crate::event::{Event, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count, tool_input};
use crate::json::{Text, Value};

/// The tool that starts a subagent, without its namespace.
const AGENT_TOOL: &str = "task";

/// The tool that asks the user, without its namespace.
const QUESTION_TOOL: &str = "ask_user_question";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has_ids = envelope.str("turnId").is_some() && envelope.session_id.is_some();
    let is_entry = envelope.has("generationStatus") && time(envelope, "createdAt").is_some();
    Claim::certain_if(envelope.kind.is_some() && has_ids && is_entry)
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    match envelope.kind {
        Some("message") => events.extend(message(envelope)),
        Some("reasoning") => {
            let summary = || envelope.get("summary").and_then(texts);
            let text = envelope.get("text").and_then(non_empty).or_else(summary);
            events.extend(text.map(|text| Event::Reasoning { text }));
        }
        Some("effect") => effect(envelope, events),
        _ => {}
    }
    let time = time(envelope, "updatedAt").or_else(|| time(envelope, "createdAt"));
    Location { session_id: envelope.session_id, time, ..Location::default() }
}

/// Returns the time in a member, in milliseconds.
fn time(envelope: &Envelope<'_, '_>, key: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(envelope.get(key)?.as_i64()?).ok()
}

fn non_empty<'a>(value: Value<'_, 'a>) -> Option<Text<'a>> {
    value.as_text().filter(|text| !text.is_empty())
}

/// Returns the text of a message: a string or a list of parts.
pub(super) fn texts<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |part: Value<'_, 'a>| part.get("text").unwrap_or(part).as_text();
    let joined = || Text::joined(&mut content.elements().filter_map(part));
    content.as_text().or_else(joined).filter(|text| !text.is_empty())
}

fn message<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let text = texts(envelope.get("content")?)?;
    match envelope.str("role")? {
        "assistant" => Some(Event::Text { message_id: envelope.str("id"), text, is_part: false }),
        "user" => {
            let synthetic = envelope.str("source") == Some("harness");
            Some(Event::Prompt { text, replay: true, synthetic })
        }
        _ => None,
    }
}

/// Decodes the call of a tool, and its result unless it is still running.
fn effect<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let detail = envelope.get("detail");
    let name = detail.and_then(|detail| detail.get("toolName")?.as_str());
    let name = name.or_else(|| envelope.str("title"));
    let input = detail.map_or(ToolInput::None, |detail| tool_input(detail, "input"));
    let call = tool_call(envelope.str("id"), name, input);
    events.push(Event::ToolCall(call));
    let Some(state) = envelope.get("state") else { return };
    let result = result(state, duration(envelope, state));
    events.extend(result.map(|result| {
        let call = ToolCall { input: ToolInput::None, ..call };
        let is_agents_answer = call.starts_agent && result.status == ToolStatus::Completed;
        Event::ToolResult(ToolResult { call, is_agents_answer, ..result })
    }));
}

pub(super) fn tool_call<'a>(
    id: Option<&'a str>,
    name: Option<&'a str>,
    input: ToolInput<'a>,
) -> ToolCall<'a> {
    let own = name.map(without_namespace);
    ToolCall {
        id,
        name,
        input,
        starts_agent: own == Some(AGENT_TOOL),
        asks_user: own == Some(QUESTION_TOOL),
        ..ToolCall::default()
    }
}

/// Returns the name of a tool without its namespace: `bash` for `file_system.bash`.
pub(super) fn without_namespace(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the duration of a call. Some releases always print 0.
fn duration(envelope: &Envelope<'_, '_>, state: Value<'_, '_>) -> Option<u64> {
    let told = count(state.get("durationMs")).filter(|duration| *duration > 0);
    let [start, end] = ["createdAt", "updatedAt"].map(|key| envelope.get(key)?.as_i64());
    told.or_else(|| u64::try_from(end?.checked_sub(start?)?).ok())
}

/// Decodes how a call ended. A command that failed is a completed call without success.
fn result<'a>(state: Value<'_, 'a>, duration_ms: Option<u64>) -> Option<ToolResult<'a>> {
    let succeeded = state.get("display").and_then(|display| display.get("success")?.as_bool());
    let word = state.get("status").and_then(Value::as_str)?;
    let status = match word {
        "completed" if succeeded != Some(false) => ToolStatus::Completed,
        "pending" | "running" | "in_progress" | "awaiting_approval" => return None,
        "rejected" | "denied" | "skipped" => ToolStatus::Denied,
        _ => ToolStatus::Failed,
    };
    let stream = |key| state.get("output")?.get(key)?.as_text();
    let reason = || state.get("reason").and_then(non_empty);
    let output = state.get("outputText").and_then(non_empty).or_else(reason);
    Some(ToolResult {
        status,
        output: output.or_else(|| state.get("outputText")?.as_text()),
        stdout: stream("stdout"),
        stderr: stream("stderr"),
        interrupted: (word == "cancelled").then_some(true),
        is_error: succeeded.map(|succeeded| !succeeded),
        duration_ms,
        ..ToolResult::default()
    })
}
