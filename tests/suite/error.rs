//! `error`: the error of a failed run, with its category.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run, streamj};
use crate::support::fixture_bytes;

fn error(name: &str) -> Value {
    run(&["error"], fixture_bytes(name)).row()
}

#[test]
fn successful_run_prints_nothing() {
    run(&["error", "-e"], fixture_bytes("claude/text_success")).success().stdout("");
}

#[test]
fn error_row_has_all_members() {
    let expected = json!({
        "harness": "claude", "category": "rate_limit",
        "message": "You've hit your limit · resets Dec 1, 12am (UTC)", "status": 429,
        "reason": "rate_limit", "retryable": true, "subtype": "success",
        "terminal_reason": "api_error", "retry_at": "2026-12-01T00:00:00Z", "source": "result",
    });
    assert_eq!(error("claude/err_429_unified_oauth"), expected);
}

#[test]
fn exit_status_depends_on_the_category() {
    for (name, code) in [
        ("claude/err_401", 77),
        ("claude/err_429_unified_oauth", 75),
        ("claude/max_turns_1", 76),
        ("claude/err_after_tools_500", 69),
        ("claude/control_interrupt", 69),
        ("claude/signal_sigterm_midtool", 65),
        ("claude_2_0_77/subagent_task_background", 65),
        ("codex/no_auth", 77),
        ("codex/err_500_with_retries", 69),
        ("codex/connection_refused", 65),
        ("codex/text_success", 0),
    ] {
        run(&["error", "-e"], fixture_bytes(name)).append_context("recording", name).code(code);
        run(&["error"], fixture_bytes(name)).append_context("recording", name).success();
    }
}

#[test]
fn truncated_stream_is_an_error_here_and_not_in_summary() {
    assert_eq!(error("codex/signal_sigterm_midtool")["category"], "incomplete");
    assert_eq!(error("codex/signal_sigterm_midtool")["source"], "truncated");
    let summary = run(&["summary"], fixture_bytes("codex/signal_sigterm_midtool")).row();
    assert_eq!(summary["error_category"], Value::Null);
}

#[test]
fn heuristic_error_has_the_warning_as_message() {
    let error = error("claude_2_0_77/subagent_task_background");
    assert_eq!(
        (&error["category"], &error["source"]),
        (&json!("background-task"), &json!("heuristic"))
    );
    assert!(error["message"].as_str().unwrap().starts_with("background-task:"));
}

#[test]
fn codex_retry_time_is_converted_from_local_time() {
    let line = |when: &str| {
        json!({"type":"turn.failed","error":{"message":format!("You've hit your usage limit. Try again at {when}.")}}).to_string()
    };
    let retry_at = |zone: &str, when: &str| {
        streamj(&["error", "--get", "/retry_at"]).env("TZ", zone).write_stdin(line(when)).assert()
    };
    retry_at("UTC", "Nov 20th, 2026 3:45 PM").stdout("2026-11-20T15:45:00Z\n");
    retry_at("Asia/Tokyo", "Nov 20th, 2026 3:45 PM").stdout("2026-11-20T06:45:00Z\n");
    retry_at("UTC", "3:45 PM").stdout(predicate::str::ends_with("T15:45:00Z\n"));
}

#[test]
fn rejected_rate_limit_sets_retry_at() {
    let limit = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796083200},"session_id":"s","uuid":"u"}"#;
    let failed = |text: &str| json!({"type":"result","is_error":true,"result":text}).to_string();
    let retry_at = |lines: &[&str]| read(&["error"], lines).row()["retry_at"].clone();
    assert_eq!(retry_at(&[limit, &failed("429")]), "2026-12-01T00:00:00Z");
    assert_eq!(retry_at(&[limit, &failed("Internal server error")]), Value::Null);
    assert_eq!(
        retry_at(&[&failed("429"), limit]),
        "2026-12-01T00:00:00Z",
        "limit after the result"
    );
    let float = limit.replace("1796083200", "1796083200.0");
    assert_eq!(retry_at(&[&float, &failed("429")]), "2026-12-01T00:00:00Z");
    let allowed = limit.replace("rejected", "allowed_warning");
    assert_eq!(retry_at(&[&allowed, &failed("429")]), Value::Null);
}

