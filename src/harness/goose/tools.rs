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

/// Summarises a call. The `command` of the editor is what it does with a file.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    let text = |key| input.get(key).and_then(Json::as_str);
    match text("command").zip(text("path")) {
        Some((command, path)) => Cow::Owned(format!("{command} {path}")),
        None => tools::summary(input),
    }
}

/// Returns the change of an editor's call.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let replaced = changes::text_change(input, &["old_str", "new_str"], &["file_text"]);
    replaced.or_else(|| changes::text_change(input, &["before", "after"], &["content"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_is_found_in_every_spelling() {
        for (input, old, new) in [
            (r#"{"path":"a","command":"str_replace","old_str":"x","new_str":"y"}"#, Some("x"), "y"),
            (r#"{"path":"a","command":"write","file_text":"z"}"#, None, "z"),
            (r#"{"path":"a","before":"x","after":"y"}"#, Some("x"), "y"),
            (r#"{"path":"a","content":"z"}"#, None, "z"),
        ] {
            let change = file_change(Json::new(input.as_bytes())).unwrap();
            assert_eq!(
                (change.old.as_deref(), change.new.as_deref().unwrap()),
                (old, new),
                "{input}"
            );
        }
        assert!(file_change(Json::new(br#"{"command":"ls"}"#)).is_none());
    }
}
