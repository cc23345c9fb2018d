//! Mistral Vibe: rules that its recordings do not show, or not completely. The lines of
//! releases before 3 are made by hand from their published types.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

/// The session of the recording `tools`.
const SESSION: &str = "fef06b1a-ee16-e92f-66cd-b6569fb67166";

#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn entry(kind: &str, members: Value) -> Value {
    let mut entry = json!({"id": "e", "sessionId": "s", "turnId": "t", "createdAt": 1_794_941_233_766_u64,
        "updatedAt": 1_794_941_233_866_u64, "generationStatus": "completed", "type": kind});
    entry.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    entry
}

fn effect(id: &str, name: &str, state: &Value) -> Value {
    let detail = json!({"toolName": name, "kind": "shell", "input": {"command": "ls"}});
    entry("effect", json!({"id": id, "title": name, "detail": detail, "state": state}))
}

fn answer(text: &str) -> Value {
    entry("message", json!({"role": "assistant", "content": [{"type": "text", "text": text}]}))
}

/// Returns a message of a release before 3, with all members or without those that are null.
#[allow(clippy::needless_pass_by_value)]
fn message(role: &str, members: Value, is_stored: bool) -> Value {
    let mut message = json!({"role": role, "content": null, "images": null, "injected": false, "reasoning_content": null,
        "tool_calls": null, "name": null, "tool_call_id": null, "message_id": "m", "user_display_content": null});
    let map = message.as_object_mut().unwrap();
    map.extend(members.as_object().unwrap().clone());
    if is_stored {
        map.retain(|_, value| !value.is_null());
    }
    message
}