#[test]
fn failed_subagent_is_not_an_error_of_the_run() {
    run(&["error"], fixture_bytes("claude/subagent_api_error")).stdout("");
}

#[test]
fn exhausted_quota_is_retryable_only_if_its_reset_is_known() {
    let failed = |message: &str| {
        let line = json!({"type": "turn.failed", "error": {"message": message}}).to_string();
        let row = read(&["error"], &[&line]).row();
        run(&["error", "-e"], line.as_str()).code(75);
        (row["category"].clone(), row["reason"].clone(), row["retryable"].clone())
    };
    let quota = |retryable: bool| (json!("rate_limit"), json!("quota"), json!(retryable));
    assert_eq!(failed("Quota exceeded. Check your plan and billing details."), quota(false));
    assert_eq!(failed("Quota exceeded. Try again at Nov 20th, 2026 3:45 PM."), quota(true));
    assert_eq!(failed("Quota exceeded. Resets at 2026-12-01T00:00:00Z."), quota(true));
    assert_eq!(failed("quota exhausted; please retry in 12.5s"), quota(true));
    for text in [
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "project QUOTA exhausted",
        r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
    ] {
        assert_eq!(failed(text), quota(false), "{text}");
    }
    let minute = (json!("rate_limit"), json!("rate_limit"), json!(true));
    assert_eq!(failed("Quota exceeded: requests per minute"), minute);
}

#[test]
fn time_of_the_reset_is_read_from_iso_times_and_documents() {
    let retry_at = |message: &str| {
        let line = json!({"type": "turn.failed", "error": {"message": message}}).to_string();
        read(&["error"], &[&line]).row()["retry_at"].clone()
    };
    assert_eq!(retry_at("Quota exceeded. Resets at 2026-12-01T00:00:00Z."), "2026-12-01T00:00:00Z");
    let body = r#"{"error":{"type":"usage_limit_reached","message":"m","resets_at":1796083200}}"#;
    assert_eq!(retry_at(body), "2026-12-01T00:00:00Z");
    let relative = retry_at("rate limit: try again in 2 hours");
    assert!(!relative.as_str().unwrap().contains('.'), "whole seconds: {relative}");
}

/// The body of a response as Codex 0.169 prints it, and texts of the vendors' APIs.
#[test]
fn errors_of_the_api_that_are_permanent_are_known_for_every_cli() {
    for (text, reason) in [
        (
            r#"{"error": {"message": "Unsupported parameter", "type": "invalid_request_error"}}"#,
            "invalid_request",
        ),
        ("context_length_exceeded", "context_length"),
        ("This model's maximum context length is 128000 tokens", "context_length"),
        ("Model gpt-9 not found", "model_not_found"),
        ("Unsupported model: gpt-9", "model_not_found"),
        ("unexpected status 404 Not Found: The model `gpt-9` does not exist", "model_not_found"),
        (
            r#"[{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT"}}]"#,
            "invalid_request",
        ),
    ] {
        let codex = json!({"type": "turn.failed", "error": {"message": text}});
        let claude = json!({"type": "result", "is_error": true, "result": text});
        let gemini = json!({"type": "result", "status": "error", "error": {"message": text}});
        for (harness, line) in [("codex", codex), ("claude", claude), ("gemini", gemini)] {
            let line = line.to_string();
            let row = run(&["error", "-e", "--harness", harness], line.as_str()).code(76).row();
            assert_eq!(
                (&row["category"], &row["reason"], &row["retryable"]),
                (&json!("api"), &json!(reason), &json!(false)),
                "{line}"
            );
        }
    }
}

#[test]
fn negative_status_counts_as_missing() {
    let line = r#"{"type":"result","subtype":"success","is_error":true,"result":"x","api_error_status":-4}"#;
    assert_eq!(read(&["error"], &[line]).row()["status"], Value::Null);
}
