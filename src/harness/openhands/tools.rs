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

/// Summarises a call: the command of the editor and its file, a thought, or the most
/// descriptive member. A message is the answer, which is shown as text.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let word = |key| input.get(key).and_then(Json::as_str);
    if let Some((command, path)) = word("command").zip(word("path")) {
        return Cow::Owned(format!("{command} {path}"));
    }
    if input.get("message").is_some() && input.members().count() == 1 {
        return Cow::Borrowed("");
    }
    word("thought").unwrap_or_else(|| tools::summary(input))
}

/// Returns the change of a call of the editor.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    changes::text_change(input, &["old_str", "new_str"], &["file_text"])
}

/// Returns the items of a `task_tracker` call that changes the list.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let is_list = |tasks: &Json<'_>| tasks.bytes().starts_with(b"[");
    let tasks = input.get("task_list").filter(|list| tool == "task_tracker" && is_list(list))?;
    let item = |item: Json<'_>| {
        let text = |key| item.get(key).and_then(Json::as_str);
        let state = match text("status").as_deref() {
            Some("done") => TodoState::Completed,
            Some("in_progress") => TodoState::InProgress,
            _ => TodoState::Open,
        };
        TodoItem { text: text("title").unwrap_or_default().into_owned(), state }
    };
    Some(tasks.elements().map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_files_and_texts_are_named() {
        for (input, expected) in [
            (r#"{"command":"ls","security_risk":"LOW","summary":"x"}"#, "ls"),
            (r#"{"command":"view","path":"/a","summary":"x"}"#, "view /a"),
            (r#"{"message":"All done."}"#, ""),
            (r#"{"thought":"Hm."}"#, "Hm."),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }

    #[test]
    fn created_file_is_a_change() {
        let input = Json::new(br#"{"command":"create","path":"/a","file_text":"x\n"}"#);
        assert_eq!(file_change(input).unwrap().new.as_deref(), Some("x\n"));
    }

    #[test]
    fn plan_is_a_list_of_titles() {
        let input = Json::new(
            br#"{"command":"plan","task_list":[{"title":"One","status":"done"},{"title":"Two","status":"todo"}]}"#,
        );
        let items = todo_items("task_tracker", input).unwrap();
        let items: Vec<_> = items.iter().map(|item| (item.text.as_str(), item.state)).collect();
        assert_eq!(items, [("One", TodoState::Completed), ("Two", TodoState::Open)]);
        assert!(todo_items("task_tracker", Json::new(br#"{"command":"view"}"#)).is_none());
    }
}
