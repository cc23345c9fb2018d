//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::changes;
use crate::harness::tools::{self, TodoItem, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: None,
    file_change: Some(changes::replaced_text),
    file_changes: None,
    todo_items: Some(todo_items),
    command_output: None,
    describe: Some(describe),
};

/// Summarises a call: by members that only this CLI has, or the most descriptive one.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let word = |key: &&str| input.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let own = ["target_file", "target_directory"];
    own.iter().find_map(word).unwrap_or_else(|| tools::summary(input))
}

/// Returns the items of a `todo_write` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "todo_write")?;
    Some(tools::todo_list(todos, "content"))
}

/// Describes the plan of the agent, which is printed as a whole each time.
fn describe(kind: &str, line: Json<'_>) -> Option<String> {
    let entries = line.get("entries").filter(|_| kind == "plan")?;
    let is_done = |entry: &Json<'_>| {
        let status = entry.get("status").and_then(Json::as_str);
        status.is_some_and(|status| status == "completed")
    };
    let done = entries.elements().filter(is_done).count();
    Some(format!("plan: {done} of {} done", entries.elements().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_plans_are_described() {
        let read = Json::new(br#"{"target_file":"/a.rs","explanation":"x"}"#);
        assert_eq!(summary(read), "/a.rs");
        let plan = br#"{"type":"plan","entries":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}"#;
        assert_eq!(describe("plan", Json::new(plan)).as_deref(), Some("plan: 1 of 2 done"));
        assert_eq!(describe("end", Json::new(b"{}")), None);
    }
}