/// A run of a release before 3.
fn older_run(is_stored: bool) -> Vec<Value> {
    let calls = json!([
        {"id": "a", "index": 0, "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}, "type": "function"},
        {"id": "b", "index": 1, "function": {"name": "read_file", "arguments": "{\"path\": \"x\"}"}, "type": "function"},
    ]);
    let result = |id: &str, text: &str| json!({"tool_call_id": id, "content": text, "name": null, "message_id": null});
    let message = |role: &str, members: Value| message(role, members, is_stored);
    vec![
        message("system", json!({"content": "You are."})),
        message("user", json!({"content": "Work."})),
        message(
            "assistant",
            json!({"content": "Look.", "reasoning_content": "Hm.", "tool_calls": calls}),
        ),
        message("tool", result("b", "<tool_error>File not found</tool_error>")),
        message("tool", result("a", "stdout: a.txt")),
        message("user", json!({"content": "Go on.", "injected": true})),
        message("assistant", json!({"content": "Done.", "message_id": "n"})),
    ]
}

#[test]
fn every_line_is_certain_without_its_stream() {
    for line in [answer("Hi."), entry("new_kind", json!({}))]
        .iter()
        .chain(&older_run(false))
        .chain(&older_run(true))
    {
        let harness = run(&["events", "--get", "/harness"], line.to_string()).text().to_owned();
        assert_eq!(harness, "vibe\n", "{line}");
    }
}

#[test]
fn state_of_an_effect_is_the_result_of_its_call() {
    let lines = [
        effect(
            "1",
            "file_system.bash",
            &json!({"status": "completed", "outputText": "x", "display": {"success": true}, "durationMs": 7.0}),
        ),
        effect(
            "2",
            "file_system.bash",
            &json!({"status": "completed", "outputText": "", "display": {"success": false}}),
        ),
        effect("3", "file_system.bash", &json!({"status": "failed", "reason": "timeout"})),
        effect("4", "file_system.bash", &json!({"status": "rejected", "reason": "not allowed"})),
        effect("5", "file_system.bash", &json!({"status": "running"})),
        answer("Done."),
    ];
    let rows = run(&["tools"], lines_of(&lines)).rows();
    let calls: Vec<_> = rows
        .iter()
        .map(|row| (row["status"].as_str().unwrap(), row["output"].as_str(), &row["duration_ms"]))
        .collect();
    let hundred = Value::from(100);
    assert_eq!(
        calls,
        [
            ("completed", Some("x"), &Value::from(7)),
            ("failed", Some(""), &hundred),
            ("failed", Some("timeout"), &hundred),
            ("denied", Some("not allowed"), &hundred),
            ("pending", None, &Value::Null),
        ]
    );
}

#[test]
fn run_is_finished_with_an_answer() {
    let summary = |lines: &[Value]| run(&["summary"], lines_of(lines)).row();
    let prompt = entry(
        "message",
        json!({"role": "user", "content": [{"type": "text", "text": "Hi."}], "source": "turn_start"}),
    );
    assert_eq!(summary(&[prompt.clone(), answer("Hi.")])["succeeded_cleanly"], true);
    assert_eq!(summary(std::slice::from_ref(&prompt))["complete"], false);
    let call = effect("1", "file_system.bash", &json!({"status": "completed"}));
    assert_eq!(summary(&[prompt, answer("Let me look."), call])["complete"], false);
}

#[test]
fn stream_and_session_have_the_same_id() {
    let path =
        format!("tests/fixtures/transcripts/vibe.tools/logs/session/unified/{SESSION}/meta.json");
    let stored = run(&["session", root().join(path).to_str().unwrap()], "").row();
    let expected = json!({
        "harness": "vibe", "session_id": SESSION, "model": "fake-model", "cwd": "/tmp/demo",
        "resume_command": format!("vibe --resume {SESSION}"),
    });
    assert_eq!(stored, expected);
    let streamed = run(&["session"], fixture_bytes("vibe/tools")).row();
    assert_eq!(streamed["session_id"], stored["session_id"]);
}

#[test]
fn stream_says_that_it_has_no_tokens() {
    run(&["usage"], fixture_bytes("vibe/tools"))
        .stderr(predicate::str::ends_with("the stream of vibe contains no tokens\n"));
}

#[test]
fn stream_and_session_of_an_older_release_agree() {
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("logs/session/session_20260701_120000_abc");
    std::fs::create_dir_all(&session).unwrap();
    let messages = session.join("messages.jsonl");
    std::fs::write(&messages, lines_of(&older_run(true)[1..])).unwrap();
    let description = json!({
        "session_id": "abc", "start_time": "2026-07-01T12:00:00+00:00", "end_time": "2026-07-01T12:01:00+00:00",
        "environment": {"working_directory": "/w"}, "config": {"active_model": "devstral-2"},
        "stats": {"steps": 2, "session_prompt_tokens": 100, "session_completion_tokens": 20, "session_cost": 0.25},
    });
    std::fs::write(session.join("meta.json"), serde_json::to_string_pretty(&description).unwrap())
        .unwrap();
    let file = messages.to_str().unwrap();
    let stream = lines_of(&older_run(false));
    for args in [&["text"][..], &["tools"]] {
        let streamed = run(args, stream.as_str()).success().text().to_owned();
        run(&[args, &[file]].concat(), "").success().stdout(streamed);
    }
    run(&["text"], stream.as_str()).stdout("Look.\nDone.\n");
    let rows = run(&["tools"], stream.as_str()).rows();
    let calls: Vec<_> = rows.iter().map(|row| [&row["name"], &row["status"]]).collect();
    assert_eq!(calls, [["read_file", "failed"], ["bash", "completed"]]);
    let mut command = streamj(&["usage", "--home", "--by", "session"]);
    let home = command.env("HOME", "/no/such").env("VIBE_HOME", folder.path());
    let row = &home.assert().success().rows()[0];
    let counts = [&row["session_id"], &row["project"], &row["total_tokens"], &row["cost_usd"]];
    assert_eq!(counts, [&json!("abc"), &json!("/w"), &json!(120), &json!(0.25)]);
}

#[test]
fn final_error_is_taken_from_standard_error() {
    let workspace = Workspace::new();
    let stream = fixture("vibe/err_401");
    for (line, status, category, message) in [
        // The line names a variable with a key and is masked.
        (
            "Error: Invalid API key (from env var MISTRAL_API_KEY). Please check your API key and try again.",
            1,
            "auth",
            "the API key is missing or invalid",
        ),
        ("Error: Rate limit exceeded (429)", 2, "rate_limit", "Rate limit exceeded (429)"),
        ("Error: Connection error", 2, "api", "Connection error"),
        ("Stopped: turn_limit", 3, "api", "Stopped: turn_limit"),
    ] {
        workspace.write("error", format!("{line}\n"));
        let script = format!("cat {}; cat $DIR/error >&2; exit {status}", stream.display());
        workspace.program("vibe", &script);
        let (run, record) = workspace.record(&["--", "vibe", "-p", "Hi."]);
        run.code(status);
        assert_eq!(
            (&record["error_category"], &record["error"]),
            (&category.into(), &message.into()),
            "{line}"
        );
    }
}

#[test]
fn limits_and_signals_have_reasons() {
    let workspace = Workspace::new();
    let stream = fixture("vibe/signal_sigint");
    for (word, reason) in [("turn_limit", "max_turns"), ("terminated", "interrupted")] {
        let script = format!("cat {}; echo 'Stopped: {word}' >&2; exit 3", stream.display());
        workspace.program("vibe", &script);
        let error = workspace.wrap(&["--as", "error", "--", "vibe", "-p", "Hi."]).row();
        assert_eq!(error["reason"], reason, "{word}");
    }
}

#[test]
fn run_that_exits_with_0_without_an_answer_is_a_failure() {
    let workspace = Workspace::new();
    workspace.program("vibe", &format!("cat {}", fixture("vibe/err_401").display()));
    workspace.wrap(&["--", "vibe", "-p", "Hi."]).code(1);
    workspace.program("vibe", &format!("cat {}", fixture("vibe/tools").display()));
    workspace.wrap(&["--", "vibe", "-p", "Hi."]).success();
}

#[test]
fn command_line_is_completed() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["vibe", "-p", "fix it"][..], "vibe --output streaming -p 'fix it'\n"),
        (&["vibe", "-p", "x", "--output", "text"], "vibe -p x --output text\n"),
        (&["vibe", "--resume", "ID", "-p", "x"], "vibe --output streaming --resume ID -p x\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}
