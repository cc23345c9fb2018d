//! What the known releases write to session files, for `check`.

use crate::harness::format::{CheckedLine, Is, Node, Shape, Violation, find, require, word};

/// Members that every line has.
const LINE: &[(&str, Is)] = &[("timestamp", Is::String), ("payload", Is::Object)];

const TYPES: &[Shape] = &[
    Shape { name: "session_meta", members: &[("id", Is::String), ("cwd", Is::String)] },
    Shape { name: "turn_context", members: &[("cwd", Is::String)] },
    Shape { name: "response_item", members: &[("type", Is::String)] },
    Shape { name: "event_msg", members: &[("type", Is::String)] },
    Shape { name: "token_usage_record", members: &[("usage", Is::Object)] },
    Shape { name: "compacted", members: &[] },
    Shape { name: "world_state", members: &[] },
    Shape { name: "inter_agent_communication", members: &[] },
];

/// Items of the model's input and output.
const ITEMS: &[&str] = &[
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "image_generation_call",
    "ghost_snapshot",
    "compaction",
    "compaction_trigger",
    "context_compaction",
    "other",
];

/// Messages about a turn.
const MESSAGES: &[&str] = &[
    "task_started",
    "task_complete",
    "turn_started",
    "turn_complete",
    "turn_aborted",
    "user_message",
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "item_completed",
    "token_count",
    "thread_settings_applied",
    "thread_rolled_back",
    "thread_goal_updated",
    "context_compacted",
    "entered_review_mode",
    "exited_review_mode",
    "undo_completed",
    "model_reroute",
    "error",
    "stream_error",
    "warning",
    "patch_apply_end",
    "mcp_tool_call_end",
    "exec_command_end",
    "web_search_end",
    "view_image_tool_call",
    "image_generation_end",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "guardian_assessment",
    "collab_agent_spawn_end",
    "collab_agent_interaction_end",
    "collab_waiting_end",
    "collab_close_end",
    "collab_resume_end",
];

/// Returns whether a line is from a session file.
pub(super) fn is_entry<'a>(raw: impl Node<'a>) -> bool {
    raw.get("payload").is_some()
}

/// Checks a line.
pub(super) fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    let Some(shape) = find(TYPES, name) else {
        return Ok(CheckedLine::unknown(name.to_owned()));
    };
    require(raw, LINE)?;
    let mut checked = CheckedLine::new("SessionEntry");
    checked.subtype = Some(name);
    let Some(payload) = raw.get("payload") else { return Ok(checked) };
    require(payload, shape.members).map_err(|violation| violation.within("payload"))?;
    if name == "session_meta" {
        checked.session_id = payload.str("id");
    }
    let known = match name {
        "response_item" => ITEMS,
        "event_msg" => MESSAGES,
        _ => return Ok(checked),
    };
    checked.subtype = payload.str("type");
    if let Some(kind) = checked.subtype.filter(|kind| !known.contains(kind)) {
        checked.unknown.push(format!("{name}/{kind}"));
    }
    Ok(checked)
}
