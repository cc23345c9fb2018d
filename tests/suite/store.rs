//! `findings --db` and `memories`: the database.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::cli::{Printed, run, streamj};
use crate::support::{BIN, fixture, lines_of, root};

mod errors;
mod memory;

/// A folder with a database and recordings.
struct Store {
    folder: TempDir,
}

impl Store {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn db(&self) -> String {
        self.path("ops.db").display().to_string()
    }

    /// Writes a recording and returns its path.
    fn recording(&self, name: &str, lines: &[Value]) -> String {
        let path = self.path(name);
        std::fs::write(&path, lines_of(lines)).unwrap();
        path.display().to_string()
    }

    /// Writes a recording of a run with `document()`.
    fn sample_run(&self, id: &str) -> String {
        self.recording(&format!("{id}.jsonl"), &claude_run(id, "", &document()))
    }

    /// Runs `findings --db` on files.
    fn findings(&self, files: &[&str]) -> Assert {
        run(&[&["findings", "--db", &self.db()], files].concat(), "")
    }

    /// Stores a run with one memory.
    fn add_memory(&self, id: &str, key: &str, value: &str) {
        let document = json!({"memories": [{"key": key, "value": value}]});
        let file = self.recording("memory.jsonl", &claude_run(id, "", &document));
        self.findings(&[&file]).code(0);
    }

    fn memories(&self, args: &[&str]) -> Assert {
        run(&[&["memories", "--db", &self.db()], args].concat(), "")
    }

    /// Observations and confidences of the active memories.
    fn observations(&self, args: &[&str]) -> Vec<(String, f64)> {
        let memories = self.memories(&[&["--format", "jsonl"], args].concat());
        let pair = |row: &Value| {
            let observation = row["observation"].as_str().unwrap().to_owned();
            (observation, row["confidence"].as_f64().unwrap())
        };
        memories.rows().iter().map(pair).collect()
    }

    fn open(&self) -> Connection {
        Connection::open(self.path("ops.db")).unwrap()
    }
}

/// Returns the rows of a query as JSON arrays.
pub fn rows(connection: &Connection, query: &str) -> Vec<Value> {
    use rusqlite::types::ValueRef;
    let mut query = connection.prepare(query).unwrap();
    let columns = query.column_count();
    let value = |value: ValueRef<'_>| match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap().into(),
        ValueRef::Blob(_) => panic!("no blobs"),
    };
    let row = |row: &rusqlite::Row<'_>| {
        (0..columns).map(|at| row.get_ref(at).map(value)).collect::<Result<Value, _>>()
    };
    query.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

fn count(connection: &Connection, table: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {table}");
    connection.query_row(&query, [], |row| row.get(0)).unwrap()
}

