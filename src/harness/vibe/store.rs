//! Where sessions are kept: `logs/session/unified/ID/meta.json`, in releases before 3
//! `logs/session/session_TIME_ID/messages.jsonl` with `meta.json`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON documents",
    // Those of releases before 3 do.
    has_tokens: false,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

const DESCRIPTION: &str = "meta.json";
const MESSAGES: &str = "messages.jsonl";

fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let home = own_home(variable, &["VIBE_HOME"], ".vibe");
    home.map(|home| home.join("logs/session")).into_iter().collect()
}

/// Messages and the description are one session, which is found by its messages.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    match name {
        MESSAGES => {
            let description = path.with_file_name(DESCRIPTION);
            let files = || vec![path.to_owned(), description.clone()];
            description.exists().then(|| SessionLayout::Files(files()))
        }
        DESCRIPTION if path.with_file_name(MESSAGES).exists() => Some(SessionLayout::Ignore),
        DESCRIPTION => {
            let parent = path.parent().and_then(Path::parent).and_then(Path::file_name);
            (parent == Some(OsStr::new("unified"))).then_some(SessionLayout::File)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_description_are_one_session() {
        let folder = tempfile::tempdir().unwrap();
        let [messages, description] = [MESSAGES, DESCRIPTION].map(|name| folder.path().join(name));
        assert!(session_layout(&description).is_none(), "a file of that name");
        std::fs::write(&messages, "").unwrap();
        assert!(session_layout(&messages).is_none(), "a file of lines like any other");
        std::fs::write(&description, "{}").unwrap();
        let Some(SessionLayout::Files(files)) = session_layout(&messages) else { panic!() };
        assert_eq!(files, [messages, description.clone()]);
        assert!(matches!(session_layout(&description), Some(SessionLayout::Ignore)));
        let unified = folder.path().join("unified/ID/meta.json");
        assert!(matches!(session_layout(&unified), Some(SessionLayout::File)));
    }

    #[test]
    fn own_home_replaces_the_default() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(folders(&[("HOME", "/h")]), [PathBuf::from("/h/.vibe/logs/session")]);
        let both = folders(&[("HOME", "/h"), ("VIBE_HOME", "/v")]);
        assert_eq!(both, [PathBuf::from("/v/logs/session")]);
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
