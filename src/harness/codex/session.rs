//! Session files: `sessions/**/rollout-*.jsonl`. They contain the input and output
//! of the model (`response_item`) and messages about it (`event_msg`). Most things
//! are there twice; the items of the response are used.

use super::call_messages;
use super::legacy::{milliseconds, token_count};
use super::stream::error;
use super::tool_output::ToolOutput;
use crate::event::{
    Event, Finished, RateLimit, Scope, SessionInfo, ToolCall, ToolInput, ToolResult, ToolStatus,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has_header = envelope.kind.is_some() && envelope.timestamp.is_some();
    Claim::certain_if(has_header && envelope.get("payload").is_some_and(Value::is_object))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location { on_disk: true, ..Location::default() };
    let Some(payload) = envelope.get("payload") else {
        return location;
    };
    let text = |key| payload.get(key).and_then(Value::as_str);
    let before = events.len();
    match envelope.kind {
        Some("session_meta") => {
            location.session_id = text("id");
            events.push(Event::Session(Box::new(session(payload))));
        }
        Some("turn_context") => events.extend(text("model").map(|model| Event::Model { model })),
        Some("compacted") => {
            let summary = payload.get("message").and_then(Value::as_text);
            let summary = summary.filter(|summary| !summary.is_empty());
            events.push(Event::Compacted { trigger: None, before: None, after: None, summary });
        }
        Some("event_msg") => message(payload, envelope.timestamp, events),
        Some("response_item") => events.extend(item(payload)),
        _ => {}
    }
    if events.len() == before {
        events.push(Event::Other { kind: envelope.kind, subtype: text("type") });
    }
    location
}

fn session<'a>(meta: Value<'_, 'a>) -> SessionInfo<'a> {
    let text = |key| meta.get(key).and_then(Value::as_str);
    let spawned = || {
        let spawn = meta.get("source")?.get("subagent")?.get("thread_spawn")?;
        spawn.get("parent_thread_id")?.as_str()
    };
    SessionInfo {
        cwd: text("cwd"),
        version: text("cli_version"),
        forked_from: text("forked_from_id"),
        started_by: text("parent_thread_id").or_else(spawned),
        ..SessionInfo::default()
    }
}

/// Decodes a message about a turn. Answers and calls are items of their own.
fn message<'a>(payload: Value<'_, 'a>, timestamp: Option<&str>, events: &mut Vec<Event<'a>>) {
    let text = |key| payload.get(key).and_then(Value::as_str);
    match text("type") {
        Some("task_started" | "turn_started") => {
            events.push(Event::TurnStarted { id: text("turn_id") });
        }
        Some("task_complete" | "turn_complete") => events.push(turn_end(payload)),
        Some("user_message") => {
            let text = payload.get("message").and_then(Value::as_text);
            events.extend(text.map(prompt));
        }
        Some("item_completed") => events.extend(payload.get("item").and_then(completed)),
        Some(kind) if kind.ends_with("_end") => events.extend(call_status(payload, "call_id")),
        Some("token_count") => {
            events.extend(token_count(payload));
            let limits = |value| limits(value, timestamp);
            events.extend(payload.get("rate_limits").into_iter().flat_map(limits));
        }
        Some("error" | "stream_error") => events.push(error(text("message"))),
        _ => {}
    }
}

fn turn_end<'a>(payload: Value<'_, 'a>) -> Event<'a> {
    let text = |value: Value<'_, 'a>, key| value.get(key).and_then(Value::as_str);
    let error = payload.get("error").filter(|error| error.is_object());
    let message = error.map_or(text(payload, "last_agent_message"), |error| text(error, "message"));
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: error.is_some(),
        // Releases up to 0.125 do not write the error.
        is_unanswered: error.is_none() && message.is_none(),
        text: message.map(Text::from),
        duration_ms: count(payload.get("duration_ms")),
        ..Finished::default()
    }))
}

