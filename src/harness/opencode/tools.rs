//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::changes::{self, FileChange, Patch};
use crate::harness::tools::{self, TodoItem, ToolTexts};
use crate::json::Json;

pub(crate) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: None,
    file_change: Some(file_change),
    file_changes: Some(file_changes),
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Summarises a call: its file, the files of its patch, its question, or the most descriptive
/// member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let word = |key| input.get(key).and_then(Json::as_str);
    let patch =
        || word("patchText").and_then(|patch| Patch::new(&patch).map(|patch| patch.summary()));
    let question = || input.pointer("/questions/0/question").and_then(Json::as_str);
    let file = word("filePath").or_else(|| patch().map(Cow::Owned));
    file.or_else(question).unwrap_or_else(|| tools::summary(input))
}

/// Returns the changes of a patch.
fn file_changes(input: Json<'_>) -> Vec<FileChange<'_>> {
    let patch = input.get("patchText").and_then(Json::as_str);
    patch
        .as_deref()
        .and_then(Patch::new)
        .map(|patch| patch.changes(&["patchText"]))
        .unwrap_or_default()
}

/// Returns the change of a call of `edit` or `write`.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    changes::text_change(input, &["oldString", "newString"], &["content"])
}

/// Returns the items of a `todowrite` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "todowrite")?;
    Some(tools::todo_list(todos, "content"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_patches_and_questions_are_named() {
        for (input, expected) in [
            (r#"{"command":"ls","description":"List"}"#, "ls"),
            (r#"{"filePath":"/a","oldString":"x","newString":"y"}"#, "/a"),
            (r#"{"patchText":"*** Begin Patch\n*** Add File: b\n+x\n*** End Patch"}"#, "add b"),
            (r#"{"questions":[{"question":"Which?","options":[]}]}"#, "Which?"),
            (r#"{"tool":"no_such_tool","error":"Model tried"}"#, "no_such_tool"),
            (r#"{"description":"Look","prompt":"Find it.","subagent_type":"general"}"#, "Look"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }
}
