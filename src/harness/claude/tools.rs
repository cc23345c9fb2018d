//! Descriptions of tool calls and control messages for people.

use crate::harness::tools::{FileChange, TodoItem, TodoState};
use crate::json::Json;

/// Returns the items of a `TodoWrite` call.
pub(super) fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "TodoWrite")?;
    let item = |item: Json<'_>| {
        let text = |key| item.get(key).and_then(Json::as_str);
        let state = match text("status").as_deref() {
            Some("completed") => TodoState::Completed,
            Some("in_progress") => TodoState::InProgress,
            _ => TodoState::Open,
        };
        TodoItem { text: text("content").unwrap_or_default().into_owned(), state }
    };
    Some(todos.elements().map(item).collect())
}

/// Returns the change of an `Edit` or `Write` call.
pub(super) fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let text = |key| input.get(key).and_then(Json::as_str);
    if let Some((old, new)) = text("old_string").zip(text("new_string")) {
        return Some(FileChange { members: &["old_string", "new_string"], old: Some(old), new });
    }
    Some(FileChange { members: &["content"], old: None, new: text("content")? })
}

/// Returns the text of `<local-command-stdout>…</local-command-stdout>`.
pub(super) fn command_output(prompt: &str) -> Option<&str> {
    if !prompt.starts_with("<local-command-") {
        return None;
    }
    Some(prompt.split(['<', '>']).nth(2).unwrap_or_default().trim())
}

/// Describes requests of the CLI to the program that controls it, and the answers.
pub(super) fn describe_control(kind: &str, line: Json<'_>) -> Option<String> {
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
