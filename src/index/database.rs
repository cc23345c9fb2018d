//! The file of the index: a SQLite database with one table.
//!
//! SQLite makes a change whole or not at all, whenever the process is killed, and lets
//! several processes write. Nothing is flushed to the disk, since after a power failure
//! everything can be read again: what is damaged then is found by its checksum.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};

use super::entry::IndexRow;
use super::stamp::hash;
use crate::output::private;

/// Whether there can be an index.
pub(super) const EXISTS: bool = true;

/// The `application_id` of the file: `stmi`.
const APPLICATION_ID: i32 = 0x7374_6d69;

/// Changes whenever the format of an entry may have changed, or what is counted.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/", env!("STREAMJ_SOURCE_HASH"));

/// Maximum time to wait for other processes that write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

const TABLES: &str = "
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    is_kept INTEGER NOT NULL,
    entry BLOB NOT NULL,
    details BLOB
);
CREATE TABLE digests (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL
);
";

/// An open index.
pub(super) struct Database {
    connection: Connection,
}

/// Why the file cannot be used.
enum OpenProblem {
    /// It is damaged, or of another version, and can be replaced.
    Replaceable,
    Other(rusqlite::Error),
}

impl From<rusqlite::Error> for OpenProblem {
    fn from(error: rusqlite::Error) -> Self {
        let is_damaged = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        );
        // A query does not suit the tables of another version, or a value its column.
        let is_foreign = matches!(
            error,
            rusqlite::Error::SqlInputError { .. }
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
        );
        let is_foreign = is_foreign || error.sqlite_error_code() == Some(ErrorCode::Unknown);
        if is_damaged || is_foreign { Self::Replaceable } else { Self::Other(error) }
    }
}

impl Database {
    /// Opens the file and reads from it; creates it if it does not exist, and replaces it if
    /// it is damaged or of another version.
    pub(super) fn open<T>(
        path: &Path,
        load: impl Fn(&Self) -> rusqlite::Result<T>,
    ) -> io::Result<(Self, T)> {
        private::ignore_file_size_signal();
        let open = || {
            let database = Self::try_open(path)?;
            let loaded = load(&database)?;
            Ok((database, loaded))
        };
        let mut opened = open();
        if matches!(opened, Err(OpenProblem::Replaceable)) {
            remove(path)?;
            opened = open();
        }
        opened.map_err(|problem| match problem {
            OpenProblem::Replaceable => io::Error::other("it is damaged"),
            OpenProblem::Other(error) => describe(&error),
        })
    }

