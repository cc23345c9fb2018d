//! Sessions in a SQLite database, read as lines.
//!
//! A database is never modified and never locked. One that no process has open is read as
//! immutable; otherwise a copy is read, which all its sessions share.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::config::DbConfig;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, params};

use crate::harness::SessionDatabase;
use crate::input::Input;
use crate::output::private::{self, TemporaryFolder};

/// Rows that are read at once, unless they have more than [`PAGE_BYTES`].
const PAGE: usize = 200;
const PAGE_BYTES: usize = 1 << 20;

/// Attempts to copy a database that is being written.
const MAX_COPIES: usize = 5;

/// The files beside a database that belong to its content, and the one that a process
/// creates to write to the first.
const LOG: &str = "-wal";
const JOURNAL: &str = "-journal";
const SHARED_MEMORY: &str = "-shm";

/// Length of the header of a log, which changes when the log starts again.
const LOG_HEADER: usize = 32;

/// A session in a database.
#[derive(Clone, Debug)]
pub(super) struct DatabaseSession {
    layout: &'static SessionDatabase,
    id: String,
    snapshot: Arc<Snapshot>,
}

impl DatabaseSession {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Opens the session.
    pub(super) fn open(&self) -> io::Result<DatabaseInput> {
        Ok(DatabaseInput {
            connection: self.snapshot.connect()?,
            session: self.clone(),
            last_key: Value::Null,
            lines: Vec::new(),
            start: 0,
            has_ended: false,
        })
    }
}

/// Returns the sessions of the database at `path`, oldest first; `None` if it is another
/// database of the same name.
pub(super) fn sessions(
    path: &Path,
    layout: &'static SessionDatabase,
) -> io::Result<Option<Vec<DatabaseSession>>> {
    let snapshot = Arc::new(Snapshot::new(path)?);
    let connection = snapshot.connect()?;
    let ids = || {
        for table in layout.tables {
            if !has_table(&connection, table)? {
                return Ok(None);
            }
        }
        let mut statement = connection.prepare(layout.sessions)?;
        let ids = statement.query_map([], |row| row.get::<_, String>(0))?;
        ids.collect::<rusqlite::Result<Vec<_>>>().map(Some)
    };
    let session = |id| DatabaseSession { layout, id, snapshot: Arc::clone(&snapshot) };
    let ids = ids().map_err(io::Error::other)?;
    Ok(ids.map(|ids| ids.into_iter().map(session).collect()))
}

/// Returns whether there is a table with content; views and virtual tables have none.
fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema \
                 WHERE type = 'table' AND rootpage > 0 AND name = ?1)";
    connection.query_row(query, [name], |row| row.get(0))
}

/// A state of a database that does not change.
#[derive(Debug)]
struct Snapshot {
    /// The database, or a copy of it.
    path: PathBuf,
    /// The folder of the copy.
    _folder: Option<TemporaryFolder>,
}

impl Snapshot {
    fn new(path: &Path) -> io::Result<Self> {
        let has_content = |suffix| {
            fs::metadata(with_suffix(path, suffix)).is_ok_and(|metadata| metadata.len() > 0)
        };
        if ![LOG, JOURNAL, SHARED_MEMORY].into_iter().any(has_content) {
            return Ok(Self { path: path.to_owned(), _folder: None });
        }
        let folder = TemporaryFolder::new();
        folder.create()?;
        let copy = folder.path().join("copy.db");
        copy_consistently(path, &copy)?;
        merge_log(&copy).map_err(io::Error::other)?;
        Ok(Self { path: copy, _folder: Some(folder) })
    }

    fn connect(&self) -> io::Result<Connection> {
        let path = std::path::absolute(&self.path)?;
        let path = path.to_str().ok_or_else(|| io::Error::other("the path is not UTF-8"))?;
        let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let uri = format!("file:{path}?immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        connect(&uri, flags).map_err(io::Error::other)
    }
}

/// Opens a database whose schema is not trusted.
fn connect(name: &str, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    for (option, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(option, value)?;
    }
    Ok(connection)
}

/// Adds the content of its log to a copy, so that it can be read as immutable.
fn merge_log(copy: &Path) -> rusqlite::Result<()> {
    let name = copy.to_string_lossy();
    let connection = connect(&name, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
}

/// Copies a database and its log. If the database itself changes meanwhile, or its log starts
/// again, it is copied once more; what is appended to the log does no harm.
fn copy_consistently(path: &Path, copy: &Path) -> io::Result<()> {
    let [log, journal] = logs(path);
    let state = || (stamp(path), log_header(&log), stamp(&journal));
    for _ in 0..MAX_COPIES {
        let before = state();
        for suffix in [LOG, JOURNAL] {
            copy_or_remove(&with_suffix(path, suffix), &with_suffix(copy, suffix))?;
        }
        copy_file(path, copy)?;
        if state() == before {
            return Ok(());
        }
    }
    Err(io::Error::other("it changes while it is read; try again"))
}

/// Copies a file that may not exist; then the copy does not exist, either.
fn copy_or_remove(from: &Path, to: &Path) -> io::Result<()> {
    match copy_file(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::remove_file(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        result => result,
    }
}

/// Copies the content of a file, which may be read-only.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    io::copy(&mut from, &mut private::create(to)?).map(drop)
}

/// Returns the files in which SQLite keeps changes of a database.
pub(super) fn logs(path: &Path) -> [PathBuf; 2] {
    [LOG, JOURNAL].map(|suffix| with_suffix(path, suffix))
}

fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn log_header(path: &Path) -> Option<[u8; LOG_HEADER]> {
    let mut header = [0; LOG_HEADER];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    Some(header)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The rows of a session, as lines.
pub(super) struct DatabaseInput {
    connection: Connection,
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
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query(params![self.session.id, self.last_key])?;
        self.lines.clear();
        self.start = 0;
        let mut count = 0;
        let mut last_key = None;
        while self.lines.len() < PAGE_BYTES
            && let Some(row) = rows.next()?
        {
            last_key = Some(row.get::<_, Value>(0)?);
            // A row without a line is skipped.
            if let ValueRef::Text(line) = row.get_ref(1)? {
                self.lines
                    .extend(line.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
                self.lines.push(b'\n');
            }
            count += 1;
        }
        self.has_ended = count < PAGE && self.lines.len() < PAGE_BYTES;
        match last_key {
            Some(key) => self.last_key = key,
            None => self.has_ended = true,
        }
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
