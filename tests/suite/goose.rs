//! Goose: rules of its documented format that the fixtures do not show, or not completely,
//! and sessions in its database.

use std::path::Path;

use predicates::prelude::*;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, lines_of};
use crate::workspace::Workspace;

fn message(role: &str, content: &Value, is_visible: bool) -> Value {
    json!({"type": "message", "message": {"id": "m", "role": role, "created": 1_767_323_047, "content": [content],
        "metadata": {"userVisible": is_visible, "agentVisible": true}}})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn harness(line: &str) -> Value {
    run(&["-q", "events"], line).rows()[0]["harness"].clone()
}

#[test]
fn members_of_its_own_identify_each_line() {
    for line in [
        r#"{"type":"complete","total_tokens":null}"#,
        r#"{"type":"notification","extension_id":"developer","log":{"message":"x"}}"#,
        r#"{"type":"error","error":"Authentication failed"}"#,
        &message("assistant", &text("x"), true).to_string(),
    ] {
        assert_eq!(harness(line), "goose", "{line}");
    }
    for line in [
        r#"{"type":"message","role":"assistant","content":"x"}"#,
        r#"{"type":"complete"}"#,
        r#"{"type":"error","error":"x","sessionID":"s"}"#,
    ] {
        assert_ne!(harness(line), "goose", "{line}");
    }
}

#[test]
fn summary_for_the_model_is_no_answer() {
    let lines =
        [message("assistant", &text("Hi."), true), message("assistant", &text("Summary"), false)];
    run(&["text"], lines_of(&lines)).stdout("Hi.\n");
}

#[test]
fn error_before_the_last_line_fails_the_run() {
    let summary = |lines: &[Value]| run(&["summary"], lines_of(lines)).row();
    let complete = json!({"type": "complete", "total_tokens": 5});
    let failed = summary(&[
        json!({"type": "error", "error": "Authentication error: 401"}),
        complete.clone(),
    ]);
    assert_eq!((&failed["error_category"], &failed["complete"]), (&"auth".into(), &true.into()));
    let credits = json!({"type": "systemNotification", "notificationType": "creditsExhausted", "msg": "Add credits."});
    let failed = summary(&[message("assistant", &credits, true), complete.clone()]);
    assert_eq!((&failed["reason"], &failed["error"]), (&"billing".into(), &"Add credits.".into()));
    assert_eq!(
        summary(&[message("assistant", &text("Hi."), true), complete])["succeeded_cleanly"],
        true
    );
}

#[test]
fn total_without_its_parts_counts_as_input() {
    let usage = run(&["usage"], r#"{"type":"complete","total_tokens":70}"#).row();
    assert_eq!((&usage["input_tokens"], &usage["total_tokens"]), (&70.into(), &70.into()));
}

/// Creates a database with two sessions, the second of a subagent.
fn database(folder: &Path, is_old: bool) -> String {
    let path = folder.join("sessions.db");
    let connection = Connection::open(&path).unwrap();
    let newer = if is_old {
        ""
    } else {
        "session_type TEXT, provider_name TEXT, model_config_json TEXT, accumulated_cost REAL,"
    };
    connection
        .execute_batch(&format!(
            "CREATE TABLE schema_version (version INTEGER, applied_at TEXT);
            CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT, {newer}
                created_at TEXT, updated_at TEXT, total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER,
                accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER);
            CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT,
                content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);"
        ))
        .unwrap();
    for (id, kind, counts) in
        [("20260102_1", "user", [900, 90]), ("20260102_2", "sub_agent", [70, 7])]
    {
        let values = params![id, counts[0], counts[1]];
        connection
            .execute(
                "INSERT INTO sessions (id, description, working_dir, created_at, updated_at, total_tokens, input_tokens, output_tokens,
                    accumulated_total_tokens, accumulated_input_tokens, accumulated_output_tokens)
                 VALUES (?1, 'Fix', '/tmp/demo', '2026-01-02 03:04:05', '2026-01-02 03:05:05', 11, 10, 1, ?2 + ?3, ?2, ?3)",
                values,
            )
            .unwrap();
        if !is_old {
            let model = r#"{"model_name":"claude-sonnet-4-5"}"#;
            let update = "UPDATE sessions SET session_type = ?2, model_config_json = ?3, accumulated_cost = 0.25 WHERE id = ?1";
            connection.execute(update, params![id, kind, model]).unwrap();
        }
    }
    let mut at = 0;
    let mut add = |role: &str, content: &Value| {
        at += 1;
        let values = params![at, role, json!([content]).to_string(), 1_767_323_047 + at];
        connection
            .execute(
                "INSERT INTO messages (id, session_id, role, content_json, created_timestamp) VALUES (?1, '20260102_1', ?2, ?3, ?4)",
                values,
            )
            .unwrap();
    };
    add("user", &text("Fix it."));
    add("assistant", &text("I look."));
    add(
        "assistant",
        &json!({"type": "toolRequest", "id": "c", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}),
    );
    add(
        "user",
        &json!({"type": "toolResponse", "id": "c", "toolResult": {"status": "success", "value": [{"type": "text", "text": "a.txt"}]}}),
    );
    add("assistant", &text("One file."));
    path.to_str().unwrap().to_owned()
}

