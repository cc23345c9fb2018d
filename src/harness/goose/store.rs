//! Where sessions are kept: in the database `sessions/sessions.db`, by older releases in
//! `sessions/NAME.jsonl`. A release with a database imports these files into it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionDatabase, SessionFiles, SessionLayout};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "SQLite",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

const NAME: &str = "sessions.db";

/// The columns that `d` defines are missing in some releases: a name that a subquery does
/// not find in its table is that of the outer query, which is null.
static DATABASE: SessionDatabase = SessionDatabase {
    tables: &["sessions", "messages", "schema_version"],
    sessions: "SELECT id FROM sessions ORDER BY created_at, id",
    lines: "SELECT key, line FROM (
        SELECT 0 AS key, json_object(
            'id', s.id, 'description', s.description, 'working_dir', s.working_dir,
            'created_at', s.created_at, 'updated_at', s.updated_at,
            'session_type', (SELECT session_type FROM sessions WHERE id = s.id),
            'provider_name', (SELECT provider_name FROM sessions WHERE id = s.id),
            'model_config', json((SELECT iif(json_valid(model_config_json), model_config_json, NULL)
                FROM sessions WHERE id = s.id)),
            'total_tokens', s.total_tokens, 'input_tokens', s.input_tokens,
            'output_tokens', s.output_tokens,
            'accumulated_total_tokens', s.accumulated_total_tokens,
            'accumulated_input_tokens', s.accumulated_input_tokens,
            'accumulated_output_tokens', s.accumulated_output_tokens,
            'accumulated_cost', (SELECT accumulated_cost FROM sessions WHERE id = s.id)) AS line
        FROM sessions AS s, (SELECT NULL AS session_type, NULL AS provider_name,
            NULL AS model_config_json, NULL AS accumulated_cost) AS d
        WHERE s.id = ?1
        UNION ALL
        SELECT m.id, iif(json_valid(m.content_json), json_object(
            'id', (SELECT message_id FROM messages WHERE id = m.id), 'role', m.role,
            'created', m.created_timestamp, 'content', json(m.content_json),
            'metadata', json((SELECT iif(json_valid(metadata_json), metadata_json, NULL)
                FROM messages WHERE id = m.id)),
            'session_id', m.session_id), NULL)
        FROM messages AS m, (SELECT NULL AS message_id, NULL AS metadata_json) AS d
        WHERE m.session_id = ?1)
    WHERE ?2 IS NULL OR key > ?2 ORDER BY key",
};

/// Returns the folders that releases have used on the supported systems.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set =
        |name: &str| variable(name).filter(|value| !value.trim().is_empty()).map(PathBuf::from);
    if let Some(root) = set("GOOSE_PATH_ROOT") {
        return vec![root.join("data/sessions")];
    }
    let home = set("HOME");
    let in_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let data = set("XDG_DATA_HOME").or_else(|| in_home(".local/share"));
    let in_data = |folder: &str| data.as_ref().map(|data| data.join(folder));
    let folders = [
        in_data("goose"),
        in_data("Block/goose"),
        in_home("Library/Application Support/Block/goose"),
        in_home("Library/Application Support/goose"),
        set("APPDATA").map(|data| data.join("Block/goose/data")),
    ];
    folders.into_iter().flatten().map(|folder| folder.join("sessions")).collect()
}

fn session_layout(path: &Path) -> Option<SessionLayout> {
    if path.file_name() == Some(OsStr::new(NAME)) {
        return Some(SessionLayout::Database(&DATABASE));
    }
    let is_session = path.extension()? == "jsonl" && path.parent()?.ends_with("sessions");
    let is_imported = is_session && path.with_file_name(NAME).exists();
    is_imported.then_some(SessionLayout::Ignore)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(set: &[(&str, &str)]) -> Vec<PathBuf> {
        let value = |name: &str| set.iter().find(|(known, _)| *known == name);
        session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn folders_of_all_systems_are_searched() {
        let home = folders(&[("HOME", "/h")]);
        assert_eq!(home[0], PathBuf::from("/h/.local/share/goose/sessions"));
        let mac = "/h/Library/Application Support/Block/goose/sessions";
        assert!(home.contains(&PathBuf::from(mac)));
        let own = folders(&[("HOME", "/h"), ("GOOSE_PATH_ROOT", "/g")]);
        assert_eq!(own, [PathBuf::from("/g/data/sessions")]);
        assert!(folders(&[]).is_empty(), "never the current folder");
    }

    #[test]
    fn files_beside_a_database_were_imported() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("sessions");
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("20250801_1.jsonl");
        assert!(session_layout(&file).is_none(), "a file of lines like any other");
        let database = folder.join(NAME);
        std::fs::write(&database, "").unwrap();
        assert!(matches!(session_layout(&file), Some(SessionLayout::Ignore)));
        assert!(matches!(session_layout(&database), Some(SessionLayout::Database(_))));
    }
}
