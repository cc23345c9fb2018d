//! The SQLite file that keeps what agents reported: sessions, events, memories
//! and cooldowns, for all processes that use it.
//!
//! Every change is one transaction: a run is there with all it told, or not at
//! all, whatever happens to the process.

mod actions;
mod change;
mod chronicle;
mod confidence;
mod key;
mod memories;
mod processes;
mod schema;
mod time;
mod trouble;

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

pub use actions::Actions;
pub use change::{Change, Start};
pub use chronicle::{Chronicle, Entry, Status};
pub use memories::Memory;

use trouble::Trouble;

/// How long to wait for others who write.
const PATIENCE: Duration = Duration::from_secs(5);

/// A store that is open.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens a store to write to it; makes it if there is none.
    ///
    /// # Errors
    ///
    /// It cannot be used: the error says why, and which.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        survive_limits();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let opened = connect(path, flags).and_then(made_ready);
        let connection = opened.map_err(|trouble| explained(path, &trouble))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Opens a store that is there, to write to it; none if nothing was ever
    /// stored in it.
    ///
    /// # Errors
    ///
    /// It cannot be used.
    pub fn open_existing(path: &Path) -> anyhow::Result<Option<Self>> {
        Self::open_to_read(path)?.map(|_| Self::open(path)).transpose()
    }

    /// Opens a store that is there, to read it; none if nothing was ever stored in
    /// it.
    ///
    /// # Errors
    ///
    /// It cannot be used.
    pub fn open_to_read(path: &Path) -> anyhow::Result<Option<Self>> {
        anyhow::ensure!(Self::is_at(path)?, "{}: no such file", path.display());
        let looked_at = |connection: Connection| {
            let is_there = schema::is_there(&connection)?;
            Ok((connection, is_there))
        };
        let opened = match connect_to_read(path).and_then(looked_at) {
            // Where nothing can be written, nothing changes either.
            Err(Trouble::Database(error)) if needs_to_write(&error) => {
                connect_immutable(path).and_then(looked_at)
            }
            opened => opened,
        };
        let (connection, is_there) = opened.map_err(|trouble| explained(path, &trouble))?;
        Ok(is_there.then(|| Self { connection, path: path.to_owned() }))
    }

    /// Whether there is a file at all.
    ///
    /// # Errors
    ///
    /// That cannot be known.
    pub fn is_at(path: &Path) -> anyhow::Result<bool> {
        let known = path.try_exists();
        known.map_err(|error| anyhow::anyhow!("{}: cannot be opened: {error}", path.display()))
    }

    /// Changes the store, all at once or not at all.
    ///
    /// # Errors
    ///
    /// It cannot be written; then nothing has changed.
    pub fn change<T>(
        &mut self,
        work: impl FnOnce(&Change<'_>) -> rusqlite::Result<T>,
    ) -> anyhow::Result<T> {
        self.attempt(work).map_err(|error| explained(&self.path, &error.into()))
    }

    /// Changes the store like that. While others hold it, and `go_on` says so after
    /// a time of waiting, it is tried again.
    ///
    /// # Errors
    ///
    /// It cannot be written; then nothing has changed.
    pub fn change_in_time<T>(
        &mut self,
        work: impl Fn(&Change<'_>) -> rusqlite::Result<T>,
        go_on: impl Fn(Duration) -> bool,
    ) -> anyhow::Result<T> {
        let started = Instant::now();
        loop {
            let trouble = match self.attempt(&work) {
                Ok(done) => return Ok(done),
                Err(error) if trouble::is_locked(&error) => {
                    let waited = started.elapsed();
                    if go_on(waited) {
                        continue;
                    }
                    Trouble::Locked(waited)
                }
                Err(error) => error.into(),
            };
            return Err(explained(&self.path, &trouble));
        }
    }

    fn attempt<T>(
        &mut self,
        work: impl FnOnce(&Change<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let done = work(&Change::new(&transaction))?;
        transaction.commit()?;
        Ok(done)
    }

    /// Stores a run that is over. False: it was there already.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn put(&mut self, entry: &Entry) -> anyhow::Result<bool> {
        self.change(|change| change.put(entry))
    }

    /// What was done to services since a time.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn actions_within(&self, window: Duration) -> anyhow::Result<Actions> {
        let actions = Actions::within(&self.connection, window);
        actions.map_err(|error| explained(&self.path, &error.into()))
    }

    /// The active memories, service by service.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn memories(&self) -> anyhow::Result<Vec<Memory>> {
        memories::active(&self.connection).map_err(|error| explained(&self.path, &error.into()))
    }

    /// Makes the memories less sure that nobody confirmed for long.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub fn decay(&mut self) -> anyhow::Result<()> {
        self.change(memories::decay)
    }
}

/// A file that gets too large is an error to tell, not the end of us.
fn survive_limits() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        // The flag is nobody's: that the signal is caught is enough.
        ONCE.call_once(|| {
            let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        });
    }
}

/// Opens a file. Its path is made absolute: to SQLite some names are special.
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Trouble> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Opens a file that will only be read. Even that makes files beside it for a
/// while; who may not write would leave them, for others to stumble over.
fn connect_to_read(path: &Path) -> Result<Connection, Trouble> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = Path::new(&log).exists();
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if connection.is_readonly(rusqlite::MAIN_DB)? && !has_log {
        return connect_immutable(path);
    }
    // What others have left in the log stays there. (A log of our own would.)
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    Ok(connection)
}

/// Opens a file that nobody can change.
fn connect_immutable(path: &Path) -> Result<Connection, Trouble> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                address.push(char::from(*byte));
            }
            byte => address.extend(['%', hexadecimal(byte >> 4), hexadecimal(byte & 15)]),
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(address + "?immutable=1", flags)?)
}

fn hexadecimal(digit: u8) -> char {
    char::from_digit(digit.into(), 16).unwrap_or_default()
}

/// Whether reading failed because even that writes something.
fn needs_to_write(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Nothing is written before it is known whose file it is.
fn made_ready(mut connection: Connection) -> Result<Connection, Trouble> {
    if connection.is_readonly(rusqlite::MAIN_DB)? {
        return Err(Trouble::ReadOnly);
    }
    let is_there = schema::is_there(&connection)?;
    use_log(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if !is_there {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        if !schema::is_there(&transaction)? {
            schema::make(&transaction)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

/// Readers and a writer at once. SQLite does not wait by itself when it changes to
/// that.
fn use_log(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

/// What is wrong, and with which file.
fn explained(path: &Path, trouble: &Trouble) -> anyhow::Error {
    let why = match trouble {
        Trouble::Database(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if path.is_dir() {
                Some("a folder")
            } else if folder.is_some_and(|folder| !folder.is_dir()) {
                Some("its folder is not there")
            } else {
                None
            }
        }
        _ => None,
    };
    let why = why.map_or_else(|| trouble.to_string(), |why| format!("cannot be opened: {why}"));
    anyhow::anyhow!("{}: {why}", path.display())
}
