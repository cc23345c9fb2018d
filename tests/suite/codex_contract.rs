//! Rules for Codex streams, as `summary` applies them.

use serde_json::{Value, json};

use crate::support::cli::{Printed, read};
use crate::support::{has_warning, warnings};

const STARTED: &str = r#"{"type":"thread.started","thread_id":"th"}"#;
const TURN: &str = r#"{"type":"turn.started"}"#;
const DONE: &str = r#"{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3,"reasoning_output_tokens":1}}"#;

fn summary(lines: &[&str]) -> Value {
    read(&["summary", "--harness", "codex"], lines).row()
}

fn item(item: &Value) -> String {
    json!({"type":"item.completed","item":item}).to_string()
}

fn message(text: &str) -> String {
    item(&json!({"id":"i","type":"agent_message","text":text}))
}

fn item_error(text: &str) -> String {
    item(&json!({"id":"e","type":"error","message":text}))
}

#[test]
fn first_string_thread_id_wins() {
    let lines = [
        r#"{"type":"thread.started","thread_id":5}"#,
        STARTED,
        r#"{"type":"thread.started","thread_id":"later"}"#,
        DONE,
    ];
    let summary = summary(&lines);
    assert_eq!(summary["session_id"], "th");
    assert_eq!(summary["harness_metadata"]["thread_id"], "th");
}

#[test]
fn turns_are_counted_and_the_last_usage_is_the_total() {
    let later = r#"{"type":"turn.completed","usage":{"input_tokens":30,"cached_input_tokens":9,"output_tokens":5}}"#;
    let summary = summary(&[STARTED, TURN, &message("a"), DONE, TURN, &message("b"), later]);
    assert_eq!(summary["output"], "a\nb");
    assert_eq!((&summary["input_tokens"], &summary["output_tokens"]), (&json!(30), &json!(5)));
    let metadata = json!({
        "turn_count": 2, "thread_id": "th", "cached_input_tokens": 9, "reasoning_output_tokens": 0,
    });
    assert_eq!(summary["harness_metadata"], metadata);
}

