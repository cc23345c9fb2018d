//! Finds session files in folders.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Name endings of the files that are read in a folder.
const EXTENSIONS: &[&str] = &[".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst"];

/// Returns the files of `paths`, each file once and in a stable order. Folders are
/// searched recursively for files that `select` accepts; a file among the paths has no
/// selection. Folders that cannot be read go to `on_error`.
pub fn find_files<T>(
    paths: &[PathBuf],
    select: impl Fn(&Path) -> Option<T>,
    on_error: impl FnMut(&Path, &io::Error),
) -> Vec<(PathBuf, Option<T>)> {
    let (visited, seen) = (HashSet::new(), HashSet::new());
    let mut walk = Walk { select, on_error, visited, seen, found: Vec::new() };
    for path in paths {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => walk.folder(path, &metadata),
            Ok(metadata) => walk.file(path.clone(), identity(path, &metadata), None),
            // Opening it reports the error.
            Err(_) if walk.found.iter().any(|(found, _)| found == path) => {}
            Err(_) => walk.found.push((path.clone(), None)),
        }
    }
    walk.found
}

struct Walk<S, E, T> {
    /// Selects files in folders.
    select: S,
    on_error: E,
    /// Folders, so that a cycle of links ends.
    visited: HashSet<Identity>,
    /// Files.
    seen: HashSet<Identity>,
    found: Vec<(PathBuf, Option<T>)>,
}

/// Device and inode; the canonical path where there are none.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> Identity {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the identity of a regular file, as far as its folder tells it.
#[cfg(unix)]
fn listed_identity(folder: &Metadata, entry: &DirEntry) -> Option<Identity> {
    use std::os::unix::fs::{DirEntryExt, MetadataExt};
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    is_file.then(|| (folder.dev(), entry.ino()))
}

#[cfg(not(unix))]
fn listed_identity(_: &Metadata, _: &DirEntry) -> Option<Identity> {
    None
}

impl<S: Fn(&Path) -> Option<T>, E: FnMut(&Path, &io::Error), T> Walk<S, E, T> {
    fn file(&mut self, path: PathBuf, identity: Identity, selection: Option<T>) {
        if self.seen.insert(identity) {
            self.found.push((path, selection));
        }
    }

    fn folder(&mut self, folder: &Path, metadata: &Metadata) {
        if !self.visited.insert(identity(folder, metadata)) {
            return;
        }
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return (self.on_error)(folder, &error),
        };
        let listed = |entry: DirEntry| (entry.path(), listed_identity(metadata, &entry));
        let mut listed: Vec<_> = entries.into_iter().map(listed).collect();
        listed.sort_unstable();
        for (path, known) in listed {
            if let Some(identity) = known {
                if let Some(selection) = (self.select)(&path) {
                    self.file(path, identity, Some(selection));
                }
                continue;
            }
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => self.folder(&path, &metadata),
                Ok(metadata) if metadata.is_file() => {
                    if let Some(selection) = (self.select)(&path) {
                        let identity = identity(&path, &metadata);
                        self.file(path, identity, Some(selection));
                    }
                }
                // Longer than the system allows, so what is there is unknown.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                    (self.on_error)(&path, &error);
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
