//! The events of `codex exec --json`. The contract and the known releases agree
//! on them.

use super::{members, session_format};
use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables = FormatTables {
    check: |object, _| {
        let is_entry = session_format::is_entry(object);
        if is_entry { session_format::check(object) } else { check(object) }
    },
    // The tables are those of the stream.
    unknown_members: Some(|object, report| {
        if !session_format::is_entry(object) {
            members::report_unknown(object, report);
        }
    }),
};

pub(super) const EVENTS: &[Shape] = &[
    Shape { name: "thread.started", members: &[("thread_id", Is::String)] },
    Shape { name: "turn.started", members: &[] },
    Shape { name: "turn.completed", members: &[("usage", Is::With(USAGE))] },
    Shape { name: "turn.failed", members: &[("error", Is::With(&[("message", Is::String)]))] },
    Shape { name: "item.started", members: ITEM },
    Shape { name: "item.updated", members: ITEM },
    Shape { name: "item.completed", members: ITEM },
    Shape { name: "error", members: &[("message", Is::String)] },
];

const USAGE: Members = &[
    ("input_tokens", Is::Number),
    ("cached_input_tokens", Is::Number),
    ("output_tokens", Is::Number),
];

const ITEM: Members = &[("item", Is::With(&[("id", Is::String), ("type", Is::String)]))];

const STATUS: Is = Is::OneOf(&["in_progress", "completed", "failed", "declined"]);

pub(super) const ITEMS: &[Shape] = &[
    Shape { name: "agent_message", members: &[("text", Is::String)] },
    Shape { name: "reasoning", members: &[("text", Is::String)] },
    Shape {
        name: "command_execution",
        members: &[
            ("command", Is::String),
            ("aggregated_output", Is::String),
            ("exit_code", Is::NumberOrNull),
            ("status", STATUS),
        ],
    },
    Shape { name: "file_change", members: &[("changes", Is::Array), ("status", STATUS)] },
    Shape {
        name: "mcp_tool_call",
        members: &[("server", Is::String), ("tool", Is::String), ("status", STATUS)],
    },
    Shape {
        name: "collab_tool_call",
        members: &[
            ("tool", Is::String),
            ("sender_thread_id", Is::String),
            ("receiver_thread_ids", Is::Array),
            ("prompt", Is::StringOrNull),
            ("agents_states", Is::Object),
            ("status", STATUS),
        ],
    },
    Shape { name: "web_search", members: &[("query", Is::String)] },
    Shape { name: "todo_list", members: &[("items", Is::Array)] },
    Shape { name: "error", members: &[("message", Is::String)] },
];

const CHANGE: Members = &[("path", Is::String), ("kind", Is::OneOf(&["add", "delete", "update"]))];
const LIST_ITEM: Members = &[("text", Is::String), ("completed", Is::Bool)];

/// Checks a line.
pub(super) fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    let Some(event) = find(EVENTS, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, event.members)?;
    let mut checked = CheckedLine::new(match event.name {
        "thread.started" => "ThreadStarted",
        "turn.started" => "TurnStarted",
        "turn.completed" => "TurnCompleted",
        "turn.failed" => "TurnFailed",
        "item.started" => "ItemStarted",
        "item.updated" => "ItemUpdated",
        "item.completed" => "ItemCompleted",
        _ => "Error",
    });
    checked.session_id = raw.str("thread_id");
    if let Some(item) = raw.get("item").filter(|_| event.name.starts_with("item.")) {
        let in_item = |violation: Violation| violation.within("item");
        let name = word(item, "type").map_err(in_item)?;
        checked.subtype = Some(name);
        match find(ITEMS, name) {
            Some(known) => check_item(item, known).map_err(in_item)?,
            None => checked.unknown.push(format!("item/{name}")),
        }
    }
    Ok(checked)
}

fn check_item<'a>(item: impl Node<'a>, known: &Shape) -> Result<(), Violation> {
    require(item, known.members)?;
    let (list, element) = match known.name {
        "file_change" => ("changes", CHANGE),
        "todo_list" => ("items", LIST_ITEM),
        _ => return Ok(()),
    };
    let elements = item.get(list).into_iter().flat_map(Node::elements);
    for (at, value) in elements.enumerate() {
        let locate = |violation: Violation| violation.within(format_args!("{list}.{at}"));
        require(value, element).map_err(locate)?;
    }
    Ok(())
}
