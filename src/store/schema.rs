//! The tables.

use rusqlite::{Connection, Transaction};

use super::StoreError;

/// The `application_id` of the file: `stmj`.
const APPLICATION_ID: i64 = 0x7374_6d6a;

/// The `user_version` of the file: the version of the tables.
pub(super) const VERSION: i64 = 1;

/// A session is a run. While it runs it has no key, and a row in `running`; everything
/// else is written when it ends, in one transaction.
///
/// `decayed_weeks` is the number of weeks already subtracted from a memory's confidence
/// since its last update.
const TABLES: &str = "
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    session_id TEXT,
    run_key TEXT UNIQUE,
    harness TEXT,
    tier INTEGER,
    model TEXT,
    parent_session_id INTEGER REFERENCES sessions (id),
    status TEXT NOT NULL,
    output TEXT,
    error TEXT,
    error_category TEXT,
    cost_usd REAL,
    duration_ms INTEGER,
    num_turns INTEGER,
    extraction_method TEXT,
    started_at TEXT,
    created_at TEXT NOT NULL
);
CREATE TABLE running (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id),
    process TEXT NOT NULL
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    level TEXT NOT NULL,
    service TEXT,
    message TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE TABLE memories (
    id INTEGER PRIMARY KEY,
    service TEXT,
    category TEXT NOT NULL,
    observation TEXT NOT NULL,
    confidence REAL NOT NULL,
    active INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    tier INTEGER,
    decayed_weeks INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE cooldowns (
    id INTEGER PRIMARY KEY,
    service TEXT NOT NULL,
    action_type TEXT NOT NULL,
    success INTEGER NOT NULL,
    message TEXT NOT NULL,
    session_id INTEGER NOT NULL REFERENCES sessions (id),
    tier INTEGER,
    created_at TEXT NOT NULL
);
CREATE INDEX events_of_session ON events (session_id);
CREATE INDEX memories_of_service ON memories (service, category) WHERE active;
CREATE INDEX cooldowns_of_service ON cooldowns (created_at, service);
";

/// Returns whether the tables exist. Fails for a database of another program.
///
/// One query, so that the values are consistent while another process creates the
/// tables.
pub(super) fn exists(connection: &Connection) -> Result<bool, StoreError> {
    let file = connection.query_row(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    match file {
        (APPLICATION_ID, VERSION, _) => Ok(true),
        (APPLICATION_ID, newer, _) if newer > VERSION => Err(StoreError::Newer(newer)),
        (0, 0, 0) => Ok(false),
        _ => Err(StoreError::Foreign),
    }
}

/// Creates the tables.
pub(super) fn create(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)
}
