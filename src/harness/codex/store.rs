//! Where sessions are kept: `sessions/YEAR/MONTH/DAY/rollout-*.jsonl`.

use std::path::PathBuf;

use crate::harness::layout::SessionFiles;

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: None,
    // Sessions are sorted by date.
    project_folder: None,
};

/// Returns the session folders in `CODEX_HOME`, or in `~/.codex`.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let default = || Some(PathBuf::from(set("HOME")?).join(".codex"));
    let home = set("CODEX_HOME").map(PathBuf::from).or_else(default);
    let folders = |home: PathBuf| ["sessions", "archived_sessions"].map(|name| home.join(name));
    home.into_iter().flat_map(folders).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_home_replaces_the_default() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let both = [("HOME", "/h"), ("CODEX_HOME", "/c")];
        assert_eq!(folders(&both), ["/c/sessions", "/c/archived_sessions"].map(PathBuf::from));
        assert_eq!(folders(&both[..1])[0], PathBuf::from("/h/.codex/sessions"));
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
