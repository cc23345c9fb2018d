//! Where sessions are kept: `sessions/PROJECT/ID.jsonl` with `ID.settings.json`, in older
//! releases without the folder of the project.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: Some(project_folder),
};

const SETTINGS: &str = ".settings.json";

fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    own_home(variable, &[], ".factory").map(|home| home.join("sessions")).into_iter().collect()
}

/// Messages and settings are one session, which is found by its messages.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    if let Some(id) = name.strip_suffix(SETTINGS) {
        let messages = path.with_file_name(format!("{id}.jsonl"));
        return messages.exists().then_some(SessionLayout::Ignore);
    }
    let id = name.strip_suffix(".jsonl")?;
    let settings = path.with_file_name(format!("{id}{SETTINGS}"));
    settings.exists().then(|| SessionLayout::Files(vec![path.to_owned(), settings]))
}

/// Returns the folder of the project, whose name is its directory with dashes.
fn project_folder(session: &Path) -> Option<&str> {
    let folder = session.parent()?;
    let is_project = folder.parent()?.file_name() == Some(OsStr::new("sessions"));
    folder.file_name().filter(|_| is_project)?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_settings_are_one_session() {
        let folder = tempfile::tempdir().unwrap();
        let [messages, settings] =
            ["a.jsonl", "a.settings.json"].map(|name| folder.path().join(name));
        std::fs::write(&messages, "").unwrap();
        assert!(session_layout(&messages).is_none(), "a file of lines like any other");
        std::fs::write(&settings, "{}").unwrap();
        let Some(SessionLayout::Files(files)) = session_layout(&messages) else { panic!() };
        assert_eq!(files, [messages, settings.clone()]);
        assert!(matches!(session_layout(&settings), Some(SessionLayout::Ignore)));
        assert!(session_layout(&folder.path().join("b.settings.json")).is_none());
    }

    #[test]
    fn project_is_the_folder_below_the_sessions() {
        let project = |path: &'static str| project_folder(Path::new(path));
        assert_eq!(project("/h/.factory/sessions/-tmp-demo/a.jsonl"), Some("-tmp-demo"));
        assert_eq!(project("/h/.factory/sessions/a.jsonl"), None);
    }
}
