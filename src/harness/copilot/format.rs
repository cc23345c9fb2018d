//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// Events whose `data` is used, with its members.
const EVENTS: &[Shape] = &[
    Shape {
        name: "session.start",
        members: &[("sessionId", Is::String), ("copilotVersion", Is::String)],
    },
    Shape { name: "session.resume", members: &[("resumeTime", Is::String)] },
    Shape { name: "session.shutdown", members: &[("modelMetrics", Is::Object)] },
    Shape { name: "session.usage_record", members: &[("usage", Is::Object)] },
    Shape { name: "session.tools_updated", members: &[("model", Is::String)] },
    Shape { name: "session.model_change", members: &[("newModel", Is::String)] },
    Shape { name: "session.info", members: &[("infoType", Is::String), ("message", Is::String)] },
    Shape {
        name: "session.warning",
        members: &[("warningType", Is::String), ("message", Is::String)],
    },
    Shape { name: "session.error", members: &[("errorType", Is::String), ("message", Is::String)] },
    Shape { name: "session.compaction_complete", members: &[("success", Is::Bool)] },
    Shape { name: "abort", members: &[("reason", Is::String)] },
    Shape { name: "user.message", members: &[("content", Is::String)] },
    Shape { name: "assistant.turn_start", members: &[("turnId", Is::String)] },
    Shape { name: "assistant.turn_end", members: &[("turnId", Is::String)] },
    Shape { name: "assistant.turn_retry", members: &[("reason", Is::String)] },
    Shape {
        name: "assistant.message",
        members: &[("messageId", Is::String), ("content", Is::String)],
    },
    Shape {
        name: "assistant.message_delta",
        members: &[("messageId", Is::String), ("deltaContent", Is::String)],
    },
    Shape {
        name: "assistant.reasoning",
        members: &[("reasoningId", Is::String), ("content", Is::String)],
    },
    Shape {
        name: "assistant.reasoning_delta",
        members: &[("reasoningId", Is::String), ("deltaContent", Is::String)],
    },
    Shape { name: "assistant.usage", members: &[("model", Is::String)] },
    Shape {
        name: "tool.execution_start",
        members: &[("toolCallId", Is::String), ("toolName", Is::String)],
    },
    Shape {
        name: "tool.execution_complete",
        members: &[("toolCallId", Is::String), ("success", Is::Bool)],
    },
    Shape { name: "subagent.started", members: &[("toolCallId", Is::String)] },
    Shape { name: "subagent.completed", members: &[("toolCallId", Is::String)] },
    Shape {
        name: "subagent.failed",
        members: &[("toolCallId", Is::String), ("error", Is::String)],
    },
];

/// Other events.
const OTHERS: &[&str] = &[
    "agent.interrupted",
    "assistant.fusion_phase_activity",
    "assistant.fusion_phase_completed",
    "assistant.fusion_phase_failed",
    "assistant.fusion_phase_started",
    "assistant.idle",
    "assistant.intent",
    "assistant.message_start",
    "assistant.server_tool_progress",
    "assistant.streaming_delta",
    "assistant.tool_call_delta",
    "auto_mode_switch.completed",
    "auto_mode_switch.requested",
    "capabilities.changed",
    "command.completed",
    "command.execute",
    "command.queued",
    "commands.changed",
    "elicitation.completed",
    "elicitation.requested",
    "exit_plan_mode.completed",
    "exit_plan_mode.requested",
    "external_tool.completed",
    "external_tool.requested",
    "factory.run_settled",
    "factory.run_started",
    "factory.run_updated",
    "hook.end",
    "hook.progress",
    "hook.start",
    "mcp.headers_refresh_completed",
    "mcp.headers_refresh_required",
    "mcp.oauth_completed",
    "mcp.oauth_required",
    "mcp.prompts.list_changed",
    "mcp.resources.list_changed",
    "mcp.tools.list_changed",
    "mcp_app.tool_call_complete",
    "model.call_failure",
    "model.call_final_result",
    "model.call_finished",
    "model.call_start",
    "pending_messages.modified",
    "permission.completed",
    "permission.requested",
    "sampling.completed",
    "sampling.requested",
    "session.auto_mode_resolved",
    "session.auto_tier_recommendation",
    "session.auto_tier_switch_failed",
    "session.autopilot_objective_changed",
    "session.background_tasks_changed",
    "session.binary_asset",
    "session.canvas.closed",
    "session.canvas.opened",
    "session.canvas.recorded",
    "session.canvas.registry_changed",
    "session.canvas.removed",
    "session.canvas.unavailable",
    "session.compaction_start",
    "session.completion_receipt",
    "session.context_changed",
    "session.context_cleared",
    "session.custom_agents_updated",
    "session.custom_notification",
    "session.extensions.attachments_pushed",
    "session.extensions_loaded",
    "session.fusion_completed",
    "session.fusion_resolved",
    "session.fusion_route_failed",
    "session.fusion_route_started",
    "session.handoff",
    "session.idle",
    "session.managed_settings_enforced",
    "session.managed_settings_resolved",
    "session.mcp_server_needs_reconnect",
    "session.mcp_server_removed",
    "session.mcp_server_status_changed",
    "session.mcp_servers_loaded",
    "session.mode_changed",
    "session.mode_notice_delivered",
    "session.permissions_changed",
    "session.plan_changed",
    "session.remote_steerable_changed",
    "session.schedule_cancelled",
    "session.schedule_created",
    "session.schedule_rearmed",
    "session.session_limits_changed",
    "session.skills_loaded",
    "session.snapshot_rewind",
    "session.task_complete",
    "session.title_changed",
    "session.todos_changed",
    "session.truncation",
    "session.usage_checkpoint",
    "session.usage_info",
    "session.workspace_file_changed",
    "session_limits_exhausted.completed",
    "session_limits_exhausted.requested",
    "skill.invoked",
    "subagent.configured",
    "subagent.deselected",
    "subagent.selected",
    "system.message",
    "system.notification",
    "tool.execution_partial_result",
    "tool.execution_progress",
    "tool.shell_output",
    "tool.user_requested",
    "tool_search.activated",
    "ui.ephemeral_query",
    "user_input.completed",
    "user_input.requested",
];

/// Checks an event or the result of a run.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    require(raw, &[("timestamp", Is::String)])?;
    if name == "result" {
        require(raw, &[("sessionId", Is::String), ("exitCode", Is::Number)])?;
        let session_id = raw.str("sessionId");
        return Ok(CheckedLine { session_id, ..CheckedLine::new("Result") });
    }
    let shape = find(EVENTS, name);
    if shape.is_none() && !OTHERS.contains(&name) {
        return Ok(CheckedLine::unknown(name.to_owned()));
    }
    let header = &[("id", Is::String), ("parentId", Is::StringOrNull), ("data", Is::Object)];
    require(raw, header)?;
    let data = raw.get("data").ok_or_else(|| Violation::missing("data"))?;
    if let Some(shape) = shape {
        require(data, shape.members).map_err(|violation| violation.within("data"))?;
    }
    let session_id = data.str("sessionId").filter(|_| name == "session.start");
    Ok(CheckedLine { session_id, subtype: Some(name), ..CheckedLine::new("Event") })
}