    fn try_open(path: &Path) -> Result<Self, OpenProblem> {
        // SQLite would create a file that others can read. It reports an error itself.
        let _ = private::create_new(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        // Rows are read and written once.
        connection.pragma_update(None, "cache_size", -256)?;
        let mut database = Self { connection };
        match database.state()? {
            FileKind::Current => {}
            FileKind::Empty => database.create()?,
            FileKind::Other => return Err(OpenProblem::Replaceable),
        }
        Ok(database)
    }

    /// Returns what the file contains; one query, so that the values are consistent while
    /// another process creates the tables.
    fn state(&self) -> rusqlite::Result<FileKind> {
        let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
            FROM pragma_application_id, pragma_user_version";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let found: (i32, i32, i64) = self.connection.query_row(query, [], read)?;
        Ok(match found {
            (0, 0, 0) => FileKind::Empty,
            (APPLICATION_ID, version, _) if version == version_number() => FileKind::Current,
            _ => FileKind::Other,
        })
    }

    fn create(&mut self) -> rusqlite::Result<()> {
        // Entries are long, and fewer pages are written.
        self.connection.pragma_update(None, "page_size", 16_384)?;
        let behavior = TransactionBehavior::Immediate;
        let change = self.connection.transaction_with_behavior(behavior)?;
        let has_tables: bool =
            change.query_row("SELECT count(*) > 0 FROM sqlite_schema", [], |row| row.get(0))?;
        // Another process may have created them meanwhile.
        if !has_tables {
            change.execute_batch(TABLES)?;
            change.pragma_update(None, "application_id", APPLICATION_ID)?;
            change.pragma_update(None, "user_version", version_number())?;
        }
        change.commit()
    }

    /// Calls `each` with rows and their keys: those with these keys, or all.
    pub(super) fn read(
        &self,
        keys: Option<&[Vec<u8>]>,
        mut each: impl FnMut(&[u8], &dyn Fn() -> IndexRow),
    ) -> rusqlite::Result<()> {
        let columns = "SELECT key, is_kept, entry, details FROM files";
        let mut visit = |row: &rusqlite::Row<'_>| -> rusqlite::Result<()> {
            let key = row.get_ref(0)?.as_blob()?;
            let (is_kept, entry) = (row.get(1)?, row.get_ref(2)?.as_blob()?);
            let details = row.get_ref(3)?.as_blob_or_null()?;
            let own = || IndexRow {
                is_kept,
                entry: entry.to_vec(),
                details: details.map(<[u8]>::to_vec),
            };
            each(key, &own);
            Ok(())
        };
        let Some(keys) = keys else {
            let mut statement = self.connection.prepare(columns)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                visit(row)?;
            }
            return Ok(());
        };
        let mut statement = self.connection.prepare(&format!("{columns} WHERE id = ?1"))?;
        for key in keys {
            statement.query_row([id(key)], &mut visit).optional()?;
        }
        Ok(())
    }

    /// Writes and removes rows in one transaction.
    pub(super) fn write(
        &mut self,
        rows: &[(Vec<u8>, IndexRow)],
        removed: &[Vec<u8>],
    ) -> io::Result<()> {
        self.change(|change| {
            let query = "INSERT OR REPLACE INTO files (id, key, is_kept, entry, details)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = change.prepare_cached(query)?;
            for (key, IndexRow { is_kept, entry, details }) in rows {
                insert.execute(params![id(key), key, is_kept, entry, details])?;
            }
            let mut delete = change.prepare_cached("DELETE FROM files WHERE id = ?1")?;
            for key in removed {
                delete.execute([id(key)])?;
            }
            Ok(())
        })
    }

    /// Marks rows, so that they stay when their files are deleted.
    pub(super) fn keep(&mut self, keys: &[Vec<u8>]) -> io::Result<()> {
        self.change(|change| {
            let query = "UPDATE files SET is_kept = 1 WHERE id = ?1";
            let mut update = change.prepare_cached(query)?;
            keys.iter().try_for_each(|key| update.execute([id(key)]).map(drop))
        })
    }

    /// Returns a result.
    pub(super) fn digest(&self, id: i64) -> rusqlite::Result<Option<Vec<u8>>> {
        let query = "SELECT digest FROM digests WHERE id = ?1";
        self.connection.query_row(query, [id], |row| row.get(0)).optional()
    }

    /// Replaces a result.
    pub(super) fn set_digest(&mut self, id: i64, digest: &[u8]) -> io::Result<()> {
        self.change(|change| {
            let query = "INSERT OR REPLACE INTO digests (id, digest) VALUES (?1, ?2)";
            change.execute(query, params![id, digest]).map(drop)
        })
    }

    fn change(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<()>) -> io::Result<()> {
        let behavior = TransactionBehavior::Immediate;
        let write = || {
            let change = self.connection.transaction_with_behavior(behavior)?;
            work(&change)?;
            change.commit()
        };
        write().map_err(|error| describe(&error))
    }
}

enum FileKind {
    Empty,
    Current,
    Other,
}

fn version_number() -> i32 {
    let [first, second, third, fourth, ..] = hash(VERSION.as_bytes()).to_le_bytes();
    // Never 0, which an empty file has.
    i32::from_le_bytes([first | 1, second, third, fourth])
}

/// Returns the primary key of a row.
pub(super) fn id(key: &[u8]) -> i64 {
    hash(key).cast_signed()
}

/// Removes the file, and its journal first: SQLite would restore the next file from it.
fn remove(path: &Path) -> io::Result<()> {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    for file in [&PathBuf::from(journal), path] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn describe(error: &rusqlite::Error) -> io::Error {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full",
        Some(ErrorCode::ReadOnly) => "it cannot be written",
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => "it cannot be opened",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "another process uses it",
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => "it is damaged",
        Some(ErrorCode::SystemIoFailure) => "reading or writing it failed",
        _ => return io::Error::other(error.to_string()),
    };
    io::Error::other(reason)
}
