//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::changes::{self, FileChange, Patch};
use crate::harness::tools::{self, TodoItem, TodoState, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: None,
    file_change: Some(file_change),
    file_changes: Some(file_changes),
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Summarises a call: the files of a patch, the intent, or the most descriptive member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    if let Some(patch) = input.as_str().as_deref().and_then(Patch::new) {
        return Cow::Owned(patch.summary());
    }
    match input.get("intent").and_then(Json::as_str) {
        Some(intent) => intent,
        None => tools::summary(input),
    }
}

fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    changes::text_change(input, &["old_str", "new_str"], &["file_text"])
}

/// Returns the changes of a patch, which is the whole input.
fn file_changes(input: Json<'_>) -> Vec<FileChange<'_>> {
    let patch = input.as_str();
    patch.as_deref().and_then(Patch::new).map(|patch| patch.changes(&[])).unwrap_or_default()
}

/// Returns the items of an `update_todo` call, which are a list in Markdown.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let list = input.get("todos").filter(|_| tool == "update_todo")?.as_str()?;
    let item = |line: &str| {
        let (mark, text) = line.trim_start().strip_prefix("- [")?.split_once(']')?;
        let state = match mark {
            "x" | "X" => TodoState::Completed,
            " " => TodoState::Open,
            _ => TodoState::InProgress,
        };
        Some(TodoItem { text: text.trim().to_owned(), state })
    };
    Some(list.lines().filter_map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_described_by_their_main_member() {
        for (input, expected) in [
            (r#""*** Begin Patch\n*** Add File: n.txt\n+one\n*** End Patch\n""#, "add n.txt"),
            (r#"{"command":"ls","description":"List"}"#, "ls"),
            (r#"{"path":"a.rs","old_str":"x","new_str":"y"}"#, "a.rs"),
            (r#"{"intent":"Finishing"}"#, "Finishing"),
            (r#"{"agent_type":"explore","description":"Look","prompt":"Find it"}"#, "Look"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }

    #[test]
    fn list_in_markdown_is_a_todo_list() {
        let input = Json::new(br#"{"todos":"- [ ] one\n- [x] two\n- [>] three\ntext"}"#);
        let items = todo_items("update_todo", input).unwrap();
        let states: Vec<_> = items.iter().map(|item| (item.text.as_str(), item.state)).collect();
        let expected = [
            ("one", TodoState::Open),
            ("two", TodoState::Completed),
            ("three", TodoState::InProgress),
        ];
        assert_eq!(states, expected);
        assert!(todo_items("bash", input).is_none());
    }
}
