//! Sessions in a SQLite database, read as lines.
//!
//! A database is never modified and never locked. One without a write-ahead log is opened
//! as immutable; otherwise a copy of both files is read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params};
use tempfile::TempDir;

use crate::harness::SessionDatabase;
use crate::input::Input;
use crate::output::private;

/// Rows that are read at once.
const PAGE: usize = 200;

/// Attempts to copy a database that is being written.
const MAX_COPIES: usize = 5;

/// A session in a database.
#[derive(Clone, Debug)]
pub(super) struct DatabaseSession {
    layout: &'static SessionDatabase,
    id: String,
}

impl DatabaseSession {
    pub(super) fn new(layout: &'static SessionDatabase, id: String) -> Self {
        Self { layout, id }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Opens the session in the database at `path`.
    pub(super) fn open(&self, path: &Path) -> io::Result<DatabaseInput> {
        Ok(DatabaseInput {
            database: Database::open(path)?,
            session: self.clone(),
            last_key: Value::Null,
            lines: Vec::new(),
            start: 0,
            has_ended: false,
        })
    }
}

/// Returns the sessions of the database at `path`, oldest first; none if it is another
/// database of the same name.
pub(super) fn sessions(
    path: &Path,
    layout: &'static SessionDatabase,
) -> io::Result<Vec<DatabaseSession>> {
    let database = Database::open(path)?;
    let connection = &database.connection;
    for table in layout.tables {
        if !connection.table_exists(None, *table).map_err(io::Error::other)? {
            return Ok(Vec::new());
        }
    }
    let list = || {
        let mut statement = connection.prepare(layout.sessions)?;
        let ids = statement.query_map([], |row| row.get::<_, String>(0))?;
        ids.collect::<rusqlite::Result<Vec<_>>>()
    };
    let ids = list().map_err(io::Error::other)?;
    Ok(ids.into_iter().map(|id| DatabaseSession::new(layout, id)).collect())
}

/// An open database.
struct Database {
    connection: Connection,
    /// The copy that is read, if the database is being written.
    _copy: Option<TempDir>,
}

impl Database {
    fn open(path: &Path) -> io::Result<Self> {
        let log = with_suffix(path, "-wal");
        let has_log = fs::metadata(&log).is_ok_and(|log| log.len() > 0);
        if !has_log {
            return Ok(Self { connection: connect(path, "immutable=1")?, _copy: None });
        }
        let folder = private::temporary_folder()?;
        let copy = folder.path().join("copy.db");
        copy_consistently(path, &log, &copy)?;
        let connection = connect(&copy, "mode=rw")?;
        Ok(Self { connection, _copy: Some(folder) })
    }
}

/// Opens a file that only this process uses or that does not change.
fn connect(path: &Path, parameters: &str) -> io::Result<Connection> {
    let path = std::path::absolute(path)?;
    let path = path.to_str().ok_or_else(|| io::Error::other("the path is not UTF-8"))?;
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let is_copy = parameters == "mode=rw";
    let access =
        if is_copy { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    let flags = access | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{path}?{parameters}"), flags);
    let connection = connection.map_err(io::Error::other)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(io::Error::other)?;
    Ok(connection)
}

/// Copies a database and its log. A database that changes meanwhile is copied again.
fn copy_consistently(path: &Path, log: &Path, copy: &Path) -> io::Result<()> {
    let state = || (stamp(path), stamp(log));
    for _ in 0..MAX_COPIES {
        let before = state();
        // The log may have been removed after a checkpoint.
        let copied_log = fs::copy(log, with_suffix(copy, "-wal"));
        fs::copy(path, copy)?;
        if copied_log.is_err() {
            let _ = fs::remove_file(with_suffix(copy, "-wal"));
        }
        if state() == before {
            return Ok(());
        }
    }
    Err(io::Error::other("it changes while it is read; try again"))
}

fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The rows of a session, as lines.
pub(super) struct DatabaseInput {
    database: Database,
    session: DatabaseSession,
    /// The key of the last row that was read.
    last_key: Value,
    /// Lines to return; those before `start` have been returned.
    lines: Vec<u8>,
    start: usize,
    has_ended: bool,
}

impl DatabaseInput {
    /// Reads the next rows.
    fn read_page(&mut self) -> rusqlite::Result<()> {
        let query = format!("{} LIMIT {PAGE}", self.session.layout.lines);
        let mut statement = self.database.connection.prepare_cached(&query)?;
        let mut rows = statement.query(params![self.session.id, self.last_key])?;
        self.lines.clear();
        self.start = 0;
        let mut count = 0;
        let mut last_key = None;
        while let Some(row) = rows.next()? {
            last_key = Some(row.get::<_, Value>(0)?);
            // A row without a line is skipped.
            if let Some(line) = row.get::<_, Option<String>>(1)? {
                self.lines.extend(line.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
                self.lines.push(b'\n');
            }
            count += 1;
        }
        self.has_ended = count < PAGE;
        self.last_key = last_key.unwrap_or(Value::Null);
        Ok(())
    }
}

impl Input for DatabaseInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = &self.lines[self.start..];
            if !rest.is_empty() {
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                self.start += count;
                return Ok(count);
            }
            if self.has_ended {
                return Ok(0);
            }
            self.read_page().map_err(io::Error::other)?;
        }
    }

    fn ready(&self) -> bool {
        true
    }
}
