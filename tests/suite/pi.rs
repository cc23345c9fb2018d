//! Pi: rules that its recordings do not show, or not completely.

use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

const SESSION: &str = "tests/fixtures/transcripts/pi.tools/sessions/--tmp-demo--/2026-11-17T18-36-15-363Z_01a1eacb-9e82-74a0-8367-2e9d8111dc2d.jsonl";

fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-17T18:36:15.363Z", "cwd": "/w"})
}

#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn answer(content: Value) -> Value {
    json!({"role": "assistant", "content": content, "model": "m", "stopReason": "stop", "timestamp": 1_794_940_575_460_u64,
        "usage": {"input": 4, "output": 5, "cacheRead": 8, "cacheWrite": 2, "totalTokens": 19, "cost": {"total": 0.5}}})
}

fn text(text: &str) -> Value {
    answer(json!([{"type": "text", "text": text}]))
}

#[allow(clippy::needless_pass_by_value)]
fn failed(reason: &str, message: &str) -> Value {
    let mut failed = answer(json!([]));
    failed["stopReason"] = reason.into();
    failed["errorMessage"] = message.into();
    failed
}

#[allow(clippy::needless_pass_by_value)]
fn end(message: Value) -> Value {
    json!({"type": "message_end", "message": message})
}

fn delta(index: u64, text: &str) -> Value {
    json!({"type": "message_update", "assistantMessageEvent": {"type": "text_delta", "contentIndex": index, "delta": text}})
}

fn settled() -> Value {
    json!({"type": "agent_settled", "aborted": false})
}

#[test]
fn message_that_is_repeated_counts_once() {
    let message = text("Hi.");
    let lines = [
        header(),
        delta(0, "H"),
        delta(0, "i."),
        end(message.clone()),
        json!({"type": "turn_end", "message": message, "toolResults": []}),
        json!({"type": "agent_end", "messages": [message], "willRetry": false}),
        settled(),
    ];
    run(&["text"], lines_of(&lines)).success().stdout("Hi.\n");
    let usage = run(&["usage"], lines_of(&lines)).row();
    assert_eq!((&usage["total_tokens"], &usage["cost_usd"]), (&19.into(), &0.5.into()));
}

#[test]
fn failed_request_is_the_failure_unless_it_is_repeated() {
    let failed = end(failed("error", "529 overloaded"));
    let error = run(&["error"], lines_of(&[header(), failed.clone(), settled()])).row();
    let reason = (&error["status"], &error["reason"], &error["retryable"]);
    assert_eq!(reason, (&529.into(), &"overloaded".into(), &true.into()));
    let repeated = [header(), failed, end(text("Hi.")), settled()];
    run(&["error"], lines_of(&repeated)).success().stdout("");
    assert_eq!(run(&["summary"], lines_of(&repeated)).row()["succeeded_cleanly"], true);
}

#[test]
fn aborted_message_is_an_interruption() {
    let lines = [header(), end(failed("aborted", "Request was aborted")), settled()];
    let error = run(&["error"], lines_of(&lines)).row();
    assert_eq!((&error["category"], &error["reason"]), (&"api".into(), &"interrupted".into()));
}

#[test]
fn run_of_older_releases_ends_with_its_agent() {
    let ended = json!({"type": "agent_end", "messages": []});
    let complete = |lines: &[Value]| run(&["summary"], lines_of(lines)).row()["complete"].clone();
    assert_eq!(complete(&[header(), end(text("Hi.")), ended]), true);
    let retried = json!({"type": "agent_end", "messages": [], "willRetry": true});
    assert_eq!(complete(&[header(), end(text("Hi.")), retried]), false);
}

