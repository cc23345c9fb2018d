//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const CALL: Members = &[("toolCallId", Is::String), ("toolName", Is::String)];

/// Lines of the stream.
const EVENTS: &[Shape] = &[
    Shape { name: "agent_start", members: &[] },
    Shape { name: "agent_end", members: &[("messages", Is::Array)] },
    Shape { name: "agent_settled", members: &[] },
    Shape { name: "turn_start", members: &[] },
    Shape { name: "turn_end", members: &[("message", Is::Object), ("toolResults", Is::Array)] },
    Shape { name: "message_start", members: &[("message", Is::Object)] },
    Shape {
        name: "message_update",
        members: &[("assistantMessageEvent", Is::With(&[("type", Is::String)]))],
    },
    Shape { name: "message_end", members: &[("message", Is::Object)] },
    Shape { name: "tool_execution_start", members: CALL },
    Shape { name: "tool_execution_update", members: CALL },
    Shape {
        name: "tool_execution_end",
        members: &[
            ("toolCallId", Is::String),
            ("toolName", Is::String),
            ("result", Is::Object),
            ("isError", Is::Bool),
        ],
    },
    Shape { name: "auto_retry_start", members: &[("attempt", Is::Number)] },
    Shape { name: "auto_retry_end", members: &[("success", Is::Bool)] },
    Shape { name: "summarization_retry_start", members: &[] },
    Shape { name: "summarization_retry_end", members: &[] },
    Shape { name: "compaction_start", members: &[("reason", Is::String)] },
    Shape { name: "compaction_end", members: &[("reason", Is::String)] },
    Shape { name: "queue_update", members: &[] },
    Shape { name: "entry_appended", members: &[("entry", Is::Object)] },
    Shape { name: "session_info_changed", members: &[] },
    Shape { name: "thinking_level_changed", members: &[] },
];

/// Entries of a session file.
const ENTRIES: &[Shape] = &[
    Shape { name: "message", members: &[("message", Is::Object)] },
    Shape { name: "model_change", members: &[("modelId", Is::String)] },
    Shape { name: "thinking_level_change", members: &[("thinkingLevel", Is::String)] },
    Shape { name: "usage", members: &[("usage", Is::Object)] },
    Shape { name: "compaction", members: &[("summary", Is::String)] },
    Shape { name: "branch_summary", members: &[("summary", Is::String)] },
    Shape { name: "context_edit", members: &[("targetId", Is::String)] },
    Shape { name: "custom", members: &[("customType", Is::String)] },
    Shape { name: "custom_message", members: &[("customType", Is::String)] },
    Shape { name: "label", members: &[("targetId", Is::String)] },
    Shape { name: "session_info", members: &[] },
];

const HEADER: Members =
    &[("version", Is::Number), ("id", Is::String), ("timestamp", Is::String), ("cwd", Is::String)];

/// Messages by their role.
const MESSAGES: &[Shape] = &[
    Shape { name: "system", members: &[("content", Is::Any)] },
    Shape { name: "user", members: &[("content", Is::StringOrArray)] },
    Shape {
        name: "assistant",
        members: &[
            ("content", Is::Array),
            ("model", Is::String),
            ("usage", Is::Object),
            ("stopReason", Is::String),
        ],
    },
    Shape {
        name: "toolResult",
        members: &[
            ("toolCallId", Is::String),
            ("toolName", Is::String),
            ("content", Is::Array),
            ("isError", Is::Bool),
        ],
    },
    Shape { name: "bashExecution", members: &[("command", Is::String)] },
    Shape { name: "custom", members: &[] },
    Shape { name: "hookMessage", members: &[] },
    Shape { name: "branchSummary", members: &[] },
    Shape { name: "compactionSummary", members: &[] },
];

/// Checks a line of a stream or of a session file.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    if name == "session" {
        require(raw, HEADER)?;
        return Ok(CheckedLine { session_id: raw.str("id"), ..CheckedLine::new("Session") });
    }
    let (shape, variant) = match (find(EVENTS, name), find(ENTRIES, name)) {
        (Some(event), _) => (event, "Event"),
        (None, Some(entry)) => (entry, "SessionEntry"),
        (None, None) => return Ok(CheckedLine::unknown(name.to_owned())),
    };
    require(raw, shape.members)?;
    let mut checked = CheckedLine { subtype: Some(name), ..CheckedLine::new(variant) };
    if variant == "SessionEntry" {
        require(raw, &[("timestamp", Is::String)])?;
    }
    let message = raw.get("message").filter(|_| matches!(name, "message" | "message_end"));
    if let Some(message) = message {
        let in_message = |violation: Violation| violation.within("message");
        let role = word(message, "role").map_err(in_message)?;
        match find(MESSAGES, role) {
            Some(known) => require(message, known.members).map_err(in_message)?,
            None => checked.unknown.push(format!("message/{role}")),
        }
    }
    Ok(checked)
}
