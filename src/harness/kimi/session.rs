//! Session files of Kimi Code: `agents/AGENT/wire.jsonl`, one for each agent, and
//! `state.json`, which describes the session.
//!
//! Messages are there several times: as events of the loop, which are used, and as entries of
//! the context and of the log of the agent. A model's use is recorded once.

use jiff::Timestamp;

use super::outcome;
use super::stream::{content_part, texts, tool_call};
use crate::event::{
    Event, Evidence, Finished, Message, Retry, Scope, SessionInfo, Task, TaskState, ToolCall,
    ToolResult,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, TokenMembers, count, tokens, tool_input};
use crate::json::{Member, Value};

/// The agent that runs the session.
const MAIN: &str = "main";

/// Stands for a model that is configured by variables; its name is that of the requests.
const MODEL_OF_VARIABLES: &str = "__kimi_env_model__";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_number = |key| envelope.get(key).is_some_and(|value| value.as_i64().is_some());
    let has = |keys: &[&str]| keys.iter().all(|key| envelope.has(key));
    Claim::certain_if(match envelope.kind {
        Some("metadata") => has(&["protocol_version"]),
        Some(kind) => {
            let is_own = has(&["agentId"]) || envelope.str("kind") == Some("event");
            is_number("time") && kind.contains('.') && (is_own || has(&["subagentId"]))
        }
        None => is_number("createdAt") && has(&["id", "cwd", "agents"]),
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let time =
        envelope.get("time").and_then(|time| Timestamp::from_millisecond(time.as_i64()?).ok());
    let agent = envelope.str("agentId").filter(|agent| *agent != MAIN);
    let mut location = Location { parent_id: agent, on_disk: true, time, ..Location::default() };
    let text = |key| envelope.str(key);
    match envelope.kind {
        // `state.json`
        None => {
            location.session_id = text("id");
            let info = SessionInfo { cwd: text("cwd"), ..SessionInfo::default() };
            events.push(Event::Session(Box::new(info)));
        }
        Some("llm.request") => events.extend(text("model").map(|model| Event::Model { model })),
        Some("turn.prompt" | "turn.steer") => events.extend(prompt(envelope, agent.is_none())),
        Some("context.append_loop_event") => events.extend(envelope.event.and_then(loop_event)),
        Some("usage.record") => events.push(usage(envelope)),
        Some("turn.step.retrying") => events.push(retry(envelope)),
        Some("turn.ended") if agent.is_none() => events.push(turn_end(envelope)),
        Some("context.apply_compaction") => events.push(Event::Compacted {
            trigger: None,
            before: count(envelope.get("tokensBefore")),
            after: count(envelope.get("tokensAfter")),
            summary: None,
        }),
        Some("permission.record_approval_result") => events.extend(denied(envelope)),
        Some("task.started") => events.extend(task(envelope, TaskState::Started)),
        Some("task.terminated") => {
            let status = envelope.get("info").and_then(|info| info.get("status")?.as_str());
            events.extend(task(envelope, TaskState::Ended(status.unwrap_or("completed"))));
        }
        Some(kind) => events.extend(subagent(kind, envelope)),
    }
    location
}

fn prompt<'a>(envelope: &Envelope<'_, 'a>, is_main: bool) -> Option<Event<'a>> {
    let origin = envelope.get("origin").and_then(|origin| origin.get("kind")?.as_str());
    let synthetic = !is_main || origin.is_some_and(|origin| origin != "user");
    Some(Event::Prompt { text: texts(envelope.get("input")?)?, replay: false, synthetic })
}

/// Decodes what happened in a step: a part of an answer, a call, or its result.
fn loop_event<'a>(event: Value<'_, 'a>) -> Option<Event<'a>> {
    let text = |key| event.get(key).and_then(Value::as_str);
    match text("type")? {
        "content.part" => content_part(event.get("part")?, text("stepUuid")),
        "tool.call" => {
            let input = tool_input(event, "args");
            Some(Event::ToolCall(tool_call(text("toolCallId"), text("name"), input)))
        }
        "tool.result" => {
            let result = event.get("result")?;
            let is_error = result.get("isError").and_then(Value::as_bool) == Some(true);
            let output = result.get("output").and_then(texts);
            Some(Event::ToolResult(ToolResult {
                call: ToolCall { id: text("toolCallId"), ..ToolCall::default() },
                duration_ms: count(result.get("durationMs")),
                ..outcome::result(output, Some(is_error))
            }))
        }
        _ => None,
    }
}

/// Decodes the record of a model's use. Copies of a session keep its time and counts, which
/// identify it. Input lacks what was read from and written to the cache.
fn usage<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let member = |key: &str| envelope.object.members().find(|member| member.key == key);
    let json = |member: Member<'_, 'a>| std::str::from_utf8(member.json().bytes()).ok();
    let counts = envelope.get("usage");
    Event::Message(Message {
        id: member("time").and_then(json),
        request_id: member("usage").and_then(json),
        model: envelope.str("model").filter(|model| *model != MODEL_OF_VARIABLES),
        usage: counts.map(|counts| tokens(counts, TOKENS)),
        ..Message::default()
    })
}

