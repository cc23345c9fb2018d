//! What the published types say, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const STREAM: &[Shape] = &[
    Shape {
        name: "system",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::OneOf(&["init"])),
            ("tools", Is::Array),
        ],
    },
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
            ("message", Is::With(&[("content", Is::Array)])),
            ("parent_tool_use_id", Is::StringOrNull),
        ],
    },
    Shape {
        name: "result",
        members: &[
            ("session_id", Is::String),
            ("subtype", Is::OneOf(&["success", "error_during_execution", "error_max_turns"])),
            ("is_error", Is::Bool),
            ("duration_ms", Is::Number),
            ("num_turns", Is::Number),
        ],
    },
];

const THREAD: Members = &[("id", Is::String), ("messages", Is::Array)];

const MESSAGE: Members = &[
    ("role", Is::OneOf(&["user", "assistant", "info"])),
    ("messageId", Is::Number),
    ("content", Is::Array),
];

/// Checks a line of a stream, a thread or one of its messages.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let has = |key| raw.get(key).is_some();
    if !has("type") && (has("messages") || has("messageId")) {
        require(raw, if has("messages") { THREAD } else { MESSAGE })?;
        let session_id = raw.str("id");
        return Ok(CheckedLine { session_id, ..CheckedLine::new("SessionEntry") });
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
        _ => "Result",
    });
    checked.session_id = raw.str("session_id");
    checked.subtype = raw.str("subtype");
    Ok(checked)
}
