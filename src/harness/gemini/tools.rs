//! Descriptions of tool calls for people.

use crate::harness::changes;
use crate::harness::tools::{self, TodoItem, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    title: None,
    file_change: Some(changes::replaced_text),
    file_changes: None,
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Returns the items of a `write_todos` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "write_todos")?;
    Some(tools::todo_list(todos, "description"))
}
