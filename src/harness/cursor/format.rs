//! What the documentation says, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const MESSAGE: Members = &[
    ("session_id", Is::String),
    ("message", Is::With(&[("role", Is::String), ("content", Is::Array)])),
];

const STREAM: &[Shape] = &[
    Shape {
        name: "system",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::OneOf(&["init"])),
            ("cwd", Is::String),
            ("model", Is::String),
            ("permissionMode", Is::String),
        ],
    },
    Shape { name: "user", members: MESSAGE },
    Shape { name: "assistant", members: MESSAGE },
    Shape {
        name: "thinking",
        members: &[("session_id", Is::String), ("subtype", Is::OneOf(&["delta", "completed"]))],
    },
    Shape {
        name: "tool_call",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::OneOf(&["started", "completed"])),
            ("call_id", Is::String),
            ("tool_call", Is::Object),
        ],
    },
    Shape {
        name: "result",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::OneOf(&["success", "error"])),
            ("is_error", Is::Bool),
            ("duration_ms", Is::Number),
        ],
    },
    Shape { name: "interaction_query", members: &[("subtype", Is::String)] },
    Shape { name: "retry", members: &[] },
    Shape { name: "connection", members: &[] },
    Shape { name: "error", members: &[("message", Is::String)] },
];

/// A line of a transcript.
const ENTRY: Members = &[
    ("role", Is::OneOf(&["user", "assistant", "tool"])),
    ("message", Is::With(&[("content", Is::Array)])),
];

/// Checks a line of a stream or of a transcript.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    if raw.get("type").is_none() && raw.get("role").is_some() {
        require(raw, ENTRY)?;
        return Ok(CheckedLine::new("SessionEntry"));
    }
    let name = word(raw, "type")?;
    let Some(shape) = find(STREAM, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, shape.members)?;
    let mut checked = CheckedLine::new(match name {
        "system" => "System",
        "assistant" => "AssistantMessage",
        "user" => "UserMessage",
        "tool_call" => "ToolCall",
        "result" => "Result",
        _ => "Event",
    });
    checked.session_id = raw.str("session_id");
    checked.subtype = raw.str("subtype");
    Ok(checked)
}
