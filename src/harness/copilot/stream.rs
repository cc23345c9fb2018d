//! The stream of `copilot -p … --output-format json`: `{type, data, id, timestamp,
//! parentId}`, and a `result` at the end.
//!
//! Text arrives in parts and then as a whole. Lines of subagents have an `agentId`, and
//! mostly the call that started it. Tokens are not printed.

use std::borrow::Cow;

use super::call;
use crate::event::{
    Event, Evidence, Finished, Message, MessagePart, Notice, Retry, Scope, SessionInfo, Task,
    TaskState, Tokens,
};
use crate::harness::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count};
use crate::json::{Text, Value};

/// Where an event was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Stream,
    /// In a session file.
    Disk,
}

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    Claim::certain_if(match envelope.kind {
        Some("result") => envelope.has("sessionId") && envelope.has("exitCode"),
        // The first line of a session file.
        Some("session.start") | None => false,
        Some(kind) => is_event(kind, envelope),
    })
}

/// Returns whether an object is an event of this type.
pub(super) fn is_event(kind: &str, envelope: &Envelope<'_, '_>) -> bool {
    (kind.contains('.') || kind == "abort")
        && envelope.get("data").is_some_and(Value::is_object)
        && envelope.has("parentId")
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    decode_event(envelope, Place::Stream, events)
}

/// Decodes an event, which a session file contains in the same form.
pub(super) fn decode_event<'a>(
    envelope: &Envelope<'_, 'a>,
    place: Place,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    let on_disk = place == Place::Disk;
    let Some(kind) = envelope.kind else { return Location { on_disk, ..Location::default() } };
    let Some(data) = envelope.get("data").filter(|data| data.is_object()) else {
        if kind == "result" {
            events.push(finished(envelope));
        }
        return Location { session_id: envelope.session_id, on_disk, ..Location::default() };
    };
    let text = |key| data.get(key).and_then(Value::as_str);
    let agent = envelope.str("agentId");
    let is_main = agent.is_none();
    match kind {
        "session.start" | "session.resume" => events.push(session(data)),
        "session.tools_updated" if is_main => events.extend(model(text("model"))),
        "session.model_change" if is_main => events.extend(model(text("newModel"))),
        "user.message" => events.extend(prompt(data, place, is_main)),
        "assistant.turn_start" if is_main && !on_disk => {
            events.push(Event::TurnStarted { id: text("turnId") });
        }
        "assistant.message_delta" => events.extend(text("deltaContent").map(|delta| {
            let part = MessagePart::Text { index: 0, text: delta };
            Event::Partial { message_id: text("messageId"), part }
        })),
        "assistant.reasoning_delta" => events.extend(text("deltaContent").map(|delta| {
            let part = MessagePart::Reasoning { index: 0, text: delta };
            Event::Partial { message_id: text("reasoningId"), part }
        })),
        "assistant.reasoning" if !on_disk => {
            let text = data.get("content").and_then(Value::as_text);
            events.extend(text.map(|text| Event::Reasoning { text }));
        }
        "assistant.message" => message(data, place, events),
        "assistant.usage" => events.push(request(data, None)),
        "session.usage_record" => events.extend(data.get("usage").map(|usage| {
            // Copies of a session keep the id.
            let id = usage.get("apiCallId").and_then(Value::as_str);
            request(usage, id.or_else(|| envelope.str("id")))
        })),
        "tool.execution_start" => events.push(Event::ToolCall(call::started(data))),
        "tool.execution_complete" => events.push(Event::ToolResult(call::completed(data))),
        "assistant.turn_retry" => {
            events.push(Event::Retry(Retry { message: text("reason"), ..Retry::default() }));
        }
        "session.error" => events.extend(error(data, place, is_main)),
        "abort" => events.push(aborted(text("reason"), place)),
        "session.info" | "session.warning" => {
            let warning = kind == "session.warning";
            events.extend(text("message").map(|text| Event::Notice(Notice { text, warning })));
        }
        "session.compaction_complete" => events.push(Event::Compacted {
            trigger: text("trigger"),
            before: count(data.get("preCompactionTokens")),
            after: count(data.get("postCompactionTokens")),
            summary: None,
        }),
        "subagent.started" => events.push(task(data, agent, TaskState::Started)),
        "subagent.completed" => events.push(task(data, agent, TaskState::Ended("completed"))),
        "subagent.failed" => events.push(task(data, agent, TaskState::Ended("failed"))),
        _ => {}
    }
    let is_task = kind.starts_with("subagent.");
    Location {
        session_id: text("sessionId").filter(|_| kind == "session.start"),
        parent_id: text("parentToolCallId").or(agent).filter(|_| !is_task),
        on_disk,
        time: None,
    }
}

fn session<'a>(data: Value<'_, 'a>) -> Event<'a> {
    let text = |key| data.get(key).and_then(Value::as_str);
    Event::Session(Box::new(SessionInfo {
        model: text("selectedModel"),
        cwd: data.get("context").and_then(|context| context.get("cwd")?.as_str()),
        version: text("copilotVersion"),
        ..SessionInfo::default()
    }))
}

fn model(name: Option<&str>) -> Option<Event<'_>> {
    name.map(|model| Event::Model { model })
}

