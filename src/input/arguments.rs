//! Arguments that stand for several files: patterns, and lists of names.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::glob::Glob;

/// The component that stands for any number of folders.
const ANY_FOLDERS: &str = "**";

/// Returns the files and folders that match a pattern, in a stable order. An argument
/// without wildcards, one that exists and one that nothing matches stand for themselves.
///
/// `*` and `?` stand for characters of one component, `**` for any number of folders. A
/// leading dot must be written, as in a shell.
pub fn expand(argument: &Path) -> Vec<PathBuf> {
    let is_literal = !argument.components().any(|part| wildcards(part).is_some());
    if is_literal || argument.exists() {
        return vec![argument.to_owned()];
    }
    let mut found = vec![PathBuf::new()];
    for part in argument.components() {
        found = match wildcards(part) {
            Some(ANY_FOLDERS) => found.iter().flat_map(|path| folders_below(path)).collect(),
            Some(pattern) => found.iter().flat_map(|path| matching(path, pattern)).collect(),
            None => found.iter().map(|path| path.join(part)).collect(),
        };
    }
    found.retain(|path| path.exists());
    found.sort_unstable();
    found.dedup();
    if found.is_empty() { vec![argument.to_owned()] } else { found }
}

/// Returns a component that has wildcards.
fn wildcards(part: Component<'_>) -> Option<&str> {
    let Component::Normal(name) = part else { return None };
    name.to_str().filter(|name| name.contains(['*', '?']))
}

/// Returns the entries of a folder whose names match.
fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(glob) = Glob::new(pattern) else { return Vec::new() };
    let is_hidden = |name: &str| name.starts_with('.') && !pattern.starts_with('.');
    let matches =
        |name: &OsString| name.to_str().is_some_and(|name| glob.matches(name) && !is_hidden(name));
    names(folder).into_iter().filter(matches).map(|name| folder.join(name)).collect()
}

/// Returns a folder and all folders below it. Links are not followed, so that a cycle of
/// them ends.
fn folders_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut at = 0;
    while at < found.len() {
        let entries = names(&found[at]).into_iter().map(|name| found[at].join(name));
        let is_folder =
            |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let folders: Vec<_> = entries.filter(is_folder).collect();
        found.extend(folders);
        at += 1;
    }
    found
}

fn names(folder: &Path) -> Vec<OsString> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.file_name()).collect()
}

/// Returns the names of a list: one per line, or each ended by a zero byte.
pub fn parse_list(list: &[u8], is_zero_separated: bool) -> Vec<PathBuf> {
    let separator = if is_zero_separated { 0 } else { b'\n' };
    let names = list.split(|byte| *byte == separator);
    let names = names.map(|name| if is_zero_separated { name } else { trim_return(name) });
    names.filter(|name| !name.is_empty()).map(platform::path).collect()
}

fn trim_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(unix)]
mod platform {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    pub(super) fn path(name: &[u8]) -> PathBuf {
        OsStr::from_bytes(name).into()
    }
}

#[cfg(not(unix))]
mod platform {
    use std::path::PathBuf;

    pub(super) fn path(name: &[u8]) -> PathBuf {
        String::from_utf8_lossy(name).into_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a/x.jsonl", "a/y.jsonl", "a/b/x.jsonl", "a/.hidden.jsonl", "c/z.json"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "").unwrap();
        }
        let expand = |pattern: &str| {
            let found = expand(&root.join(pattern));
            let name =
                |path: PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.into_iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(expand("a/*.jsonl"), ["a/x.jsonl", "a/y.jsonl"]);
        assert_eq!(expand("a/?.jsonl"), ["a/x.jsonl", "a/y.jsonl"]);
        assert_eq!(expand("*/*.json*"), ["a/x.jsonl", "a/y.jsonl", "c/z.json"]);
        assert_eq!(expand("**/x.jsonl"), ["a/b/x.jsonl", "a/x.jsonl"]);
        assert_eq!(expand("a/.*"), ["a/.hidden.jsonl"]);
        assert_eq!(expand("?"), ["a", "c"]);
        assert_eq!(expand("none*"), ["none*"]);
        assert_eq!(expand("a/b"), ["a/b"]);
    }

    #[test]
    fn existing_name_is_no_pattern() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("a*");
        fs::write(&odd, "").unwrap();
        fs::write(folder.path().join("ab"), "").unwrap();
        assert_eq!(expand(&odd), [odd]);
    }

    #[test]
    fn names_of_a_list_end_at_their_separator() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(parse_list(b"a\n\nb c\r\nd", false), paths(&["a", "b c", "d"]));
        assert_eq!(parse_list(b"a\nb\0c\0", true), paths(&["a\nb", "c"]));
        assert_eq!(parse_list(b"", false), paths(&[]));
    }
}