#[test]
fn cache_and_reasoning_counts_appear_once_a_turn_has_completed() {
    let counts = |lines: &[&str]| summary(lines)["harness_metadata"].clone();
    assert_eq!(counts(&[STARTED, TURN]), json!({"turn_count":1,"thread_id":"th"}));
    for broken in [r#"{"type":"turn.completed"}"#, r#"{"type":"turn.completed","usage":[]}"#] {
        let metadata = counts(&[STARTED, TURN, broken]);
        assert_eq!(metadata["cached_input_tokens"], 0, "{broken}");
        assert_eq!(metadata["reasoning_output_tokens"], 0, "{broken}");
    }
    assert_eq!(counts(&[r#"{"type":"error","message":"x"}"#]), json!({"turn_count":0}));
}

#[test]
fn output_excludes_reasoning_and_non_string_texts() {
    let reasoning = item(&json!({"id":"r","type":"reasoning","text":"hm"}));
    let number = item(&json!({"id":"i","type":"agent_message","text":5}));
    assert_eq!(summary(&[&reasoning, &number, &message("a"), DONE])["output"], "a");
    let nothing = item(&json!({"id":"i","type":"agent_message"}));
    assert_eq!(summary(&[&message("a"), &nothing, &message("b"), DONE])["output"], "a\n\nb");
    let started = message("x").replace("item.completed", "item.started");
    assert_eq!(summary(&[&started, DONE])["output"], "");
}

#[test]
fn first_failure_wins() {
    let failed = r#"{"type":"turn.failed","error":{"message":"429 rate limit"}}"#;
    let error = r#"{"type":"error","message":"stream disconnected"}"#;
    let error_first = summary(&[error, failed]);
    assert_eq!(error_first["error"], "stream disconnected");
    assert_eq!(error_first["error_category"], "api");
    let failed_first = summary(&[failed, error]);
    assert_eq!(failed_first["error"], "429 rate limit");
    assert_eq!(failed_first["error_category"], "rate_limit");
}

#[test]
fn failure_without_message_has_no_detail() {
    for line in [
        r#"{"type":"turn.failed"}"#,
        r#"{"type":"turn.failed","error":{"message":""}}"#,
        r#"{"type":"turn.failed","error":{"message":7}}"#,
        r#"{"type":"turn.failed","error":"text"}"#,
        r#"{"type":"error"}"#,
    ] {
        let summary = summary(&[line]);
        assert_eq!(summary["error"], "API error (no detail)", "{line}");
        assert_eq!(summary["error_category"], "api", "{line}");
    }
}

#[test]
fn long_message_is_truncated_with_the_codex_suffix() {
    let line = json!({"type":"turn.failed","error":{"message":"—".repeat(5000)}}).to_string();
    assert_eq!(summary(&[&line])["error"], "—".repeat(4096) + "...(truncated)");
}

#[test]
fn item_error_is_a_warning_not_a_failure() {
    let summary =
        summary(&[STARTED, TURN, &item_error("401 model rerouted: a -> b"), &message("a"), DONE]);
    assert_eq!(summary["error"], Value::Null);
    assert_eq!(summary["succeeded_cleanly"], true);
    assert_eq!(warnings(&summary), ["notice: 401 model rerouted: a -> b"]);
}

#[test]
fn reconnection_is_a_warning_not_a_failure() {
    let retry = r#"{"type":"error","message":"Reconnecting... 1/2 (429)"}"#;
    let summary = summary(&[STARTED, TURN, retry, &message("a"), DONE]);
    assert_eq!(summary["error"], Value::Null);
    assert_eq!(summary["succeeded_cleanly"], true);
    assert_eq!(warnings(&summary), ["retry: Reconnecting... 1/2 (429)"]);
}

#[test]
fn dropped_events_of_both_wordings_are_summed() {
    let lines = [
        STARTED,
        TURN,
        &item_error("2 events were dropped due to lag"),
        &item_error("in-process app-server event stream lagged; dropped 7 events"),
        &item_error("404 not found"),
        DONE,
    ];
    let summary = summary(&lines);
    assert_eq!(summary["harness_metadata"]["dropped_events_count"], 9);
    assert!(has_warning(&summary, "dropped-events:"));
    assert_eq!(summary["succeeded_cleanly"], true);
    assert!(!summary_has_count(&[STARTED, DONE]));
    let started = item_error("5 events were dropped").replace("completed", "started");
    assert!(!summary_has_count(&[&started, DONE]));
    let many = item_error(&format!("{} events were dropped", u64::MAX));
    let saturated = self::summary(&[&many, &many]);
    assert_eq!(saturated["harness_metadata"]["dropped_events_count"], u64::MAX);
}

fn summary_has_count(lines: &[&str]) -> bool {
    summary(lines)["harness_metadata"].get("dropped_events_count").is_some()
}

#[test]
fn interrupted_run_is_incomplete_without_an_error() {
    // The warning about a missing result applies to Claude only.
    let summary = read(&["summary", "--harness", "codex"], &[STARTED, TURN, &message("partial")])
        .stderr("")
        .row();
    assert_eq!(summary["output"], "partial");
    assert_eq!(summary["error"], Value::Null);
    assert_eq!(summary["complete"], false);
    assert_eq!(summary["succeeded_cleanly"], false);
    let second_turn = self::summary(&[STARTED, TURN, DONE, TURN]);
    assert_eq!(second_turn["complete"], false);
}

#[test]
fn blank_lines_and_non_objects_are_ignored_without_a_note() {
    let lines = [
        STARTED,
        "",
        "   ",
        "\u{2003}\u{a0}",
        "[1, 2, 3]",
        "null",
        "42",
        "[]",
        TURN,
        &message("ok"),
        DONE,
    ];
    let summary = read(&["summary", "--harness", "codex"], &lines).stderr("").row();
    assert_eq!(summary["output"], "ok");
    assert_eq!(warnings(&summary), Vec::<&str>::new());
    assert_eq!(summary["lines"], json!({"total":11,"events":4,"malformed":0,"ignored":7}));
}

#[test]
fn september_2025_format_is_read() {
    let lines = [
        r#"{"type":"session.created","session_id":"s"}"#,
        r#"{"type":"item.completed","item":{"id":"item_0","item_type":"assistant_message","text":"legacy"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_1","item_type":"command_execution","command":"ls","aggregated_output":"a\n","exit_code":0,"status":"completed"}}"#,
    ];
    let summary = read(&["summary"], &lines).row();
    assert_eq!(summary["harness"], "codex");
    assert_eq!(summary["output"], "legacy");
    assert_eq!(summary["session_id"], "s");
    assert_eq!(read(&["tools"], &lines).row()["name"], "command_execution");
}

#[test]
fn msg_envelope_format_is_read() {
    let lines = [
        r#"{"model":"o3","workdir":"/x"}"#,
        r#"{"prompt":"hi"}"#,
        r#"{"id":"0","msg":{"type":"session_configured","session_id":"s","model":"gpt-5"}}"#,
        r#"{"id":"0","msg":{"type":"task_started"}}"#,
        r#"{"id":"0","msg":{"type":"agent_reasoning","text":"hm"}}"#,
        r#"{"id":"0","msg":{"type":"exec_command_begin","call_id":"c1","command":["bash","-lc","false"],"cwd":"/x"}}"#,
        r#"{"id":"0","msg":{"type":"exec_command_end","call_id":"c1","stdout":"out","stderr":"err","exit_code":1,"duration":{"secs":1,"nanos":500000000}}}"#,
        r#"{"id":"0","msg":{"type":"mcp_tool_call_begin","call_id":"c2","invocation":{"server":"demo","tool":"add","arguments":{"a":1}}}}"#,
        r#"{"id":"0","msg":{"type":"mcp_tool_call_end","call_id":"c2","invocation":{"server":"demo","tool":"add","arguments":{"a":1}},"result":{"Ok":{"content":[{"type":"text","text":"2"}]}}}}"#,
        r#"{"id":"0","msg":{"type":"agent_message_delta","delta":"leg"}}"#,
        r#"{"id":"0","msg":{"type":"agent_message","message":"legacy"}}"#,
        r#"{"id":"0","msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7,"cached_input_tokens":2,"output_tokens":3,"reasoning_output_tokens":1}}}}"#,
        r#"{"id":"0","msg":{"type":"task_complete","last_agent_message":"legacy"}}"#,
    ];
    let summary = read(&["summary"], &lines).row();
    assert_eq!(summary["harness"], "codex");
    assert_eq!(summary["output"], "legacy");
    assert_eq!(summary["model"], "gpt-5");
    assert_eq!(summary["complete"], true);
    assert_eq!((&summary["input_tokens"], &summary["output_tokens"]), (&json!(7), &json!(3)));
    read(&["text"], &lines).stdout("legacy\n");
    let tools = read(&["tools"], &lines).rows();
    let command = json!({
        "harness": "codex", "id": "c1", "name": "command_execution",
        "input": {"command": ["bash", "-lc", "false"], "cwd": "/x"}, "status": "failed",
        "output": "out", "stdout": "out", "stderr": "err", "exit_code": 1, "duration_ms": 1500,
    });
    assert_eq!(tools[0], command);
    assert_eq!(tools[1]["name"], "add");
    assert_eq!((&tools[1]["server"], &tools[1]["output"]), (&json!("demo"), &json!("2")));
    let usage = read(&["usage"], &lines).row();
    assert_eq!((&usage["source"], &usage["total_tokens"]), (&json!("turns"), &json!(10)));
}
