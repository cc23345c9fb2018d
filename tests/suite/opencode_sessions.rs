//! Sessions of OpenCode and Kilo. No recording has any: the databases and files are made from
//! the documented schema, with the messages and parts of recorded streams.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use assert_cmd::assert::Assert;
use bstr::ByteSlice;
use predicates::prelude::*;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::fixture_bytes;

/// The tables that are read, with the columns of their first release.
const SCHEMA: &str = "
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT,
        slug TEXT NOT NULL, directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL,
        time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
        time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
        time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE INDEX message_session_idx ON message (session_id);
    CREATE INDEX part_message_idx ON part (message_id);";

const TOOLS_ID: &str = "ses_e1533ee39ffeW7DA1Dq8juGz4b";

/// A message with its parts, without ids.
#[derive(Clone)]
struct StoredMessage {
    id: String,
    data: Value,
    /// Ids and data.
    parts: Vec<(String, Value)>,
}

/// A session as a release stores it.
#[derive(Clone)]
struct StoredSession {
    id: String,
    parent: Option<String>,
    messages: Vec<StoredMessage>,
}

/// The time of the first message.
const CREATED: i64 = 1_794_940_606_000;

impl StoredSession {
    /// Returns the session of a recorded stream: a prompt, then its messages.
    fn of_stream(name: &str) -> Self {
        let prompt = StoredMessage {
            id: format!("msg_0{name}"),
            data: json!({"role": "user", "time": {"created": CREATED}, "agent": "build",
                "model": {"providerID": "fake", "modelID": "fake-model"}}),
            parts: vec![
                (format!("prt_0{name}"), json!({"type": "text", "text": "Work."})),
                (
                    format!("prt_1{name}"),
                    json!({"type": "text", "text": "A file.", "synthetic": true}),
                ),
            ],
        };
        let mut session = Self { id: String::new(), parent: None, messages: vec![prompt] };
        for line in fixture_bytes(name).lines() {
            let mut line: Value = serde_json::from_slice(line).unwrap();
            line["sessionID"].as_str().unwrap().clone_into(&mut session.id);
            let mut part = line["part"].take();
            let mut id = |name: &str| {
                let id = part.as_object_mut().unwrap().remove(name).unwrap();
                id.as_str().unwrap().to_owned()
            };
            let [message, _, id] = ["messageID", "sessionID", "id"].map(&mut id);
            if session.messages.last().unwrap().id != message {
                session.messages.push(Self::answer(message, session.messages.len()));
            }
            let last = session.messages.last_mut().unwrap();
            if part["type"] == "step-finish" {
                let data = last.data.as_object_mut().unwrap();
                data.insert("finish".to_owned(), part["reason"].clone());
                data.insert("tokens".to_owned(), part["tokens"].clone());
                data.insert("cost".to_owned(), part["cost"].clone());
                data["time"]["completed"] = (CREATED + 9_000).into();
            }
            last.parts.push((id, part));
        }
        session
    }

