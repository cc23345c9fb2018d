//! What the published schema says, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// Updates of a session.
const UPDATES: &[Shape] = &[
    Shape { name: "user_message_chunk", members: CHUNK },
    Shape { name: "agent_message_chunk", members: CHUNK },
    Shape { name: "agent_thought_chunk", members: CHUNK },
    Shape { name: "tool_call", members: &[("toolCallId", Is::String), ("title", Is::String)] },
    Shape { name: "tool_call_update", members: &[("toolCallId", Is::String)] },
    Shape { name: "plan", members: &[("entries", Is::Array)] },
    Shape { name: "available_commands_update", members: &[("availableCommands", Is::Array)] },
    Shape { name: "current_mode_update", members: &[("currentModeId", Is::String)] },
    Shape { name: "config_option_update", members: &[("configOptions", Is::Array)] },
    Shape { name: "session_info_update", members: &[] },
    Shape { name: "usage_update", members: &[("used", Is::Number), ("size", Is::Number)] },
    Shape { name: "notice", members: &[("severity", Is::String), ("title", Is::String)] },
    Shape {
        name: "compaction_update",
        members: &[("compactionId", Is::String), ("status", Is::String)],
    },
    Shape { name: "compaction_summary_chunk", members: &[("compactionId", Is::String)] },
];

const CHUNK: Members = &[("content", Is::With(&[("type", Is::String)]))];

/// Requests and notifications.
const METHODS: &[Shape] = &[
    Shape { name: "initialize", members: &[("protocolVersion", Is::Number)] },
    Shape { name: "authenticate", members: &[("methodId", Is::String)] },
    Shape { name: "session/new", members: &[("cwd", Is::String)] },
    Shape { name: "session/load", members: &[("sessionId", Is::String), ("cwd", Is::String)] },
    Shape { name: "session/resume", members: SESSION },
    Shape { name: "session/list", members: &[] },
    Shape { name: "session/prompt", members: &[("sessionId", Is::String), ("prompt", Is::Array)] },
    Shape { name: "session/cancel", members: SESSION },
    Shape { name: "session/set_mode", members: SESSION },
    Shape { name: "session/set_config_option", members: SESSION },
    Shape { name: "session/update", members: &[("sessionId", Is::String), ("update", Is::Object)] },
    Shape {
        name: "session/request_permission",
        members: &[("sessionId", Is::String), ("toolCall", Is::Object), ("options", Is::Array)],
    },
    Shape {
        name: "fs/read_text_file",
        members: &[("sessionId", Is::String), ("path", Is::String)],
    },
    Shape {
        name: "fs/write_text_file",
        members: &[("sessionId", Is::String), ("path", Is::String), ("content", Is::String)],
    },
    Shape {
        name: "terminal/create",
        members: &[("sessionId", Is::String), ("command", Is::String)],
    },
    Shape { name: "terminal/output", members: TERMINAL },
    Shape { name: "terminal/wait_for_exit", members: TERMINAL },
    Shape { name: "terminal/kill", members: TERMINAL },
    Shape { name: "terminal/release", members: TERMINAL },
];

const SESSION: Members = &[("sessionId", Is::String)];

const TERMINAL: Members = &[("sessionId", Is::String), ("terminalId", Is::String)];

const ERROR: Members = &[("code", Is::Number), ("message", Is::String)];

/// Checks a request, a response or a notification.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    require(raw, &[("jsonrpc", Is::OneOf(&["2.0"]))])?;
    if raw.get("method").is_none() {
        return check_response(raw);
    }
    let method = word(raw, "method")?;
    let Some(shape) = find(METHODS, method) else {
        return Ok(CheckedLine::unknown(method.to_owned()));
    };
    let Some(params) = raw.get("params") else {
        return Err(Violation::missing("params"));
    };
    let in_params = |violation: Violation| violation.within("params");
    require(params, shape.members).map_err(in_params)?;
    let mut checked = CheckedLine::new("Request");
    checked.session_id = params.str("sessionId");
    if let Some(update) = params.get("update").filter(|_| method == "session/update") {
        let in_update = |violation: Violation| violation.within("params.update");
        let name = word(update, "sessionUpdate").map_err(in_update)?;
        checked = CheckedLine { subtype: Some(name), variant: "Update", ..checked };
        match find(UPDATES, name) {
            Some(known) => require(update, known.members).map_err(in_update)?,
            None => checked.unknown.push(format!("session/update/{name}")),
        }
    }
    Ok(checked)
}

fn check_response<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    require(raw, &[("id", Is::Any)])?;
    match raw.get("error") {
        Some(error) => require(error, ERROR).map_err(|violation| violation.within("error"))?,
        None => require(raw, &[("result", Is::Any)])?,
    }
    let result = raw.get("result");
    let mut checked = CheckedLine::new("Response");
    checked.session_id = result.and_then(|result| result.str("sessionId"));
    Ok(checked)
}