fn prompt(text: Text<'_>) -> Event<'_> {
    Event::Prompt { text, replay: false, synthetic: false }
}

/// How the ids of calls start that a script of the model made: its items are the only
/// place where they appear.
const SCRIPTED: &str = "exec-";

/// Of the repeated items two things are used: the prompt, which in the model's input
/// cannot be distinguished from what Codex adds, and how calls ended, which their
/// outputs do not tell.
fn completed<'a>(item: Value<'_, 'a>) -> Option<Event<'a>> {
    match item.get("type")?.as_str()? {
        "UserMessage" => texts(item.get("content")?).map(prompt),
        kind if item.get("id")?.as_str()?.starts_with(SCRIPTED) => scripted_call(kind, item),
        _ => call_status(item, "id"),
    }
}

/// Decodes a call that a script of the model made.
fn scripted_call<'a>(kind: &str, item: Value<'_, 'a>) -> Option<Event<'a>> {
    let text = |key| item.get(key).and_then(Value::as_str);
    let (name, server, input, output) = match kind {
        "CommandExecution" => ("exec_command", None, "command", "aggregated_output"),
        "FileChange" => ("apply_patch", None, "changes", "stdout"),
        "McpToolCall" => (text("tool")?, text("server"), "arguments", ""),
        _ => return None,
    };
    let Event::ToolStatus { tool_id, status, exit_code, duration_ms } = call_status(item, "id")?
    else {
        return None;
    };
    let call = ToolCall { id: tool_id, name: Some(name), server, ..call(item, input) };
    let output = item.get(output).and_then(Value::as_text);
    let result = ToolResult { call, status, output, exit_code, duration_ms, ..Default::default() };
    Some(Event::ToolResult(result))
}

/// Returns how a call ended: from an item, or from the `…_end` line of older releases.
fn call_status<'a>(item: Value<'_, 'a>, id: &str) -> Option<Event<'a>> {
    let result = item.get("result");
    let error = item.get("error").and_then(|error| error.get("message"));
    let error = error.or_else(|| result?.get("Err")).and_then(Value::as_text);
    let exit_code = item.get("exit_code").and_then(Value::as_i64);
    let succeeded = || {
        let is_error = |result: Value<'_, 'a>| result.get("Ok")?.get("isError")?.as_bool();
        let success = item.get("success").and_then(Value::as_bool);
        let success = success.or(exit_code.map(|code| code == 0));
        success.or_else(|| Some(error.is_none() && is_error(result?) != Some(true)))
    };
    let status = match item.get("status").and_then(Value::as_str) {
        Some("declined") => ToolStatus::Denied,
        Some("failed") => ToolStatus::Failed,
        Some("completed") => ToolStatus::Completed,
        Some(_) => return None,
        None if succeeded()? => ToolStatus::Completed,
        None => ToolStatus::Failed,
    };
    let message = error.and_then(|error| call_messages::status(&error, &error));
    Some(Event::ToolStatus {
        tool_id: Some(item.get(id)?.as_str()?),
        status: message.filter(|status| *status == ToolStatus::Denied).unwrap_or(status),
        // A command that did not run has the exit status -1.
        exit_code: exit_code.filter(|code| *code >= 0),
        duration_ms: item.get("duration").and_then(milliseconds),
    })
}

/// Returns the account's limits: the used share of each, and when it is reset.
fn limits<'a>(limits: Value<'_, 'a>, timestamp: Option<&str>) -> impl Iterator<Item = Event<'a>> {
    let now = timestamp.and_then(|timestamp| timestamp.parse::<jiff::Timestamp>().ok());
    // Older releases print the time until the reset.
    let later = move |limit: Value<'_, 'a>| {
        now?.as_second().checked_add(limit.get("resets_in_seconds")?.as_i64()?)
    };
    ["primary", "secondary"].into_iter().filter_map(move |kind| {
        let limit = limits.get(kind).filter(|limit| limit.is_object())?;
        let used = limit.get("used_percent").and_then(Value::as_f64);
        Some(Event::RateLimit(RateLimit {
            status: Some(if used >= Some(100.0) { "rejected" } else { "allowed" }),
            kind: Some(kind),
            resets_at: limit.get("resets_at").and_then(Value::as_i64).or_else(|| later(limit)),
            utilization: used.map(|percent| percent / 100.0),
        }))
    })
}

/// Decodes an item of the model's input or output.
fn item<'a>(item: Value<'_, 'a>) -> Option<Event<'a>> {
    let text = |key| item.get(key).and_then(Value::as_str);
    match text("type")? {
        "message" if text("role") == Some("assistant") => {
            let message_id = text("id");
            let text = texts(item.get("content")?)?;
            Some(Event::Text { message_id, text, is_part: false })
        }
        "reasoning" => texts(item.get("summary")?).map(|text| Event::Reasoning { text }),
        "function_call" => Some(Event::ToolCall(call(item, "arguments"))),
        "custom_tool_call" => Some(Event::ToolCall(call(item, "input"))),
        "local_shell_call" => {
            Some(Event::ToolCall(ToolCall { name: Some("local_shell"), ..call(item, "action") }))
        }
        // Steps of a search without details are skipped.
        "web_search_call" if item.get("action")?.get("type")?.as_str() == Some("other") => None,
        "web_search_call" => Some(Event::ToolResult(ToolResult {
            call: ToolCall { name: Some("web_search"), id: text("id"), ..call(item, "action") },
            ..ToolResult::default()
        })),
        "function_call_output" | "custom_tool_call_output" => Some(Event::ToolResult(result(item))),
        _ => None,
    }
}

fn call<'a>(item: Value<'_, 'a>, input: &str) -> ToolCall<'a> {
    let text = |key| item.get(key).and_then(Value::as_str);
    let member = item.members().find(|member| member.key == input);
    ToolCall {
        id: text("call_id").or_else(|| text("id")),
        name: text("name"),
        server: text("namespace").and_then(|name| name.strip_prefix("mcp__")),
        input: member.map_or(ToolInput::None, |member| match input {
            "arguments" if member.value.is_string() => ToolInput::Encoded(member.json()),
            _ => ToolInput::Json(member.json()),
        }),
        ..ToolCall::default()
    }
}

fn result<'a>(item: Value<'_, 'a>) -> ToolResult<'a> {
    let output = item.get("output");
    // A text, or parts of one, or a text with a flag.
    let success = output.and_then(|output| output.get("success")).and_then(Value::as_bool);
    let text = output.and_then(|output| {
        output.as_text().or_else(|| texts(output)).or_else(|| output.get("content")?.as_text())
    });
    let id = item.get("call_id").and_then(Value::as_str);
    let call = ToolCall { id, ..ToolCall::default() };
    let failed = success == Some(false);
    let status = |failed| if failed { ToolStatus::Failed } else { ToolStatus::Completed };
    let Some(parsed) = text.map(ToolOutput::parse) else {
        let status = status(failed);
        return ToolResult { call, status, is_provisional: true, ..ToolResult::default() };
    };
    let failed = failed || parsed.exit_code.is_some_and(|code| code != 0);
    ToolResult {
        call,
        status: parsed.status.unwrap_or(status(failed)),
        output: Some(parsed.output),
        interrupted: parsed.is_aborted.then_some(true),
        exit_code: parsed.exit_code,
        duration_ms: parsed.duration_ms,
        // The item with the status may follow.
        is_provisional: true,
        ..ToolResult::default()
    }
}

/// Joins the parts of a text.
fn texts<'a>(parts: Value<'_, 'a>) -> Option<Text<'a>> {
    Text::joined(&mut parts.elements().filter_map(|part| part.get("text")?.as_text()))
}
