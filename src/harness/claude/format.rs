//! What the releases 1.0.128 to 2.1.325 print: everything that was recorded, and
//! the types that the newest release publishes.

use super::{contract, members, session_format};
use crate::harness::format::{
    CheckedLine, Contract, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables = FormatTables {
    check: |object, contract| match contract {
        Contract::V1 => contract::check(object),
        Contract::Current if session_format::is_entry(object) => session_format::check(object),
        Contract::Current => check(object),
    },
    // The tables are those of the stream.
    unknown_members: Some(|object, report| {
        if !session_format::is_entry(object) {
            members::report_unknown(object, report);
        }
    }),
};

const SESSION: Members = &[("session_id", Is::String)];

/// Types of lines.
pub(super) const TYPES: &[Shape] = &[
    Shape {
        name: "assistant",
        members: &[
            ("session_id", Is::String),
            ("message", Is::With(&[("content", Is::Array)])),
            ("parent_tool_use_id", Is::StringOrNull),
        ],
    },
    Shape {
        name: "user",
        members: &[
            ("session_id", Is::String),
            ("message", Is::With(&[("content", Is::StringOrArray)])),
            ("parent_tool_use_id", Is::StringOrNull),
        ],
    },
    Shape {
        name: "stream_event",
        members: &[
            ("session_id", Is::String),
            ("event", Is::With(&[("type", Is::String)])),
            ("parent_tool_use_id", Is::StringOrNull),
        ],
    },
    Shape { name: "system", members: &[("session_id", Is::String), ("subtype", Is::String)] },
    Shape {
        name: "result",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::String),
            ("is_error", Is::Bool),
            ("duration_ms", Is::Number),
            ("num_turns", Is::Number),
            ("total_cost_usd", Is::Number),
            ("usage", Is::Object),
            ("permission_denials", Is::Array),
        ],
    },
    Shape {
        name: "rate_limit_event",
        members: &[("session_id", Is::String), ("rate_limit_info", Is::Object)],
    },
    Shape {
        name: "tool_progress",
        members: &[
            ("session_id", Is::String),
            ("tool_use_id", Is::String),
            ("tool_name", Is::String),
        ],
    },
    Shape {
        name: "auth_status",
        members: &[("session_id", Is::String), ("isAuthenticating", Is::Bool)],
    },
    Shape {
        name: "tool_use_summary",
        members: &[("session_id", Is::String), ("summary", Is::String)],
    },
    Shape {
        name: "prompt_suggestion",
        members: &[("session_id", Is::String), ("suggestion", Is::String)],
    },
    Shape {
        name: "conversation_reset",
        members: &[("session_id", Is::String), ("new_conversation_id", Is::String)],
    },
    Shape {
        name: "command_lifecycle",
        members: &[("session_id", Is::String), ("state", Is::String)],
    },
    Shape { name: "active_goal", members: SESSION },
    Shape {
        name: "control_request",
        members: &[("request_id", Is::String), ("request", Is::With(&[("subtype", Is::String)]))],
    },
    Shape {
        name: "control_response",
        members: &[("response", Is::With(&[("subtype", Is::String)]))],
    },
    Shape { name: "control_cancel_request", members: &[("request_id", Is::String)] },
    Shape { name: "keep_alive", members: &[] },
];

pub(super) const RESULTS: &[Shape] = &[
    Shape { name: "success", members: &[("result", Is::String)] },
    Shape { name: "error_during_execution", members: &[] },
    Shape { name: "error_max_turns", members: &[] },
    Shape { name: "error_max_budget_usd", members: &[("errors", Is::Array)] },
    Shape { name: "error_max_structured_output_retries", members: &[("errors", Is::Array)] },
];

const TASK: Members = &[("task_id", Is::String)];
const HOOK: Members =
    &[("hook_id", Is::String), ("hook_name", Is::String), ("hook_event", Is::String)];

