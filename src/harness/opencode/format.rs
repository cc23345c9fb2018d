//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(crate) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// Lines of the stream, and the parts that they contain.
const LINES: &[(&str, &str)] = &[
    ("step_start", "step-start"),
    ("text", "text"),
    ("reasoning", "reasoning"),
    ("tool_use", "tool"),
    ("step_finish", "step-finish"),
];

/// Parts of messages.
const PARTS: &[Shape] = &[
    Shape { name: "step-start", members: &[] },
    Shape { name: "text", members: &[("text", Is::String)] },
    Shape { name: "reasoning", members: &[("text", Is::String), ("time", Is::Object)] },
    Shape {
        name: "tool",
        members: &[("callID", Is::String), ("tool", Is::String), ("state", Is::Object)],
    },
    Shape {
        name: "step-finish",
        members: &[("reason", Is::String), ("cost", Is::Number), ("tokens", Is::With(TOKENS))],
    },
    Shape { name: "retry", members: &[("attempt", Is::Number), ("error", Is::Object)] },
    Shape { name: "compaction", members: &[] },
    Shape { name: "file", members: &[] },
    Shape { name: "snapshot", members: &[] },
    Shape { name: "patch", members: &[] },
    Shape { name: "agent", members: &[] },
    Shape { name: "subtask", members: &[] },
];

/// States of calls.
const STATES: &[Shape] = &[
    Shape { name: "pending", members: &[("input", Is::Object)] },
    Shape { name: "running", members: &[("input", Is::Object)] },
    Shape {
        name: "completed",
        members: &[("input", Is::Object), ("output", Is::String), ("time", Is::With(TIMES))],
    },
    Shape {
        name: "error",
        members: &[("input", Is::Object), ("error", Is::String), ("time", Is::With(TIMES))],
    },
];

const TIMES: Members = &[("start", Is::Number), ("end", Is::Number)];

const TOKENS: Members = &[
    ("input", Is::Number),
    ("output", Is::Number),
    ("reasoning", Is::Number),
    ("cache", Is::With(&[("read", Is::Number), ("write", Is::Number)])),
];

const LINE: Members = &[("timestamp", Is::Number), ("sessionID", Is::String)];

const PART_IDS: Members =
    &[("id", Is::String), ("messageID", Is::String), ("sessionID", Is::String)];

const MESSAGE: Members =
    &[("role", Is::OneOf(&["user", "assistant"])), ("time", Is::With(&[("created", Is::Number)]))];

const SESSION: Members = &[
    ("id", Is::String),
    ("directory", Is::String),
    ("time", Is::With(&[("created", Is::Number)])),
];

/// Checks a line of a stream, or a part of a session.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    match raw.get("info") {
        Some(info) => return check_exported(raw, info),
        None if raw.get("type").is_none() => return check_info(raw),
        // A part in a file of its own.
        None if raw.get("messageID").is_some() => {
            let checked = CheckedLine::new("SessionEntry");
            return check_part(raw, word(raw, "type")?, checked);
        }
        None => {}
    }
    let name = word(raw, "type")?;
    let session_id = raw.str("sessionID");
    let checked = CheckedLine { session_id, subtype: Some(name), ..CheckedLine::new("Event") };
    if name == "error" {
        require(raw, LINE)?;
        let error = raw.get("error").ok_or_else(|| Violation::missing("error"))?;
        if !error.is_string() {
            require(error, &[("name", Is::String)])
                .map_err(|violation| violation.within("error"))?;
        }
        return Ok(checked);
    }
    let Some((_, kind)) = LINES.iter().find(|(known, _)| *known == name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, LINE)?;
    let part = raw.get("part").ok_or_else(|| Violation::missing("part"))?;
    let in_part = |violation: Violation| violation.within("part");
    require(part, PART_IDS).map_err(in_part)?;
    check_part(part, kind, checked).map_err(in_part)
}

/// Checks a part of this type.
fn check_part<'a>(
    part: impl Node<'a>,
    kind: &str,
    mut checked: CheckedLine<'a>,
) -> Result<CheckedLine<'a>, Violation> {
    let Some(shape) = find(PARTS, kind) else {
        checked.unknown.push(format!("part/{kind}"));
        return Ok(checked);
    };
    require(part, shape.members)?;
    if let Some(state) = part.get("state").filter(|_| kind == "tool") {
        let in_state = |violation: Violation| violation.within("state");
        let status = word(state, "status").map_err(in_state)?;
        match find(STATES, status) {
            Some(known) => require(state, known.members).map_err(in_state)?,
            None => checked.unknown.push(format!("state/{status}")),
        }
    }
    Ok(checked)
}

/// Checks the description of a session, or a message with its parts.
fn check_exported<'a, N: Node<'a>>(raw: N, info: N) -> Result<CheckedLine<'a>, Violation> {
    let mut checked = check_info(info).map_err(|violation| violation.within("info"))?;
    let parts = raw.get("parts");
    for (at, part) in parts.into_iter().flat_map(Node::elements).enumerate() {
        let in_part = |violation: Violation| violation.within(format_args!("parts.{at}"));
        let kind = word(part, "type").map_err(in_part)?;
        checked = check_part(part, kind, checked).map_err(in_part)?;
    }
    Ok(checked)
}

fn check_info<'a>(info: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let is_message = info.get("role").is_some();
    require(info, if is_message { MESSAGE } else { SESSION })?;
    let session_id = info.str(if is_message { "sessionID" } else { "id" });
    Ok(CheckedLine { session_id, ..CheckedLine::new("SessionEntry") })
}
