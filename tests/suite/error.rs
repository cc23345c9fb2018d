//! `error`: did it fail, and why?

use serde_json::{Value, json};

use crate::support::{fixture_bytes, read, run};

fn error(name: &str) -> Value {
    run(&["error"], fixture_bytes(name)).row()
}

#[test]
fn a_run_that_succeeded_prints_nothing() {
    let run = run(&["error", "-e"], fixture_bytes("claude/text_success"));
    assert_eq!((run.text(), run.code), ("", 0));
}

#[test]
fn the_record_has_all_evidence() {
    let expected = json!({
        "harness": "claude", "category": "rate_limit",
        "message": "You've hit your limit · resets Dec 1, 12am (UTC)", "status": 429,
        "subtype": "success", "terminal_reason": "api_error", "retry_at": "2026-12-01T00:00:00Z",
        "source": "result",
    });
    assert_eq!(error("claude/err_429_unified_oauth"), expected);
}

#[test]
fn the_exit_status_tells_the_category() {
    for (name, code) in [
        ("claude/err_401", 77),
        ("claude/err_429_unified_oauth", 75),
        ("claude/max_turns_1", 69),
        ("claude/signal_sigterm_midtool", 65),
        ("claude_2_0_77/subagent_task_background", 65),
        ("codex/no_auth", 77),
        ("codex/err_500_with_retries", 69),
        ("codex/connection_refused", 65),
        ("codex/text_success", 0),
    ] {
        assert_eq!(run(&["error", "-e"], fixture_bytes(name)).code, code, "{name}");
        assert_eq!(run(&["error"], fixture_bytes(name)).code, 0, "{name}");
    }
}

#[test]
fn a_stream_that_just_stops_is_incomplete_here_and_not_in_the_summary() {
    assert_eq!(error("codex/signal_sigterm_midtool")["category"], "incomplete");
    assert_eq!(error("codex/signal_sigterm_midtool")["source"], "truncated");
    let summary = run(&["summary"], fixture_bytes("codex/signal_sigterm_midtool")).row();
    assert_eq!(summary["error_category"], Value::Null);
}

#[test]
fn under_a_heuristic_the_message_is_its_warning() {
    let error = error("claude_2_0_77/subagent_task_background");
    assert_eq!(
        (&error["category"], &error["source"]),
        (&json!("background-task"), &json!("heuristic"))
    );
    assert!(error["message"].as_str().unwrap().starts_with("background-task:"));
}

#[test]
fn codex_tells_the_time_of_the_next_try_in_local_time() {
    let line = |when: &str| {
        json!({"type":"turn.failed","error":{"message":format!("You've hit your usage limit. Try again at {when}.")}}).to_string()
    };
    let retry_at = |zone: &str, when: &str| {
        let output = crate::support::streamj()
            .args(["error", "--get", "/retry_at"])
            .env("TZ", zone)
            .write_stdin(line(when))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(retry_at("UTC", "Nov 20th, 2026 3:45 PM"), "2026-11-20T15:45:00Z\n");
    assert_eq!(retry_at("Asia/Tokyo", "Nov 20th, 2026 3:45 PM"), "2026-11-20T06:45:00Z\n");
    let today = retry_at("UTC", "3:45 PM");
    assert!(today.ends_with("T15:45:00Z\n"), "{today}");
}

#[test]
fn a_rejected_limit_tells_when_it_is_reset() {
    let limit = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796083200},"session_id":"s","uuid":"u"}"#;
    let failed = |text: &str| json!({"type":"result","is_error":true,"result":text}).to_string();
    let retry_at = |lines: &[&str]| read(&["error"], lines).row()["retry_at"].clone();
    assert_eq!(retry_at(&[limit, &failed("429")]), "2026-12-01T00:00:00Z");
    assert_eq!(retry_at(&[limit, &failed("Internal server error")]), Value::Null);
    assert_eq!(retry_at(&[&failed("429"), limit]), "2026-12-01T00:00:00Z", "a line later");
    let float = limit.replace("1796083200", "1796083200.0");
    assert_eq!(retry_at(&[&float, &failed("429")]), "2026-12-01T00:00:00Z");
    let allowed = limit.replace("rejected", "allowed_warning");
    assert_eq!(retry_at(&[&allowed, &failed("429")]), Value::Null);
}

#[test]
fn a_subagent_that_fails_is_not_the_run() {
    assert_eq!(run(&["error"], fixture_bytes("claude/subagent_api_error")).text(), "");
}
