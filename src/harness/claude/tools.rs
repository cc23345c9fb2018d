//! Descriptions of tool calls and control messages for people.

use std::borrow::Cow;

use crate::harness::changes::{self, FileChange};
use crate::harness::tools::{self, TodoItem, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: None,
    file_change: Some(file_change),
    file_changes: None,
    todo_items: Some(todo_items),
    command_output: Some(command_output),
    describe: Some(describe_control),
};

/// Summarises a call: where a pattern is searched, the kind of a subagent with its task, a
/// question, a plan, an item of a list, or the most descriptive member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let text = |key| input.get(key).and_then(Json::as_str);
    let pair = |first, between: &str, second| {
        let (first, second) = text(first).zip(text(second))?;
        Some(Cow::Owned(format!("{first}{between}{second}")))
    };
    let is_special = |kind: &Cow<'_, str>| text("prompt").is_some() && kind != "general-purpose";
    let agent = || {
        text("subagent_type").filter(is_special)?;
        pair("subagent_type", ": ", "description")
    };
    let question = || input.pointer("/questions/0/question").and_then(Json::as_str);
    let item = || pair("taskId", " ", "status").map(|item| Cow::Owned(format!("#{item}")));
    let search = pair("pattern", " in ", "path").or_else(agent).or_else(question);
    let own = search.or_else(item).or_else(|| text("plan")).or_else(|| text("subject"));
    own.unwrap_or_else(|| tools::summary(input))
}

/// Returns the change of an `Edit`, `MultiEdit`, `Write` or `NotebookEdit` call.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let edits = changes::several_edits(input, &["edits"], ["old_string", "new_string"]);
    let cell = || {
        let new = Some(input.get("new_source")?.as_str()?);
        Some(FileChange { path: changes::path(input), members: &["new_source"], old: None, new })
    };
    edits.or_else(|| changes::replaced_text(input)).or_else(cell)
}

/// Returns the items of a `TodoWrite` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    let todos = input.get("todos").filter(|_| tool == "TodoWrite")?;
    Some(tools::todo_list(todos, "content"))
}

/// Returns the text of `<local-command-stdout>…</local-command-stdout>`.
fn command_output(prompt: &str) -> Option<&str> {
    if !prompt.starts_with("<local-command-") {
        return None;
    }
    Some(prompt.split(['<', '>']).nth(2).unwrap_or_default().trim())
}

/// Describes requests of the CLI to the program that controls it, and the answers.
fn describe_control(kind: &str, line: Json<'_>) -> Option<String> {
    let text = |pointer| line.pointer(pointer).and_then(Json::as_str);
    let or_empty = |pointer| text(pointer).unwrap_or_default();
    match kind {
        "control_request" => {
            let (subtype, tool) = (or_empty("/request/subtype"), or_empty("/request/tool_name"));
            Some(format!("asks: {subtype} {tool}").trim_end().to_owned())
        }
        "control_response" => {
            let (id, result) = (or_empty("/response/request_id"), or_empty("/response/subtype"));
            let error = text("/response/error").map(|error| format!(": {error}"));
            Some(format!("control request {id}: {result}{}", error.unwrap_or_default()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_summarised_by_what_they_do() {
        for (input, expected) in [
            (r#"{"command":"ls","description":"List"}"#, "ls"),
            (r#"{"pattern":"fn x","path":"src","output_mode":"content"}"#, "fn x in src"),
            (
                r#"{"description":"Look","prompt":"Find.","subagent_type":"Explore"}"#,
                "Explore: Look",
            ),
            (r#"{"questions":[{"question":"Which?","header":"H","options":[]}]}"#, "Which?"),
            (r#"{"taskId":"1","status":"completed"}"#, "#1 completed"),
            (r#"{"subject":"One","description":"first"}"#, "One"),
            (r#"{"plan":"1. do it"}"#, "1. do it"),
            (r#"{"file_path":"/a.rs","old_string":"x","new_string":"y"}"#, "/a.rs"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }

    #[test]
    fn several_edits_are_one_change() {
        let input = br#"{"file_path":"a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}"#;
        let change = file_change(Json::new(input)).unwrap();
        assert_eq!((change.old.as_deref(), change.new.as_deref()), (Some("a\nc"), Some("b\nd")));
    }
}
