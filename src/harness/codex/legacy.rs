//! The stream of releases before October 2025: `{"id": "0", "msg": {"type": …}}`.

use std::borrow::Cow;

use super::stream::{advisory, error, mcp_output, tokens, turn_failed};
use crate::event::{
    Event, Finished, MessagePart, Scope, SessionInfo, ToolCall, ToolInput, ToolResult, ToolStatus,
};
use crate::harness::delta::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let typed = envelope.get("msg").and_then(|msg| msg.get("type")).and_then(Value::as_str);
    Claim::certain_if(typed.is_some() && envelope.kind.is_none() && envelope.has("id"))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location::default();
    let Some(msg) = envelope.get("msg") else {
        return location;
    };
    let text = |key| msg.get(key).and_then(Value::as_str);
    let long = |key| msg.get(key).and_then(Value::as_text);
    let kind = text("type");
    let event = match kind {
        Some("session_configured") => {
            location.session_id = text("session_id");
            Some(Event::Session(Box::new(SessionInfo {
                model: text("model"),
                ..SessionInfo::default()
            })))
        }
        Some("task_started") => Some(Event::TurnStarted { id: None }),
        Some("task_complete") => Some(turn_end(text("last_agent_message"))),
        Some("turn_aborted") => Some(turn_failed(text("reason"))),
        Some("token_count") => token_count(msg),
        Some("agent_message") => {
            long("message").map(|text| Event::Text { message_id: None, text, is_part: false })
        }
        Some("agent_message_delta") => text("delta").map(|text| Event::Partial {
            message_id: None,
            part: MessagePart::Text { index: 0, text },
        }),
        Some("agent_reasoning") => long("text").map(|text| Event::Reasoning { text }),
        Some("error") => Some(error(text("message"))),
        Some("stream_error" | "background_event") => text("message").map(advisory),
        Some(kind) => tool(kind, msg),
        None => None,
    };
    events.push(event.unwrap_or(Event::Other { kind, subtype: None }));
    location
}

/// Returns what a line adds to the texts of its kind.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    // The type is that of the message.
    if !kind.is_empty() {
        return TextDelta::None;
    }
    let Some(msg) = line.get("msg") else { return TextDelta::None };
    match msg.get("type").and_then(Value::as_str) {
        Some(kind) if kind.ends_with("_delta") => {
            TextDelta::append(Cow::Borrowed(kind), 0, msg.get("delta"))
        }
        Some("task_complete" | "turn_aborted") => TextDelta::EndAll,
        Some(kind) => TextDelta::EndThread(Cow::Owned(kind.to_owned() + "_delta")),
        None => TextDelta::None,
    }
}

/// Returns the end of a turn; its tokens are in an earlier `token_count`.
fn turn_end(answer: Option<&str>) -> Event<'_> {
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        text: answer.map(Text::from),
        ..Finished::default()
    }))
}

/// Returns the thread's total so far.
pub(super) fn token_count<'a>(msg: Value<'_, '_>) -> Option<Event<'a>> {
    let Some(info) = msg.get("info") else {
        // Older releases have the counts here; newer ones may report limits only.
        let total = msg.get("input_tokens").map(|_| tokens(msg))?;
        return Some(Event::Usage { total, last: None });
    };
    let total = tokens(info.get("total_token_usage")?);
    Some(Event::Usage { total, last: info.get("last_token_usage").map(tokens) })
}

/// Returns the event of a `…_begin` or `…_end` line of a tool.
fn tool<'a>(kind: &'a str, msg: Value<'_, 'a>) -> Option<Event<'a>> {
    let (tool, phase) = kind.rsplit_once('_')?;
    let call = match tool {
        "exec_command" => call("command_execution", msg, &["command", "cwd"]),
        "patch_apply" => call("file_change", msg, &["changes"]),
        "web_search" => call("web_search", msg, &["query"]),
        "mcp_tool_call" => mcp_call(msg),
        _ => return None,
    };
    match phase {
        "begin" => Some(Event::ToolCall(call)),
        "end" => Some(Event::ToolResult(result(call, msg))),
        _ => None,
    }
}

fn call<'a>(
    name: &'static str,
    msg: Value<'_, 'a>,
    input: &'static [&'static str],
) -> ToolCall<'a> {
    let member = |name: &str| msg.members().find(|member| member.key == name);
    // An end does not repeat the input.
    let has_input = input.iter().any(|name| member(name).is_some());
    let json = |name: &str| member(name).map(|member| member.json());
    ToolCall {
        id: msg.get("call_id").and_then(Value::as_str),
        name: Some(name),
        input: if has_input { ToolInput::members(input, json) } else { ToolInput::None },
        ..ToolCall::default()
    }
}

fn mcp_call<'a>(msg: Value<'_, 'a>) -> ToolCall<'a> {
    let invocation = msg.get("invocation").unwrap_or(msg);
    let text = |key| invocation.get(key).and_then(Value::as_str);
    let arguments = invocation.members().find(|member| member.key == "arguments");
    ToolCall {
        name: text("tool").or(Some("mcp_tool_call")),
        server: text("server"),
        input: arguments.map_or(ToolInput::None, |member| ToolInput::Json(member.json())),
        ..call("mcp_tool_call", msg, &[])
    }
}

fn result<'a>(call: ToolCall<'a>, msg: Value<'_, 'a>) -> ToolResult<'a> {
    let text = |key| msg.get(key).and_then(Value::as_text);
    let exit_code = msg.get("exit_code").and_then(Value::as_i64);
    let refused = msg.get("success").and_then(Value::as_bool) == Some(false);
    let outcome = msg.get("result");
    let error = outcome.and_then(|outcome| outcome.get("Err")).and_then(Value::as_text);
    let failed = refused || error.is_some() || exit_code.is_some_and(|code| code != 0);
    let output = error.or_else(|| text("aggregated_output")).or_else(|| text("stdout"));
    ToolResult {
        call,
        status: if failed { ToolStatus::Failed } else { ToolStatus::Completed },
        output: output.or_else(|| mcp_output(outcome?.get("Ok")?)),
        stdout: text("stdout"),
        stderr: text("stderr"),
        exit_code,
        duration_ms: msg.get("duration").and_then(milliseconds),
        ..ToolResult::default()
    }
}

/// Parses a duration like `{"secs": 1, "nanos": 5}`.
pub(super) fn milliseconds(duration: Value<'_, '_>) -> Option<u64> {
    let seconds = count(duration.get("secs"))?;
    let nanos = count(duration.get("nanos")).unwrap_or(0);
    Some(seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000))
}
