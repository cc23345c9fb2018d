//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::changes::{self, FileChange};
use crate::harness::tools::{self, TodoItem, TodoState, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: None,
    file_change: Some(file_change),
    file_changes: None,
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Summarises a call: by members that only this CLI has, or the most descriptive one.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let word = |key: &&str| input.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let own = ["globPattern", "searchTerm"];
    own.iter().find_map(word).unwrap_or_else(|| tools::summary(input))
}

/// Returns the change of an `edit` or `write` call.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let own = changes::text_change(input, &["oldText", "newText"], &["fileText"]);
    own.or_else(|| changes::replaced_text(input))
}

/// Returns the items of an `updateTodos` call, whose states are `TODO_STATUS_COMPLETED` or
/// `completed`.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "updateTodos")?;
    let item = |item: Json<'_>| {
        let text = |key| item.get(key).and_then(Json::as_str);
        let status = text("status").map(|status| status.to_ascii_lowercase()).unwrap_or_default();
        let state = match status.strip_prefix("todo_status_").unwrap_or(&status) {
            "completed" => TodoState::Completed,
            "in_progress" => TodoState::InProgress,
            _ => TodoState::Open,
        };
        TodoItem { text: text("content").unwrap_or_default().into_owned(), state }
    };
    Some(todos.elements().map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_todos_have_two_spellings() {
        let input = Json::new(
            br#"{"todos":[{"content":"One","status":"TODO_STATUS_COMPLETED"},{"content":"Two","status":"in_progress"},{"content":"Three"}]}"#,
        );
        let items = todo_items("updateTodos", input).unwrap();
        let states: Vec<_> = items.iter().map(|item| item.state).collect();
        assert_eq!(states, [TodoState::Completed, TodoState::InProgress, TodoState::Open]);
        assert!(todo_items("readTodos", input).is_none());
    }

    #[test]
    fn searches_are_summarised_by_their_pattern() {
        for (input, expected) in [
            (r#"{"targetDirectory":"/w","globPattern":"*.rs"}"#, "*.rs"),
            (r#"{"searchTerm":"serde"}"#, "serde"),
            (r#"{"command":"ls"}"#, "ls"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }
}
