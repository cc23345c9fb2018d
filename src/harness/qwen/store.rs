//! Where sessions are kept: `projects/PROJECT/chats/SESSION.jsonl`, those of subagents in
//! `projects/PROJECT/subagents/SESSION/agent-*.jsonl`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: None,
    project_folder: Some(project_folder),
};

/// Returns the folder with all projects in `QWEN_RUNTIME_DIR` or `QWEN_HOME`, or in the
/// home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let home = own_home(variable, &["QWEN_RUNTIME_DIR", "QWEN_HOME"], ".qwen");
    home.map(|home| home.join("projects")).into_iter().collect()
}

/// Returns the folder of the project.
fn project_folder(session: &Path) -> Option<&str> {
    let parts: Vec<&OsStr> = session.iter().collect();
    let is_inside = |part: &&OsStr| *part == "chats" || *part == "subagents";
    let inside = parts.iter().rposition(is_inside)?;
    parts.get(inside.checked_sub(1)?)?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_is_the_folder_around_chats_and_subagents() {
        for path in ["/h/projects/-w/chats/1.jsonl", "/h/projects/-w/subagents/1/agent-2.jsonl"] {
            assert_eq!(project_folder(Path::new(path)), Some("-w"), "{path}");
        }
        assert_eq!(project_folder(Path::new("1.jsonl")), None);
    }

    #[test]
    fn runtime_folder_comes_before_the_home() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let all = [("QWEN_RUNTIME_DIR", "/r"), ("QWEN_HOME", "/q"), ("HOME", "/h")];
        assert_eq!(folders(&all), [PathBuf::from("/r/projects")]);
        assert_eq!(folders(&all[1..]), [PathBuf::from("/q/projects")]);
        assert_eq!(folders(&all[2..]), [PathBuf::from("/h/.qwen/projects")]);
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
