//! Factory Droid: rules that its recordings do not show, or not completely.

use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"s","tools":["Read"],"model":"m","reasoning_effort":"none"}"#;

#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn line(kind: &str, members: Value) -> Value {
    let mut line = json!({"type": kind, "timestamp": 1_794_942_096_798_u64, "session_id": "s"});
    line.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    line
}

fn message(text: &str) -> Value {
    line("message", json!({"role": "assistant", "id": text, "text": text}))
}

fn call(id: &str, name: &str) -> Value {
    line(
        "tool_call",
        json!({"id": id, "messageId": "m", "toolId": name, "toolName": name, "parameters": {"file_path": "/a"}}),
    )
}

fn result(id: &str, name: &str, value: &Value) -> Value {
    line(
        "tool_result",
        json!({"id": id, "messageId": "m", "toolId": name, "isError": false, "value": value}),
    )
}

fn error(source: &str, message: &str) -> Value {
    line("error", json!({"source": source, "message": message}))
}

fn completion(usage: &Value) -> Value {
    line("completion", json!({"finalText": "Hi.", "numTurns": 1, "durationMs": 5, "usage": usage}))
}

fn init() -> Value {
    serde_json::from_str(INIT).unwrap()
}

#[test]
fn description_without_members_of_others_identifies_the_session() {
    let harness = |line: &str| run(&["events", "--get", "/harness"], line).text().to_owned();
    assert_eq!(harness(INIT), "droid\n");
    for member in [r#""uuid":"u""#, r#""mcp_servers":[]"#, r#""permissionMode":"default""#] {
        let other = INIT.replace(r#""model""#, &format!(r#"{member},"model""#));
        assert_eq!(harness(&other), "claude\n", "{member}");
    }
    for other in [
        r#"{"type":"message","role":"assistant","content":"x","timestamp":"2026-11-17T19:01:36Z"}"#,
        r#"{"type":"error","source":"x","message":"y"}"#,
        r#"{"type":"tool_call","id":"c"}"#,
    ] {
        assert_ne!(harness(other), "droid\n", "{other}");
    }
}

#[test]
fn session_describes_model_folder_and_tools() {
    let session = run(&["session"], INIT).row();
    let expected = json!({
        "harness": "droid", "session_id": "s", "model": "m", "cwd": "/w", "tools": ["Read"],
        "resume_command": "droid exec -s s",
    });
    assert_eq!(session, expected);
}

#[test]
fn reasoning_that_is_printed_twice_counts_once() {
    let events = run(&["events", "--unified"], fixture_bytes("droid/tools")).rows();
    assert_eq!(events.iter().filter(|event| event["kind"] == "reasoning").count(), 1);
}

#[test]
fn parallel_calls_are_matched_by_id_and_an_open_one_is_pending() {
    let lines = [
        init(),
        call("1", "Read"),
        call("2", "Grep"),
        call("3", "Read"),
        result("2", "Grep", &json!({"matches": []})),
        result("1", "Read", &json!("text")),
    ];
    let rows = run(&["tools"], lines_of(&lines)).rows();
    let calls: Vec<_> = rows
        .iter()
        .map(|row| [&row["id"], &row["name"], &row["status"], &row["output"]].map(Value::as_str))
        .collect();
    assert_eq!(
        calls,
        [
            [Some("2"), Some("Grep"), Some("completed"), Some(r#"{"matches":[]}"#)],
            [Some("1"), Some("Read"), Some("completed"), Some("text")],
            [Some("3"), Some("Read"), Some("pending"), None],
        ]
    );
    assert_eq!(run(&["summary"], lines_of(&lines)).row()["complete"], false);
}

#[test]
fn input_excludes_cached_and_output_includes_thinking() {
    let usage = json!({"input_tokens": 4, "output_tokens": 5, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 2, "thinking_tokens": 3});
    let row = run(&["usage"], lines_of(&[init(), completion(&usage)])).row();
    let counts = ["input_tokens", "uncached_input_tokens", "output_tokens", "reasoning_tokens"];
    assert_eq!(counts.map(|name| row[name].as_u64().unwrap()), [4, 4, 8, 3]);
    assert_eq!(row["total_tokens"], 22);
}

#[test]
fn error_of_the_cli_ends_the_run_and_the_first_one_counts() {
    let failed = [init(), error("agent_loop", "529 Overloaded"), error("cli", "Exec failed")];
    let summary = run(&["summary"], lines_of(&failed)).row();
    assert_eq!((&summary["error"], &summary["complete"]), (&"529 Overloaded".into(), &true.into()));
    let row = run(&["error"], lines_of(&failed)).row();
    assert_eq!((&row["status"], &row["reason"]), (&529.into(), &"overloaded".into()));
    // Without it the run was cut off.
    let summary = run(&["summary"], lines_of(&failed[..2])).row();
    assert_eq!(summary["complete"], false);
    let row = run(&["error"], lines_of(&[init(), error("cli", "Session not found: x")])).row();
    assert_eq!((&row["message"], &row["source"]), (&"Session not found: x".into(), &"turn".into()));
}

#[test]
fn time_of_the_next_attempt_is_in_the_message() {
    let limit = [
        init(),
        error("agent_loop", "429 Rate limit reached. Please try again in 90s."),
        error("cli", "Exec failed"),
    ];
    let row = run(&["error"], lines_of(&limit)).row();
    assert_eq!((&row["category"], &row["status"]), (&"rate_limit".into(), &429.into()));
    assert!(row["retry_at"].is_string(), "{row}");
}

#[test]
fn run_without_its_last_line_is_incomplete() {
    let row = run(&["error"], lines_of(&[init(), message("Hi.")])).row();
    assert_eq!(row["message"], "the stream ends before its completion");
}

#[test]
fn settings_beside_a_session_have_its_tokens() {
    let folder = root().join("tests/fixtures/transcripts/droid.resume");
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".factory")).unwrap();
    std::os::unix::fs::symlink(folder.join("sessions"), home.path().join(".factory/sessions"))
        .unwrap();
    let mut command = streamj(&["usage", "--home", "--by", "session"]);
    let rows = command.env("HOME", home.path()).assert().success().rows();
    assert_eq!(rows.len(), 2, "one session and the total");
    let row = &rows[0];
    assert_eq!((&row["project"], &row["total_tokens"]), (&"/tmp/demo".into(), &2500.into()));
    // The model is one that the user has configured.
    assert_eq!(row["models"][0]["model"], "custom:Fake-0");
}

#[test]
fn session_is_described_by_its_first_line_or_a_member_of_it() {
    let described = json!({"id": "s", "title": "Work.", "cwd": "/w"});
    let mut flat = described.clone();
    flat["type"] = "session_start".into();
    for line in [flat, json!({"type": "session_start", "session": described})] {
        let row = run(&["session"], line.to_string()).row();
        let found = (&row["harness"], &row["session_id"], &row["cwd"]);
        assert_eq!(found, (&"droid".into(), &"s".into(), &"/w".into()), "{line}");
    }
}

#[test]
fn note_to_the_user_is_no_failure_of_a_session() {
    let note = |text: &str| {
        json!({"type": "message", "id": "n", "timestamp": "2026-11-17T19:01:36.832Z",
            "message": {"role": "user", "content": [{"type": "text", "text": text}], "visibility": "user_only"}})
    };
    let start = json!({"type": "session_start", "id": "s", "cwd": "/w", "version": 2});
    let outcome = |reason: &str| json!({"type": "agent_turn_outcome", "turnId": "t", "reason": reason, "resultKind": "text"});
    let summary = |lines: &[Value]| run(&["summary"], lines_of(lines)).row();
    let stopped = [start.clone(), note("The model produced nothing."), outcome("completed")];
    assert_eq!(summary(&stopped)["error"], Value::Null);
    let failed = [start.clone(), outcome("model_rate_limited")];
    assert_eq!(summary(&failed)["error_category"], "rate_limit");
    let failed =
        [start, note("BYOK Error: 401 Wrong key\n\nMore."), outcome("model_authentication_failed")];
    assert_eq!(summary(&failed)["error"], "401 Wrong key");
}

#[test]
fn prompts_of_the_cli_itself_are_synthetic() {
    let file = root().join("tests/fixtures/transcripts/droid.tools/sessions/-tmp-demo/c1607ff6-6fd3-46a9-b4b6-0fe099c9ad7d.jsonl");
    let events = run(&["events", "--unified", file.to_str().unwrap()], "").rows();
    let prompts: Vec<_> = events.iter().filter(|event| event["kind"] == "prompt").collect();
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[0]["synthetic"], true);
    assert_eq!((&prompts[1]["text"], &prompts[1]["synthetic"]), (&"Work.".into(), &Value::Null));
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["droid", "exec", "fix it"][..], "droid exec -o stream-json 'fix it'\n"),
        (&["droid", "exec", "-o", "text", "x"], "droid exec -o text x\n"),
        (&["droid", "exec", "--output-format=json", "x"], "droid exec '--output-format=json' x\n"),
        (&["droid", "exec", "-s", "ID", "x"], "droid exec -o stream-json -s ID x\n"),
        (&["droid"], "droid\n"),
        (&["droid", "mcp", "list"], "droid mcp list\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn failed_run_does_not_exit_with_0() {
    let workspace = Workspace::new();
    for (recording, status, code) in [("err_429", 1, 75), ("permission_denied", 1, 77)] {
        let stream = fixture(&format!("droid/{recording}"));
        workspace.program("droid", &format!("cat {}; exit {status}", stream.display()));
        let args = ["--exit-status", "category", "--", "droid", "exec", "Hi."];
        workspace.wrap(&args).code(code);
    }
    let cut = fixture("droid/tools");
    workspace.program("droid", &format!("head -n 4 {}", cut.display()));
    workspace.wrap(&["--", "droid", "exec", "Hi."]).code(1);
    workspace.program("droid", &format!("cat {}", cut.display()));
    workspace.wrap(&["--", "droid", "exec", "Hi."]).success();
}
