//! Descriptions of tool calls for people.

use std::borrow::Cow;

use super::stream::without_namespace;
use crate::harness::changes::{self, FileChange};
use crate::harness::tools::{self, TodoItem, ToolTexts};
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

/// Summarises a call: a file, a task, or the most descriptive member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let word = |key| input.get(key).and_then(Json::as_str);
    word("filePath").or_else(|| word("task")).unwrap_or_else(|| tools::summary(input))
}

fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let edited = || changes::text_change(input, &["oldString", "newString"], &["content"]);
    changes::replaced_text(input).or_else(edited)
}

/// Returns the items of a `todo` call that changes the list.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let is_list = |todos: &Json<'_>| todos.bytes().starts_with(b"[");
    let todos = input.get("todos").filter(is_list)?;
    (without_namespace(tool) == "todo").then(|| tools::todo_list(todos, "content"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::tools::TodoState;

    #[test]
    fn commands_files_and_tasks_are_named() {
        for (input, expected) in [
            (r#"{"command":"ls"}"#, "ls"),
            (r#"{"filePath":"/a","content":"x"}"#, "/a"),
            (r#"{"path":"/a"}"#, "/a"),
            (r#"{"task":"Find it.","agent":"explore"}"#, "Find it."),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }

    #[test]
    fn written_file_is_a_change() {
        let input = Json::new(br#"{"filePath":"/a","content":"x\n"}"#);
        assert_eq!(file_change(input).unwrap().new.as_deref(), Some("x\n"));
        let input = Json::new(br#"{"filePath":"/a","oldString":"x","newString":"y"}"#);
        assert_eq!(file_change(input).unwrap().old.as_deref(), Some("x"));
    }

    #[test]
    fn list_is_known_with_and_without_a_namespace() {
        let input =
            Json::new(br#"{"action":"write","todos":[{"content":"One","status":"completed"}]}"#);
        for tool in ["todo", "planning.todo"] {
            let items = todo_items(tool, input).unwrap();
            assert_eq!((items[0].text.as_str(), items[0].state), ("One", TodoState::Completed));
        }
        assert!(todo_items("todo", Json::new(br#"{"action":"read","todos":null}"#)).is_none());
        assert!(todo_items("bash", input).is_none());
    }
}