    fn answer(id: String, number: usize) -> StoredMessage {
        let created = CREATED + 1_000 * i64::try_from(number).unwrap();
        let data = json!({"role": "assistant", "time": {"created": created}, "parentID": "msg_0",
            "modelID": "fake-model", "providerID": "fake", "mode": "build", "agent": "build",
            "path": {"cwd": "/tmp/demo", "root": "/tmp/demo"}, "cost": 0,
            "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}});
        StoredMessage { id, data, parts: Vec::new() }
    }

    /// Returns a copy as the CLI makes it: all ids are new, the content is the same.
    fn fork(&self) -> Self {
        let renamed = |id: &str| format!("{id}f");
        let mut fork = Self { id: renamed(&self.id), ..self.clone() };
        for message in &mut fork.messages {
            message.id = renamed(&message.id);
            for (id, _) in &mut message.parts {
                *id = renamed(id);
            }
        }
        fork
    }

    /// Moves its messages, which no two runs write at the same time.
    fn later(mut self, milliseconds: i64) -> Self {
        for message in &mut self.messages {
            let created = &mut message.data["time"]["created"];
            *created = (created.as_i64().unwrap() + milliseconds).into();
        }
        self
    }

    fn info(&self) -> Value {
        json!({"id": self.id, "projectID": "global", "directory": "/tmp/demo", "title": "Work",
            "version": "1.18.33", "parentID": self.parent, "time": {"created": CREATED, "updated": CREATED}})
    }

    /// Adds it to a database with the tables.
    fn insert(&self, database: &Connection) {
        let session = "INSERT INTO session VALUES (?1, 'global', ?2, 's', '/tmp/demo', 'Work', '1.18.33', ?3, ?3)";
        database.execute(session, params![self.id, self.parent, CREATED]).unwrap();
        for StoredMessage { id, data, parts } in &self.messages {
            let created = data["time"]["created"].as_i64();
            let message = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
            database.execute(message, params![id, self.id, created, data.to_string()]).unwrap();
            for (part, data) in parts {
                let values = params![part, id, self.id, created, data.to_string()];
                database
                    .execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)", values)
                    .unwrap();
            }
        }
    }

    /// Writes it as `opencode export` prints it.
    fn exported(&self) -> String {
        let messages = self.messages.iter().map(|StoredMessage { id, data, parts }| {
            let parts: Vec<_> =
                parts.iter().map(|(part, data)| self.with_ids(part, id, data)).collect();
            json!({"info": self.with_message_ids(id, data), "parts": parts})
        });
        let document = json!({"info": self.info(), "messages": messages.collect::<Vec<_>>()});
        serde_json::to_string_pretty(&document).unwrap()
    }

    fn with_message_ids(&self, id: &str, data: &Value) -> Value {
        let mut data = data.clone();
        data["id"] = id.into();
        data["sessionID"] = self.id.as_str().into();
        data
    }

    fn with_ids(&self, part: &str, message: &str, data: &Value) -> Value {
        let mut data = self.with_message_ids(part, data);
        data["messageID"] = message.into();
        data
    }

    /// Writes it as releases before 2026 store it, and returns its main file.
    fn write_files(&self, data: &Path) -> PathBuf {
        let write = |name: String, value: &Value| {
            let path = data.join("storage").join(name).with_added_extension("json");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, serde_json::to_string_pretty(value).unwrap()).unwrap();
            path
        };
        for StoredMessage { id, data, parts } in &self.messages {
            write(format!("message/{}/{id}", self.id), &self.with_message_ids(id, data));
            for (part, data) in parts {
                write(format!("part/{id}/{part}"), &self.with_ids(part, id, data));
            }
        }
        write(format!("session/global/{}", self.id), &self.info())
    }
}

/// A home with the data of a CLI.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn data(&self, cli: &str) -> PathBuf {
        let data = self.folder.path().join(".local/share").join(cli);
        std::fs::create_dir_all(&data).unwrap();
        data
    }

    fn database(&self, cli: &str) -> PathBuf {
        self.data(cli).join(cli).with_added_extension("db")
    }

    /// Writes a database with these sessions.
    fn store(&self, cli: &str, sessions: &[StoredSession]) -> PathBuf {
        let path = self.database(cli);
        create(&path, sessions).close().unwrap();
        path
    }

    fn usage(&self, args: &[&str]) -> Assert {
        self.usage_with(&[], args)
    }

    /// Runs `usage --home` with these variables.
    fn usage_with(&self, variables: &[(&str, &Path)], args: &[&str]) -> Assert {
        let mut command = streamj(&[&["usage", "--home"], args].concat());
        for name in ["XDG_DATA_HOME", "OPENCODE_DB", "KILO_DB"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).env("HOME", self.folder.path()).assert()
    }
}

/// Creates a database in the mode of the CLI, with these sessions.
fn create(path: &Path, sessions: &[StoredSession]) -> Connection {
    let database = Connection::open(path).unwrap();
    database.pragma_update(None, "journal_mode", "wal").unwrap();
    database.execute_batch(SCHEMA).unwrap();
    for session in sessions {
        session.insert(&database);
    }
    database
}

