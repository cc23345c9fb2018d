//! Which files there are: those named, those in the folders named, and those in
//! the folders the CLIs keep their sessions in.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How files in a folder end that are read.
const ENDINGS: &[&str] = &[".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst"];

/// The files of `paths`, in order; what cannot be looked into goes to `trouble`.
pub(super) fn find(paths: &[PathBuf], trouble: impl FnMut(&Path, &io::Error)) -> Vec<PathBuf> {
    let mut walk = Walk { trouble, visited: HashSet::new(), found: Vec::new() };
    for path in paths {
        if path.is_dir() {
            walk.folder(path);
        } else {
            walk.found.push(path.clone());
        }
    }
    // Whoever names a file twice means it once.
    let mut found = walk.found;
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    found
}

struct Walk<T> {
    trouble: T,
    visited: HashSet<PathBuf>,
    found: Vec<PathBuf>,
}

impl<T: FnMut(&Path, &io::Error)> Walk<T> {
    /// Links are followed; one that leads back is known.
    fn folder(&mut self, folder: &Path) {
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if !self.visited.insert(real) {
            return;
        }
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return (self.trouble)(folder, &error),
        };
        let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            if path.is_dir() {
                self.folder(&path);
            } else if is_session(&path) && path.is_file() {
                self.found.push(path);
            }
        }
    }
}

fn is_session(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Where the CLIs keep their sessions, if they do.
pub(super) fn homes(variable: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let home = set("HOME").map(PathBuf::from);
    let in_home = |folder: &&str| home.as_ref().map(|home| home.join(folder));
    let claude: Vec<PathBuf> = match set("CLAUDE_CONFIG_DIR") {
        // Several can be given.
        Some(folders) => {
            let folders = folders.split(',').map(str::trim).filter(|folder| !folder.is_empty());
            folders.map(PathBuf::from).collect()
        }
        None => [".claude", ".config/claude"].iter().filter_map(in_home).collect(),
    };
    let codex = set("CODEX_HOME").map(PathBuf::from).or_else(|| in_home(&".codex"));
    let projects = |folder: PathBuf| {
        if folder.ends_with("projects") { folder } else { folder.join("projects") }
    };
    let sessions = |codex: PathBuf| ["sessions", "archived_sessions"].map(|name| codex.join(name));
    claude.into_iter().map(projects).chain(codex.into_iter().flat_map(sessions)).collect()
}

/// The folder of a project that a transcript lies in: `projects/NAME/…`.
pub(super) fn project_folder(path: &Path) -> Option<&str> {
    let parts: Vec<&OsStr> = path.iter().collect();
    // Others may be called so, too: the CLI's is the last.
    let folders = parts.len().saturating_sub(2);
    let projects = parts.get(..folders)?.iter().rposition(|part| *part == "projects")?;
    parts[projects + 1].to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_project_is_below_the_clis_projects() {
        for (path, folder) in [
            ("/h/.claude/projects/-a/1.jsonl", Some("-a")),
            ("/h/projects/x/.claude/projects/-a/1/subagents/2.jsonl", Some("-a")),
            ("/h/projects/1.jsonl", None),
            ("1.jsonl", None),
        ] {
            assert_eq!(project_folder(Path::new(path)), folder, "{path}");
        }
    }

    #[test]
    fn homes_are_never_the_current_folder() {
        let homes = |set: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            let homes = homes(variable);
            homes.iter().map(|home| home.display().to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(homes(&[]), "");
        assert_eq!(homes(&[("CLAUDE_CONFIG_DIR", "/a,, ,/b/projects")]), "/a/projects /b/projects");
        assert_eq!(
            homes(&[("HOME", "/h"), ("CODEX_HOME", "/c")]),
            "/h/.claude/projects /h/.config/claude/projects /c/sessions /c/archived_sessions"
        );
    }
}