pub(super) const SYSTEM: &[Shape] = &[
    Shape {
        name: "init",
        members: &[
            ("cwd", Is::String),
            ("model", Is::String),
            ("tools", Is::Array),
            ("mcp_servers", Is::Array),
            ("permissionMode", Is::String),
            ("slash_commands", Is::Array),
            ("apiKeySource", Is::String),
            ("output_style", Is::String),
        ],
    },
    Shape {
        name: "api_retry",
        members: &[
            ("attempt", Is::Number),
            ("max_retries", Is::Number),
            ("retry_delay_ms", Is::Number),
            ("error_status", Is::NumberOrNull),
            ("error", Is::String),
        ],
    },
    Shape { name: "background_tasks_changed", members: &[("tasks", Is::Array)] },
    Shape { name: "commands_changed", members: &[("commands", Is::Array)] },
    Shape { name: "compact_boundary", members: &[("compact_metadata", Is::Object)] },
    Shape {
        name: "control_request_progress",
        members: &[("request_id", Is::String), ("status", Is::String)],
    },
    Shape { name: "elicitation_complete", members: &[("mcp_server_name", Is::String)] },
    Shape { name: "files_persisted", members: &[("files", Is::Array)] },
    Shape { name: "hook_progress", members: HOOK },
    Shape { name: "hook_response", members: HOOK },
    Shape { name: "hook_started", members: HOOK },
    Shape { name: "informational", members: &[("content", Is::String), ("level", Is::String)] },
    Shape { name: "local_command_output", members: &[("content", Is::String)] },
    Shape { name: "memory_recall", members: &[("memories", Is::Array)] },
    Shape { name: "mirror_error", members: &[("error", Is::Any)] },
    Shape { name: "model_fallback", members: MODELS },
    Shape { name: "model_refusal_fallback", members: MODELS },
    Shape { name: "model_refusal_no_fallback", members: &[("original_model", Is::String)] },
    Shape { name: "notification", members: &[("key", Is::String), ("text", Is::String)] },
    Shape {
        name: "permission_denied",
        members: &[("tool_name", Is::String), ("tool_use_id", Is::String)],
    },
    Shape { name: "plugin_install", members: &[("status", Is::String)] },
    Shape { name: "session_state_changed", members: &[("state", Is::String)] },
    Shape { name: "session_writes_lost", members: &[("error_code", Is::Any)] },
    Shape { name: "status", members: &[("status", Is::StringOrNull)] },
    Shape { name: "task_notification", members: TASK },
    Shape { name: "task_progress", members: TASK },
    Shape { name: "task_started", members: TASK },
    Shape { name: "task_updated", members: &[("task_id", Is::String), ("patch", Is::Object)] },
    Shape { name: "thinking_tokens", members: &[("estimated_tokens", Is::Number)] },
    Shape { name: "ui_invalidate", members: &[] },
    Shape { name: "worker_shutting_down", members: &[("reason", Is::String)] },
];

const MODELS: Members = &[("original_model", Is::String), ("fallback_model", Is::String)];

/// Blocks of a message's content.
pub(super) const BLOCKS: &[Shape] = &[
    Shape { name: "text", members: &[("text", Is::String)] },
    Shape {
        name: "tool_use",
        members: &[("id", Is::String), ("name", Is::String), ("input", Is::Any)],
    },
    Shape { name: "tool_result", members: &[("tool_use_id", Is::String)] },
    Shape { name: "thinking", members: &[("thinking", Is::String)] },
    Shape { name: "redacted_thinking", members: &[("data", Is::String)] },
    Shape { name: "image", members: &[("source", Is::Object)] },
    Shape { name: "document", members: &[("source", Is::Object)] },
    Shape { name: "search_result", members: &[] },
    Shape { name: "server_tool_use", members: &[("id", Is::String), ("name", Is::String)] },
    Shape { name: "web_search_tool_result", members: &[("tool_use_id", Is::String)] },
    Shape { name: "web_fetch_tool_result", members: &[("tool_use_id", Is::String)] },
    Shape { name: "code_execution_tool_result", members: &[("tool_use_id", Is::String)] },
    Shape { name: "bash_code_execution_tool_result", members: &[("tool_use_id", Is::String)] },
    Shape {
        name: "text_editor_code_execution_tool_result",
        members: &[("tool_use_id", Is::String)],
    },
    Shape { name: "tool_search_tool_result", members: &[("tool_use_id", Is::String)] },
    Shape { name: "mcp_tool_use", members: &[("id", Is::String), ("name", Is::String)] },
    Shape { name: "mcp_tool_result", members: &[("tool_use_id", Is::String)] },
    Shape { name: "container_upload", members: &[] },
    Shape { name: "tool_reference", members: &[("tool_name", Is::String)] },
];

const STREAM_EVENTS: &[Shape] = &[
    Shape { name: "message_start", members: &[("message", Is::Object)] },
    Shape {
        name: "content_block_start",
        members: &[("index", Is::Number), ("content_block", Is::Object)],
    },
    Shape { name: "content_block_delta", members: &[("index", Is::Number), ("delta", Is::Object)] },
    Shape { name: "content_block_stop", members: &[("index", Is::Number)] },
    Shape { name: "message_delta", members: &[("delta", Is::Object)] },
    Shape { name: "message_stop", members: &[] },
    Shape { name: "ping", members: &[] },
    Shape { name: "error", members: &[("error", Is::Object)] },
];

