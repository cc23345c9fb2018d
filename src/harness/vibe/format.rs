//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// What every entry has.
const ENTRY: Members = &[
    ("id", Is::String),
    ("sessionId", Is::String),
    ("turnId", Is::String),
    ("createdAt", Is::Number),
    ("updatedAt", Is::Number),
    ("generationStatus", Is::String),
];

/// Entries of the stream.
const ENTRIES: &[Shape] = &[
    Shape {
        name: "message",
        members: &[("role", Is::OneOf(&["user", "assistant"])), ("content", Is::StringOrArray)],
    },
    Shape { name: "reasoning", members: &[("text", Is::String)] },
    Shape {
        name: "effect",
        members: &[
            ("title", Is::String),
            (
                "detail",
                Is::With(&[("toolName", Is::String), ("kind", Is::String), ("input", Is::Any)]),
            ),
            ("state", Is::With(&[("status", Is::String)])),
        ],
    },
];

/// The description of a session.
const DESCRIPTION: Members = &[
    ("session_id", Is::String),
    ("start_time", Is::String),
    ("environment", Is::With(&[("working_directory", Is::String)])),
];

/// A message of releases before 3.
const MESSAGE: Members =
    &[("role", Is::OneOf(&["system", "user", "assistant", "tool"])), ("injected", Is::Bool)];

/// Checks a line of a stream, or a part of a session.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    if raw.get("type").is_none() {
        let is_message = raw.get("role").is_some();
        require(raw, if is_message { MESSAGE } else { DESCRIPTION })?;
        let variant = if is_message { "Message" } else { "SessionEntry" };
        let session_id = raw.str("session_id");
        return Ok(CheckedLine { session_id, ..CheckedLine::new(variant) });
    }
    let name = word(raw, "type")?;
    let Some(entry) = find(ENTRIES, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, ENTRY)?;
    require(raw, entry.members)?;
    let session_id = raw.str("sessionId");
    Ok(CheckedLine { session_id, subtype: Some(name), ..CheckedLine::new("Entry") })
}