/// Returns the content and time of every file in a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let state = |path: PathBuf| {
        let modified = path.metadata().unwrap().modified().unwrap();
        let content = std::fs::read(&path).unwrap();
        (path, (content, modified))
    };
    entries.map(state).collect()
}

fn tools() -> StoredSession {
    StoredSession::of_stream("opencode/tools")
}

fn counts(usage: &Value) -> Vec<Value> {
    let names = [
        "input_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "total_tokens",
        "cost_usd",
    ];
    names.iter().map(|name| usage[*name].clone()).collect()
}

/// Asserts that a session is that of the recorded stream.
fn assert_same_run(path: &Path) {
    let path = path.to_str().unwrap();
    let stream = |command| run(&[command], fixture_bytes("opencode/tools"));
    run(&["text", path], "").success().stdout("Running.\nAll done.\n");
    run(&["text", "--last", path], "").success().stdout("All done.\n");
    let calls = run(&["tools", path], "").rows();
    assert_eq!(calls.len(), 4);
    for (stored, printed) in calls.iter().zip(stream("tools").rows()) {
        assert_eq!(*stored, printed);
    }
    let usage = run(&["usage", path], "").row();
    assert_eq!(counts(&usage), counts(&stream("usage").row()));
    let session = run(&["session", path], "").row();
    let expected = json!({
        "harness": "opencode", "session_id": TOOLS_ID, "model": "fake-model", "cwd": "/tmp/demo",
        "version": "1.18.33", "resume_command": format!("opencode -s {TOOLS_ID}"),
    });
    assert_eq!(session, expected);
    let summary = run(&["summary", path], "").row();
    assert_eq!((&summary["complete"], &summary["succeeded_cleanly"]), (&true.into(), &true.into()));
    run(&["check", path], "").success();
}

#[test]
fn session_in_a_database_is_the_run_of_its_stream() {
    assert_same_run(&Home::new().store("opencode", &[tools()]));
}

#[test]
fn copy_of_a_database_is_the_run_without_its_secrets() {
    let mut session = tools();
    session.messages[0].parts[0].1["text"] = "use ghp_0123456789abcdefghij".into();
    let home = Home::new();
    let path = home.store("opencode", &[session]);
    let path = path.to_str().unwrap();
    let copy = run(&["redact", path], "").success().stderr("streamj: github: 1 secret\n");
    let folder = tempfile::tempdir().unwrap();
    let copied = folder.path().join("copy.jsonl");
    std::fs::write(&copied, &copy.get_output().stdout).unwrap();
    assert_same_run(&copied);
    run(&["grep", "use <redacted>", "-c", copied.to_str().unwrap()], "").success();
}

#[test]
fn exported_session_is_the_run_of_its_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.json");
    std::fs::write(&path, tools().exported()).unwrap();
    assert_same_run(&path);
}

#[test]
fn session_in_files_is_the_run_of_its_stream() {
    let home = Home::new();
    assert_same_run(&tools().write_files(&home.data("opencode")));
    let total = home.usage(&["--by", "harness", "--format", "jsonl"]).success().rows();
    assert_eq!(
        (&total[0]["harness"], &total[0]["input_tokens"]),
        (&"opencode".into(), &2000.into())
    );
}

#[test]
fn database_that_is_not_open_is_read_without_a_trace() {
    let home = Home::new();
    let path = home.store("opencode", &[tools()]);
    let before = files(path.parent().unwrap());
    assert_eq!(before.len(), 1);
    run(&["text", path.to_str().unwrap()], "").success();
    home.usage(&[]).success();
    assert_eq!(files(path.parent().unwrap()), before);
}

#[test]
fn database_that_is_being_written_is_read_without_a_trace() {
    let home = Home::new();
    let path = home.database("opencode");
    let writer = create(&path, &[]);
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    tools().insert(&writer);
    // A transaction that is not committed does not count, and does not stop the reader.
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM part").unwrap();
    let before = files(path.parent().unwrap());
    assert_eq!(before.len(), 3, "with a log and its index: {:?}", before.keys());
    assert_same_run(&path);
    assert_eq!(files(path.parent().unwrap()), before);
    writer.execute_batch("ROLLBACK").unwrap();
}

