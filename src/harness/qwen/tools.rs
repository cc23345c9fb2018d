//! Descriptions of tool calls for people.

use crate::harness::tools::{self, TodoItem, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    file_change: Some(tools::replaced_text),
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Returns the items of a `todo_write` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "todo_write")?;
    Some(tools::todo_list(todos, "content"))
}