#[test]
fn requests_of_tools_and_compactions_are_counted() {
    let usage =
        json!({"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.25}});
    let result = json!({"role": "toolResult", "toolCallId": "c", "toolName": "t", "content": [], "isError": false, "timestamp": 1, "usage": usage});
    let compacted = json!({"type": "compaction_end", "reason": "threshold", "result": {"summary": "s", "tokensBefore": 90, "usage": usage}});
    let lines = [header(), end(result.clone()), compacted, end(text("Hi.")), settled()];
    let row = run(&["usage"], lines_of(&lines)).row();
    assert_eq!((&row["input_tokens"], &row["cost_usd"]), (&6.into(), &1.0.into()));
    let entry = |kind: &str, id: &str| json!({"type": kind, "id": id, "parentId": null, "timestamp": "2026-11-17T18:36:15.363Z"});
    let mut stored = [entry("message", "a"), entry("compaction", "b"), entry("usage", "c")];
    stored[0]["message"] = result;
    stored[1]["summary"] = "s".into();
    stored[1]["usage"] = usage.clone();
    stored[2]["usage"] = usage;
    let row = run(&["usage"], lines_of(&[&[header()], &stored[..]].concat())).row();
    assert_eq!((&row["input_tokens"], &row["cost_usd"]), (&3.into(), &0.75.into()));
}

#[test]
fn fork_of_a_session_counts_its_own_requests_only() {
    let folder = tempfile::tempdir().unwrap();
    let parent = std::fs::read_to_string(root().join(SESSION)).unwrap();
    std::fs::write(folder.path().join("a.jsonl"), &parent).unwrap();
    // Entries are copied; messages without an id of the response have that of the entry.
    let own = json!({"type": "message", "id": "own", "parentId": "2a1c5d19", "timestamp": "2026-11-18T00:00:00.000Z", "message": text("Mine.")});
    let copied = parent.replace("01a1eacb-9e82-74a0-8367-2e9d8111dc2d", "fork");
    std::fs::write(folder.path().join("b.jsonl"), copied + &lines_of(&[own])).unwrap();
    let with_ids = run(&["usage", "--by", "harness", folder.path().to_str().unwrap()], "").rows();
    assert_eq!(with_ids[0]["total_tokens"], 8750 + 19);
    for name in ["a.jsonl", "b.jsonl"] {
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap().replace("\"responseId\"", "\"other\"");
        std::fs::write(path, text).unwrap();
    }
    let without = run(&["usage", "--by", "harness", folder.path().to_str().unwrap()], "").rows();
    assert_eq!(without[0]["total_tokens"], 8750 + 19);
}

#[test]
fn secret_split_over_deltas_is_masked() {
    let secret = "sk-ant-api03-AbCdEfGhIjKlMnOp";
    for cut in 1..secret.len() {
        let (one, two) = secret.split_at(cut);
        let lines = [
            header(),
            delta(0, one),
            delta(1, "a"),
            delta(0, two),
            end(answer(json!([
            {"type": "text", "text": secret}, {"type": "text", "text": "a"}]))),
            settled(),
        ];
        run(&["--redact", "text"], lines_of(&lines)).stdout("<redacted>\na\n");
    }
}

#[test]
fn api_failure_with_status_0_fails_the_run() {
    let workspace = Workspace::new();
    workspace.program("pi", &format!("cat {}", fixture("pi/err_429").display()));
    workspace.wrap(&["--", "pi", "hi"]).code(1);
    workspace.wrap(&["--exit-status", "category", "--", "pi", "hi"]).code(75);
    workspace.program("pi", &format!("cat {}", fixture("pi/err_500_retry_then_ok").display()));
    workspace.wrap(&["--", "pi", "hi"]).code(0);
}

#[test]
fn failure_on_standard_error_is_explained() {
    let workspace = Workspace::new();
    workspace.write("stream", lines_of(&[header()]));
    workspace.program("pi", "cat $DIR/stream; echo 'No API key found for anthropic.' >&2; echo >&2; echo 'Use /login' >&2; exit 1");
    let (run, record) = workspace.record(&["--exit-status", "category", "--", "pi", "hi"]);
    run.code(77);
    assert_eq!(record["error"], "No API key found for anthropic.");
    workspace.program("pi", "echo \"No session found matching 'x'\" >&2; exit 1");
    let error = workspace.wrap(&["--as", "error", "--", "pi", "--session", "x", "hi"]).row();
    assert_eq!(error["reason"], "session_not_found");
    workspace.program("pi", "echo 'Error: Unknown option: --nope' >&2; exit 1");
    assert_eq!(workspace.record(&["--", "pi", "--nope", "hi"]).1["error_category"], "subprocess");
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["pi", "fix it"][..], "pi --mode json 'fix it'\n"),
        (&["pi", "-p", "--model", "a/b", "hi"], "pi --mode json -p --model a/b hi\n"),
        (&["pi", "--mode", "text", "hi"], "pi --mode text hi\n"),
        (&["pi", "install", "x"], "pi install x\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn home_of_the_sessions_is_read() {
    let folder = root().join("tests/fixtures/transcripts/pi.tools");
    let mut command = streamj(&["usage", "--home", "--by", "project"]);
    let home = command.env("HOME", "/no/such").env("PI_CODING_AGENT_DIR", folder);
    let rows = home.assert().success().rows();
    assert_eq!(
        (&rows[0]["project"], &rows[0]["total_tokens"]),
        (&"/tmp/demo".into(), &8750.into())
    );
}

#[test]
fn session_has_the_directory_and_the_command_to_resume() {
    let session = run(&["session"], fixture_bytes("pi/tools")).row();
    let id = "01a1eacb-9e82-74a0-8367-2e9d8111dc2d";
    assert_eq!(session["resume_command"], format!("pi --session {id}"));
    assert_eq!((&session["cwd"], &session["model"]), (&"/tmp/demo".into(), &"fake-model".into()));
}
