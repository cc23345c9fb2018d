//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::tools::{self, TodoItem, TodoState, ToolTexts, descriptive_member};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    file_change: None,
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Summarises a call: the changed files, the message to another agent, or the most
/// descriptive member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let is_collaboration = input.get("receiver_thread_ids").is_some();
    if let Some(tool) = input.get("tool").and_then(Json::as_str).filter(|_| is_collaboration) {
        let prompt = input.get("prompt").and_then(Json::as_str).unwrap_or_default();
        return Cow::Owned(format!("{tool} {prompt}").trim_end().to_owned());
    }
    match descriptive_member(input) {
        Some(("changes", changes)) => Cow::Owned(changed_files(changes)),
        _ => tools::summary(input),
    }
}

/// Returns a list like `update src/lib.rs, add src/new.rs`.
fn changed_files(changes: Json<'_>) -> String {
    let change = |change: Json<'_>| {
        let text = |key| change.get(key).and_then(Json::as_str).unwrap_or_default();
        format!("{} {}", text("kind"), text("path"))
    };
    changes.elements().map(change).collect::<Vec<_>>().join(", ")
}

/// Returns the items of a `todo_list`.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let items = input.get("items").filter(|_| tool == "todo_list")?;
    let item = |item: Json<'_>| {
        let completed = item.get("completed").is_some_and(|flag| flag.bytes() == b"true");
        TodoItem {
            text: item.get("text").and_then(Json::as_str).unwrap_or_default().into_owned(),
            state: if completed { TodoState::Completed } else { TodoState::Open },
        }
    };
    Some(items.elements().map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_names_files_and_agents() {
        for (input, expected) in [
            (
                r#"{"changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"}]}"#,
                "add a, update b",
            ),
            (r#"{"tool":"wait","prompt":null,"receiver_thread_ids":["x"]}"#, "wait"),
            (r#"{"command":"ls"}"#, "ls"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }
}