#[test]
fn session_in_the_database_is_read_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let session = format!("{}#20260102_1", database(folder.path(), false));
    run(&["text", &session], "").stdout("I look.\nOne file.\n");
    let call = run(&["tools", &session], "").row();
    assert_eq!((&call["name"], &call["output"]), (&"shell".into(), &"a.txt".into()));
    let usage = run(&["usage", &session], "").row();
    let found = ["model", "session_id", "input_tokens", "total_tokens", "cost_usd"]
        .map(|key| usage[key].clone());
    let expected =
        [json!("claude-sonnet-4-5"), json!("20260102_1"), json!(900), json!(990), json!(0.25)];
    assert_eq!(found, expected);
    let summary = run(&["summary", &session], "").row();
    assert_eq!((&summary["complete"], &summary["succeeded_cleanly"]), (&true.into(), &true.into()));
}

#[test]
fn home_has_the_tokens_of_every_session_once() {
    let folder = tempfile::tempdir().unwrap();
    for root in ["a", "b"] {
        let sessions = folder.path().join(root).join("data/sessions");
        std::fs::create_dir_all(&sessions).unwrap();
        database(&sessions, root == "b");
    }
    let home = |root: &str| {
        let mut command = streamj(&["usage", "--home", "--by", "session"]);
        command
            .env("HOME", "/no/such")
            .env("GOOSE_PATH_ROOT", folder.path().join(root))
            .assert()
            .success()
            .rows()
    };
    for (root, cost) in [("a", json!(0.5)), ("b", Value::Null)] {
        let rows = home(root);
        assert_eq!(rows.len(), 3, "{rows:?}");
        let total = &rows[2];
        assert_eq!((&total["total_tokens"], &total["cost_usd"]), (&1067.into(), &cost), "{root}");
        assert_eq!(rows[0]["project"], "/tmp/demo");
    }
    // A copy of the database has the same sessions.
    let both = ["a", "b"].map(|root| folder.path().join(root).to_str().unwrap().to_owned());
    let rows = run(&["usage", "--by", "harness", &both[0], &both[1]], "").rows();
    assert_eq!(rows[1]["total_tokens"], 1067);
}

#[test]
fn file_of_an_older_release_is_read() {
    let lines = [
        json!({"working_dir": "/tmp/demo", "description": "Fix", "message_count": 2, "total_tokens": 11, "input_tokens": 10, "output_tokens": 1,
            "accumulated_total_tokens": 33, "accumulated_input_tokens": 30, "accumulated_output_tokens": 3}),
        json!({"role": "user", "created": 1_767_323_047, "content": [text("Fix it.")]}),
        json!({"role": "assistant", "created": 1_767_323_048, "content": [text("Done.")]}),
    ];
    run(&["text"], lines_of(&lines)).stdout("Done.\n");
    let usage = run(&["usage"], lines_of(&lines)).row();
    assert_eq!((&usage["harness"], &usage["total_tokens"]), (&"goose".into(), &33.into()));
    assert_eq!(run(&["session"], lines_of(&lines)).row()["cwd"], "/tmp/demo");
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (
            &["goose", "run", "-t", "fix it"][..],
            "goose run --output-format stream-json -t 'fix it'\n",
        ),
        (
            &["goose", "run", "-t", "x", "--output-format", "json"],
            "goose run -t x --output-format json\n",
        ),
        (&["goose", "session"], "goose session\n"),
        (&["goose", "configure"], "goose configure\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn provider_error_fails_a_run_that_exits_with_0() {
    let workspace = Workspace::new();
    workspace.program("goose", &format!("cat {}", fixture("goose/error").display()));
    let (run, record) =
        workspace.record(&["--exit-status", "category", "--", "goose", "run", "-t", "x"]);
    run.code(75).stderr(predicate::str::contains("Rate limit exceeded"));
    assert_eq!(record["error_category"], "rate_limit");
    workspace.program("goose", &format!("cat {}", fixture("goose/tools").display()));
    let (run, record) = workspace.record(&["--", "goose", "run", "-t", "x"]);
    run.success();
    assert_eq!(record["succeeded_cleanly"], true);
}