const DELTAS: &[Shape] = &[
    Shape { name: "text_delta", members: &[("text", Is::String)] },
    Shape { name: "input_json_delta", members: &[("partial_json", Is::String)] },
    Shape { name: "thinking_delta", members: &[("thinking", Is::String)] },
    Shape { name: "signature_delta", members: &[("signature", Is::String)] },
    Shape { name: "citations_delta", members: &[("citation", Is::Object)] },
];

const REQUESTS: &[&str] = &["can_use_tool", "elicitation", "hook_callback", "mcp_message"];
const RESPONSES: &[&str] = &["success", "error"];

/// Checks a line.
pub(super) fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    let Some(outer) = find(TYPES, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, outer.members)?;
    let subtype = raw.str("subtype");
    let mut checked = CheckedLine::new("Other");
    checked.session_id = raw.str("session_id");
    checked.subtype = Some(name);
    match (outer.name, subtype) {
        ("system", Some(subtype)) => {
            checked.variant = if subtype == "init" { "SystemInit" } else { "SystemOther" };
            checked.subtype = Some(subtype);
            known(raw, SYSTEM, subtype, "system", &mut checked)?;
        }
        ("result", Some(subtype)) => {
            checked.variant = if subtype == "success" { "ResultSuccess" } else { "ResultError" };
            checked.subtype = Some(subtype);
            known(raw, RESULTS, subtype, "result", &mut checked)?;
        }
        ("assistant" | "user", _) => {
            checked.variant = if name == "user" { "UserMessage" } else { "AssistantMessage" };
            checked.subtype = None;
            blocks(raw, outer.name, &mut checked)?;
        }
        ("stream_event", _) => {
            checked.variant = "StreamEvent";
            stream_event(raw, &mut checked)?;
        }
        ("control_request", _) => control(raw, "request", REQUESTS, &mut checked),
        ("control_response", _) => control(raw, "response", RESPONSES, &mut checked),
        _ => {}
    }
    Ok(checked)
}

/// Checks `object` against the shape called `name`, or records that the name is
/// unknown.
pub(super) fn known<'a>(
    object: impl Node<'a>,
    shapes: &'static [Shape],
    name: &str,
    of: &str,
    checked: &mut CheckedLine<'_>,
) -> Result<(), Violation> {
    if let Some(shape) = find(shapes, name) {
        return require(object, shape.members);
    }
    checked.unknown.push(format!("{of}/{name}"));
    Ok(())
}

pub(super) fn blocks<'a>(
    raw: impl Node<'a>,
    outer: &'static str,
    checked: &mut CheckedLine<'_>,
) -> Result<(), Violation> {
    let content = raw.get("message").and_then(|message| message.get("content"));
    for (at, block) in content.into_iter().flat_map(Node::elements).enumerate() {
        let locate = |violation: Violation| violation.within(format_args!("message.content.{at}"));
        let name = word(block, "type").map_err(locate)?;
        known(block, BLOCKS, name, outer, checked).map_err(locate)?;
    }
    Ok(())
}

fn stream_event<'a>(raw: impl Node<'a>, checked: &mut CheckedLine<'a>) -> Result<(), Violation> {
    let Some(event) = raw.get("event") else { return Ok(()) };
    let in_event = |violation: Violation| violation.within("event");
    let name = word(event, "type").map_err(in_event)?;
    checked.subtype = Some(name);
    known(event, STREAM_EVENTS, name, "stream_event", checked).map_err(in_event)?;
    let (member, shapes) = match name {
        "content_block_start" => ("content_block", BLOCKS),
        "content_block_delta" => ("delta", DELTAS),
        _ => return Ok(()),
    };
    let Some(inner) = event.get(member) else { return Ok(()) };
    let locate = |violation: Violation| violation.within(format_args!("event.{member}"));
    let inner_name = word(inner, "type").map_err(locate)?;
    // A block that starts may lack members that follow in deltas.
    if find(shapes, inner_name).is_none() {
        checked.unknown.push(format!("stream_event/{name}/{inner_name}"));
    } else if member == "delta" {
        known(inner, shapes, inner_name, name, checked).map_err(locate)?;
    }
    Ok(())
}

fn control<'a>(raw: impl Node<'a>, member: &str, words: &[&str], checked: &mut CheckedLine<'a>) {
    checked.subtype = raw.get(member).and_then(|inner| inner.str("subtype"));
    if let Some(word) = checked.subtype.filter(|word| !words.contains(word)) {
        checked.unknown.push(format!("control_{member}/{word}"));
    }
}
