//! Descriptions of tool calls that CLIs have in common.

use std::borrow::Cow;

use crate::json::Json;

/// Descriptions of tool calls for people.
pub(crate) struct ToolTexts {
    /// Summarises a tool call in one line.
    pub(crate) summary: for<'a> fn(Json<'a>) -> Cow<'a, str>,
    /// Returns the change of a file that a tool call makes, to be shown as a diff.
    pub(crate) file_change: Option<for<'a> fn(Json<'a>) -> Option<FileChange<'a>>>,
    /// Returns the items if a call of this tool updates a to-do list.
    pub(crate) todo_items: Option<fn(&str, Json<'_>) -> Option<Vec<TodoItem>>>,
    /// Returns the output of one of the CLI's own commands if that is what a prompt
    /// contains.
    pub(crate) command_output: Option<fn(&str) -> Option<&str>>,
    /// Describes an object of this type that has no neutral event but matters to a person.
    pub(crate) describe: Option<fn(&str, Json<'_>) -> Option<String>>,
}

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

/// Returns the change of a call that replaces a text or writes a file, with the names of
/// members that several CLIs use.
pub(super) fn replaced_text(input: Json<'_>) -> Option<FileChange<'_>> {
    text_change(input, &["old_string", "new_string"], &["content"])
}

/// Returns the change of a call that replaces a text or writes a file, given the members
/// with the old and the new text, and the one with the content of the file.
pub(super) fn text_change<'a>(
    input: Json<'a>,
    replaced: &'static [&'static str; 2],
    written: &'static [&'static str; 1],
) -> Option<FileChange<'a>> {
    let text = |key| input.get(key).and_then(Json::as_str);
    if let Some((old, new)) = text(replaced[0]).zip(text(replaced[1])) {
        return Some(FileChange { members: replaced, old: Some(old), new });
    }
    Some(FileChange { members: written, old: None, new: text(written[0])? })
}

/// Returns the files that a patch changes: `add src/new.rs, update src/lib.rs`. `None` if a
/// text is no such patch.
pub(super) fn patched_files(patch: &str) -> Option<String> {
    let change = |line: &str| {
        let (action, path) = line.strip_prefix("*** ")?.split_once(" File: ")?;
        Some(format!("{} {path}", action.to_lowercase()))
    };
    let files: Vec<_> = patch.lines().filter_map(change).collect();
    (!files.is_empty()).then(|| files.join(", "))
}

/// Returns the items of a to-do list whose texts are in the member `name`.
pub(super) fn todo_list(items: Json<'_>, name: &str) -> Vec<TodoItem> {
    let item = |item: Json<'_>| {
        let text = |key| item.get(key).and_then(Json::as_str);
        let state = match text("status").as_deref() {
            Some("completed") => TodoState::Completed,
            Some("in_progress") => TodoState::InProgress,
            _ => TodoState::Open,
        };
        TodoItem { text: text(name).unwrap_or_default().into_owned(), state }
    };
    items.elements().map(item).collect()
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
    fn files_of_a_patch_are_named() {
        let patch = "*** Begin Patch\n*** Add File: a b\n+x\n*** Update File: c\n@@\n-y\n+z\n*** Delete File: d\n*** End Patch\n";
        assert_eq!(patched_files(patch).as_deref(), Some("add a b, update c, delete d"));
        assert_eq!(patched_files("ls -l"), None);
    }

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
