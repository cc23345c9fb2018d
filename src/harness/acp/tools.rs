//! Descriptions of tool calls for people. Inputs are those of the agent's own tools.

use crate::harness::tools::{self, FileChange, ToolTexts};
use crate::json::Json;

pub(in crate::harness) const TOOLS: ToolTexts = ToolTexts {
    summary: tools::summary,
    file_change: Some(file_change),
    todo_items: None,
    command_output: None,
    describe: None,
};

/// Returns the change of a call: that which the protocol describes, or one by usual names.
fn file_change(input: Json<'_>) -> Option<FileChange<'_>> {
    let described = tools::text_change(input, &["oldText", "newText"], &["newText"]);
    described.or_else(|| tools::replaced_text(input))
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
            assert_eq!((change.old.as_deref(), &*change.new), (old, "y"), "{input}");
        }
    }
}
