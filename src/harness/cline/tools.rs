//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::changes::{self, FileChange};
use crate::harness::tools::{self, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: None,
    file_change: Some(file_change),
    file_changes: None,
    todo_items: None,
    command_output: None,
    describe: None,
};

/// Summarises a call: its commands or files, a task or question, or the most descriptive
/// member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let list = |(key, member): (&str, &str)| {
        let text = |item: Json<'_>| {
            let text = item.as_str().or_else(|| item.get(member)?.as_str())?;
            Some(text.into_owned())
        };
        let texts: Vec<String> = input.get(key)?.elements().filter_map(text).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    };
    let lists = [("commands", "command"), ("files", "path"), ("queries", "query")];
    if let Some(text) = lists.into_iter().find_map(list) {
        return Cow::Owned(text);
    }
    let word = |key| input.get(key).and_then(Json::as_str);
    word("task").or_else(|| word("question")).unwrap_or_else(|| tools::summary(input))
}

/// Returns the change of a call of the editor.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    changes::text_change(input, &["old_text", "new_text"], &["new_text"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_files_and_tasks_are_named() {
        for (input, expected) in [
            (r#"{"commands":["ls","pwd"]}"#, "ls; pwd"),
            (r#"{"commands":[{"command":"ls"}]}"#, "ls"),
            (r#"{"files":[{"path":"/a"},{"path":"/b"}]}"#, "/a; /b"),
            (r#"{"systemPrompt":"You look.","task":"Find it."}"#, "Find it."),
            (r#"{"question":"Which?","options":["a"]}"#, "Which?"),
            (r#"{"path":"/a","new_text":"x"}"#, "/a"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }
}
