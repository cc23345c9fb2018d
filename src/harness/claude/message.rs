//! `assistant` and `user` lines: messages and the blocks in them.

use std::collections::HashSet;

use super::stream::{evidence, tokens};
use crate::event::{
    Event, EventFilter, Message, Task, TaskState, ToolCall, ToolInput, ToolResult, ToolStatus,
};
use crate::harness::envelope::{Envelope, count};
use crate::json::{Member, Text, Value};

pub(super) fn assistant<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let calls_only = envelope.filter == EventFilter::Tools;
    let mut header = Message::default();
    if !calls_only {
        header.request_id = envelope.str("requestId");
        header.error = evidence(envelope);
    }
    let mut content = None;
    for member in envelope.message.iter().flat_map(|message| message.members()) {
        match member.key {
            "content" => content = Some(member.value),
            _ if calls_only => {}
            _ => header_member(&mut header, &member),
        }
    }
    if !calls_only {
        events.push(Event::Message(header));
    }
    for block in content.iter().flat_map(|content| content.elements()) {
        let text = |key| block.get(key).and_then(Value::as_text).unwrap_or_default();
        match block.get("type").and_then(Value::as_str) {
            Some("text" | "thinking") if calls_only => {}
            Some("text") => {
                let text = text("text");
                events.push(Event::Text { message_id: header.id, text, is_part: false });
            }
            Some("thinking") => events.push(Event::Reasoning { text: text("thinking") }),
            Some(kind) if kind.ends_with("tool_use") && envelope.filter.includes_tools() => {
                events.push(Event::ToolCall(tool_call(block)));
            }
            // Tools that the API runs itself return their result in the message.
            Some(kind) if kind.ends_with("tool_result") => {
                events.push(Event::ToolResult(tool_result(block)));
            }
            _ => {}
        }
    }
}

/// Reads a member that messages and partial messages have in common.
pub(super) fn header_member<'a>(header: &mut Message<'a>, member: &Member<'_, 'a>) {
    match member.key {
        "id" => header.id = member.value.as_str(),
        "model" => {
            let model = member.value.as_str();
            header.synthetic = model == Some("<synthetic>");
            header.model = model.filter(|_| !header.synthetic);
        }
        "usage" => header.usage = tokens(member.value),
        "stop_reason" => header.stop_reason = member.value.as_str(),
        _ => {}
    }
}

pub(super) fn user<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let is = |key| envelope.is_true(key);
    let prompt = |text| {
        let synthetic = ["isSynthetic", "isMeta", "isCompactSummary"].into_iter().any(is);
        Event::Prompt { text, replay: is("isReplay"), synthetic }
    };
    let Some(content) = envelope.message.and_then(|message| message.get("content")) else {
        return;
    };
    if let Some(text) = content.as_text() {
        events.push(prompt(text));
    }
    let first = events.len();
    for block in content.elements() {
        let kind = block.get("type").and_then(Value::as_str);
        match kind {
            Some("text") => {
                events.extend(block.get("text").and_then(Value::as_text).map(prompt));
            }
            Some("tool_result") if envelope.filter != EventFilter::Usage && !is("isReplay") => {
                events.push(Event::ToolResult(tool_result(block)));
            }
            _ => {}
        }
    }
    if events.len() > first {
        let task = annotate(envelope, &mut events[first..]);
        events.extend(task);
    }
}

fn tool_call<'a>(block: Value<'_, 'a>) -> ToolCall<'a> {
    let mut call = ToolCall::default();
    for member in block.members() {
        match member.key {
            "id" => call.id = member.value.as_str(),
            "name" => call.name = member.value.as_str(),
            "server_name" => call.server = member.value.as_str(),
            "input" => {
                call.input = ToolInput::Json(member.json());
                let flag = member.value.get("run_in_background");
                call.background = flag.and_then(Value::as_bool) == Some(true);
            }
            _ => {}
        }
    }
    call.server = call.server.or_else(|| {
        let (server, _tool) = call.name?.strip_prefix("mcp__")?.split_once("__")?;
        Some(server)
    });
    call.starts_agent = matches!(call.name, Some("Task" | "Agent"));
    call.asks_user = call.name == Some("AskUserQuestion");
    call.gives_document = call.name == Some("StructuredOutput");
    call
}

/// How the result of a call starts whose work continues in the background.
const LAUNCHED: [&str; 2] = ["Async agent launched", "Command running in background with ID"];

