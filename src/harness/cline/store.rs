//! Where sessions are kept: `sessions/ID/ID.json` and `ID.messages.json`, with documents of
//! subagents and teammates beside them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON documents",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

const MESSAGES: &str = ".messages.json";

/// Returns the folder of the sessions: `CLINE_SESSION_DATA_DIR`, or one in `CLINE_DATA_DIR`,
/// in `CLINE_DIR` or in the home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set =
        |name: &str| variable(name).filter(|value| !value.trim().is_empty()).map(PathBuf::from);
    let default = || set("HOME").map(|home| home.join(".cline"));
    let data = || Some(set("CLINE_DIR").or_else(default)?.join("data"));
    let in_data = || Some(set("CLINE_DATA_DIR").or_else(data)?.join("sessions"));
    set("CLINE_SESSION_DATA_DIR").or_else(in_data).into_iter().collect()
}

/// The messages of the main agent and the description of the session are one session. It is
/// found by its messages, which exist first.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    let folder = path.parent()?;
    let id = folder.file_name().and_then(OsStr::to_str)?;
    let description = folder.join(format!("{id}.json"));
    match name.strip_suffix(MESSAGES) {
        Some(own) if own == id && description.exists() => {
            Some(SessionLayout::Files(vec![path.to_owned(), description]))
        }
        Some(_) => Some(SessionLayout::File),
        None if path == description && folder.join(format!("{id}{MESSAGES}")).exists() => {
            Some(SessionLayout::Ignore)
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_description_are_one_session() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("17_a");
        std::fs::create_dir(&session).unwrap();
        let [messages, description] =
            ["17_a.messages.json", "17_a.json"].map(|name| session.join(name));
        assert!(matches!(session_layout(&messages), Some(SessionLayout::File)));
        std::fs::write(&description, "{}").unwrap();
        std::fs::write(&messages, "{}").unwrap();
        let Some(SessionLayout::Files(files)) = session_layout(&messages) else { panic!() };
        assert_eq!(files, [messages, description.clone()]);
        assert!(matches!(session_layout(&description), Some(SessionLayout::Ignore)));
        let subagent = session.join("agent_17_b.messages.json");
        assert!(matches!(session_layout(&subagent), Some(SessionLayout::File)));
        assert!(session_layout(&session.join("17_a.compaction.json")).is_none());
        assert!(session_layout(Path::new("package.json")).is_none());
    }

    #[test]
    fn most_specific_variable_names_the_folder() {
        let folder = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let mut set = vec![("HOME", "/h")];
        assert_eq!(folder(&set), [PathBuf::from("/h/.cline/data/sessions")]);
        set.push(("CLINE_DIR", "/c"));
        assert_eq!(folder(&set), [PathBuf::from("/c/data/sessions")]);
        set.push(("CLINE_DATA_DIR", "/d"));
        assert_eq!(folder(&set), [PathBuf::from("/d/sessions")]);
        set.push(("CLINE_SESSION_DATA_DIR", "/s"));
        assert_eq!(folder(&set), [PathBuf::from("/s")]);
        assert!(folder(&[]).is_empty(), "never the current folder");
    }
}
