//! Descriptions of tool calls for people.

use crate::harness::changes::{self, FileChange};
use crate::harness::tools::{self, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    title: None,
    file_change: Some(file_change),
    file_changes: None,
    todo_items: None,
    command_output: None,
    describe: None,
};

/// Returns the change of a call that writes a file or replaces texts in it.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let edits = changes::several_edits(input, &["edits"], ["oldText", "newText"]);
    edits.or_else(|| changes::text_change(input, &["oldText", "newText"], &["content"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_of_a_file_are_one_change() {
        let input = br#"{"path":"a","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":"d"}]}"#;
        let change = file_change(Json::new(input)).unwrap();
        assert_eq!((change.old.as_deref(), change.new.as_deref().unwrap()), (Some("a\nc"), "b\nd"));
        let written = file_change(Json::new(br#"{"path":"a","content":"x"}"#)).unwrap();
        assert_eq!((written.old, written.new.as_deref()), (None, Some("x")));
        assert!(file_change(Json::new(br#"{"command":"ls"}"#)).is_none());
    }
}
