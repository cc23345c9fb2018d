//! The SQLite file with what agents reported: sessions, events, memories and cooldowns.
//! Several processes may use it at the same time.
//!
//! Every change is one transaction: a run is stored completely or not at all, even if
//! the process is killed.

mod actions;
mod change;
mod confidence;
mod error;
mod key;
mod memories;
#[cfg(feature = "serve")]
mod overview;
mod processes;
mod projection;
mod schema;
mod stored_run;
mod time;

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

pub(crate) use actions::Actions;
pub(crate) use change::{Change, SessionStart};
pub(crate) use memories::StoredMemory;
pub(crate) use projection::{RecordingProjection, StoreProjection};
pub(crate) use stored_run::{RunEntry, SessionStatus, StoredRun};

use crate::output::private;
use error::StoreError;

/// Maximum time to wait for other processes that write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// An open store.
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens a store for writing; creates it if it does not exist. An error says which
    /// file cannot be used, and why.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        anyhow::ensure!(path.as_os_str() != "-", "--db -: a store needs a file");
        ignore_file_size_signal();
        // SQLite would create a file that others can read. An error is reported below.
        let _ = private::create_new(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let opened = connect(path, flags).and_then(prepare);
        let connection = opened.map_err(|error| describe(path, &error))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Opens an existing store for writing; `None` if it is empty.
    pub fn open_existing(path: &Path) -> anyhow::Result<Option<Self>> {
        Self::open_for_reading(path)?.map(|_| Self::open(path)).transpose()
    }

    /// Opens an existing store for reading; `None` if it is empty.
    pub fn open_for_reading(path: &Path) -> anyhow::Result<Option<Self>> {
        anyhow::ensure!(Self::exists(path)?, "{}: no such file", path.display());
        let with_schema = |connection: Connection| {
            let has_schema = schema::exists(&connection)?;
            Ok((connection, has_schema))
        };
        let opened = match connect_for_reading(path).and_then(with_schema) {
            // In a folder that cannot be written nothing changes either.
            Err(StoreError::Database(error)) if needs_to_write(&error) => {
                connect_immutable(path).and_then(with_schema)
            }
            opened => opened,
        };
        let (connection, has_schema) = opened.map_err(|error| describe(path, &error))?;
        Ok(has_schema.then(|| Self { connection, path: path.to_owned() }))
    }

    /// Returns whether the file exists.
    pub fn exists(path: &Path) -> anyhow::Result<bool> {
        let exists = path.try_exists();
        exists.map_err(|error| anyhow::anyhow!("{}: cannot be opened: {error}", path.display()))
    }

    /// Changes the store in one transaction. If that fails, nothing has changed.
    pub fn change<T>(
        &mut self,
        work: impl FnOnce(&Change<'_>) -> rusqlite::Result<T>,
    ) -> anyhow::Result<T> {
        self.try_change(work).map_err(|error| describe(&self.path, &error.into()))
    }

    /// Changes the store like [`change`](Self::change), and tries again while it is
    /// locked and `retries` returns true for the time waited so far.
    pub fn change_with_retries<T>(
        &mut self,
        work: impl Fn(&Change<'_>) -> rusqlite::Result<T>,
        retries: impl Fn(Duration) -> bool,
    ) -> anyhow::Result<T> {
        let started = Instant::now();
        loop {
            let error = match self.try_change(&work) {
                Ok(result) => return Ok(result),
                Err(error) if error::is_locked(&error) => {
                    let waited = started.elapsed();
                    if retries(waited) {
                        continue;
                    }
                    StoreError::Locked(waited)
                }
                Err(error) => error.into(),
            };
            return Err(describe(&self.path, &error));
        }
    }

    fn try_change<T>(
        &mut self,
        work: impl FnOnce(&Change<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let result = work(&Change::new(&transaction))?;
        transaction.commit()?;
        Ok(result)
    }

    /// Stores a finished run. Returns false if it is already stored.
    pub fn insert(&mut self, entry: &RunEntry) -> anyhow::Result<bool> {
        self.change(|change| change.insert(entry))
    }

    /// Returns the actions on services within the time up to now.
    pub fn actions_within(&self, window: Duration) -> anyhow::Result<Actions> {
        let actions = Actions::within(&self.connection, window);
        actions.map_err(|error| describe(&self.path, &error.into()))
    }

    /// Returns the active memories, grouped by service.
    pub fn memories(&self) -> anyhow::Result<Vec<StoredMemory>> {
        memories::active(&self.connection).map_err(|error| describe(&self.path, &error.into()))
    }

    /// Returns what the live page shows of the store.
    #[cfg(feature = "serve")]
    pub fn overview(&self) -> anyhow::Result<overview::StoreOverview> {
        let read = || overview::StoreOverview::read(&self.connection);
        read().map_err(|error| describe(&self.path, &error.into()))
    }

    /// Reduces the confidence of memories that were not confirmed for long.
    pub fn decay(&mut self) -> anyhow::Result<()> {
        self.change(memories::decay)
    }
}

/// Makes writing beyond the file size limit an error instead of a fatal signal.
fn ignore_file_size_signal() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        // The flag is not read: a signal with a handler does not end the process.
        ONCE.call_once(|| {
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        });
    }
}

/// Opens a file. The path is made absolute, since some relative names are special to
/// SQLite.
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    defend(&connection)?;
    Ok(connection)
}

/// Opens a file for reading. SQLite creates files beside it while it reads, and a
/// process that may not write to the database would leave them behind.
fn connect_for_reading(path: &Path) -> Result<Connection, StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = Path::new(&log).exists();
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if connection.is_readonly(rusqlite::MAIN_DB)? && !has_log {
        return connect_immutable(path);
    }
    // A log that existed before stays; one that reading creates is removed on close.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    Ok(connection)
}

/// Opens a file that no process can change, without creating files beside it.
fn connect_immutable(path: &Path) -> Result<Connection, StoreError> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            byte => uri.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 15)]),
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri + "?immutable=1", flags)?;
    defend(&connection)?;
    Ok(connection)
}

/// Prevents that what is stored in a file is executed: it may come from elsewhere. A store has
/// neither triggers nor views.
fn defend(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    Ok(())
}

fn hex_digit(digit: u8) -> char {
    char::from_digit(digit.into(), 16).unwrap_or_default()
}

/// Returns whether reading failed because SQLite could not create its files.
fn needs_to_write(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Configures a connection for writing, and creates the tables if the file is empty.
/// Writes nothing to a database of another program.
fn prepare(mut connection: Connection) -> Result<Connection, StoreError> {
    if connection.is_readonly(rusqlite::MAIN_DB)? {
        return Err(StoreError::ReadOnly);
    }
    let has_schema = schema::exists(&connection)?;
    enable_wal(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if !has_schema {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have created it meanwhile.
        if !schema::exists(&transaction)? {
            schema::create(&transaction)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

/// Enables write-ahead logging, so that processes can read while one writes. The busy
/// timeout does not apply to this change.
fn enable_wal(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
}

/// Returns the error for the user, with the file's name.
fn describe(path: &Path, error: &StoreError) -> anyhow::Error {
    let reason = match error {
        StoreError::Database(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if path.is_dir() {
                Some("it is a folder")
            } else if folder.is_some_and(|folder| !folder.is_dir()) {
                Some("its folder does not exist")
            } else {
                None
            }
        }
        _ => None,
    };
    let message =
        reason.map_or_else(|| error.to_string(), |reason| format!("cannot be opened: {reason}"));
    anyhow::anyhow!("{}: {message}", path.display())
}
