//! Where sessions are kept: `sessions/--CWD--/TIME_ID.jsonl`.

use std::path::{Path, PathBuf};

use crate::harness::layout::SessionFiles;

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: None,
    project_folder: Some(project_folder),
};

/// Returns the folder of the sessions: `PI_CODING_AGENT_SESSION_DIR`, or one in
/// `PI_CODING_AGENT_DIR` or in the home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set =
        |name: &str| variable(name).filter(|value| !value.trim().is_empty()).map(PathBuf::from);
    let default = || set("HOME").map(|home| home.join(".pi/agent"));
    let in_agent = || Some(set("PI_CODING_AGENT_DIR").or_else(default)?.join("sessions"));
    set("PI_CODING_AGENT_SESSION_DIR").or_else(in_agent).into_iter().collect()
}

/// Returns the folder of the project, whose name is that of its directory with dashes.
fn project_folder(session: &Path) -> Option<&str> {
    let folder = session.parent()?.file_name()?.to_str()?;
    let is_project = folder.starts_with("--") && folder.ends_with("--");
    is_project.then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_specific_variable_names_the_folder() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(folders(&[("HOME", "/h")]), [PathBuf::from("/h/.pi/agent/sessions")]);
        let agent = [("HOME", "/h"), ("PI_CODING_AGENT_DIR", "/a")];
        assert_eq!(folders(&agent), [PathBuf::from("/a/sessions")]);
        let all = [("PI_CODING_AGENT_SESSION_DIR", "/s"), agent[0], agent[1]];
        assert_eq!(folders(&all), [PathBuf::from("/s")]);
        assert!(folders(&[]).is_empty(), "never the current folder");
    }

    #[test]
    fn folder_between_dashes_is_that_of_a_project() {
        assert_eq!(project_folder(Path::new("s/--tmp-demo--/x.jsonl")), Some("--tmp-demo--"));
        assert_eq!(project_folder(Path::new("s/other/x.jsonl")), None);
    }
}
