//! Descriptions of tool calls for people.

use crate::harness::tools::{self, FileChange, TodoItem, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    file_change: Some(file_change),
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Returns the change of an `edit_file` or `create_file` call.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let text = |key| input.get(key).and_then(Json::as_str);
    match text("old_str").zip(text("new_str")) {
        Some((old, new)) => {
            Some(FileChange { members: &["old_str", "new_str"], old: Some(old), new })
        }
        None => tools::replaced_text(input),
    }
}

/// Returns the items of a `todo_write` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "todo_write")?;
    Some(tools::todo_list(todos, "content"))
}
