//! Where sessions are kept: `tmp/PROJECT/chats/session-*.jsonl`, those of subagents in a
//! folder below.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout};

const CHATS: &str = "chats";

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: Some(project_folder),
};

/// Returns the folder with all projects in `GEMINI_CLI_HOME`, or in the home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let home = set("GEMINI_CLI_HOME").or_else(|| set("HOME"));
    home.map(|home| PathBuf::from(home).join(".gemini/tmp")).into_iter().collect()
}

/// Older releases write a document with the same name. A session that was resumed since
/// has both; then the document is history.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    let is_chat = path.parent()?.file_name()? == CHATS && name.starts_with("session-");
    if !is_chat || path.extension()? != "json" {
        return None;
    }
    let newer = path.with_extension("jsonl");
    Some(if newer.exists() { SessionLayout::Ignore } else { SessionLayout::File })
}

/// Returns the folder of the project.
fn project_folder(session: &Path) -> Option<&str> {
    let parts: Vec<&OsStr> = session.iter().collect();
    let chats = parts.iter().rposition(|part| *part == CHATS)?;
    parts.get(chats.checked_sub(1)?)?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_is_a_session_unless_it_was_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let chats = folder.path().join("p/chats");
        std::fs::create_dir_all(&chats).unwrap();
        let document = chats.join("session-2026-01-01T00-00-x.json");
        assert!(matches!(session_layout(&document), Some(SessionLayout::File)));
        std::fs::write(document.with_extension("jsonl"), "").unwrap();
        assert!(matches!(session_layout(&document), Some(SessionLayout::Ignore)));
        assert!(session_layout(&chats.join("logs.json")).is_none());
        assert_eq!(project_folder(&document), Some("p"));
    }

    #[test]
    fn own_home_replaces_the_default() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(folders(&[("HOME", "/h")]), [PathBuf::from("/h/.gemini/tmp")]);
        let both = [("HOME", "/h"), ("GEMINI_CLI_HOME", "/g")];
        assert_eq!(folders(&both), [PathBuf::from("/g/.gemini/tmp")]);
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
