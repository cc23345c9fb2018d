//! Where sessions are kept: `sessions/PROJECT/SESSION/updates.jsonl` with `summary.json`, by
//! the CLI of the community in the database `grok.db`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionDatabase, SessionFiles, SessionLayout, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

const UPDATES: &str = "updates.jsonl";
const DATABASE_NAME: &str = "grok.db";

/// Other files of lines in the folder of a session.
const OTHERS: [&str; 3] = ["chat_history.jsonl", "rewind_points.jsonl", "feedback.jsonl"];

static DATABASE: SessionDatabase = SessionDatabase {
    tables: &["sessions", "usage_events", "workspaces"],
    sessions: "SELECT CAST(id AS TEXT) FROM sessions ORDER BY created_at, id",
    lines: "SELECT key, line FROM (
        SELECT 0 AS key, json_object('type', 'grok_session', 'sessionID', CAST(id AS TEXT),
            'model', model, 'cwd', cwd_last, 'created_at', created_at) AS line
        FROM sessions WHERE CAST(id AS TEXT) = ?1
        UNION ALL
        SELECT rowid, json_object('type', 'grok_usage', 'id', CAST(id AS TEXT),
            'sessionID', CAST(session_id AS TEXT), 'model', model, 'input_tokens', input_tokens,
            'output_tokens', output_tokens, 'cost_micros', cost_micros, 'created_at', created_at)
        FROM usage_events WHERE CAST(session_id AS TEXT) = ?1)
    WHERE ?2 IS NULL OR key > ?2 ORDER BY key",
};

fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let home = own_home(variable, &["GROK_HOME"], ".grok");
    let places = |home: PathBuf| [home.join("sessions"), home.join(DATABASE_NAME)];
    home.map(places).into_iter().flatten().collect()
}

fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    if name == UPDATES {
        let files = vec![path.with_file_name("summary.json"), path.to_owned()];
        return Some(SessionLayout::Files(files));
    }
    if name == DATABASE_NAME {
        return Some(SessionLayout::Database(&DATABASE));
    }
    let is_other = OTHERS.contains(&name) && path.with_file_name(UPDATES).exists();
    is_other.then_some(SessionLayout::Ignore)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_is_found_by_its_updates() {
        let folder = tempfile::tempdir().unwrap();
        let [updates, history] = [UPDATES, OTHERS[0]].map(|name| folder.path().join(name));
        assert!(session_layout(&history).is_none());
        std::fs::write(&updates, "").unwrap();
        assert!(matches!(session_layout(&history), Some(SessionLayout::Ignore)));
        let Some(SessionLayout::Files(files)) = session_layout(&updates) else { panic!() };
        assert_eq!(files, [folder.path().join("summary.json"), updates]);
    }

    #[test]
    fn variable_names_the_home() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let default = ["/h/.grok/sessions", "/h/.grok/grok.db"].map(PathBuf::from);
        assert_eq!(folders(&[("HOME", "/h")]), default);
        let own = folders(&[("HOME", "/h"), ("GROK_HOME", "/g")]);
        assert_eq!(own[0], PathBuf::from("/g/sessions"));
    }
}
