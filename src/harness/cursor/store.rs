//! Where transcripts are kept: `projects/PROJECT/agent-transcripts/ID.jsonl`, or in a folder
//! of the session's name. The database of a chat (`chats/*/*/store.db`) contains the same
//! messages and neither times nor tokens; it is not read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: false,
    folders: session_folders,
    layout: None,
    project_folder: Some(project_folder),
};

fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let home = own_home(variable, &[], ".cursor");
    home.map(|home| home.join("projects")).into_iter().collect()
}

/// Returns the folder of the project, which is named after its directory.
fn project_folder(session: &Path) -> Option<&str> {
    let parts: Vec<&OsStr> = session.iter().collect();
    let transcripts = parts.iter().rposition(|part| *part == "agent-transcripts")?;
    parts.get(transcripts.checked_sub(1)?)?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_is_the_folder_of_the_transcripts() {
        let folders = session_folders(&|name| (name == "HOME").then(|| "/h".to_owned()));
        assert_eq!(folders, [PathBuf::from("/h/.cursor/projects")]);
        for path in ["p/tmp-demo/agent-transcripts/1.jsonl", "tmp-demo/agent-transcripts/1/1.jsonl"]
        {
            assert_eq!(project_folder(Path::new(path)), Some("tmp-demo"));
        }
        assert_eq!(project_folder(Path::new("agent-transcripts/1.jsonl")), None);
    }
}
