//! Finds session files in folders.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Name endings of the files that are read in a folder.
const EXTENSIONS: &[&str] = &[".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst"];

/// Returns the files of `paths`, folders searched recursively, each file once
/// and in a stable order. Folders that cannot be read go to `on_error`.
pub fn find_files(
    paths: &[PathBuf],
    is_session: impl Fn(&Path) -> bool,
    on_error: impl FnMut(&Path, io::Error),
) -> Vec<PathBuf> {
    let mut walk = Walk { is_session, on_error, visited: HashSet::new(), found: Vec::new() };
    for path in paths {
        if path.is_dir() {
            walk.folder(path);
        } else {
            walk.found.push(path.clone());
        }
    }
    let mut found = walk.found;
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    found
}

struct Walk<S, E> {
    /// Selects files in folders.
    is_session: S,
    on_error: E,
    /// Canonical paths, so that a cycle of links ends.
    visited: HashSet<PathBuf>,
    found: Vec<PathBuf>,
}

impl<S: Fn(&Path) -> bool, E: FnMut(&Path, io::Error)> Walk<S, E> {
    fn folder(&mut self, folder: &Path) {
        let canonical = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if !self.visited.insert(canonical) {
            return;
        }
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return (self.on_error)(folder, error),
        };
        let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => self.folder(&path),
                Ok(metadata) if metadata.is_file() && (self.is_session)(&path) => {
                    self.found.push(path);
                }
                // Longer than the system allows, so what is there is unknown.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                    (self.on_error)(&path, error);
                }
                _ => {}
            }
        }
    }
}

/// Returns whether the name of a file is that of a file of lines.
pub fn has_line_extension(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}
