//! Codex on disk: `sessions/**/rollout-*.jsonl`, what the model was given and
//! what it answered (`response_item`), and some of what was told about it
//! (`event_msg`). Most things are there twice; here the answer's own items count.

mod output;

use std::borrow::Cow;

use super::codex::error;
use super::codex_envelope::token_count;
use super::{Claim, Event, Head, Place, count};
use crate::event::{Finished, RateLimit, Scope, Session, Status, ToolCall, ToolInput, ToolResult};
use crate::json::{Text, Value};
use output::Told;

pub(super) fn claim(head: &Head<'_, '_>) -> Claim {
    let recorded = head.kind.is_some() && head.timestamp.is_some();
    Claim::certain_if(recorded && head.get("payload").is_some_and(Value::is_object))
}

pub(super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) -> Place<'a> {
    let mut place = Place { on_disk: true, ..Place::default() };
    let Some(payload) = head.get("payload") else {
        return place;
    };
    let text = |key| payload.get(key).and_then(Value::as_str);
    let before = events.len();
    match head.kind {
        Some("session_meta") => {
            place.session_id = text("id");
            events.push(Event::Session(Box::new(session(payload))));
        }
        Some("turn_context") => events.extend(text("model").map(|model| Event::Model { model })),
        Some("compacted") => {
            events.push(Event::Compacted { trigger: None, before: None, after: None });
        }
        Some("event_msg") => message(payload, head.timestamp, events),
        Some("response_item") => events.extend(item(payload)),
        _ => {}
    }
    if events.len() == before {
        events.push(Event::Other { kind: head.kind, subtype: text("type") });
    }
    place
}

fn session<'a>(meta: Value<'_, 'a>) -> Session<'a> {
    let text = |key| meta.get(key).and_then(Value::as_str);
    let spawned = || {
        let spawn = meta.get("source")?.get("subagent")?.get("thread_spawn")?;
        spawn.get("parent_thread_id")?.as_str()
    };
    Session {
        cwd: text("cwd"),
        version: text("cli_version"),
        forked_from: text("forked_from_id"),
        started_by: text("parent_thread_id").or_else(spawned),
        ..Session::default()
    }
}

/// What was told about a turn. Answers and calls come as items of their own.
fn message<'a>(payload: Value<'_, 'a>, timestamp: Option<&str>, events: &mut Vec<Event<'a>>) {
    let text = |key| payload.get(key).and_then(Value::as_str);
    match text("type") {
        Some("task_started" | "turn_started") => {
            events.push(Event::TurnStarted { id: text("turn_id") });
        }
        Some("task_complete" | "turn_complete") => events.push(turn_end(payload)),
        Some("user_message") => {
            let said = payload.get("message").and_then(Value::as_text);
            events.extend(said.map(prompt));
        }
        Some("item_completed") => events.extend(payload.get("item").and_then(completed)),
        Some("token_count") => {
            events.extend(token_count(payload));
            let limits = |told| limits(told, timestamp);
            events.extend(payload.get("rate_limits").into_iter().flat_map(limits));
        }
        Some("error" | "stream_error") => events.push(error(text("message"))),
        _ => {}
    }
}

fn turn_end<'a>(payload: Value<'_, 'a>) -> Event<'a> {
    let text = |value: Value<'_, 'a>, key| value.get(key).and_then(Value::as_str);
    let error = payload.get("error").filter(|error| error.is_object());
    let said = error.map_or(text(payload, "last_agent_message"), |error| text(error, "message"));
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: error.is_some(),
        text: said.map(Cow::Borrowed),
        duration_ms: count(payload.get("duration_ms")),
        ..Finished::default()
    }))
}

fn prompt(text: Text<'_>) -> Event<'_> {
    Event::Prompt { text, replay: false, synthetic: false }
}

/// Of the items that are told again only the prompt matters: among what the
/// model is given it cannot be told from what Codex adds.
fn completed<'a>(item: Value<'_, 'a>) -> Option<Event<'a>> {
    match item.get("type")?.as_str()? {
        "UserMessage" => texts(item.get("content")?).map(prompt),
        _ => None,
    }
}

/// The account's limits: how much of each is used, and when it starts anew.
fn limits<'a>(limits: Value<'_, 'a>, timestamp: Option<&str>) -> impl Iterator<Item = Event<'a>> {
    let now = timestamp.and_then(|timestamp| timestamp.parse::<jiff::Timestamp>().ok());
    // Older releases tell how long it takes.
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

/// What the model was given or answered.
fn item<'a>(item: Value<'_, 'a>) -> Option<Event<'a>> {
    let text = |key| item.get(key).and_then(Value::as_str);
    match text("type")? {
        "message" if text("role") == Some("assistant") => {
            let said = texts(item.get("content")?)?;
            Some(Event::Text { message_id: text("id"), text: said })
        }
        "reasoning" => texts(item.get("summary")?).map(|text| Event::Reasoning { text }),
        "function_call" => Some(Event::ToolCall(call(item, "arguments"))),
        "custom_tool_call" => Some(Event::ToolCall(call(item, "input"))),
        "local_shell_call" => {
            Some(Event::ToolCall(ToolCall { name: Some("local_shell"), ..call(item, "action") }))
        }
        // Not every step of a search says what it is.
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
            "arguments" => ToolInput::Encoded(member.json()),
            _ => ToolInput::Json(member.json()),
        }),
        ..ToolCall::default()
    }
}

fn result<'a>(item: Value<'_, 'a>) -> ToolResult<'a> {
    let output = item.get("output");
    // A text, or pieces of one, or a text with a verdict.
    let verdict = output.and_then(|output| output.get("success")).and_then(Value::as_bool);
    let text = output.and_then(|output| {
        output.as_text().or_else(|| texts(output)).or_else(|| output.get("content")?.as_text())
    });
    let id = item.get("call_id").and_then(Value::as_str);
    let call = ToolCall { id, ..ToolCall::default() };
    let failed = verdict == Some(false);
    let status = |failed| if failed { Status::Failed } else { Status::Completed };
    let Some(told) = text.map(Told::of) else {
        return ToolResult { call, status: status(failed), ..ToolResult::default() };
    };
    let failed = failed || told.failed || told.exit_code.is_some_and(|code| code != 0);
    ToolResult {
        call,
        status: status(failed),
        output: Some(told.output),
        exit_code: told.exit_code,
        duration_ms: told.duration_ms,
        ..ToolResult::default()
    }
}

/// Pieces of text as one.
fn texts<'a>(pieces: Value<'_, 'a>) -> Option<Text<'a>> {
    Text::joined(&mut pieces.elements().filter_map(|piece| piece.get("text")?.as_text()))
}
