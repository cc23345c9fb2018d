//! Codex before October 2025: `{"id": "0", "msg": {"type": …}}` envelopes.

use std::borrow::Cow;

use super::codex::{advisory, error, mcp_output, tokens, turn_failed};
use super::{Claim, Event, Growth, Head, Place, count};
use crate::event::{Finished, Part, Scope, Session, Status, ToolCall, ToolInput, ToolResult};
use crate::json::{Json, Value};

pub(super) fn claim(head: &Head<'_, '_>) -> Claim {
    let typed = head.get("msg").and_then(|msg| msg.get("type")).and_then(Value::as_str);
    Claim::certain_if(typed.is_some() && head.kind.is_none() && head.has("id"))
}

pub(super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) -> Place<'a> {
    let mut origin = Place::default();
    let Some(msg) = head.get("msg") else {
        return origin;
    };
    let text = |key| msg.get(key).and_then(Value::as_str);
    let long = |key| msg.get(key).and_then(Value::as_text);
    let kind = text("type");
    let event = match kind {
        Some("session_configured") => {
            origin.session_id = text("session_id");
            Some(Event::Session(Box::new(Session { model: text("model"), ..Session::default() })))
        }
        Some("task_started") => Some(Event::TurnStarted { id: None }),
        Some("task_complete") => Some(turn_end(text("last_agent_message"))),
        Some("turn_aborted") => Some(turn_failed(text("reason"))),
        Some("token_count") => token_count(msg),
        Some("agent_message") => long("message").map(|text| Event::Text { message_id: None, text }),
        Some("agent_message_delta") => text("delta")
            .map(|text| Event::Partial { message_id: None, part: Part::Text { index: 0, text } }),
        Some("agent_reasoning") => long("text").map(|text| Event::Reasoning { text }),
        Some("error") => Some(error(text("message"))),
        Some("stream_error" | "background_event") => text("message").map(advisory),
        Some(kind) => tool(kind, msg),
        None => None,
    };
    events.push(event.unwrap_or(Event::Other { kind, subtype: None }));
    origin
}

/// What a line does to the texts of its kind.
pub(super) fn growth(line: Json<'_>) -> Growth<'_> {
    let Some(msg) = line.get("msg") else { return Growth::None };
    match msg.get("type").and_then(Json::as_str) {
        Some(kind) if kind.ends_with("_delta") => Growth::piece(kind, 0, msg.get("delta")),
        Some(kind) if kind == "task_complete" || kind == "turn_aborted" => Growth::EndsAll,
        Some(kind) => Growth::Ends(Cow::Owned(kind.into_owned() + "_delta")),
        None => Growth::None,
    }
}

/// The end of a turn; its tokens came before, in a `token_count`.
fn turn_end(answer: Option<&str>) -> Event<'_> {
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        text: answer.map(Cow::Borrowed),
        ..Finished::default()
    }))
}

/// The thread's total so far.
pub(super) fn token_count<'a>(msg: Value<'_, '_>) -> Option<Event<'a>> {
    let Some(info) = msg.get("info") else {
        // Once the counts stood here; later it may be about limits only.
        let total = msg.get("input_tokens").map(|_| tokens(msg))?;
        return Some(Event::Usage { total, last: None });
    };
    let total = tokens(info.get("total_token_usage")?);
    Some(Event::Usage { total, last: info.get("last_token_usage").map(tokens) })
}

/// `…_begin` and `…_end` of the tools.
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
    let told = input.iter().any(|name| member(name).is_some());
    let json = |name: &str| member(name).map(|member| member.json());
    ToolCall {
        id: msg.get("call_id").and_then(Value::as_str),
        name: Some(name),
        input: if told { ToolInput::members(input, json) } else { ToolInput::None },
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
    let complaint = outcome.and_then(|outcome| outcome.get("Err")).and_then(Value::as_text);
    let failed = refused || complaint.is_some() || exit_code.is_some_and(|code| code != 0);
    let output = complaint.or_else(|| text("aggregated_output")).or_else(|| text("stdout"));
    ToolResult {
        call,
        status: if failed { Status::Failed } else { Status::Completed },
        output: output.or_else(|| mcp_output(outcome?.get("Ok")?)),
        stdout: text("stdout"),
        stderr: text("stderr"),
        exit_code,
        duration_ms: msg.get("duration").and_then(milliseconds),
        ..ToolResult::default()
    }
}

/// A duration as `{"secs": 1, "nanos": 5}`.
fn milliseconds(duration: Value<'_, '_>) -> Option<u64> {
    let seconds = count(duration.get("secs"))?;
    let nanos = count(duration.get("nanos")).unwrap_or(0);
    Some(seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000))
}
