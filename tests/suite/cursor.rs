//! Cursor: rules of its documented format that the fixtures do not show, or not completely.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

const INIT: &str = r#"{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"s","model":"Auto","permissionMode":"default"}"#;
const ANSWER: &str = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hi."}]},"session_id":"s"}"#;

fn harnesses(lines: &[&str]) -> Vec<Value> {
    let events = run(&["events"], lines.join("\n")).rows();
    events.iter().map(|event| event["harness"].clone()).collect()
}

fn completed(tool: &str, body: &Value) -> String {
    json!({"type": "tool_call", "subtype": "completed", "call_id": "c", "session_id": "s",
        "tool_call": {"hookAdditionalContexts": {}, tool: body}})
    .to_string()
}

#[test]
fn first_line_identifies_the_messages_after_it() {
    assert_eq!(harnesses(&[INIT, ANSWER]), ["cursor", "cursor"]);
    // Without it the message has the shape that several CLIs share.
    assert_eq!(harnesses(&[ANSWER]), ["claude"]);
    for member in [r#""tools":[]"#, r#""uuid":"u""#, r#""claude_code_version":"2""#] {
        let other = INIT.replacen('{', &format!("{{{member},"), 1);
        assert_eq!(harnesses(&[&other]), ["claude"], "{member}");
    }
}

#[test]
fn lines_of_its_own_are_recognised_alone() {
    for line in [
        r#"{"type":"thinking","subtype":"delta","text":"x","session_id":"s","timestamp_ms":1}"#,
        r#"{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{"lsToolCall":{"args":{}}}}"#,
        r#"{"type":"result","subtype":"success","is_error":false,"result":"x","session_id":"s","request_id":"r"}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[]},"session_id":"s","timestamp_ms":1}"#,
    ] {
        assert_eq!(harnesses(&[line]), ["cursor"], "{line}");
    }
    let claude = r#"{"type":"result","subtype":"success","request_id":"r","num_turns":1}"#;
    assert_eq!(harnesses(&[claude]), ["claude"]);
}

#[test]
fn parts_of_a_message_are_shown_live_and_once() {
    let text = fixture_bytes("cursor/partial");
    let lines: Vec<_> = text.split_inclusive(|byte| *byte == b'\n').collect();
    run(&["text"], lines[..4].concat()).stdout("I look.\n");
    run(&["text"], text).stdout("I look.\nOne file.\n");
}

#[test]
fn final_answer_is_the_last_message_and_not_all_text() {
    run(&["text", "--last"], fixture_bytes("cursor/tools")).stdout("Fixed.\n");
    // With `--output-format json` there is nothing else.
    let result = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"result":"All.","session_id":"s","request_id":"r"}"#;
    for args in [&["text"][..], &["text", "--last"]] {
        run(args, result).stdout("All.\n");
    }
}

#[test]
fn call_ends_by_the_name_of_its_result() {
    for (tool, body, expected) in [
        (
            "shellToolCall",
            json!({"result": {"permissionDenied": {"error": "No."}}}),
            ("shell", "denied", "No."),
        ),
        (
            "writeToolCall",
            json!({"result": {"writePermissionDenied": {"error": "No."}}}),
            ("write", "denied", "No."),
        ),
        (
            "shellToolCall",
            json!({"result": {"timeout": {"timeoutMs": 3}}}),
            ("shell", "failed", r#"{"timeoutMs":3}"#),
        ),
        (
            "mcpToolCall",
            json!({"args": {"toolName": "t"}, "result": {"success": {"content": [{"text": {"text": "Bad."}}], "isError": true}}}),
            ("t", "failed", "Bad."),
        ),
        (
            "newToolCall",
            json!({"result": {"success": {"files": 2}}}),
            ("new", "completed", r#"{"files":2}"#),
        ),
        (
            "function",
            json!({"name": "f", "arguments": "{\"a\":1}", "result": {"success": "Ok."}}),
            ("f", "completed", "Ok."),
        ),
    ] {
        let row = run(&["tools"], completed(tool, &body)).row();
        let found = (&row["name"], &row["status"], &row["output"]);
        assert_eq!(found, (&expected.0.into(), &expected.1.into(), &expected.2.into()), "{tool}");
    }
}

#[test]
fn failed_result_is_classified() {
    let failed = |message: &str| {
        let result = json!({"type": "result", "subtype": "error", "is_error": true, "duration_ms": 1, "result": message, "session_id": "s"});
        run(&["error"], format!("{INIT}\n{result}\n")).row()
    };
    for (message, category, reason) in [
        ("Authentication required. Please run 'agent login'.", "auth", "authentication"),
        ("You've hit your usage limit.", "rate_limit", "quota"),
        ("Connection lost, reconnecting", "api", "network"),
    ] {
        let error = failed(message);
        let found = (&error["category"], &error["reason"]);
        assert_eq!(found, (&category.into(), &reason.into()), "{message}");
    }
}

#[test]
fn secret_that_is_split_between_parts_is_masked() {
    let part = |text: &str| json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}, "session_id": "s", "timestamp_ms": 1});
    let secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGh";
    let lines = [part("The key is "), part(&secret[..20]), part(&secret[20..]), part(" there.")];
    let printed = run(&["events", "--redact"], format!("{INIT}\n{}", lines_of(&lines)));
    assert!(!printed.text().contains(&secret[24..]), "{}", printed.text());
}

#[test]
fn transcript_has_prompts_without_their_markup() {
    let path = root().join("tests/fixtures/transcripts/cursor.tools");
    let path = path.join("projects/tmp-demo/agent-transcripts");
    let path = path.join("c6b62c6f-7ead-4fd6-9922-e952131177ff.jsonl");
    let events = run(&["events", "--unified", path.to_str().unwrap()], "").rows();
    assert_eq!(
        (&events[0]["kind"], &events[0]["text"]),
        (&"prompt".into(), &"Fix the test.".into())
    );
    assert_eq!(run(&["usage", path.to_str().unwrap()], "").row()["source"], "none");
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["cursor-agent", "fix it"][..], "cursor-agent -p --output-format stream-json 'fix it'\n"),
        (
            &["cursor-agent", "--print", "--resume", "ID", "x"],
            "cursor-agent --output-format stream-json --print --resume ID x\n",
        ),
        (
            &["cursor-agent", "-p", "--output-format", "text", "x"],
            "cursor-agent -p --output-format text x\n",
        ),
        (&["cursor-agent", "login"], "cursor-agent login\n"),
        (&["cursor-agent", "mcp", "list"], "cursor-agent mcp list\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn run_that_ends_without_a_result_fails_with_its_message() {
    let workspace = Workspace::new();
    let stream = fixture("cursor/unfinished");
    let script =
        format!("cat {}; echo 'Error: [unauthenticated] Error' >&2; exit 1", stream.display());
    workspace.program("cursor-agent", &script);
    let (run, record) = workspace.record(&["--", "cursor-agent", "x"]);
    run.code(1);
    assert_eq!(
        (&record["harness"], &record["succeeded_cleanly"]),
        (&"cursor".into(), &false.into())
    );
    workspace.program("cursor-agent", &format!("cat {}", fixture("cursor/tools").display()));
    let (run, record) = workspace.record(&["--", "cursor-agent", "x"]);
    run.success().stdout(predicate::str::contains("Fixed."));
    assert_eq!(record["succeeded_cleanly"], true);
}
