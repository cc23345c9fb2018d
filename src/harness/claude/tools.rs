//! Descriptions of tool calls and control messages for people.

use crate::harness::tools::{self, TodoItem, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    file_change: Some(tools::replaced_text),
    todo_items: Some(todo_items),
    command_output: Some(command_output),
    describe: Some(describe_control),
};

/// Returns the items of a `TodoWrite` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "TodoWrite")?;
    Some(tools::todo_list(todos, "content"))
}

/// Returns the text of `<local-command-stdout>…</local-command-stdout>`.
fn command_output(prompt: &str) -> Option<&str> {
    if !prompt.starts_with("<local-command-") {
        return None;
    }
    Some(prompt.split(['<', '>']).nth(2).unwrap_or_default().trim())
}

/// Describes requests of the CLI to the program that controls it, and the answers.
fn describe_control(kind: &str, line: Json<'_>) -> Option<String> {
    let text = |pointer| line.pointer(pointer).and_then(Json::as_str);
    let or_empty = |pointer| text(pointer).unwrap_or_default();
    match kind {
        "control_request" => {
            let (subtype, tool) = (or_empty("/request/subtype"), or_empty("/request/tool_name"));
            Some(format!("asks: {subtype} {tool}").trim_end().to_owned())
        }
        "control_response" => {
            let (id, result) = (or_empty("/response/request_id"), or_empty("/response/subtype"));
            let error = text("/response/error").map(|error| format!(": {error}"));
            Some(format!("control request {id}: {result}{}", error.unwrap_or_default()))
        }
        _ => None,
    }
}
