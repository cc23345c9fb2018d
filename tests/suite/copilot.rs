//! GitHub Copilot CLI: rules that its recordings do not show, or not completely.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

const SESSION: &str = "tests/fixtures/transcripts/copilot.subagent/session-state/3e52511f-cfb2-4db8-93e6-a2bb75ceaab1/events.jsonl";

#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn event(kind: &str, data: Value) -> Value {
    json!({"type": kind, "data": data, "id": "e", "timestamp": "2026-11-17T18:39:24.925Z", "parentId": "p"})
}

fn result(exit_code: i64) -> Value {
    json!({"type": "result", "timestamp": "2026-11-17T18:39:25.036Z", "sessionId": "s", "exitCode": exit_code, "usage": {}})
}

fn delta(id: &str, text: &str) -> Value {
    event("assistant.message_delta", json!({"messageId": id, "deltaContent": text}))
}

fn message(id: &str, text: &str) -> Value {
    event("assistant.message", json!({"messageId": id, "content": text, "toolRequests": []}))
}

#[test]
fn retries_are_warnings() {
    let summary = run(&["summary"], fixture_bytes("copilot/err_429")).row();
    assert_eq!(summary["warnings"], json!(["retry: rate_limit"; 5].to_vec()));
}

#[test]
fn answer_after_a_cut_one_replaces_it() {
    let lines = [delta("a", "Half an"), delta("b", "Whole"), message("b", "Whole."), result(0)];
    run(&["text"], lines_of(&lines)).success().stdout("Half an\nWhole.\n");
    run(&["text", "--last"], lines_of(&lines)).stdout("Whole.\n");
}

#[test]
fn aborted_run_is_interrupted_and_has_no_end() {
    let lines = [message("a", "Starting."), event("abort", json!({"reason": "user_abort"}))];
    let summary = run(&["summary"], lines_of(&lines)).row();
    assert_eq!(
        (&summary["complete"], &summary["succeeded_cleanly"]),
        (&false.into(), &false.into())
    );
    let error = run(&["error"], lines_of(&lines)).row();
    assert_eq!(
        (&error["reason"], &error["message"]),
        (&"interrupted".into(), &"the run was aborted".into())
    );
}

#[test]
fn error_of_a_subagent_is_not_that_of_the_run() {
    let mut error = event(
        "session.error",
        json!({"errorType": "authentication", "message": "no", "statusCode": 401}),
    );
    error["agentId"] = "a".into();
    let lines = [error.clone(), message("m", "Done."), result(0)];
    let summary = run(&["summary"], lines_of(&lines)).row();
    assert_eq!((&summary["error"], &summary["warnings"]), (&Value::Null, &json!(["notice: no"])));
    error.as_object_mut().unwrap().remove("agentId");
    let row = run(&["error"], lines_of(&[error, result(1)])).row();
    assert_eq!((&row["category"], &row["status"]), (&"auth".into(), &401.into()));
}

#[test]
fn used_up_quota_is_a_rate_limit() {
    let error = json!({"errorType": "quota", "errorCode": "quota_exceeded", "message": "You have no requests left.", "statusCode": 402});
    let row = run(&["error"], lines_of(&[event("session.error", error), result(1)])).row();
    assert_eq!((&row["category"], &row["reason"]), (&"rate_limit".into(), &"quota".into()));
}

#[test]
fn agent_in_the_background_is_followed_to_its_end() {
    let call = json!({"toolCallId": "c", "toolName": "task", "arguments": {"mode": "background", "description": "Look"}});
    let started = event("tool.execution_start", call);
    let launched = event(
        "tool.execution_complete",
        json!({"toolCallId": "c", "success": true, "result": {"content": "started"}}),
    );
    let task = |kind: &str| {
        let mut task = event(kind, json!({"toolCallId": "c", "agentDescription": "Look"}));
        task["agentId"] = "a".into();
        task
    };
    let begin = [started, task("subagent.started"), launched];
    let lost = [&begin[..], &[message("m", "Bye."), result(0)]].concat();
    assert_eq!(run(&["summary"], lines_of(&lost)).row()["error_category"], "background-task");
    let ended =
        [&begin[..], &[task("subagent.completed"), message("m", "Bye."), result(0)]].concat();
    assert_eq!(run(&["summary"], lines_of(&ended)).row()["succeeded_cleanly"], true);
}

#[test]
fn secret_split_over_deltas_is_masked() {
    let secret = "sk-ant-api03-AbCdEfGhIjKlMnOp";
    for cut in 1..secret.len() {
        let (one, two) = secret.split_at(cut);
        let lines = [delta("a", one), delta("a", two), message("a", secret), result(0)];
        run(&["--redact", "text"], lines_of(&lines)).stdout("<redacted>\n");
        let output = |text: &str| {
            event("tool.shell_output", json!({"toolCallId": "c", "stream": "stdout", "text": text}))
        };
        let end = event("tool.execution_complete", json!({"toolCallId": "c", "success": true}));
        let lines = lines_of(&[output(one), output(two), end]);
        let texts = run(&["--redact", "events"], lines).rows();
        let text: String = texts.iter().filter_map(|row| row["data"]["text"].as_str()).collect();
        assert_eq!(text, "<redacted>", "{cut}");
    }
}

