//! What the sources say, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const STREAM: &[Shape] = &[
    Shape { name: "text", members: &[("data", Is::String)] },
    Shape { name: "thought", members: &[("data", Is::String)] },
    Shape {
        name: "tool_call",
        members: &[("toolCallId", Is::String), ("toolName", Is::String), ("status", Is::String)],
    },
    Shape { name: "tool_call_update", members: &[("toolCallId", Is::String)] },
    Shape { name: "usage", members: &[] },
    Shape { name: "plan", members: &[("entries", Is::Array)] },
    Shape { name: "available_commands", members: &[("tools", Is::Array), ("commands", Is::Array)] },
    Shape { name: "max_turns_reached", members: &[] },
    Shape { name: "auto_compact_started", members: &[] },
    Shape { name: "auto_compact_completed", members: &[] },
    Shape { name: "auto_compact_failed", members: &[("error", Is::String)] },
    Shape { name: "auto_compact_cancelled", members: &[] },
    Shape { name: "auto_continue_completed", members: &[] },
    Shape { name: "image_compressed", members: &[("message", Is::String)] },
    Shape {
        name: "end",
        members: &[
            (
                "stopReason",
                Is::OneOf(&["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]),
            ),
            ("sessionId", Is::String),
            ("requestId", Is::String),
        ],
    },
    Shape { name: "error", members: &[("message", Is::String)] },
];

/// Lines in the shape of Claude Code's.
const MESSAGES: &[Shape] = &[
    Shape { name: "system", members: &[("session_id", Is::String), ("subtype", Is::String)] },
    Shape { name: "assistant", members: MESSAGE },
    Shape { name: "user", members: MESSAGE },
    Shape { name: "stream_event", members: &[("event", Is::Object)] },
    Shape {
        name: "result",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::String),
            ("is_error", Is::Bool),
            ("num_turns", Is::Number),
        ],
    },
];

const MESSAGE: Members =
    &[("session_id", Is::String), ("message", Is::With(&[("content", Is::StringOrArray)]))];

/// Lines of the community's CLI.
const STEPS: &[Shape] = &[
    Shape { name: "step_start", members: &[("stepNumber", Is::Number)] },
    Shape { name: "text", members: &[("stepNumber", Is::Number), ("text", Is::String)] },
    Shape { name: "tool_use", members: &[("stepNumber", Is::Number), ("toolCall", Is::Object)] },
    Shape {
        name: "step_finish",
        members: &[("stepNumber", Is::Number), ("finishReason", Is::String)],
    },
    Shape { name: "grok_session", members: &[("sessionID", Is::String)] },
    Shape { name: "grok_usage", members: &[("sessionID", Is::String)] },
];

const UPDATE: Members = &[("sessionId", Is::String), ("update", Is::Object)];

const SUMMARY: Members = &[("info", Is::With(&[("id", Is::String), ("cwd", Is::String)]))];

/// The document of `--output-format json`.
const DOCUMENT: Members =
    &[("text", Is::String), ("stopReason", Is::String), ("sessionId", Is::String)];

/// Checks a line of a stream, or an entry of a session.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let has = |key| raw.get(key).is_some();
    if !has("type") {
        return check_untyped(raw);
    }
    let name = word(raw, "type")?;
    let is_step = has("stepNumber") || has("sessionID");
    let (table, variant) = match name {
        _ if is_step => (STEPS, "Step"),
        "system" | "assistant" | "user" | "stream_event" | "result" => (MESSAGES, "Message"),
        _ => (STREAM, "Event"),
    };
    let Some(shape) = find(table, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, shape.members)?;
    let session_id = raw.str("sessionId").or_else(|| raw.str("session_id"));
    let session_id = session_id.or_else(|| raw.str("sessionID"));
    Ok(CheckedLine { session_id, subtype: Some(name), ..CheckedLine::new(variant) })
}

fn check_untyped<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let mut checked = CheckedLine::new("SessionEntry");
    if let Some(params) = raw.get("params") {
        require(params, UPDATE).map_err(|violation| violation.within("params"))?;
        checked.session_id = params.str("sessionId");
    } else if raw.get("update").is_some() {
        require(raw, UPDATE)?;
        checked.session_id = raw.str("sessionId");
    } else if let Some(info) = raw.get("info") {
        require(raw, SUMMARY)?;
        checked.session_id = info.str("id");
    } else {
        require(raw, DOCUMENT)?;
        checked = CheckedLine { session_id: raw.str("sessionId"), ..CheckedLine::new("Result") };
    }
    Ok(checked)
}
