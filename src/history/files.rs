//! Which files there are: those named, those in the folders named, and those in
//! the folders the CLIs keep their sessions in.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How files in a folder end that are read.
const ENDINGS: &[&str] = &[".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst"];

/// The files of `paths`, in order; what cannot be looked into goes to `trouble`.
pub(super) fn find(paths: &[PathBuf], mut trouble: impl FnMut(&Path, &io::Error)) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, &mut found, &mut trouble);
        } else {
            found.push(path.clone());
        }
    }
    // Whoever names a file twice means it once.
    let mut seen = std::collections::HashSet::new();
    found.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>, trouble: &mut impl FnMut(&Path, &io::Error)) {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Ok(entries) => entries,
        Err(error) => return trouble(folder, &error),
    };
    let mut paths: Vec<_> = entries
        .into_iter()
        // A link to a folder could lead back here.
        .filter_map(|entry| Some((entry.file_type().ok()?.is_dir(), entry.path())))
        .collect();
    paths.sort_unstable();
    for (is_folder, path) in paths {
        if is_folder {
            walk(&path, found, trouble);
        } else if is_session(&path) && path.is_file() {
            found.push(path);
        }
    }
}

fn is_session(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Where the CLIs keep their sessions, as far as these folders exist.
pub(super) fn homes(variable: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let home = set("HOME").map(PathBuf::from).unwrap_or_default();
    let claude = match set("CLAUDE_CONFIG_DIR") {
        // Several can be given.
        Some(folders) => folders.split(',').map(|folder| PathBuf::from(folder.trim())).collect(),
        None => vec![home.join(".claude"), home.join(".config/claude")],
    };
    let codex = set("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from);
    let claude = claude.into_iter().map(|folder| folder.join("projects"));
    let codex = ["sessions", "archived_sessions"].map(|folder| codex.join(folder));
    claude.chain(codex).filter(|folder| folder.is_dir()).collect()
}

/// The folder of a project that a transcript lies in: `projects/NAME/…`.
pub(super) fn project_folder(path: &Path) -> Option<&str> {
    let mut parts = path.iter().map(|part| part.to_str().unwrap_or_default());
    parts.find(|part| *part == "projects")?;
    let folder = parts.next()?;
    parts.next().map(|_| folder)
}
