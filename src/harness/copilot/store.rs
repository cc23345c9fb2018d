//! Where sessions are kept: `session-state/ID/events.jsonl`, in older releases
//! `session-state/ID.jsonl`.

use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

/// The folders of the current and of the oldest releases.
const FOLDERS: [&str; 2] = ["session-state", "history-session-state"];

/// Returns the folders with all sessions in `COPILOT_HOME`, or in the home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let default = || set("HOME").map(|home| PathBuf::from(home).join(".copilot"));
    let home = set("COPILOT_HOME").map(PathBuf::from).or_else(default);
    home.into_iter().flat_map(|home| FOLDERS.map(|folder| home.join(folder))).collect()
}

/// Files beside the events are those that the agent has written.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let is_session = |folder: &&Path| {
        let parent = folder.parent().and_then(Path::file_name);
        parent.is_some_and(|parent| FOLDERS.iter().any(|name| parent == *name))
    };
    let events = path.ancestors().skip(1).find(is_session)?.join("events.jsonl");
    (path != events && events.exists()).then_some(SessionLayout::Ignore)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_agent_beside_its_events_are_no_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("session-state/ID");
        std::fs::create_dir_all(&session).unwrap();
        let beside = session.join("files/data.jsonl");
        assert!(session_layout(&beside).is_none(), "a folder of the same name");
        let events = session.join("events.jsonl");
        std::fs::write(&events, "").unwrap();
        assert!(session_layout(&events).is_none(), "a file of lines like any other");
        assert!(matches!(session_layout(&beside), Some(SessionLayout::Ignore)));
        assert!(session_layout(&session.with_extension("jsonl")).is_none());
    }

    #[test]
    fn own_home_replaces_the_default() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let default = folders(&[("HOME", "/h")]);
        assert_eq!(default[0], PathBuf::from("/h/.copilot/session-state"));
        let both = folders(&[("HOME", "/h"), ("COPILOT_HOME", "/c")]);
        assert_eq!(both[0], PathBuf::from("/c/session-state"));
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