/// The lines of a Claude run with one text message and a structured output.
fn claude_run(id: &str, text: &str, document: &Value) -> Vec<Value> {
    vec![
        json!({"type": "system", "subtype": "init", "session_id": id, "model": "m-1", "uuid": "u0"}),
        json!({"type": "assistant", "session_id": id, "parent_tool_use_id": null,
            "message": {"id": "m", "content": [{"type": "text", "text": text}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": id,
            "uuid": format!("result-of-{id}"), "result": text, "num_turns": 3,
            "duration_ms": 1500, "total_cost_usd": 0.25, "structured_output": document}),
    ]
}

fn document() -> Value {
    json!({
        "summary": "One service is down.",
        "events": [{"level": "critical", "service": "db", "message": "down"}, {"level": "info", "message": "m"}],
        "memories": [{"key": "db:timing", "value": "slow"}],
        "escalation": {"needed": true, "reason": "r"},
        "services_checked": [{"name": "db", "status": "down"}],
    })
}

#[test]
fn run_is_stored_as_session_with_all_findings() {
    let store = Store::new();
    let text = "[COOLDOWN:restart:db] failure — still down";
    let file = store.recording("run.jsonl", &claude_run("s1", text, &document()));
    let run = store.findings(&[&file]).code(0).stderr("");
    assert_eq!(run.rows().len(), 7, "findings are printed as without --db");
    let database = store.open();
    let rows = |query: &str| rows(&database, query);
    assert_eq!(
        rows(
            "SELECT id, session_id, run_key, harness, tier, model, parent_session_id FROM sessions"
        ),
        [json!([1, "s1", "s1:result-of-s1", "claude", null, "m-1", null])]
    );
    assert_eq!(
        rows("SELECT status, output, error, error_category FROM sessions"),
        [json!(["completed", text, null, null])]
    );
    assert_eq!(
        rows(
            "SELECT cost_usd, duration_ms, num_turns, extraction_method, started_at FROM sessions"
        ),
        [json!([0.25, 1500, 3, "structured", null])]
    );
    assert_eq!(
        rows("SELECT session_id, level, service, message FROM events"),
        [json!([1, "critical", "db", "down"]), json!([1, "info", null, "m"])]
    );
    assert_eq!(
        rows(
            "SELECT service, category, observation, confidence, active, session_id, tier FROM memories"
        ),
        [json!(["db", "timing", "slow", 0.7, 1, 1, null])]
    );
    assert_eq!(
        rows("SELECT service, action_type, success, message, session_id, tier FROM cooldowns"),
        [json!(["db", "restart", 0, "still down", 1, null])]
    );
    assert_eq!(rows("PRAGMA journal_mode"), [json!(["wal"])]);
    assert_eq!(rows("PRAGMA user_version"), [json!([1])]);
    assert_eq!(rows("PRAGMA application_id"), [json!([0x7374_6d6a])]);
    let times = "SELECT DISTINCT length(created_at), substr(created_at, 24) FROM sessions, (SELECT created_at AS at FROM events)";
    assert_eq!(rows(times), [json!([24, "Z"])], "all times have the same length");
}

#[test]
fn run_is_stored_once() {
    let store = Store::new();
    let claude = store.sample_run("s1");
    let codex = fixture("codex/text_success").display().to_string();
    for _ in 0..2 {
        store.findings(&[&claude, &codex]);
    }
    store.findings(&[&codex]).code(0).stderr(format!("streamj: {codex}: already stored\n"));
    let database = store.open();
    let keys = rows(&database, "SELECT run_key FROM sessions");
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert_eq!(keys[0], json!(["s1:result-of-s1"]));
    assert!(keys[1][0].as_str().unwrap().starts_with("sha256:"), "Codex turns have no id");
    assert_eq!((count(&database, "events"), count(&database, "memories")), (2, 1));
    assert_eq!(rows(&database, "SELECT confidence FROM memories"), [json!([0.7])]);
}

#[test]
fn session_status_is_the_outcome_of_the_run() {
    let store = Store::new();
    for name in ["claude/text_success", "claude/max_turns_1", "codex/signal_sigterm_midtool"] {
        store.findings(&[fixture(name).to_str().unwrap()]).code(0);
    }
    let stored = rows(&store.open(), "SELECT status, error_category FROM sessions");
    assert_eq!(stored[0], json!(["completed", null]));
    assert_eq!(stored[1][0], "failed");
    assert_eq!(stored[2], json!(["incomplete", "incomplete"]));
    assert_eq!(stored.len(), 3);
}

#[test]
fn memory_without_a_category_is_printed_and_not_stored() {
    let store = Store::new();
    let keys =
        ["", "x:", ":x", " ", " : ", "x: ", " :x", "\t", "nas:disk_io", "Nas:Timing", "a:b:c"];
    let memories: Vec<_> = keys.iter().map(|key| json!({"key": key, "value": "v"})).collect();
    let result = json!({"type": "result", "structured_output": {"memories": memories}});
    let file = store.recording("keys.jsonl", &[result]);
    let printed = store.findings(&[&file]).code(0);
    assert_eq!(printed.rows().len(), keys.len());
    let note = "8 of the memories not stored: the key is neither category nor service:category";
    assert!(printed.errors().starts_with(&format!("streamj: {file}: {note}\n")), "{printed}");
    let stored = rows(&store.open(), "SELECT service, category FROM memories ORDER BY id");
    assert_eq!(stored, [json!(["nas", "disk_io"]), json!(["Nas", "Timing"]), json!(["a", "b:c"])]);
}

#[test]
fn empty_stream_is_not_stored() {
    let store = Store::new();
    let file = store.recording("empty.jsonl", &[]);
    store.findings(&[&file]).code(1).stderr(format!(
        "streamj: {file}: nothing to read: the file is empty\nstreamj: {file}: nothing to store\n"
    ));
    assert_eq!(count(&store.open(), "sessions"), 0);
}

#[cfg(unix)]
#[test]
fn wrapped_run_and_its_recording_are_stored_once() {
    let store = Store::new();
    let file = fixture("codex/text_success").display().to_string();
    let projection = format!("findings --db {}", store.db());
    run(&["wrap", "--dry-run", "--as", &projection, "--", "cat"], "").stdout("cat\n");
    assert!(!store.path("ops.db").exists(), "a dry run creates no database");
    run(&["wrap", "--as", &projection, "--", "cat", &file], "").code(0);
    store.findings(&[&file]).stderr(predicate::str::ends_with("already stored\n"));
    assert_eq!(count(&store.open(), "sessions"), 1);
}

#[cfg(unix)]
#[test]
fn all_results_of_a_wrapped_run_are_printed_and_stored() {
    let store = Store::new();
    let result = |message: &str| {
        let event = json!({"level": "info", "message": message});
        claude_run("s", "", &json!({"events": [event], "escalation": {"needed": false}}))
    };
    let file = store.recording("run.jsonl", &[result("first"), result("second")].concat());
    let projection = format!("findings --get /message --db {}", store.db());
    run(&["wrap", "--as", &projection, "--", "cat", &file], "").stdout("first\nsecond\n");
    let messages = rows(&store.open(), "SELECT message FROM events");
    assert_eq!(messages, [json!(["first"]), json!(["second"])]);
}

#[test]
fn closed_stdout_does_not_stop_storing() {
    let store = Store::new();
    let long = json!({"events": vec![json!({"level": "info", "message": "m".repeat(1000)}); 200]});
    let files = ["a", "b", "c"].map(|id| store.recording(id, &claude_run(id, "", &long)));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(BIN);
    command.args(["findings", "--db", &store.db()]).args(&files).stdout(writer);
    command.assert().success();
    let database = store.open();
    assert_eq!((count(&database, "sessions"), count(&database, "events")), (3, 600));
}

#[test]
fn documentation_describes_every_table_and_column() {
    let store = Store::new();
    store.add_memory("s", "timing", "slow");
    let documented = std::fs::read_to_string(root().join("docs/store.md")).unwrap();
    let columns = "SELECT tables.name, columns.name FROM sqlite_schema AS tables,
        pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'";
    let columns = rows(&store.open(), columns);
    assert!(columns.len() > 40, "{columns:?}");
    for column in columns {
        let (table, name) = (column[0].as_str().unwrap(), column[1].as_str().unwrap());
        let section = documented.split(&format!("\n## `{table}`\n")).nth(1);
        let section = section.unwrap_or_else(|| panic!("{table} is not described"));
        let section = section.split("\n## ").next().unwrap();
        assert!(section.contains(&format!("| `{name}` | ")), "{table}.{name} is not described");
    }
}

#[test]
fn concurrent_writers_lose_nothing() {
    let store = Store::new();
    let command = |process: usize| {
        let recording = |run: usize| {
            let id = format!("p{process}-r{run}");
            let text = format!("[COOLDOWN:restart:s{process}] success — {run}");
            store.recording(&format!("{id}.jsonl"), &claude_run(&id, &text, &document()))
        };
        let files: Vec<String> = (0..500).map(recording).collect();
        let mut command = Command::new(BIN);
        command.args(["findings", "--db", &store.db()]).args(files);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let children = [command(0), command(1)].map(|mut command| command.spawn().unwrap());
    for child in children {
        child.wait_with_output().unwrap().assert().code(0).stderr("");
    }
    let database = store.open();
    assert_eq!(count(&database, "sessions"), 1000);
    assert_eq!((count(&database, "events"), count(&database, "cooldowns")), (2000, 1000));
    // The runs share one observation: one memory with full confidence.
    assert_eq!(rows(&database, "SELECT confidence, active FROM memories"), [json!([1.0, 1])]);
    assert_eq!(rows(&database, "PRAGMA integrity_check"), [json!(["ok"])]);
}