#[test]
fn usage_of_a_stream_names_the_place_of_its_tokens() {
    run(&["usage"], fixture_bytes("copilot/text_success")).success().stderr(
        "streamj: <stdin>: the stream of copilot contains no tokens; its sessions on disk do (usage --home)\n",
    );
    run(&["usage", "-q"], fixture_bytes("copilot/text_success")).stderr("");
    run(&["usage", root().join(SESSION).to_str().unwrap()], "").stderr("");
}

#[test]
fn requests_of_a_copied_session_count_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join(SESSION)).unwrap();
    for id in ["3e52511f-cfb2-4db8-93e6-a2bb75ceaab1", "b"] {
        let copy = folder.path().join("session-state").join(id);
        std::fs::create_dir_all(&copy).unwrap();
        let own = text.replace("3e52511f-cfb2-4db8-93e6-a2bb75ceaab1", id);
        std::fs::write(copy.join("events.jsonl"), own).unwrap();
    }
    let total = run(&["usage", "--by", "harness", folder.path().to_str().unwrap()], "").rows();
    let total = total.last().unwrap();
    assert_eq!(
        (&total["uncached_input_tokens"], &total["total_tokens"]),
        (&2000.into(), &6250.into())
    );
    assert!(total["unattributed"].is_null(), "{total}");
}

#[test]
fn tokens_of_older_releases_are_those_of_the_last_line() {
    let start = event(
        "session.start",
        json!({"sessionId": "s", "copilotVersion": "0.0.400", "context": {"cwd": "/w"}}),
    );
    let total = |input: u64| {
        event(
            "session.shutdown",
            json!({"modelMetrics": {"gpt-4": {"usage": {"inputTokens": input, "outputTokens": 5, "cacheReadTokens": 7}}}}),
        )
    };
    let session = [start, message("m", "Hi."), total(20), message("n", "Ho."), total(50)];
    let usage = run(&["usage"], lines_of(&session)).row();
    assert_eq!(
        (&usage["source"], &usage["input_tokens"], &usage["uncached_input_tokens"]),
        (&"shutdown".into(), &50.into(), &43.into())
    );
    // A process that does not continue the count starts again.
    let restarted = [&session[..], &[total(10)]].concat();
    assert_eq!(run(&["usage"], lines_of(&restarted)).row()["input_tokens"], 60);
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["copilot", "-p", "hi"][..], "copilot --output-format json -p hi\n"),
        (
            &["copilot", "--output-format", "text", "-p", "hi"],
            "copilot --output-format text -p hi\n",
        ),
        (
            &["npx", "@github/copilot", "-p", "hi"],
            "npx @github/copilot --output-format json -p hi\n",
        ),
        (&["copilot", "mcp", "list"], "copilot mcp list\n"),
        (&["copilot", "login"], "copilot login\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn missing_login_is_an_auth_failure() {
    let workspace = Workspace::new();
    workspace.program("copilot", "echo 'Error: No authentication information found.' >&2; echo >&2; echo 'Copilot can be authenticated with GitHub' >&2; exit 1");
    let (run, record) =
        workspace.record(&["--exit-status", "category", "--", "copilot", "-p", "hi"]);
    run.code(77);
    assert_eq!(
        (&record["error_category"], &record["error"]),
        (&"auth".into(), &"No authentication information found.".into())
    );
    workspace.program("copilot", "echo 'error: Invalid command format.' >&2; exit 1");
    let (_, record) = workspace.record(&["--", "copilot", "-p", "hi"]);
    assert_eq!(record["error_category"], "subprocess");
}

#[test]
fn interrupted_run_that_exits_with_0_is_a_failure() {
    let workspace = Workspace::new();
    let lines =
        lines_of(&[message("a", "Starting."), event("abort", json!({"reason": "user_abort"}))]);
    workspace.write("stream", lines);
    workspace.program("copilot", "cat $DIR/stream");
    workspace.wrap(&["--", "copilot", "-p", "hi"]).code(1);
}

#[test]
fn home_of_the_sessions_is_read() {
    let folder = root().join("tests/fixtures/transcripts/copilot.subagent");
    let mut command = streamj(&["usage", "--home", "--by", "harness"]);
    let rows =
        command.env("HOME", "/no/such").env("COPILOT_HOME", folder).assert().success().rows();
    assert_eq!((&rows[0]["harness"], &rows[0]["total_tokens"]), (&"copilot".into(), &6250.into()));
    streamj(&["usage", "--home"])
        .env("HOME", "/no/such")
        .assert()
        .stderr(predicate::str::is_empty().not());
}
