//! `system` lines: the session, and what the CLI reports about itself.

use crate::event::{Event, Notice, Retry, SessionInfo, Task, TaskState};
use crate::harness::envelope::{Envelope, count};
use crate::json::{Json, Member, Value};

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let event = match envelope.subtype {
        Some("init") => Some(Event::Session(Box::new(session(envelope)))),
        Some("api_retry") => Some(Event::Retry(Retry {
            attempt: count(envelope.get("attempt")),
            max: count(envelope.get("max_retries")),
            delay_ms: count(envelope.get("retry_delay_ms")),
            status: envelope.get("error_status").and_then(Value::as_i64),
            message: envelope.str("error"),
            is_self_contained: false,
        })),
        Some("permission_denied") => Some(Event::Denied {
            tool_id: envelope.str("tool_use_id"),
            name: envelope.str("tool_name"),
            message: envelope.str("message"),
        }),
        Some("task_started") => Some(task(envelope, TaskState::Started)),
        Some("task_progress") => Some(task(envelope, TaskState::Progress)),
        Some("task_notification") => {
            envelope.str("status").map(|end| task(envelope, TaskState::Ended(end)))
        }
        Some("task_updated") => task_update(envelope),
        Some("background_tasks_changed") => envelope.get("tasks").map(background_tasks),
        Some("compact_boundary") => {
            let metadata =
                envelope.get("compact_metadata").or_else(|| envelope.get("compactMetadata"));
            let number = |[one, other]: [&str; 2]| {
                let metadata = metadata?;
                count(metadata.get(one).or_else(|| metadata.get(other)))
            };
            Some(Event::Compacted {
                summary: None,
                trigger: metadata
                    .and_then(|metadata| metadata.get("trigger"))
                    .and_then(Value::as_str),
                before: number(["pre_tokens", "preTokens"]),
                after: number(["post_tokens", "postTokens"]),
            })
        }
        _ => notice(envelope),
    };
    events.extend(event);
}

fn session<'a>(envelope: &Envelope<'_, 'a>) -> SessionInfo<'a> {
    let mut session = SessionInfo::default();
    for member in envelope.object.members() {
        let text = member.value.as_str();
        match member.key {
            "model" => session.model = text,
            "cwd" => session.cwd = text,
            "claude_code_version" => session.version = text,
            "permissionMode" => session.permission_mode = text,
            "apiKeySource" => session.api_key_source = text,
            "tools" => session.tools = list(&member),
            "mcp_servers" => session.mcp_servers = list(&member),
            "agents" => session.agents = list(&member),
            "slash_commands" => session.slash_commands = list(&member),
            _ => {}
        }
    }
    session
}

fn list<'a>(member: &Member<'_, 'a>) -> Option<Json<'a>> {
    member.value.is_array().then(|| member.json())
}

fn task<'a>(envelope: &Envelope<'_, 'a>, state: TaskState<'a>) -> Event<'a> {
    Event::Task(Task {
        id: envelope.str("task_id"),
        tool_id: envelope.str("tool_use_id"),
        description: envelope.str("description").or_else(|| envelope.str("summary")),
        state,
    })
}

fn background_tasks<'a>(tasks: Value<'_, 'a>) -> Event<'a> {
    let is_agent = |task: &Value<'_, 'a>| {
        let kind = task.get("task_type").and_then(Value::as_str);
        task.get("subagent_type").is_some() || kind.is_some_and(|kind| kind.ends_with("agent"))
    };
    let agents = tasks.elements().filter(is_agent).count();
    Event::BackgroundTasks { count: tasks.elements().count(), agents }
}

fn task_update<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let status = envelope.get("patch")?.get("status")?.as_str()?;
    Some(match status {
        "completed" | "failed" | "killed" => task(envelope, TaskState::Ended(status)),
        _ => task(envelope, TaskState::Progress),
    })
}

/// Returns the message of a line that has one for the user.
fn notice<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let (text, warning) = match envelope.subtype? {
        "notification" => (envelope.str("text"), false),
        "informational" => (envelope.str("content"), envelope.str("level") == Some("warning")),
        "model_fallback" | "model_refusal_fallback" | "model_refusal_no_fallback" => {
            (envelope.str("content"), true)
        }
        "local_command_output" => (envelope.str("content"), false),
        _ => return None,
    };
    let text = text.filter(|text| !text.is_empty())?;
    Some(Event::Notice(Notice { text, warning }))
}
