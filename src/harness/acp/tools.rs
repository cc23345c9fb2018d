//! Descriptions of tool calls for people. Inputs are those of the agent's own tools.

use crate::harness::changes::{self, FileChange};
use crate::harness::tools::{self, ToolTexts};
use crate::json::Json;

pub(in crate::harness) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    title: None,
    file_change: Some(file_change),
    file_changes: None,
    todo_items: None,
    command_output: None,
    describe: None,
};

/// Returns the change of a call: that which the protocol describes, or one by usual names.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let described = changes::text_change(input, &["oldText", "newText"], &["newText"]);
    described.or_else(|| changes::replaced_text(input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_file_has_no_old_text() {
        for (input, old) in [
            (r#"{"path":"a","oldText":"x","newText":"y"}"#, Some("x")),
            (r#"{"path":"a","oldText":null,"newText":"y"}"#, None),
            (r#"{"file_path":"a","old_string":"x","new_string":"y"}"#, Some("x")),
        ] {
            let change = file_change(Json::new(input.as_bytes())).unwrap();
            assert_eq!(
                (change.old.as_deref(), change.new.as_deref().unwrap()),
                (old, "y"),
                "{input}"
            );
        }
    }
}
