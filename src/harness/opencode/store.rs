//! Where sessions are kept: in a database, by older releases in files below `storage`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionDatabase, SessionFiles, SessionLayout, own_home};

pub(crate) const SESSIONS: SessionFiles = SessionFiles {
    form: "SQLite",
    has_tokens: true,
    folders: |variable| data_folders(variable, "opencode", "OPENCODE_DB"),
    layout: Some(session_layout),
    project_folder: None,
};

/// The database, and that of a release channel: `opencode-dev.db`.
const DATABASE: &str = "opencode";

/// The folder of the fork, which may contain a database with the name of the original.
const KILO: &str = "kilo";

/// Returns the queries for the sessions in a database of a CLI. A line of the result is like
/// one of an exported session: `{info}` for the session, `{info, parts}` for each message.
/// Values that are not JSON are left out.
macro_rules! session_database {
    ($harness:literal) => {
        &$crate::harness::layout::SessionDatabase {
            tables: &["session", "message", "part"],
            sessions: "SELECT id FROM session ORDER BY time_created, id",
            lines: concat!(
                "WITH page AS MATERIALIZED (SELECT key, message FROM (",
                "SELECT '' AS key, NULL AS message UNION ALL ",
                "SELECT printf('%020d', time_created) || id, id FROM message WHERE session_id = ?1",
                ") WHERE ?2 IS NULL OR key > ?2 ORDER BY key LIMIT 200) ",
                "SELECT key, CASE WHEN message IS NULL THEN (SELECT json_object('harness', '",
                $harness,
                "', 'info', json_object('id', id, 'parentID', parent_id, 'title', title, ",
                "'directory', directory, 'version', version, ",
                "'time', json_object('created', time_created, 'updated', time_updated))) ",
                "FROM session WHERE id = ?1) ",
                "ELSE (SELECT json_object('harness', '",
                $harness,
                "', 'info', json_set(data, '$.id', id, '$.sessionID', session_id), ",
                "'parts', json((SELECT json_group_array(json(part.data) ORDER BY part.id) FROM part ",
                "WHERE part.message_id = page.message AND json_valid(part.data)))) ",
                "FROM message WHERE id = page.message AND json_valid(data)) END ",
                "FROM page ORDER BY key",
            ),
        }
    };
}
pub(crate) use session_database;

static SESSION_DATABASE: &SessionDatabase = session_database!("opencode");

/// Returns the folder of a CLI's data, and the database that a variable names, if that is
/// elsewhere.
pub(crate) fn data_folders(
    variable: &dyn Fn(&str) -> Option<String>,
    name: &str,
    database: &str,
) -> Vec<PathBuf> {
    let data = own_home(variable, &["XDG_DATA_HOME"], ".local/share").map(|data| data.join(name));
    let named = variable(database).map(PathBuf::from);
    // One in memory is no file, and a relative one is in the folder.
    let named = named.filter(|path| path.is_absolute() && is_database(path, name));
    data.into_iter().chain(named).collect()
}

/// Returns whether a file has the name of a database: `NAME.db` or `NAME-CHANNEL.db`.
pub(crate) fn is_database(path: &Path, name: &str) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.strip_prefix(name));
    path.extension() == Some(OsStr::new("db"))
        && stem.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Returns whether a file is the database of the fork.
pub(crate) fn is_database_of_kilo(path: &Path) -> bool {
    let is_in_folder = || path.parent().and_then(Path::file_name) == Some(OsStr::new(KILO));
    is_database(path, KILO) || is_in_folder() && is_database(path, DATABASE)
}

fn session_layout(path: &Path) -> Option<SessionLayout> {
    if is_database(path, DATABASE) && !is_database_of_kilo(path) {
        return Some(SessionLayout::Database(SESSION_DATABASE));
    }
    files_layout(path)
}

/// Returns the files of a session of an older release: `storage/session/PROJECT/ID.json`,
/// `storage/message/ID/MESSAGE.json`, `storage/part/MESSAGE/PART.json`. The first start of a
/// release with a database moves their content there.
fn files_layout(path: &Path) -> Option<SessionLayout> {
    let name = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    let id = path.file_stem().and_then(OsStr::to_str).filter(|id| id.starts_with("ses_"))?;
    let sessions = path.parent()?.parent()?;
    let storage = sessions.parent()?;
    let is_session = path.extension()? == "json" && name(sessions)? == "session";
    if !is_session || name(storage)? != "storage" {
        return None;
    }
    if storage.with_file_name(format!("{DATABASE}.db")).exists() {
        return Some(SessionLayout::Ignore);
    }
    let mut files = vec![path.to_owned()];
    for message in json_files(&storage.join("message").join(id)) {
        let parts = message.file_stem().map(|id| storage.join("part").join(id));
        files.push(message);
        files.extend(parts.iter().flat_map(|parts| json_files(parts)));
    }
    Some(SessionLayout::Files(files))
}

/// Returns the documents in a folder, which have names that increase with their time.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension() == Some(OsStr::new("json")));
    files.sort_unstable();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_is_known_by_its_name_and_folder() {
        let is_own = |path: &str| {
            matches!(session_layout(Path::new(path)), Some(SessionLayout::Database(_)))
        };
        for own in ["/d/opencode/opencode.db", "opencode.db", "x/opencode-dev.db"] {
            assert!(is_own(own), "{own}");
        }
        for other in ["kilo.db", "/d/kilo/opencode-dev.db", "opencoder.db", "opencode.db-wal"] {
            assert!(!is_own(other), "{other}");
        }
        assert!(is_database_of_kilo(Path::new("/d/kilo/opencode-dev.db")));
        assert!(is_database_of_kilo(Path::new("kilo.db")));
        assert!(!is_database_of_kilo(Path::new("/d/kilo/auth.db")));
    }

    #[test]
    fn files_of_a_session_are_in_the_order_of_its_messages() {
        let folder = tempfile::tempdir().unwrap();
        let storage = folder.path().join("storage");
        let write = |name: &str| {
            let path = storage.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "{}").unwrap();
            path
        };
        let session = write("session/p/ses_1.json");
        let expected = [
            session.clone(),
            write("message/ses_1/msg_1.json"),
            write("part/msg_1/prt_1.json"),
            write("part/msg_1/prt_2.json"),
            write("message/ses_1/msg_2.json"),
        ];
        write("message/ses_2/msg_3.json");
        let Some(SessionLayout::Files(files)) = session_layout(&session) else { panic!() };
        assert_eq!(files, expected);
        assert!(session_layout(&expected[1]).is_none());
        std::fs::write(folder.path().join("opencode.db"), "").unwrap();
        assert!(matches!(session_layout(&session), Some(SessionLayout::Ignore)));
    }

    #[test]
    fn data_folder_follows_the_variables() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            let variable = |name: &str| value(name).map(|(_, value)| (*value).to_owned());
            data_folders(&variable, "opencode", "OPENCODE_DB")
        };
        let default = [PathBuf::from("/h/.local/share/opencode")];
        assert_eq!(folders(&[("HOME", "/h")]), default);
        let own = [("HOME", "/h"), ("XDG_DATA_HOME", "/d")];
        assert_eq!(folders(&own), [PathBuf::from("/d/opencode")]);
        assert_eq!(folders(&[("HOME", "/h"), ("OPENCODE_DB", ":memory:")]), default);
        let own = "/x/opencode-own.db";
        assert_eq!(folders(&[("OPENCODE_DB", own)]), [PathBuf::from(own)]);
        assert!(folders(&[("OPENCODE_DB", "/x/other.db")]).is_empty(), "not told from others");
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
