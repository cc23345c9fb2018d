//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const STREAM: &[Shape] = &[
    Shape { name: "init", members: &[("session_id", Is::String), ("model", Is::String)] },
    Shape {
        name: "message",
        members: &[("role", Is::OneOf(&["user", "assistant"])), ("content", Is::String)],
    },
    Shape {
        name: "tool_use",
        members: &[("tool_name", Is::String), ("tool_id", Is::String), ("parameters", Is::Object)],
    },
    Shape {
        name: "tool_result",
        members: &[("tool_id", Is::String), ("status", Is::OneOf(&["success", "error"]))],
    },
    Shape {
        name: "error",
        members: &[("severity", Is::OneOf(&["warning", "error"])), ("message", Is::String)],
    },
    Shape { name: "result", members: &[("status", Is::OneOf(&["success", "error"]))] },
];

const MESSAGES: &[Shape] = &[
    Shape { name: "user", members: &[("content", Is::Any)] },
    Shape { name: "gemini", members: &[("content", Is::Any)] },
    Shape { name: "info", members: &[("content", Is::Any)] },
    Shape { name: "error", members: &[("content", Is::Any)] },
    Shape { name: "warning", members: &[("content", Is::Any)] },
];

/// Checks a line of a stream or of a session file.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let has = |key| raw.get(key).is_some();
    let mut checked = CheckedLine::new("SessionEntry");
    checked.session_id = raw.str("sessionId");
    if has("projectHash") {
        require(raw, &[("sessionId", Is::String), ("startTime", Is::String)])?;
        return Ok(checked);
    }
    if has("$set") || has("$rewindTo") {
        return Ok(checked);
    }
    let name = word(raw, "type")?;
    checked.subtype = Some(name);
    let is_stored = has("id") && has("content");
    let shapes = if is_stored { MESSAGES } else { STREAM };
    let Some(shape) = find(shapes, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, &[("timestamp", Is::String)])?;
    require(raw, shape.members)?;
    if is_stored {
        return Ok(checked);
    }
    checked.session_id = raw.str("session_id");
    checked.variant = match name {
        "init" => "Init",
        "message" => "Message",
        "tool_use" => "ToolUse",
        "tool_result" => "ToolResult",
        "error" => "Error",
        _ => "Result",
    };
    Ok(checked)
}