#[test]
fn database_is_read_while_another_process_goes_on_writing() {
    let home = Home::new();
    let path = home.database("opencode");
    let writer = create(&path, &[tools()]);
    let is_done = AtomicBool::new(false);
    let failed = std::thread::scope(|scope| {
        let is_done = &is_done;
        scope.spawn(move || {
            for number in 0..2_000 {
                let values = params![format!("prt_w{number}"), "x".repeat(20_000)];
                let insert = "INSERT INTO part VALUES (?1, 'msg_w', 'ses_w', 0, 0, ?2)";
                writer.execute(insert, values).unwrap();
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let path = path.to_str().unwrap();
        let runs = (0..3).map(|_| run(&["text", path], ""));
        let failed = runs.filter(|run| run.text() != "Running.\nAll done.\n");
        let failed: Vec<_> = failed.map(|run| run.errors().to_owned()).collect();
        is_done.store(true, Ordering::Relaxed);
        failed
    });
    assert_eq!(failed, [""; 0]);
}

#[test]
fn path_and_id_name_a_session() {
    let home = Home::new();
    let other = StoredSession::of_stream("opencode/text_success");
    let path = home.store("opencode", &[tools(), other]);
    let path = path.to_str().unwrap();
    run(&["text", &format!("{path}#{TOOLS_ID}")], "").stdout("Running.\nAll done.\n");
    run(&["text", path], "").stdout("Running.\nAll done.\nHello from the fake model.\n");
    run(&["text", &format!("{path}#ses_9")], "")
        .code(2)
        .stderr(predicate::str::contains("#ses_9: the database has no such session"));
    let names: Vec<_> = run(&["usage", "--by", "session", path], "").rows();
    assert!(names.iter().any(|row| row["session_id"] == TOOLS_ID), "{names:?}");
}

#[test]
fn requests_of_forks_count_once_and_those_of_subagents_too() {
    let home = Home::new();
    let mut subagent = StoredSession::of_stream("opencode/text_success").later(500);
    subagent.parent = Some(TOOLS_ID.to_owned());
    home.store("opencode", &[tools(), tools().fork(), subagent]);
    home.store("kilo", &[StoredSession::of_stream("kilo/tools").later(700)]);
    let rows = home.usage(&["--by", "harness", "--format", "jsonl"]).success().rows();
    let by_name = |name: &str| rows.iter().find(|row| row["harness"] == name).unwrap();
    // Six requests of 400 in, 50 out, 800 cached; five of the fork.
    let opencode = by_name("opencode");
    assert_eq!(
        (&opencode["input_tokens"], &opencode["output_tokens"], &opencode["cache_read_tokens"]),
        (&2400.into(), &300.into(), &4800.into())
    );
    assert_eq!(by_name("kilo")["input_tokens"], 2000);
}

#[test]
fn variables_name_the_folder_and_the_database() {
    let [home, elsewhere] = [Home::new(), Home::new()];
    let path = elsewhere.store("opencode", &[tools()]);
    let data = elsewhere.folder.path().join(".local/share");
    for (name, value) in [("OPENCODE_DB", path.as_path()), ("XDG_DATA_HOME", &data)] {
        let usage = home.usage_with(&[(name, value)], &["--by", "harness", "--format", "jsonl"]);
        assert_eq!(usage.success().rows()[0]["input_tokens"], 2000, "{name}");
    }
}

#[test]
fn files_beside_a_database_are_history() {
    let home = Home::new();
    home.store("opencode", &[tools()]);
    StoredSession::of_stream("opencode/text_success").write_files(&home.data("opencode"));
    let rows = home.usage(&["--by", "harness", "--format", "jsonl"]).success().rows();
    assert_eq!(rows[0]["input_tokens"], 2000);
}

#[test]
fn database_that_cannot_be_read_does_not_stop_the_others() {
    let home = Home::new();
    home.store("kilo", &[StoredSession::of_stream("kilo/tools")]);
    let data = home.data("opencode");
    std::fs::write(data.join("opencode.db"), "SQLite format 3\0 but not really".repeat(100))
        .unwrap();
    let foreign = Connection::open(data.join("opencode-dev.db")).unwrap();
    foreign.execute_batch("CREATE TABLE session (x)").unwrap();
    // The content of a view is that of its author's choice.
    let views = Connection::open(data.join("opencode-view.db")).unwrap();
    views.execute_batch(SCHEMA).unwrap();
    views.execute_batch("DROP TABLE part; CREATE VIEW part AS SELECT 1 AS id").unwrap();
    let usage = home.usage(&["--by", "harness", "--format", "jsonl"]);
    let errors = usage.errors();
    assert!(errors.contains("opencode.db: ") && errors.contains("not a database"), "{errors}");
    for name in ["opencode-dev.db", "opencode-view.db"] {
        let message = format!("{name}: a database without sessions of an agent CLI");
        assert!(errors.contains(&message), "{errors}");
    }
    assert_eq!(usage.rows()[0]["harness"], "kilo");
    assert_eq!(usage.rows()[0]["input_tokens"], 2000);
}

#[test]
fn row_that_is_not_json_is_skipped() {
    let home = Home::new();
    let path = home.database("opencode");
    let database = create(&path, &[tools()]);
    let broken = "INSERT INTO message VALUES ('msg_x', ?1, 1, 1, '{\"role\":');
        INSERT INTO part SELECT 'prt_z' || id, id, session_id, 1, 1, 'x' FROM message";
    for statement in broken.split(';') {
        let uses_id = statement.contains("?1");
        let values: &[&dyn rusqlite::ToSql] = if uses_id { &[&TOOLS_ID] } else { &[] };
        database.execute(statement, values).unwrap();
    }
    database.close().unwrap();
    assert_same_run(&path);
}

#[test]
fn session_with_many_messages_is_read_completely() {
    let home = Home::new();
    let mut session = tools();
    let answer = session.messages.last().unwrap().clone();
    for number in 0..450 {
        let mut message = answer.clone();
        message.id = format!("msg_2{number:04}");
        message.data["time"]["created"] = (CREATED + 20_000 + number).into();
        for (at, (id, _)) in message.parts.iter_mut().enumerate() {
            *id = format!("prt_2{number:04}{at}");
        }
        session.messages.push(message);
    }
    let path = home.store("opencode", &[session]);
    let text = run(&["text", path.to_str().unwrap()], "");
    assert_eq!(text.text().lines().count(), 452);
    let usage = run(&["usage", path.to_str().unwrap()], "").row();
    assert_eq!(usage["input_tokens"], 455 * 400);
}

#[test]
fn message_that_is_being_written_is_not_complete() {
    let home = Home::new();
    let path = home.store("opencode", &[StoredSession::of_stream("opencode/signal_sigint")]);
    let summary = run(&["summary", path.to_str().unwrap()], "").row();
    assert_eq!((&summary["output"], &summary["complete"]), (&"Starting.".into(), &false.into()));
}

#[test]
fn stored_error_and_summary_are_no_answers() {
    let home = Home::new();
    let mut session = tools();
    let mut failed = StoredSession::answer("msg_3".to_owned(), 9);
    failed.data["error"] = json!({"name": "APIError", "data": {"message": "No", "statusCode": 401, "isRetryable": false}});
    let mut summary = StoredSession::answer("msg_2".to_owned(), 8);
    summary.data["summary"] = true.into();
    summary.data["finish"] = "stop".into();
    summary.parts.push(("prt_2".to_owned(), json!({"type": "text", "text": "So far."})));
    session.messages.extend([summary, failed]);
    let path = home.store("opencode", &[session]);
    let path = path.to_str().unwrap();
    run(&["text", path], "").stdout("Running.\nAll done.\n");
    let error = run(&["error", path], "").row();
    assert_eq!((&error["status"], &error["source"]), (&401.into(), &"message".into()));
}
