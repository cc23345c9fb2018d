//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// Lines of the stream.
const LINES: &[Shape] = &[
    Shape {
        name: "system",
        members: &[
            ("subtype", Is::String),
            ("session_id", Is::String),
            ("cwd", Is::String),
            ("tools", Is::Array),
            ("model", Is::String),
        ],
    },
    Shape {
        name: "message",
        members: &[
            ("role", Is::OneOf(&["user", "assistant"])),
            ("id", Is::String),
            ("text", Is::String),
            ("timestamp", Is::Number),
            ("session_id", Is::String),
        ],
    },
    Shape { name: "reasoning", members: &[("id", Is::String), ("text", Is::String)] },
    Shape {
        name: "tool_call",
        members: &[
            ("id", Is::String),
            ("messageId", Is::String),
            ("toolId", Is::String),
            ("toolName", Is::String),
            ("parameters", Is::Any),
        ],
    },
    Shape { name: "tool_result", members: &[("toolId", Is::String), ("isError", Is::Bool)] },
    Shape { name: "error", members: &[("source", Is::String), ("message", Is::String)] },
    Shape { name: "completion", members: &[("finalText", Is::String), ("session_id", Is::String)] },
];

/// Entries of a session file.
const ENTRIES: &[Shape] = &[
    Shape { name: "session_start", members: &[("id", Is::String)] },
    Shape {
        name: "message",
        members: &[
            ("id", Is::String),
            ("timestamp", Is::String),
            (
                "message",
                Is::With(&[
                    ("role", Is::OneOf(&["user", "assistant"])),
                    ("content", Is::StringOrArray),
                ]),
            ),
        ],
    },
    Shape {
        name: "agent_turn_outcome",
        members: &[("turnId", Is::String), ("reason", Is::String)],
    },
    Shape { name: "todo_state", members: &[("todos", Is::Any)] },
    Shape { name: "compaction_state", members: &[] },
];

const SETTINGS: Members = &[
    ("model", Is::String),
    (
        "tokenUsage",
        Is::With(&[
            ("inputTokens", Is::Number),
            ("outputTokens", Is::Number),
            ("cacheCreationTokens", Is::Number),
            ("cacheReadTokens", Is::Number),
        ]),
    ),
];

/// Checks a line of a stream or of a session file.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    if raw.get("type").is_none() {
        require(raw, SETTINGS)?;
        return Ok(CheckedLine::new("SessionEntry"));
    }
    let name = word(raw, "type")?;
    // Both have messages; those of a session contain one.
    let is_stored = raw.get("message").is_some_and(Node::is_object);
    let entry = find(ENTRIES, name).filter(|_| is_stored || name != "message");
    if let Some(entry) = entry {
        // Some releases describe the session in a member.
        let entry_or_session = raw.get("session").filter(|inner| inner.is_object()).unwrap_or(raw);
        require(entry_or_session, entry.members)?;
        let session_id = entry_or_session.str("id").filter(|_| name == "session_start");
        let checked = CheckedLine::new("SessionEntry");
        return Ok(CheckedLine { session_id, subtype: Some(name), ..checked });
    }
    let Some(line) = find(LINES, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, line.members)?;
    let session_id = raw.str("session_id");
    Ok(CheckedLine { session_id, subtype: Some(name), ..CheckedLine::new("Event") })
}
