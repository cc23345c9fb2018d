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

/// Summarises a call: the files of a patch, a folder, patterns, or the most descriptive
/// member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let text = |key| input.get(key).and_then(Json::as_str);
    if let Some(patch) = text("input").as_deref().and_then(Patch::new) {
        return Cow::Owned(patch.summary());
    }
    let patterns = input.get("patterns").into_iter().flat_map(Json::elements);
    let patterns: Vec<_> = patterns.filter_map(Json::as_str).collect();
    if !patterns.is_empty() {
        return Cow::Owned(patterns.join(", "));
    }
    text("directory_path").unwrap_or_else(|| tools::summary(input))
}

/// Returns the changes of a patch.
fn file_changes(input: Json<'_>) -> Vec<FileChange<'_>> {
    let patch = input.get("input").and_then(Json::as_str);
    patch.as_deref().and_then(Patch::new).map(|patch| patch.changes(&["input"])).unwrap_or_default()
}

fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let edited = || changes::text_change(input, &["old_str", "new_str"], &["content"]);
    changes::replaced_text(input).or_else(edited)
}

/// Returns the items of a `TodoWrite` call: a list, or a text with a line for each item,
/// `1. [in_progress] Look`.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "TodoWrite")?;
    let Some(text) = todos.as_str() else { return Some(tools::todo_list(todos, "content")) };
    let item = |line: &str| {
        let (state, text) = line.split_once('[')?.1.split_once(']')?;
        let state = match state {
            "completed" | "x" => TodoState::Completed,
            "in_progress" => TodoState::InProgress,
            _ => TodoState::Open,
        };
        Some(TodoItem { text: text.trim().to_owned(), state })
    };
    Some(text.lines().filter_map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_files_and_patterns_are_named() {
        for (input, expected) in [
            (r#"{"command":"ls","summary":"list","timeout":10,"riskLevel":"low"}"#, "ls"),
            (r#"{"input":"*** Begin Patch\n*** Add File: n\n+x\n*** End Patch\n"}"#, "add n"),
            (r#"{"folder":"/w","patterns":["*.rs","*.md"]}"#, "*.rs, *.md"),
            (r#"{"directory_path":"/w"}"#, "/w"),
            (r#"{"file_path":"/a","old_str":"x","new_str":"y"}"#, "/a"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }

    #[test]
    fn edit_and_new_file_are_changes() {
        let change = |input: &'static str| file_change(Json::new(input.as_bytes())).unwrap();
        let edit = change(r#"{"file_path":"/a","old_str":"x","new_str":"y"}"#);
        assert_eq!((edit.old.as_deref(), edit.new.as_deref()), (Some("x"), Some("y")));
        let file = change(r#"{"file_path":"/a","content":"x\n"}"#);
        assert_eq!((file.old, file.new.as_deref()), (None, Some("x\n")));
    }

    #[test]
    fn todo_list_is_a_list_or_a_text() {
        for input in [
            r#"{"todos":"1. [completed] One\n2. [in_progress] Two\n3. [pending] Three"}"#,
            r#"{"todos":[{"content":"One","status":"completed"},{"content":"Two","status":"in_progress"},{"content":"Three","status":"pending"}]}"#,
        ] {
            let items = todo_items("TodoWrite", Json::new(input.as_bytes())).unwrap();
            let items: Vec<_> = items.iter().map(|item| (item.text.as_str(), item.state)).collect();
            let expected = [
                ("One", TodoState::Completed),
                ("Two", TodoState::InProgress),
                ("Three", TodoState::Open),
            ];
            assert_eq!(items, expected);
        }
    }
}
