//! The tables, and how a file comes to have them.

use rusqlite::{Connection, Transaction};

use super::Trouble;

/// Whose file it is, kept in its `application_id`: `stmj`.
const OURS: i64 = 0x7374_6d6a;

/// The version of the tables below, kept in the file's `user_version`.
pub const VERSION: i64 = 1;

/// A run is a session. While it goes on it has no key and a row in `running`;
/// what it told comes with its end, at once.
///
/// `decayed_weeks` are those already taken off a memory's confidence since it was
/// updated.
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

/// Whether the tables are there. A file that is somebody else's is refused.
///
/// One question, so that the answers are of one moment: another process may be
/// making them just now.
pub fn is_there(connection: &Connection) -> Result<bool, Trouble> {
    let file = connection.query_row(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    match file {
        (OURS, VERSION, _) => Ok(true),
        (OURS, newer, _) if newer > VERSION => Err(Trouble::Newer(newer)),
        (0, 0, 0) => Ok(false),
        _ => Err(Trouble::Foreign),
    }
}

/// Makes the tables.
pub fn make(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", OURS)?;
    transaction.pragma_update(None, "user_version", VERSION)
}
