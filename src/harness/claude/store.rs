//! Where sessions are kept: `projects/PROJECT/SESSION.jsonl`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::SessionFiles;

const PROJECTS: &str = "projects";

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: None,
    project_folder: Some(project_folder),
};

/// Returns `projects` in each folder of `CLAUDE_CONFIG_DIR`, which may list several,
/// or in the default folders.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let folders: Vec<PathBuf> = if let Some(list) = set("CLAUDE_CONFIG_DIR") {
        let folders = list.split(',').map(str::trim).filter(|folder| !folder.is_empty());
        folders.map(PathBuf::from).collect()
    } else {
        let home = set("HOME").map(PathBuf::from);
        let defaults = [".claude", ".config/claude"];
        home.iter().flat_map(|home| defaults.map(|folder| home.join(folder))).collect()
    };
    let projects = |folder: PathBuf| {
        if folder.ends_with(PROJECTS) { folder } else { folder.join(PROJECTS) }
    };
    folders.into_iter().map(projects).collect()
}

/// Returns the project folder of a session file, the part behind the last
/// `projects`.
fn project_folder(session: &Path) -> Option<&str> {
    let parts: Vec<&OsStr> = session.iter().collect();
    let folders = parts.len().saturating_sub(2);
    let projects = parts.get(..folders)?.iter().rposition(|part| *part == PROJECTS)?;
    parts[projects + 1].to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_folder_is_below_the_last_projects() {
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
    fn config_dir_may_list_several_folders() {
        let folders = |name: &'static str, value: &'static str| {
            session_folders(&|asked| (asked == name).then(|| value.to_owned()))
        };
        let expected = ["/a/projects", "/b/projects"].map(PathBuf::from);
        assert_eq!(folders("CLAUDE_CONFIG_DIR", "/a,, ,/b/projects"), expected);
        let expected = ["/h/.claude/projects", "/h/.config/claude/projects"].map(PathBuf::from);
        assert_eq!(folders("HOME", "/h"), expected);
        assert_eq!(folders("HOME", " "), [""; 0].map(PathBuf::from), "never the current folder");
    }
}
