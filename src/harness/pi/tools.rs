//! Descriptions of tool calls for people.

use std::borrow::Cow;

use crate::harness::tools::{self, FileChange, ToolTexts};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    file_change: Some(file_change),
    todo_items: None,
    command_output: None,
    describe: None,
};

/// Returns the change of a call that writes a file or replaces texts in it.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let Some(edits) = input.get("edits") else {
        return tools::text_change(input, &["oldText", "newText"], &["content"]);
    };
    let texts = |key: &str| {
        let texts = edits.elements().filter_map(|edit| edit.get(key)?.as_str());
        let texts: Vec<_> = texts.collect();
        (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
    };
    Some(FileChange { members: &["edits"], old: Some(texts("oldText")?), new: texts("newText")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_of_a_file_are_one_change() {
        let input = br#"{"path":"a","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":"d"}]}"#;
        let change = file_change(Json::new(input)).unwrap();
        assert_eq!((change.old.as_deref(), &*change.new), (Some("a\nc"), "b\nd"));
        let written = file_change(Json::new(br#"{"path":"a","content":"x"}"#)).unwrap();
        assert_eq!((written.old, &*written.new), (None, "x"));
        assert!(file_change(Json::new(br#"{"command":"ls"}"#)).is_none());
    }
}
