//! Errors of the store, described for users.

use std::fmt;
use std::time::Duration;

use rusqlite::ErrorCode;

use super::BUSY_TIMEOUT;
use super::schema::VERSION;

/// Why a store cannot be used.
#[derive(Debug)]
pub(super) enum StoreError {
    /// It was written by a later release, with this version.
    Newer(i64),
    /// It is a database of another program.
    Foreign,
    /// It cannot be written.
    ReadOnly,
    /// Other processes locked it for this long.
    Locked(Duration),
    /// An error of SQLite.
    Database(rusqlite::Error),
}

/// Returns whether another process has locked the database.
pub(super) fn is_locked(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer(version) => write!(
                formatter,
                "written by a newer streamj: version {version} of the file, this one supports {VERSION}"
            ),
            Self::Foreign => formatter.write_str("a database of another program"),
            Self::ReadOnly => formatter.write_str("read-only: nothing can be stored"),
            Self::Locked(time) => {
                let seconds = time.as_secs();
                write!(formatter, "locked by another process for {seconds} seconds")
            }
            Self::Database(error) if is_locked(error) => Self::Locked(BUSY_TIMEOUT).fmt(formatter),
            Self::Database(error) => match error.sqlite_error_code() {
                Some(ErrorCode::ReadOnly) => Self::ReadOnly.fmt(formatter),
                Some(ErrorCode::NotADatabase) => formatter.write_str("not a database"),
                Some(ErrorCode::DatabaseCorrupt) => formatter.write_str("a damaged database"),
                Some(ErrorCode::CannotOpen) => formatter.write_str("cannot be opened"),
                Some(ErrorCode::DiskFull) => formatter.write_str("no space left"),
                _ => write!(formatter, "{error}"),
            },
        }
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}
