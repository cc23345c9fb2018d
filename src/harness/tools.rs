//! Descriptions of tool calls that CLIs have in common.

use std::borrow::Cow;

use crate::json::Json;

/// Members that describe a call best, the best one first.
const DESCRIPTIVE: [&str; 15] = [
    "command",
    "cmd",
    "pattern",
    "file_path",
    "notebook_path",
    "path",
    "query",
    "url",
    "description",
    "prompt",
    "skill",
    "changes",
    "tool",
    "items",
    "todos",
];

/// Summarises the input of a tool by the member that describes it best.
pub(super) fn summary(input: Json<'_>) -> Cow<'_, str> {
    match descriptive_member(input) {
        Some(("items" | "todos", items)) => {
            let count = items.elements().count();
            Cow::Owned(format!("{count} item{}", if count == 1 { "" } else { "s" }))
        }
        Some((_, value)) => text(value),
        None if input.bytes() == b"{}" => Cow::Borrowed(""),
        None => text(input),
    }
}

/// Returns the member that describes a call best.
pub(super) fn descriptive_member(input: Json<'_>) -> Option<(&'static str, Json<'_>)> {
    let is_set = |value: &Json<'_>| !matches!(value.bytes(), b"null" | b"\"\"" | b"[]");
    DESCRIPTIVE.iter().find_map(|key| Some((*key, input.get(key).filter(is_set)?)))
}

/// Returns a string's text, or the JSON of any other value.
fn text(value: Json<'_>) -> Cow<'_, str> {
    value.as_str().unwrap_or_else(|| String::from_utf8_lossy(value.bytes()))
}

/// The change of a file by a tool call.
#[derive(Debug)]
pub(crate) struct FileChange<'a> {
    /// The members of the input that contain it.
    pub(crate) members: &'static [&'static str],
    /// The replaced text; `None` if the file is written as a whole.
    pub(crate) old: Option<Cow<'a, str>>,
    /// The new text.
    pub(crate) new: Cow<'a, str>,
}

/// An item of a to-do list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TodoItem {
    pub(crate) text: String,
    pub(crate) state: TodoState,
}

/// The state of an item of a to-do list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TodoState {
    Open,
    InProgress,
    Completed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_descriptive_member_is_the_summary() {
        for (input, expected) in [
            (r#"{"description":"Run","command":"ls -l"}"#, "ls -l"),
            (r#"{"file_path":"/a.rs","old_string":"x"}"#, "/a.rs"),
            (r#"{"todos":[{},{}]}"#, "2 items"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"command":null,"path":"p"}"#, "p"),
            ("{}", ""),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }
}
