//! Changes of files by tool calls.

use std::borrow::Cow;

use crate::json::Json;

/// The change of a file by a tool call.
#[derive(Debug, Default)]
pub(crate) struct FileChange<'a> {
    /// The file.
    pub(crate) path: Option<Cow<'a, str>>,
    /// The members of the input that contain the change.
    pub(crate) members: &'static [&'static str],
    /// The replaced text; `None` if the file is written as a whole.
    pub(crate) old: Option<Cow<'a, str>>,
    /// The new text; `None` if it is unknown.
    pub(crate) new: Option<Cow<'a, str>>,
}

/// Members that contain the path of a file.
const PATHS: [&str; 5] = ["file_path", "notebook_path", "path", "filePath", "target_file"];

/// Returns the file that a call is about.
pub(crate) fn path(input: Json<'_>) -> Option<Cow<'_, str>> {
    PATHS.iter().find_map(|key| input.get(key)?.as_str())
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
    let path = path(input);
    if let Some((old, new)) = text(replaced[0]).zip(text(replaced[1])) {
        return Some(FileChange { path, members: replaced, old: Some(old), new: Some(new) });
    }
    let new = Some(text(written[0])?);
    Some(FileChange { path, members: written, old: None, new })
}

/// Returns the change of a call that replaces several texts of a file: those in the members
/// `names` of each element of the member `list`.
pub(super) fn several_edits<'a>(
    input: Json<'a>,
    list: &'static [&'static str; 1],
    names: [&str; 2],
) -> Option<FileChange<'a>> {
    let edits = input.get(list[0])?;
    let texts = |name: &str| {
        let texts: Vec<_> = edits.elements().filter_map(|edit| edit.get(name)?.as_str()).collect();
        (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
    };
    let (old, new) = (Some(texts(names[0])?), Some(texts(names[1])?));
    Some(FileChange { path: path(input), members: list, old, new })
}

/// A patch that names its files in lines like `*** Update File: src/lib.rs`.
pub(super) struct Patch<'p>(&'p str);

impl<'p> Patch<'p> {
    /// Returns the patch that a text is.
    pub(super) fn new(text: &'p str) -> Option<Self> {
        text.lines().any(|line| file_header(line).is_some()).then_some(Self(text))
    }

    /// Returns the files that it changes: `add src/new.rs, update src/lib.rs`.
    pub(super) fn summary(&self) -> String {
        let headers = self.0.lines().filter_map(file_header);
        let files = headers.map(|(action, path)| format!("{} {path}", action.to_lowercase()));
        files.collect::<Vec<_>>().join(", ")
    }

    /// Returns the changes of the files.
    pub(super) fn changes(&self, members: &'static [&'static str]) -> Vec<FileChange<'static>> {
        let mut changes = Vec::new();
        let mut lines = self.0.lines().peekable();
        while let Some(line) = lines.next() {
            let Some((action, path)) = file_header(line) else { continue };
            let own = std::iter::from_fn(|| lines.next_if(|line| !line.starts_with("*** ")));
            let (old, new) = changed_texts(own);
            let (old, new) = match action {
                "Add" => (None, Some(new)),
                "Update" => (Some(old), Some(new)),
                _ => (None, None),
            };
            let path = Some(Cow::Owned(path.to_owned()));
            changes.push(FileChange {
                path,
                members,
                old: old.map(Cow::Owned),
                new: new.map(Cow::Owned),
            });
        }
        changes
    }
}

/// Splits `*** Update File: src/lib.rs`.
fn file_header(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("*** ")?.split_once(" File: ")
}

/// Returns the old and the new text of the lines of a diff.
pub(super) fn changed_texts<'l>(lines: impl Iterator<Item = &'l str>) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    for line in lines {
        let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        for (side, other) in [(&mut old, "+"), (&mut new, "-")] {
            if matches!(sign, " " | "+" | "-") && sign != other {
                side.extend([text, "\n"]);
            }
        }
    }
    (old, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_patch_are_named_with_their_texts() {
        let text = "*** Begin Patch\n*** Add File: a b\n+x\n*** Update File: c\n@@ fn f\n y\n-z\n+w\n*** Delete File: d\n*** End Patch\n";
        let patch = Patch::new(text).unwrap();
        assert_eq!(patch.summary(), "add a b, update c, delete d");
        let changes = patch.changes(&["input"]);
        let texts: Vec<_> = changes
            .iter()
            .map(|change| (change.path.as_deref(), change.old.as_deref(), change.new.as_deref()))
            .collect();
        let expected = [
            (Some("a b"), None, Some("x\n")),
            (Some("c"), Some("y\nz\n"), Some("y\nw\n")),
            (Some("d"), None, None),
        ];
        assert_eq!(texts, expected);
        assert!(Patch::new("ls -l").is_none());
    }
}
