//! `findings --db` and `memories`: what is kept, and what becomes of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{BIN, Run, fixture, lines_of, root, run};

/// A folder with a database in it.
struct Shelf {
    folder: TempDir,
}

impl Shelf {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn db(&self) -> String {
        self.path("ops.db").display().to_string()
    }

    /// A recorded run.
    fn file(&self, name: &str, lines: &[Value]) -> String {
        let path = self.path(name);
        std::fs::write(&path, lines_of(lines)).unwrap();
        path.display().to_string()
    }

    fn store(&self, files: &[&str]) -> Run {
        let db = self.db();
        run(&[&["findings", "--db", &db], files].concat(), "")
    }

    /// Stores a run with one memory.
    fn remember(&self, id: &str, key: &str, value: &str) {
        let document = json!({"memories": [{"key": key, "value": value}]});
        let file = self.file("memory.jsonl", &claude(id, "", &document));
        assert_eq!(self.store(&[&file]).code, 0);
    }

    fn memories(&self, args: &[&str]) -> Run {
        let db = self.db();
        run(&[&["memories", "--db", &db], args].concat(), "")
    }

    /// Observations and confidences of the active memories.
    fn remembered(&self, args: &[&str]) -> Vec<(String, f64)> {
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

/// The rows of a query, as JSON.
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

/// A run of Claude's: its text, and the document in its result.
fn claude(id: &str, text: &str, document: &Value) -> Vec<Value> {
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
fn a_run_is_a_session_with_all_it_told() {
    let shelf = Shelf::new();
    let text = "[COOLDOWN:restart:db] failure — still down";
    let file = shelf.file("run.jsonl", &claude("s1", text, &document()));
    let done = shelf.store(&[&file]);
    assert_eq!((done.code, &*done.stderr), (0, ""));
    assert_eq!(done.rows().len(), 7, "it is printed all the same");
    let store = shelf.open();
    let session = "SELECT id, session_id, run_key, harness, tier, model, parent_session_id, status,
        output, error, error_category, cost_usd, duration_ms, num_turns, extraction_method,
        started_at FROM sessions";
    assert_eq!(
        rows(&store, session),
        [json!([
            1,
            "s1",
            "s1:result-of-s1",
            "claude",
            null,
            "m-1",
            null,
            "completed",
            text,
            null,
            null,
            0.25,
            1500,
            3,
            "structured",
            null
        ])]
    );
    assert_eq!(
        rows(&store, "SELECT session_id, level, service, message FROM events"),
        [json!([1, "critical", "db", "down"]), json!([1, "info", null, "m"])]
    );
    assert_eq!(
        rows(
            &store,
            "SELECT service, category, observation, confidence, active, session_id, tier FROM memories"
        ),
        [json!(["db", "timing", "slow", 0.7, 1, 1, null])]
    );
    assert_eq!(
        rows(
            &store,
            "SELECT service, action_type, success, message, session_id, tier FROM cooldowns"
        ),
        [json!(["db", "restart", 0, "still down", 1, null])]
    );
    let journal: String = store.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    let version: i64 = store.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let owner = store.query_row("PRAGMA application_id", [], |row| row.get(0));
    assert_eq!((&*journal, version, owner), ("wal", 1, Ok(0x7374_6d6a)));
    let times = rows(
        &store,
        "SELECT DISTINCT length(created_at), substr(created_at, 24) FROM sessions, (SELECT created_at AS at FROM events)",
    );
    assert_eq!(times, [json!([24, "Z"])], "times are of one length");
}

#[test]
fn a_run_is_stored_once_however_often_it_is_read() {
    let shelf = Shelf::new();
    let claude_run = shelf.file("a.jsonl", &claude("s1", "", &document()));
    let codex_run = fixture("codex/text_success").display().to_string();
    for _ in 0..2 {
        shelf.store(&[&claude_run, &codex_run]);
    }
    let again = shelf.store(&[&codex_run]);
    assert_eq!(again.code, 0);
    assert_eq!(again.stderr, format!("streamj: {codex_run}: already stored\n"));
    let store = shelf.open();
    let keys = rows(&store, "SELECT run_key FROM sessions");
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert_eq!(keys[0], json!(["s1:result-of-s1"]));
    assert!(keys[1][0].as_str().unwrap().starts_with("sha256:"), "Codex' turns have no id");
    assert_eq!((count(&store, "events"), count(&store, "memories")), (2, 1));
    assert_eq!(rows(&store, "SELECT confidence FROM memories"), [json!([0.7])]);
}

#[test]
fn how_a_run_ended_is_its_status() {
    let shelf = Shelf::new();
    for name in ["claude/text_success", "claude/max_turns_1", "codex/signal_sigterm_midtool"] {
        assert_eq!(shelf.store(&[fixture(name).to_str().unwrap()]).code, 0);
    }
    let stored = rows(&shelf.open(), "SELECT status, error_category FROM sessions");
    assert_eq!(stored[0], json!(["completed", null]));
    assert_eq!(stored[1][0], "failed");
    assert_eq!(stored[2], json!(["incomplete", "incomplete"]));
    assert_eq!(stored.len(), 3);
}

#[test]
fn what_says_nothing_is_not_stored() {
    let shelf = Shelf::new();
    let file = shelf.file("empty.jsonl", &[]);
    let done = shelf.store(&[&file]);
    assert_eq!((done.code, done.stderr), (0, format!("streamj: {file}: nothing to store\n")));
    assert_eq!(count(&shelf.open(), "sessions"), 0);
}

#[test]
fn a_wrapped_run_is_the_run_of_its_recording() {
    let shelf = Shelf::new();
    let (db, file) = (shelf.db(), fixture("codex/text_success"));
    let show = format!("findings --db {db}");
    assert_eq!(run(&["wrap", "--dry-run", "--as", &show, "--", "cat"], "").text(), "cat\n");
    assert!(!shelf.path("ops.db").exists(), "nothing is made for a run that is not");
    let wrapped = run(&["wrap", "--as", &show, "--", "cat", file.to_str().unwrap()], "");
    assert_eq!(wrapped.code, 0, "{wrapped:?}");
    let again = shelf.store(&[file.to_str().unwrap()]);
    assert!(again.stderr.ends_with("already stored\n"), "{again:?}");
    assert_eq!(count(&shelf.open(), "sessions"), 1);
}

#[test]
fn all_results_of_a_run_are_stored_as_they_are_printed() {
    let shelf = Shelf::new();
    let of = |message: &str| {
        let event = json!({"level": "info", "message": message});
        claude("s", "", &json!({"events": [event], "escalation": {"needed": false}}))
    };
    let file = shelf.file("run.jsonl", &[of("first"), of("second")].concat());
    let show = format!("findings --get /message --db {}", shelf.db());
    let wrapped = run(&["wrap", "--as", &show, "--", "cat", &file], "");
    assert_eq!(wrapped.text(), "first\nsecond\n");
    let messages = rows(&shelf.open(), "SELECT message FROM events");
    assert_eq!(messages, [json!(["first"]), json!(["second"])]);
}

#[test]
fn what_nobody_reads_is_stored_all_the_same() {
    let shelf = Shelf::new();
    let long = json!({"events": vec![json!({"level": "info", "message": "m".repeat(1000)}); 200]});
    let files = ["a", "b", "c"].map(|id| shelf.file(id, &claude(id, "", &long)));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = Command::new(BIN)
        .args(["findings", "--db", &shelf.db()])
        .args(&files)
        .stdout(writer)
        .status()
        .unwrap();
    assert!(status.success());
    let store = shelf.open();
    assert_eq!((count(&store, "sessions"), count(&store, "events")), (3, 600));
}

#[test]
fn the_documentation_names_every_table_and_column() {
    let shelf = Shelf::new();
    shelf.remember("s", "timing", "slow");
    let documented = std::fs::read_to_string(root().join("docs/store.md")).unwrap();
    let store = shelf.open();
    let columns = "SELECT tables.name, columns.name FROM sqlite_schema AS tables,
        pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'";
    let columns = rows(&store, columns);
    assert!(columns.len() > 40, "{columns:?}");
    for column in columns {
        let (table, name) = (column[0].as_str().unwrap(), column[1].as_str().unwrap());
        let section = documented.split(&format!("\n## `{table}`\n")).nth(1);
        let section = section.unwrap_or_else(|| panic!("{table} is not described"));
        let section = section.split("\n## ").next().unwrap();
        assert!(section.contains(&format!("| `{name}` | ")), "{table}.{name} is not described");
    }
}

mod memory {
    use super::*;

    #[test]
    fn the_same_observation_makes_it_surer_up_to_one() {
        let shelf = Shelf::new();
        for (run, confidence) in [0.7, 0.8, 0.9, 1.0, 1.0].iter().enumerate() {
            shelf.remember(&format!("s{run}"), "db:timing", "slow");
            assert_eq!(shelf.remembered(&[]), [("slow".to_owned(), *confidence)]);
        }
    }

    #[test]
    fn another_observation_does_not_reinforce_it() {
        let shelf = Shelf::new();
        for run in 0..3 {
            shelf.remember(&format!("s{run}"), "db:timing", "slow");
        }
        shelf.remember("t", "db:timing", "fast");
        let both = [("slow".to_owned(), 0.8), ("fast".to_owned(), 0.7)];
        assert_eq!(shelf.remembered(&[]), both);
        // Another service, another category: other knowledge.
        shelf.remember("u", "web:timing", "fast");
        shelf.remember("v", "timing", "fast");
        shelf.remember("w", "db:remediation", "fast");
        let store = shelf.open();
        let slow = rows(&store, "SELECT confidence FROM memories WHERE observation = 'slow'");
        assert_eq!(slow, [json!([0.8])]);
        assert_eq!(count(&store, "memories"), 5);
    }

    #[test]
    fn what_is_contradicted_too_often_is_forgotten() {
        let shelf = Shelf::new();
        shelf.remember("s", "timing", "first");
        for run in 0..5 {
            shelf.remember(&format!("t{run}"), "timing", &format!("other {run}"));
        }
        let first = "SELECT confidence, active FROM memories WHERE observation = 'first'";
        assert_eq!(rows(&shelf.open(), first), [json!([0.2, 0])]);
        assert!(shelf.remembered(&[]).iter().all(|(observation, _)| observation != "first"));
        // At 0.3 it is still there.
        let next = "SELECT confidence, active FROM memories WHERE observation = 'other 0'";
        assert_eq!(rows(&shelf.open(), next), [json!([0.3, 1])]);
        // Who sees it again learns it anew.
        shelf.remember("u", "timing", "first");
        assert!(shelf.remembered(&[]).contains(&("first".to_owned(), 0.7)));
    }

    #[test]
    fn two_that_contradict_each_other_never_get_sure() {
        let shelf = Shelf::new();
        for run in 0..12 {
            shelf.remember(&format!("s{run}"), "db:timing", ["slow", "fast"][run % 2]);
        }
        let both = [("fast".to_owned(), 0.7), ("slow".to_owned(), 0.6)];
        assert_eq!(shelf.remembered(&[]), both);
    }

    #[test]
    fn a_run_learns_a_thing_once_and_nothing_without_a_name() {
        let shelf = Shelf::new();
        let memory = |key: &str| json!({"key": key, "value": "slow"});
        let mut memories = vec![memory("db:timing"); 5];
        memories.extend(["", "db:", ":"].map(memory));
        let file = shelf.file("a.jsonl", &claude("s", "", &json!({"memories": memories})));
        assert_eq!(shelf.store(&[&file]).code, 0);
        assert_eq!(shelf.remembered(&[])[..1], [("slow".to_owned(), 0.7)]);
        let categories = rows(&shelf.open(), "SELECT category FROM memories ORDER BY id");
        assert_eq!(categories[0], json!(["timing"]));
        assert!(!categories.contains(&json!([""])), "{categories:?}");
    }

    #[test]
    fn they_are_a_text_for_the_next_agent() {
        let shelf = Shelf::new();
        shelf.remember("a", "web:remediation", "restart\nthe   pool");
        shelf.remember("b", "remediation", "ask first");
        shelf.remember("c", "db:timing", "slow start");
        shelf.remember("d", "db:timing", "slow start");
        let text = shelf.memories(&[]);
        let expected = "db:\n- timing (0.8): slow start\nweb:\n- remediation (0.7): restart the pool\n\
                        general:\n- remediation (0.7): ask first\n";
        assert_eq!((text.text(), text.code, &*text.stderr), (expected, 0, ""));
        assert_eq!(shelf.memories(&["--format", "text"]).text(), expected);
        let records = shelf.memories(&["--format", "jsonl"]).rows();
        assert_eq!(records.len(), 3);
        assert_eq!(
            (&records[0]["service"], &records[0]["category"], &records[0]["confidence"]),
            (&json!("db"), &json!("timing"), &json!(0.8))
        );
        assert!(records[2].get("service").is_none());
        assert_eq!(
            shelf.memories(&["--get", "/category"]).text(),
            "timing\nremediation\nremediation\n"
        );
    }

    #[test]
    fn decay_takes_a_step_for_each_week_and_no_week_twice() {
        let shelf = Shelf::new();
        shelf.remember("s", "timing", "slow");
        let back = |days: u32| {
            let store = shelf.open();
            let set = format!(
                "UPDATE memories SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-{days} days')"
            );
            store.execute(&set, []).unwrap();
        };
        let slow = |confidence: f64| vec![("slow".to_owned(), confidence)];
        back(36);
        assert_eq!(shelf.remembered(&["--decay"]), slow(0.7));
        back(46);
        assert_eq!(shelf.remembered(&[]), slow(0.7), "nothing is taken unasked");
        for _ in 0..3 {
            assert_eq!(shelf.remembered(&["--decay"]), slow(0.5), "two weeks after thirty days");
        }
        back(52);
        assert_eq!(shelf.remembered(&["--decay"]), slow(0.4), "one more week");
        // Who confirms it begins anew.
        shelf.remember("t", "timing", "slow");
        back(38);
        assert_eq!(shelf.remembered(&["--decay"]), slow(0.4));
        back(300);
        assert_eq!(shelf.remembered(&["--decay"]), []);
        assert_eq!(rows(&shelf.open(), "SELECT active FROM memories"), [json!([0])]);
    }

    #[test]
    fn a_store_without_any_has_nothing_to_say() {
        let shelf = Shelf::new();
        std::fs::write(shelf.path("ops.db"), "").unwrap();
        for args in [&[][..], &["--decay"]] {
            let none = shelf.memories(args);
            assert_eq!((none.code, none.text(), &*none.stderr), (0, "", ""));
        }
        assert_eq!(std::fs::read(shelf.path("ops.db")).unwrap(), b"", "and stays as it is");
    }
}

mod trouble {
    use super::*;

    /// What a user is told: one line, and status 2.
    fn told(run: &Run) -> &str {
        assert_eq!((run.code, run.text()), (2, ""), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        run.stderr.trim_end()
    }

    #[test]
    fn a_file_that_is_no_database_is_left_alone() {
        let shelf = Shelf::new();
        let text = "not a database, but long enough to be looked at ".repeat(50);
        std::fs::write(shelf.path("ops.db"), &text).unwrap();
        let file = shelf.file("run.jsonl", &claude("s", "", &document()));
        let complaint = format!("streamj: {}: not a database", shelf.db());
        assert_eq!(told(&shelf.store(&[&file])), complaint);
        assert_eq!(told(&shelf.memories(&[])), complaint);
        assert_eq!(std::fs::read_to_string(shelf.path("ops.db")).unwrap(), text);
    }

    #[test]
    fn a_database_of_a_newer_version_is_left_alone() {
        let shelf = Shelf::new();
        let file = shelf.file("run.jsonl", &claude("s", "", &document()));
        shelf.store(&[&file]);
        shelf.open().pragma_update(None, "user_version", 2).unwrap();
        let before = std::fs::read(shelf.path("ops.db")).unwrap();
        let complaint = format!(
            "streamj: {}: written by a newer streamj: version 2 of the file, this one supports 1",
            shelf.db()
        );
        assert_eq!(told(&shelf.store(&[&file])), complaint);
        assert_eq!(told(&shelf.memories(&["--decay"])), complaint);
        assert_eq!(std::fs::read(shelf.path("ops.db")).unwrap(), before);
    }

    #[test]
    fn a_database_of_another_program_is_left_alone() {
        let shelf = Shelf::new();
        shelf.open().execute_batch("CREATE TABLE bookmarks (url)").unwrap();
        let file = shelf.file("run.jsonl", &claude("s", "", &document()));
        let complaint = format!("streamj: {}: a database of another program", shelf.db());
        assert_eq!(told(&shelf.store(&[&file])), complaint);
        assert_eq!(rows(&shelf.open(), "SELECT name FROM sqlite_schema"), [json!(["bookmarks"])]);
        // Its version is its own affair.
        for version in [1, 9] {
            shelf.open().pragma_update(None, "user_version", version).unwrap();
            let before = std::fs::read(shelf.path("ops.db")).unwrap();
            assert_eq!(told(&shelf.store(&[&file])), complaint);
            assert_eq!(told(&shelf.memories(&[])), complaint);
            assert_eq!(std::fs::read(shelf.path("ops.db")).unwrap(), before);
        }
    }

    #[test]
    fn who_only_reads_leaves_the_log_of_others() {
        let shelf = Shelf::new();
        shelf.remember("s", "db:timing", "slow");
        let writer = shelf.open();
        writer.execute_batch("UPDATE memories SET observation = 'fast'").unwrap();
        // As a process leaves it that is killed.
        let left = Shelf::new();
        for name in ["ops.db", "ops.db-wal"] {
            std::fs::copy(shelf.path(name), left.path(name)).unwrap();
        }
        let before = std::fs::read(left.path("ops.db")).unwrap();
        assert_eq!(left.memories(&[]).text(), "db:\n- timing (0.7): fast\n");
        assert_eq!(std::fs::read(left.path("ops.db")).unwrap(), before);
        assert_eq!(left.memories(&[]).text(), "db:\n- timing (0.7): fast\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_limit_of_the_system_is_told() {
        let shelf = Shelf::new();
        let file = shelf.file("run.jsonl", &claude("s", "", &document()));
        let limited = "ulimit -f 8; exec \"$0\" findings --db \"$1\" \"$2\"";
        let mut command = Command::new("sh");
        command.args(["-c", limited, BIN, &shelf.db(), &file]);
        let done = command.output().unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{told}");
        assert!(told.contains("ops.db: "), "{told}");
    }

    #[test]
    fn a_locked_database_is_waited_for_and_then_told() {
        let shelf = Shelf::new();
        let first = shelf.file("first.jsonl", &claude("s1", "", &document()));
        shelf.store(&[&first]);
        let second = shelf.file("second.jsonl", &claude("s2", "", &document()));
        let store = shelf.open();
        store.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let done = shelf.store(&[&second]);
        assert_eq!(done.code, 2, "{done:?}");
        let complaint = format!(
            "streamj: {second}: not stored: {}: locked by another process for 5 seconds\n",
            shelf.db()
        );
        assert_eq!(done.stderr, complaint);
        assert!(!done.rows().is_empty(), "what was found is printed all the same");
        store.execute_batch("ROLLBACK").unwrap();
        assert_eq!(count(&store, "sessions"), 1);
        assert_eq!((count(&store, "events"), count(&store, "memories")), (2, 1));
        assert_eq!(shelf.store(&[&second]).code, 0);
        assert_eq!(count(&store, "sessions"), 2);
    }

    #[test]
    fn a_database_that_is_not_there_is_made_by_findings_only() {
        let shelf = Shelf::new();
        let complaint = format!("streamj: {}: no such file", shelf.db());
        assert_eq!(told(&shelf.memories(&[])), complaint);
        assert_eq!(told(&shelf.memories(&["--decay"])), complaint);
        assert!(!shelf.path("ops.db").exists());
        let file = shelf.file("run.jsonl", &claude("s", "", &document()));
        let nowhere = shelf.path("no/ops.db").display().to_string();
        let done = run(&["findings", "--db", &nowhere, &file], "");
        let complaint = format!("streamj: {nowhere}: cannot be opened: its folder does not exist");
        assert_eq!(told(&done), complaint);
        let folder = shelf.folder.path().display().to_string();
        let done = run(&["findings", "--db", &folder, &file], "");
        assert_eq!(told(&done), format!("streamj: {folder}: cannot be opened: it is a folder"));
        assert_eq!(run(&["findings", "--db", "", &file], "").code, 2);
    }

    #[test]
    fn a_name_is_a_file_whatever_sqlite_means_by_it() {
        let shelf = Shelf::new();
        let file = shelf.file("run.jsonl", &claude("s", "", &document()));
        let done = Command::new(BIN)
            .args(["findings", "--db", ":memory:", &file])
            .current_dir(shelf.folder.path())
            .output()
            .unwrap();
        assert!(done.status.success());
        assert!(shelf.path(":memory:").exists());
    }

    /// Somebody who is not allowed everything.
    #[cfg(unix)]
    fn as_nobody(args: &[&str]) -> Run {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(BIN);
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        let output = command.args(args).stdin(Stdio::null()).output().unwrap();
        Run {
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap(),
        }
    }

    #[cfg(unix)]
    fn allow(path: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_nobody_may_enter_is_told() {
        let shelf = Shelf::new();
        shelf.remember("s", "db:timing", "slow");
        allow(shelf.folder.path(), 0o600);
        let done = as_nobody(&["memories", "--db", &shelf.db()]);
        allow(shelf.folder.path(), 0o700);
        let complaint = format!("streamj: {}: cannot be opened: Permission denied", shelf.db());
        assert!(told(&done).starts_with(&complaint), "{done:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_read_only_database_is_read_and_not_written() {
        let shelf = Shelf::new();
        shelf.remember("s", "db:timing", "slow");
        let file = shelf.file("run.jsonl", &claude("t", "", &document()));
        let (db, folder) = (shelf.path("ops.db"), shelf.folder.path());
        for (file_mode, folder_mode) in [(0o444, 0o555), (0o444, 0o777)] {
            allow(&db, file_mode);
            allow(folder, folder_mode);
            let before = std::fs::read(&db).unwrap();
            let name = shelf.db();
            let done = as_nobody(&["findings", "--db", &name, &file]);
            let read_only = format!("streamj: {name}: read-only: nothing can be stored");
            assert_eq!(told(&done), read_only);
            let memories = as_nobody(&["memories", "--db", &name]);
            assert_eq!(memories.text(), "db:\n- timing (0.7): slow\n", "{memories:?}");
            assert_eq!(told(&as_nobody(&["memories", "--decay", "--db", &name])), read_only);
            assert_eq!(std::fs::read(&db).unwrap(), before);
            assert!(!shelf.path("ops.db-wal").exists(), "nothing is left beside it");
        }
        allow(folder, 0o700);
    }
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    let shelf = Shelf::new();
    let files = |process: usize| -> Vec<String> {
        let file = |run: usize| {
            let id = format!("p{process}-r{run}");
            let text = format!("[COOLDOWN:restart:s{process}] success — {run}");
            shelf.file(&format!("{id}.jsonl"), &claude(&id, &text, &document()))
        };
        (0..500).map(file).collect()
    };
    let all = [files(0), files(1)];
    let started: Vec<_> = all
        .iter()
        .map(|files| {
            Command::new(BIN)
                .args(["findings", "--db", &shelf.db()])
                .args(files)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in started {
        let done = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!((done.status.code(), &*told), (Some(0), ""));
    }
    let store = shelf.open();
    assert_eq!(count(&store, "sessions"), 1000);
    assert_eq!((count(&store, "events"), count(&store, "cooldowns")), (2000, 1000));
    // The same observation, a thousand times: one memory, as sure as can be.
    assert_eq!(rows(&store, "SELECT confidence, active FROM memories"), [json!([1.0, 1])]);
    let check: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}
