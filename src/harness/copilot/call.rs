//! Tool calls and their results.

use crate::event::{ToolCall, ToolResult, ToolStatus};
use crate::harness::envelope::tool_input;
use crate::json::Value;

/// The tool that starts a subagent.
const AGENT_TOOL: &str = "task";

/// The tool that asks the user.
const QUESTION_TOOL: &str = "ask_user";

/// Decodes `tool.execution_start`.
pub(super) fn started<'a>(data: Value<'_, 'a>) -> ToolCall<'a> {
    let text = |key| data.get(key).and_then(Value::as_str);
    let name = text("mcpToolName").or_else(|| text("toolName"));
    let starts_agent = name == Some(AGENT_TOOL);
    let mode = data.get("arguments").and_then(|input| input.get("mode")?.as_str());
    ToolCall {
        id: text("toolCallId"),
        name,
        server: text("mcpServerName"),
        input: tool_input(data, "arguments"),
        background: starts_agent && mode == Some("background"),
        starts_agent,
        asks_user: name == Some(QUESTION_TOOL),
        ..ToolCall::default()
    }
}

/// Decodes `tool.execution_complete`. A command whose exit status is not 0 is a success;
/// its status is a member of its own.
pub(super) fn completed<'a>(data: Value<'_, 'a>) -> ToolResult<'a> {
    let success = data.get("success").and_then(Value::as_bool);
    let error = data.get("error");
    let is_denied = || {
        let code = error.and_then(|error| error.get("code")?.as_str());
        matches!(code, Some("denied" | "rejected"))
    };
    let status = match success {
        Some(false) if is_denied() => ToolStatus::Denied,
        Some(false) => ToolStatus::Failed,
        _ => ToolStatus::Completed,
    };
    let content = || data.get("result")?.get("content")?.as_text();
    let message = || error?.get("message")?.as_text();
    ToolResult {
        call: ToolCall {
            id: data.get("toolCallId").and_then(Value::as_str),
            ..ToolCall::default()
        },
        status,
        output: content().or_else(message),
        exit_code: data.get("shellExecution").and_then(|shell| shell.get("exitCode")?.as_i64()),
        is_error: success.map(|success| !success),
        ..ToolResult::default()
    }
}
