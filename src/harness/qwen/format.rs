//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const STREAM: &[Shape] = &[
    Shape { name: "system", members: &[("subtype", Is::String), ("uuid", Is::String)] },
    Shape {
        name: "assistant",
        members: &[
            ("uuid", Is::String),
            ("parent_tool_use_id", Is::StringOrNull),
            ("message", Is::With(&[("content", Is::Array), ("usage", Is::Object)])),
        ],
    },
    Shape {
        name: "user",
        members: &[
            ("parent_tool_use_id", Is::StringOrNull),
            ("message", Is::With(&[("content", Is::StringOrArray)])),
        ],
    },
    Shape {
        name: "stream_event",
        members: &[
            ("parent_tool_use_id", Is::StringOrNull),
            ("event", Is::With(&[("type", Is::String)])),
        ],
    },
    Shape {
        name: "result",
        members: &[
            ("subtype", Is::OneOf(&["success", "error_max_turns", "error_during_execution"])),
            ("is_error", Is::Bool),
            ("duration_ms", Is::Number),
            ("num_turns", Is::Number),
            ("usage", Is::Object),
        ],
    },
    Shape { name: "control_request", members: &[] },
    Shape { name: "control_response", members: &[] },
    Shape { name: "control_cancel_request", members: &[] },
];

/// Subtypes of system lines.
const SYSTEM: &[&str] = &[
    "init",
    "retry",
    "task_started",
    "task_notification",
    "worktree_started",
    "worktree_restored",
    "model_fallback",
];

const ENTRIES: &[Shape] = &[
    Shape { name: "user", members: &[("message", Is::With(&[("parts", Is::Array)]))] },
    Shape { name: "assistant", members: &[("message", Is::With(&[("parts", Is::Array)]))] },
    Shape { name: "tool_result", members: &[("message", Is::With(&[("parts", Is::Array)]))] },
    Shape { name: "system", members: &[("subtype", Is::String)] },
];

/// Subtypes of entries.
const ENTRY_SUBTYPES: &[&str] = &[
    "agent_bootstrap",
    "agent_launch_prompt",
    "agent_retry",
    "at_command",
    "attribution_snapshot",
    "branch_checkpoint",
    "chat_compression",
    "cron",
    "custom_title",
    "file_history_snapshot",
    "goal_runtime",
    "goal_state",
    "mid_turn_user_message",
    "notification",
    "parent_session",
    "realtime_message",
    "rewind",
    "session_artifact_event",
    "session_artifact_snapshot",
    "session_model",
    "session_source",
    "slash_command",
    "turn_result",
    "ui_telemetry",
    "user_text_elements",
];

/// Checks a line of a stream or of a session file.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    let is_entry = raw.get("parentUuid").is_some();
    let (shapes, subtypes): (_, &[&str]) =
        if is_entry { (ENTRIES, ENTRY_SUBTYPES) } else { (STREAM, SYSTEM) };
    let session: Members =
        if is_entry { &[("sessionId", Is::String)] } else { &[("session_id", Is::String)] };
    let Some(shape) = find(shapes, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    // Control messages have no session.
    if !name.starts_with("control_") {
        require(raw, session)?;
    }
    require(raw, shape.members)?;
    let mut checked = CheckedLine::new(match name {
        _ if is_entry => "SessionEntry",
        "system" => "System",
        "assistant" => "AssistantMessage",
        "user" => "UserMessage",
        "stream_event" => "StreamEvent",
        "result" => "Result",
        _ => "Other",
    });
    checked.session_id = raw.str("session_id").or(raw.str("sessionId"));
    checked.subtype = raw.str("subtype").or(Some(name));
    if let Some(subtype) = raw.str("subtype").filter(|_| name == "system")
        && !subtypes.contains(&subtype)
    {
        checked.unknown.push(format!("system/{subtype}"));
    }
    Ok(checked)
}
