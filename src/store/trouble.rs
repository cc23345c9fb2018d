//! What can be wrong with a store, in words for its user.

use std::fmt;
use std::time::Duration;

use rusqlite::ErrorCode;

use super::PATIENCE;
use super::schema::VERSION;

/// Why a store cannot be used.
#[derive(Debug)]
pub enum Trouble {
    /// It was written by a later release.
    Newer(i64),
    /// It is a database, and none of ours.
    Foreign,
    /// It may be read only.
    ReadOnly,
    /// Others held it for so long.
    Locked(Duration),
    /// What the database says.
    Database(rusqlite::Error),
}

/// Whether others hold the database.
pub fn is_locked(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer(version) => write!(
                formatter,
                "written by a newer streamj: its version is {version}, this one knows {VERSION}"
            ),
            Self::Foreign => formatter.write_str("a database of another program"),
            Self::ReadOnly => formatter.write_str("read-only: nothing can be stored"),
            Self::Locked(time) => {
                let seconds = time.as_secs();
                write!(formatter, "locked by another process for {seconds} seconds")
            }
            Self::Database(error) if is_locked(error) => Self::Locked(PATIENCE).fmt(formatter),
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

impl std::error::Error for Trouble {}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}