const TOKENS: TokenMembers = ["inputOther", "output", "inputCacheRead", "inputCacheCreation"];

fn retry<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    Event::Retry(Retry {
        attempt: count(envelope.get("failedAttempt")),
        max: count(envelope.get("maxAttempts")),
        delay_ms: count(envelope.get("delayMs")),
        status: envelope.get("statusCode").and_then(Value::as_i64),
        message: envelope.str("errorMessage"),
        is_self_contained: false,
    })
}

fn turn_end<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let error = envelope.get("error").filter(|error| error.is_object());
    let text = |key| error.and_then(|error| error.get(key)?.as_str());
    let reason = envelope.str("reason");
    let failed = reason != Some("completed");
    let plain = match reason {
        Some("cancelled") => "the turn was cancelled",
        Some("blocked") => "the turn was blocked",
        _ => "the turn failed",
    };
    let details = error.and_then(|error| error.get("details"));
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed,
        text: failed.then(|| text("message").unwrap_or(plain).into()),
        duration_ms: count(envelope.get("durationMs")),
        error: Evidence {
            category: text("code").or(reason.filter(|_| failed)),
            status: details.and_then(|details| details.get("statusCode")?.as_i64()),
            ..Evidence::default()
        },
        ..Finished::default()
    }))
}

fn denied<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let result = envelope.get("result")?;
    let decision = result.as_str().or_else(|| result.get("decision")?.as_str())?;
    let is_denied = matches!(decision, "rejected" | "denied" | "reject" | "deny");
    let (tool_id, name) = (envelope.str("toolCallId"), envelope.str("toolName"));
    is_denied.then_some(Event::Denied { tool_id, name, message: None })
}

/// Decodes the state of a command that runs in the background.
fn task<'a>(envelope: &Envelope<'_, 'a>, state: TaskState<'a>) -> Option<Event<'a>> {
    let info = envelope.get("info")?;
    let text = |key| info.get(key).and_then(Value::as_str);
    let (id, tool_id) = (text("taskId"), text("parentToolCallId"));
    Some(Event::Task(Task { id, tool_id, description: text("description"), state }))
}

fn subagent<'a>(kind: &str, envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let state = match kind {
        "subagent.spawned" => TaskState::Started,
        "subagent.completed" => TaskState::Ended("completed"),
        "subagent.failed" => TaskState::Ended("failed"),
        "subagent.cancelled" => TaskState::Ended("stopped"),
        _ => return None,
    };
    Some(Event::Task(Task {
        id: envelope.str("subagentId"),
        tool_id: envelope.str("parentToolCallId"),
        description: envelope.str("description"),
        state,
    }))
}
