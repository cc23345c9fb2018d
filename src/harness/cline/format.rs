//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// Lines of the stream.
const LINES: &[Shape] = &[
    Shape { name: "agent_event", members: EVENT },
    Shape { name: "team_event", members: EVENT },
    Shape {
        name: "hook_event",
        members: &[("hookEventName", Is::String), ("agentId", Is::String)],
    },
    Shape { name: "team_restored", members: &[] },
    Shape { name: "run_start", members: &[("modelId", Is::String)] },
    Shape {
        name: "run_result",
        members: &[
            (
                "finishReason",
                Is::OneOf(&["completed", "max_iterations", "aborted", "mistake_limit", "error"]),
            ),
            ("iterations", Is::Number),
            ("usage", Is::Object),
            ("text", Is::String),
        ],
    },
    Shape { name: "run_aborted", members: &[("reason", Is::String)] },
    Shape { name: "run_abort_requested", members: &[] },
    Shape { name: "error", members: &[("message", Is::String)] },
];

const EVENT: Members = &[("event", Is::With(&[("type", Is::String)]))];

/// Events of an agent.
const EVENTS: &[Shape] = &[
    Shape { name: "iteration_start", members: &[("iteration", Is::Number)] },
    Shape { name: "iteration_end", members: &[("iteration", Is::Number)] },
    Shape { name: "content_start", members: CONTENT },
    Shape { name: "content_update", members: CONTENT },
    Shape { name: "content_end", members: CONTENT },
    Shape { name: "usage", members: &[("inputTokens", Is::Number), ("outputTokens", Is::Number)] },
    Shape { name: "notice", members: &[("message", Is::String)] },
    Shape { name: "done", members: &[("reason", Is::String)] },
    Shape { name: "error", members: &[("error", Is::With(&[("message", Is::String)]))] },
];

const CONTENT: Members = &[("contentType", Is::OneOf(&["text", "reasoning", "media", "tool"]))];

const MESSAGE: Members = &[
    ("role", Is::OneOf(&["user", "assistant"])),
    ("content", Is::StringOrArray),
    ("ts", Is::Number),
];

const DESCRIPTION: Members = &[
    ("session_id", Is::String),
    ("started_at", Is::String),
    ("status", Is::String),
    ("cwd", Is::String),
];

const DOCUMENT: Members = &[("sessionId", Is::String), ("updated_at", Is::String)];

/// Checks a line of a stream, or a part of a session.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    if raw.get("type").is_none() {
        return check_stored(raw);
    }
    let name = word(raw, "type")?;
    let Some(line) = find(LINES, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, &[("ts", Is::String)])?;
    require(raw, line.members)?;
    let mut checked = CheckedLine { subtype: Some(name), ..CheckedLine::new("Event") };
    checked.session_id = raw.str("sessionId");
    if let Some(event) = raw.get("event").filter(|_| name == "agent_event") {
        let in_event = |violation: Violation| violation.within("event");
        let kind = word(event, "type").map_err(in_event)?;
        checked.subtype = Some(kind);
        match find(EVENTS, kind) {
            Some(known) => require(event, known.members).map_err(in_event)?,
            None => checked.unknown.push(format!("agent_event/{kind}")),
        }
    }
    Ok(checked)
}

fn check_stored<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let has = |key| raw.get(key).is_some();
    let mut checked = CheckedLine::new("SessionEntry");
    let members = if has("role") {
        MESSAGE
    } else if has("started_at") {
        checked.session_id = raw.str("session_id");
        DESCRIPTION
    } else if has("origin") {
        checked.session_id = raw.str("sessionId");
        DOCUMENT
    } else {
        // What else a document contains behind its messages.
        &[("system_prompt", Is::String)]
    };
    require(raw, members)?;
    Ok(checked)
}