fn tool_result<'a>(block: Value<'_, 'a>) -> ToolResult<'a> {
    let mut result = ToolResult::default();
    for member in block.members() {
        match member.key {
            "tool_use_id" => result.call.id = member.value.as_str(),
            "is_error" => result.is_error = member.value.as_bool(),
            "content" => result.output = output(member.value),
            _ => {}
        }
    }
    if result.is_error == Some(true) {
        let text = result.output.as_deref().unwrap_or_default();
        result.exit_code = text.strip_prefix("Exit code ").and_then(leading_number);
        result.status =
            if reads_like_a_denial(text) { ToolStatus::Denied } else { ToolStatus::Failed };
    }
    let launched = |output: &Text<'_>| LAUNCHED.iter().any(|start| output.has_prefix(start));
    result.detached = result.output.as_ref().is_some_and(launched);
    result
}

/// Returns what the agent received as one text.
fn output<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    if let Some(text) = content.as_text() {
        return Some(text);
    }
    let mut blocks = content.elements().map(|block| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or("block");
        block.get("text").and_then(Value::as_text).unwrap_or_else(|| {
            match block.get("tool_name").and_then(Value::as_str) {
                Some(name) => format!("[{kind} {name}]").into(),
                None => format!("[{kind}]").into(),
            }
        })
    });
    Text::joined(&mut blocks)
}

/// Adds what the line says outside of the blocks: whether a call was denied, and
/// details of its result. Returns the state of a task that the result reports.
fn annotate<'a>(envelope: &Envelope<'_, 'a>, events: &mut [Event<'a>]) -> Option<Event<'a>> {
    let refused_alone = was_refused(envelope.object, "permissionDecision");
    let refused: HashSet<&str> = envelope
        .get("tool_result_meta")
        .into_iter()
        .flat_map(Value::elements)
        .filter(|meta| was_refused(*meta, "permission_decision"))
        .filter_map(|meta| meta.get("id")?.as_str())
        .collect();
    let mut results = 0;
    for event in &mut *events {
        if let Event::ToolResult(result) = event {
            results += 1;
            if refused_alone || result.call.id.is_some_and(|id| refused.contains(id)) {
                result.status = ToolStatus::Denied;
            }
        }
    }
    // The details name no call, so they are used only if there is exactly one.
    let details = envelope.get("tool_use_result").or_else(|| envelope.get("toolUseResult"));
    if let (1, Some(details)) = (results, details) {
        for event in events {
            if let Event::ToolResult(result) = event {
                detail(result, details);
            }
        }
        return details.get("task").and_then(polled_task);
    }
    None
}

/// Returns the state of a background task that the agent asked for.
fn polled_task<'a>(task: Value<'_, 'a>) -> Option<Event<'a>> {
    let text = |key| task.get(key).and_then(Value::as_str);
    let status = text("status").filter(|status| matches!(*status, "completed" | "failed"))?;
    Some(Event::Task(Task {
        id: text("task_id"),
        tool_id: None,
        description: text("description"),
        state: TaskState::Ended(status),
    }))
}

/// Returns whether permission was refused; an interrupted call was not.
fn was_refused(meta: Value<'_, '_>, member: &str) -> bool {
    let decision = meta.get(member).and_then(|given| given.get("decision"));
    decision.and_then(Value::as_str) == Some("reject")
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn detail<'a>(result: &mut ToolResult<'a>, details: Value<'_, 'a>) {
    let (mut agent, mut is_completed) = (None, false);
    for member in details.members() {
        let value = member.value;
        match member.key {
            "stdout" => result.stdout = value.as_text(),
            "stderr" => result.stderr = value.as_text(),
            "interrupted" => result.interrupted = value.as_bool(),
            "durationMs" | "totalDurationMs" => result.duration_ms = count(Some(value)),
            "durationSeconds" => {
                result.duration_ms = value.as_f64().map(|seconds| (seconds * 1000.0) as u64);
            }
            "isAsync" => result.detached |= value.as_bool() == Some(true),
            "backgroundTaskId" => {
                result.task_id = value.as_str();
                result.detached |= result.task_id.is_some();
            }
            "agentId" => agent = value.as_str(),
            "status" => is_completed = value.as_str() == Some("completed"),
            _ => {}
        }
    }
    result.is_agents_answer = agent.is_some() && is_completed;
    result.task_id = result.task_id.or(agent).filter(|_| result.detached);
}

fn leading_number(text: &str) -> Option<i64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    text[..digits].parse().ok()
}

/// Releases before 2.1 report a denied call in prose only.
fn reads_like_a_denial(text: &str) -> bool {
    text.starts_with("Permission to use ") && text.contains(" has been denied")
        || text.starts_with("Claude requested permissions to ") && text.contains("haven't granted")
        || text.starts_with("This Bash command contains multiple operations.")
            && text.contains("require approval")
        || text.starts_with("This command requires approval")
        // The question for permission to ask the user.
        || text == "Answer questions?"
}
