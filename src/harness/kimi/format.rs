//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// Lines of the CLI in the stream.
const META: &[Shape] = &[
    Shape { name: "system.version", members: &[("version", Is::String)] },
    Shape {
        name: "turn.step.retrying",
        members: &[("failed_attempt", Is::Number), ("error_message", Is::String)],
    },
    Shape {
        name: "session.resume_hint",
        members: &[("session_id", Is::String), ("command", Is::String)],
    },
];

const CALL: Members = &[
    ("id", Is::String),
    ("function", Is::With(&[("name", Is::String), ("arguments", Is::String)])),
];

/// Entries of a session file that are used.
const ENTRIES: &[Shape] = &[
    Shape { name: "metadata", members: &[("protocol_version", Is::String)] },
    Shape { name: "turn.prompt", members: &[("input", Is::Array)] },
    Shape { name: "turn.ended", members: &[("reason", Is::String)] },
    Shape { name: "context.append_loop_event", members: &[("event", Is::Object)] },
    Shape { name: "usage.record", members: &[("model", Is::String), ("usage", Is::Object)] },
    Shape { name: "llm.request", members: &[("model", Is::String)] },
    Shape { name: "turn.step.retrying", members: &[("failedAttempt", Is::Number)] },
];

/// The description of a session.
const STATE: Members = &[("id", Is::String), ("cwd", Is::String)];

/// An entry of the predecessor's session files.
const WIRE_MESSAGE: Members =
    &[("message", Is::With(&[("type", Is::String), ("payload", Is::Object)]))];

/// Other entries.
const OTHERS: &[&str] = &[
    "agent.message.appended",
    "agent.turn.ended",
    "agent.turn.started",
    "config.update",
    "context.append_message",
    "context.apply_compaction",
    "context.clear",
    "context.undo",
    "cron.add",
    "cron.cursor",
    "cron.delete",
    "file_history.checkpoint",
    "file_history.tracked",
    "forked",
    "full_compaction.begin",
    "full_compaction.cancel",
    "full_compaction.complete",
    "goal.clear",
    "goal.create",
    "goal.summary",
    "goal.update",
    "interaction.request",
    "interaction.resolved",
    "llm.tools_snapshot",
    "mcp.tools_discovered",
    "permission.record_approval_result",
    "permission.set_mode",
    "plan.revision",
    "plan_mode.cancel",
    "plan_mode.enter",
    "plan_mode.exit",
    "plugin.session_start",
    "profile.bind",
    "prompt.aborted",
    "prompt.completed",
    "prompt.steered",
    "runtime.set_binding",
    "subagent.cancelled",
    "subagent.completed",
    "subagent.failed",
    "subagent.spawned",
    "subagent.started",
    "subagent.suspended",
    "swarm_mode.enter",
    "swarm_mode.exit",
    "task.started",
    "task.terminated",
    "token_counting.measured",
    "token_counting.rebased",
    "token_counting.truncated",
    "token_counting.turn_recorded",
    "tools.register_user_tool",
    "tools.reset_active_tools",
    "tools.set_active_tools",
    "tools.unregister_user_tool",
    "tools.update_store",
    "tower_mode.enter",
    "tower_mode.exit",
    "turn.cancel",
    "turn.steer",
    "turn.step.interrupted",
];

/// Checks a line of a stream or of a session file.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    match raw.str("role") {
        Some("meta") => return check_meta(raw),
        Some(_) => return check_message(raw),
        None => {}
    }
    if raw.get("type").is_none() {
        let is_state = raw.get("agents").is_some();
        require(raw, if is_state { STATE } else { WIRE_MESSAGE })?;
        let session_id = raw.str("id").filter(|_| is_state);
        return Ok(CheckedLine { session_id, ..CheckedLine::new("SessionEntry") });
    }
    let name = word(raw, "type")?;
    match find(ENTRIES, name) {
        Some(entry) => require(raw, entry.members)?,
        None if OTHERS.contains(&name) || raw.get("source_kind").is_some() => {}
        None => return Ok(CheckedLine::unknown(name.to_owned())),
    }
    Ok(CheckedLine { subtype: Some(name), ..CheckedLine::new("SessionEntry") })
}

fn check_meta<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    let Some(line) = find(META, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, line.members)?;
    let session_id = raw.str("session_id");
    Ok(CheckedLine { session_id, subtype: Some(name), ..CheckedLine::new("Meta") })
}

/// Checks a chat message.
fn check_message<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    require(raw, &[("role", Is::OneOf(&["assistant", "tool"]))])?;
    if raw.str("role") == Some("tool") {
        require(raw, &[("tool_call_id", Is::String), ("content", Is::StringOrArray)])?;
        return Ok(CheckedLine::new("Tool"));
    }
    let calls = raw.get("tool_calls");
    if calls.is_none() {
        require(raw, &[("content", Is::StringOrArray)])?;
    }
    for (at, call) in calls.into_iter().flat_map(Node::elements).enumerate() {
        let locate = |violation: Violation| violation.within(format_args!("tool_calls.{at}"));
        require(call, CALL).map_err(locate)?;
    }
    Ok(CheckedLine::new("Assistant"))
}