/// Decodes a prompt. One with a source was written by the CLI or by another agent.
fn prompt<'a>(data: Value<'_, 'a>, place: Place, is_main: bool) -> Option<Event<'a>> {
    let source = data.get("source").and_then(Value::as_str);
    let is_own = !is_main || source.is_some_and(|source| source != "user");
    Some(Event::Prompt {
        text: data.get("content")?.as_text()?,
        replay: place == Place::Stream,
        synthetic: is_own,
    })
}

/// Decodes a message. The stream has its reasoning on a line of its own, and its calls when
/// they are started.
fn message<'a>(data: Value<'_, 'a>, place: Place, events: &mut Vec<Event<'a>>) {
    let text = |key| data.get(key).and_then(Value::as_str);
    let id = text("messageId");
    events.push(Event::Message(Message { id, model: text("model"), ..Message::default() }));
    if place == Place::Disk {
        let reasoning = data.get("reasoningText").and_then(Value::as_text);
        events.extend(reasoning.map(|text| Event::Reasoning { text }));
    }
    let content = data.get("content").and_then(Value::as_text);
    if let Some(text) = content.filter(|text| !text.is_empty()) {
        events.push(Event::Text { message_id: id, text, is_part: false });
    }
}

/// Decodes the counts of a request. Input includes what was read from and written to the
/// cache. The cost is a number of premium requests.
fn request<'a>(usage: Value<'_, 'a>, id: Option<&'a str>) -> Event<'a> {
    let model = usage.get("model").and_then(Value::as_str);
    Event::Message(Message { id, model, usage: Some(tokens(usage)), ..Message::default() })
}

pub(super) fn tokens(usage: Value<'_, '_>) -> Tokens {
    const MEMBERS: TokenMembers =
        ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
    Tokens {
        reasoning: count(usage.get("reasoningTokens")),
        input_has_cache: true,
        ..envelope::tokens(usage, MEMBERS)
    }
}

/// Decodes an error. In a stream the result follows; in a session file the turn ends here.
/// That of a subagent is the result of its call as well.
fn error<'a>(data: Value<'_, 'a>, place: Place, is_main: bool) -> Option<Event<'a>> {
    let text = |key| data.get(key).and_then(Value::as_str);
    let message = text("message");
    if !is_main {
        return message.map(|text| Event::Notice(Notice { text, warning: true }));
    }
    let evidence = Evidence {
        category: text("errorType"),
        status: data.get("statusCode").and_then(Value::as_i64),
        api_type: text("errorCode"),
        ..Evidence::default()
    };
    Some(failure(message, evidence, place))
}

/// Decodes the end of a run by the user or by a limit: no result follows.
fn aborted(reason: Option<&str>, place: Place) -> Event<'_> {
    let evidence = Evidence { category: reason, ..Evidence::default() };
    failure(Some("the run was aborted"), evidence, place)
}

fn failure<'a>(message: Option<&'a str>, error: Evidence<'a>, place: Place) -> Event<'a> {
    match place {
        Place::Stream => Event::Error { message, error },
        Place::Disk => Event::Finished(Box::new(Finished {
            scope: Scope::Turn,
            failed: true,
            text: message.map(Text::from),
            error,
            ..Finished::default()
        })),
    }
}

fn task<'a>(data: Value<'_, 'a>, agent: Option<&'a str>, state: TaskState<'a>) -> Event<'a> {
    let text = |key| data.get(key).and_then(Value::as_str);
    Event::Task(Task {
        id: agent,
        tool_id: text("toolCallId"),
        description: text("agentDescription").or_else(|| text("agentDisplayName")),
        state,
    })
}

/// Decodes the last line. What went wrong was told before.
fn finished<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let failed = envelope.get("exitCode").and_then(Value::as_i64) != Some(0);
    let usage = envelope.get("usage");
    Event::Finished(Box::new(Finished {
        scope: if failed { Scope::Turn } else { Scope::Result },
        failed,
        duration_ms: usage.and_then(|usage| count(usage.get("sessionDurationMs"))),
        ..Finished::default()
    }))
}

/// Returns what a line adds to a message, to reasoning, to the input of a call, or to the
/// output of a command.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    let Some((id, part)) = (match kind {
        "assistant.message_delta" => Some(("messageId", Some("deltaContent"))),
        "assistant.reasoning_delta" => Some(("reasoningId", Some("deltaContent"))),
        "assistant.tool_call_delta" => Some(("toolCallId", Some("inputDelta"))),
        "tool.shell_output" => Some(("toolCallId", Some("text"))),
        "assistant.message" => Some(("messageId", None)),
        "assistant.reasoning" => Some(("reasoningId", None)),
        "tool.execution_start" | "tool.execution_complete" => Some(("toolCallId", None)),
        _ => None,
    }) else {
        return TextDelta::None;
    };
    let member = |key| line.get("data").and_then(|data| data.get(key));
    let Some(thread) = member(id).and_then(Value::as_str) else { return TextDelta::None };
    let thread = Cow::Borrowed(thread);
    let is_error_output = || member("stream").and_then(Value::as_str) == Some("stderr");
    match part {
        Some(part) => TextDelta::append(thread, is_error_output().into(), member(part)),
        None => TextDelta::EndThread(thread),
    }
}
