//! What the source says, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

const STREAM: &[Shape] = &[
    Shape { name: "message", members: &[("message", Is::With(MESSAGE))] },
    Shape { name: "notification", members: &[("extension_id", Is::String)] },
    Shape { name: "error", members: &[("error", Is::String)] },
    Shape { name: "complete", members: &[("total_tokens", Is::NumberOrNull)] },
];

const MESSAGE: Members =
    &[("role", Is::OneOf(&["user", "assistant"])), ("created", Is::Number), ("content", Is::Array)];

/// Items of a message.
const ITEMS: &[Shape] = &[
    Shape { name: "text", members: &[("text", Is::String)] },
    Shape { name: "image", members: &[("data", Is::String)] },
    Shape { name: "toolRequest", members: CALL },
    Shape { name: "frontendToolRequest", members: CALL },
    Shape { name: "toolResponse", members: &[("id", Is::String), ("toolResult", Is::Object)] },
    Shape { name: "thinking", members: &[("thinking", Is::String)] },
    Shape { name: "redactedThinking", members: &[("data", Is::String)] },
    Shape {
        name: "toolConfirmationRequest",
        members: &[("id", Is::String), ("toolName", Is::String)],
    },
    Shape { name: "actionRequired", members: &[("data", Is::Object)] },
    Shape {
        name: "systemNotification",
        members: &[("notificationType", Is::String), ("msg", Is::String)],
    },
];

const CALL: Members = &[("id", Is::String), ("toolCall", Is::Object)];

/// The description of a session.
const SESSION: Members = &[("working_dir", Is::String), ("total_tokens", Is::NumberOrNull)];

/// Checks a line of a stream, or an entry of a session.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    if raw.get("type").is_none() && raw.get("working_dir").is_some() {
        require(raw, SESSION)?;
        let session_id = raw.str("id");
        return Ok(CheckedLine { session_id, ..CheckedLine::new("SessionEntry") });
    }
    if raw.get("type").is_none() && raw.get("role").is_some() {
        require(raw, MESSAGE)?;
        return check_items(raw, CheckedLine::new("SessionEntry"));
    }
    let name = word(raw, "type")?;
    let Some(shape) = find(STREAM, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, shape.members)?;
    match raw.get("message").filter(|_| name == "message") {
        Some(message) => check_items(message, CheckedLine::new("Message"))
            .map_err(|violation| violation.within("message")),
        None => Ok(CheckedLine::new(match name {
            "notification" => "Notification",
            "error" => "Error",
            _ => "Complete",
        })),
    }
}

fn check_items<'a>(
    message: impl Node<'a>,
    mut checked: CheckedLine<'a>,
) -> Result<CheckedLine<'a>, Violation> {
    let items = message.get("content").into_iter().flat_map(Node::elements);
    for (at, item) in items.enumerate() {
        let locate = |violation: Violation| violation.within(format_args!("content.{at}"));
        let kind = word(item, "type").map_err(locate)?;
        match find(ITEMS, kind) {
            Some(known) => require(item, known.members).map_err(locate)?,
            None => checked.unknown.push(format!("content/{kind}")),
        }
    }
    Ok(checked)
}
