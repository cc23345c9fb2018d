//! Descriptions of tool calls for people.

use crate::harness::changes;
use crate::harness::tools::{self, TodoItem, TodoState, ToolTexts};
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

/// Returns the items of a `TodoList` call that changes the list.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| matches!(tool, "TodoList" | "SetTodoList"))?;
    let item = |item: Json<'_>| {
        let text = |key| item.get(key).and_then(Json::as_str);
        let state = match text("status").as_deref() {
            Some("done" | "completed") => TodoState::Completed,
            Some("in_progress") => TodoState::InProgress,
            _ => TodoState::Open,
        };
        TodoItem { text: text("title").unwrap_or_default().into_owned(), state }
    };
    Some(todos.elements().map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_has_titles_and_states() {
        let input = Json::new(
            br#"{"todos":[{"title":"One","status":"done"},{"title":"Two","status":"pending"}]}"#,
        );
        let items = todo_items("TodoList", input).unwrap();
        let items: Vec<_> = items.iter().map(|item| (item.text.as_str(), item.state)).collect();
        assert_eq!(items, [("One", TodoState::Completed), ("Two", TodoState::Open)]);
        assert!(todo_items("TodoList", Json::new(b"{}")).is_none(), "the list is read");
    }
}
