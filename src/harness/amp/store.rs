//! Where threads were kept: `threads/T-….json`. Current releases keep them on a server;
//! `amp threads export` prints the same document.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON documents",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let data = own_home(variable, &["XDG_DATA_HOME"], ".local/share");
    data.map(|data| data.join("amp/threads")).into_iter().collect()
}

fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    (name.starts_with("T-") && path.extension()? == "json").then_some(SessionLayout::File)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_of_a_thread_is_a_session() {
        assert!(matches!(session_layout(Path::new("/d/T-1.json")), Some(SessionLayout::File)));
        assert!(session_layout(Path::new("/d/settings.json")).is_none());
        let folders = session_folders(&|name| (name == "HOME").then(|| "/h".to_owned()));
        assert_eq!(folders, [PathBuf::from("/h/.local/share/amp/threads")]);
    }
}
