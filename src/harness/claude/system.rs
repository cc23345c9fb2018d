//! `system` lines: the session and everything the CLI tells about itself.

use super::{Event, Head, count};
use crate::event::{Notice, Retry, Session, Task, TaskState};
use crate::json::{Json, Member, Value};

pub(in super::super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let event = match head.subtype {
        Some("init") => Some(Event::Session(Box::new(session(head)))),
        Some("api_retry") => Some(Event::Retry(Retry {
            attempt: count(head.get("attempt")),
            max: count(head.get("max_retries")),
            delay_ms: count(head.get("retry_delay_ms")),
            status: head.get("error_status").and_then(Value::as_i64),
            message: head.str("error"),
        })),
        Some("permission_denied") => Some(Event::Denied {
            tool_id: head.str("tool_use_id"),
            name: head.str("tool_name"),
            message: head.str("message"),
        }),
        Some("task_started") => Some(task(head, TaskState::Started)),
        Some("task_progress") => Some(task(head, TaskState::Progress)),
        Some("task_notification") => {
            head.str("status").map(|end| task(head, TaskState::Ended(end)))
        }
        Some("task_updated") => task_update(head),
        Some("background_tasks_changed") => head
            .get("tasks")
            .map(|tasks| Event::BackgroundTasks { count: tasks.elements().count() }),
        Some("compact_boundary") => {
            let metadata = head.get("compact_metadata").or_else(|| head.get("compactMetadata"));
            let number = |[one, other]: [&str; 2]| {
                let metadata = metadata?;
                count(metadata.get(one).or_else(|| metadata.get(other)))
            };
            Some(Event::Compacted {
                trigger: metadata
                    .and_then(|metadata| metadata.get("trigger"))
                    .and_then(Value::as_str),
                before: number(["pre_tokens", "preTokens"]),
                after: number(["post_tokens", "postTokens"]),
            })
        }
        _ => notice(head),
    };
    events.extend(event);
}

fn session<'a>(head: &Head<'_, 'a>) -> Session<'a> {
    let mut session = Session::default();
    for member in head.object.members() {
        let text = member.value.as_str();
        match member.key {
            "model" => session.model = text,
            "cwd" => session.cwd = text,
            "claude_code_version" | "qwen_code_version" => session.version = text,
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

fn task<'a>(head: &Head<'_, 'a>, state: TaskState<'a>) -> Event<'a> {
    Event::Task(Task {
        id: head.str("task_id"),
        tool_id: head.str("tool_use_id"),
        description: head.str("description").or_else(|| head.str("summary")),
        state,
    })
}

fn task_update<'a>(head: &Head<'_, 'a>) -> Option<Event<'a>> {
    let status = head.get("patch")?.get("status")?.as_str()?;
    Some(match status {
        "completed" | "failed" | "killed" => task(head, TaskState::Ended(status)),
        _ => task(head, TaskState::Progress),
    })
}

/// Whatever comes with a sentence for the reader.
fn notice<'a>(head: &Head<'_, 'a>) -> Option<Event<'a>> {
    let (text, warning) = match head.subtype? {
        "notification" => (head.str("text"), false),
        "informational" => (head.str("content"), head.str("level") == Some("warning")),
        "model_fallback" | "model_refusal_fallback" | "model_refusal_no_fallback" => {
            (head.str("content"), true)
        }
        "local_command_output" => (head.str("content"), false),
        _ => return None,
    };
    let text = text.filter(|text| !text.is_empty())?;
    Some(Event::Notice(Notice { text, warning }))
}
