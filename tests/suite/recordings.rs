//! The recordings shipped with the tests, against values checked by hand.
//!
//! `expected.jsonl` in each folder contains for each recording: text, final answer, tool calls
//! (`name status exit parent server`), usage (`source input output cache-read
//! cache-write reasoning total turns cost`) and error (`category source status
//! subtype terminal-reason retry-at reason retryable | message`).

use assert_cmd::assert::Assert;
use serde_json::Value;

use crate::support::cli::{Printed, run};
use crate::support::{files_under, fixture, fixture_bytes, fixtures, harness_of, root};

/// Calls `check` with the name and the expected values of each recording.
fn for_each(check: impl Fn(&str, &Value)) {
    for (name, row) in expected() {
        check(&name, &row);
    }
}

/// Returns the names of the recordings, with their folders, and what is expected of them.
fn expected() -> Vec<(String, Value)> {
    let folder = root().join("tests/fixtures");
    let lists = files_under(&folder, "jsonl");
    let lists = lists.into_iter().filter(|path| path.ends_with("expected.jsonl"));
    let rows = lists.flat_map(|list| {
        let cli = list.parent().unwrap().strip_prefix(&folder).unwrap().to_owned();
        let text = std::fs::read_to_string(&list).unwrap();
        let rows: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        rows.into_iter().map(move |row| {
            let name = cli.join(row["file"].as_str().unwrap());
            (name.to_str().unwrap().to_owned(), row)
        })
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|(name, _)| fixture(name));
    rows
}

fn on(args: &[&str], name: &str) -> Assert {
    let path = fixture(name);
    let is_unknown = harness_of(&path) == "unknown";
    let read = run(&[args, &["--quiet", path.to_str().unwrap()]].concat(), "");
    read.code(i32::from(is_unknown)).stderr("")
}

/// Joins the members with spaces; a missing one is `-`.
fn joined(row: &Value, members: &[&str]) -> String {
    let text = |name: &&str| match &row[*name] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    members.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn tool(row: &Value) -> String {
    let exit = row["exit_code"].as_i64().map(|code| format!(" exit {code}"));
    let sub = row["parent_id"].as_str().map(|_| " sub".to_owned());
    let server = row["server"].as_str().map(|server| format!(" server {server}"));
    let suffixes = [exit, sub, server].into_iter().flatten();
    joined(row, &["name", "status"]) + &suffixes.collect::<String>()
}

fn error(printed: &Assert) -> Value {
    if printed.text().is_empty() {
        return Value::Null;
    }
    let row = printed.row();
    let members = [
        "category",
        "source",
        "status",
        "subtype",
        "terminal_reason",
        "retry_at",
        "reason",
        "retryable",
    ];
    let message = row["message"].as_str().unwrap();
    Value::String(format!("{} | {message}", joined(&row, &members)))
}

#[test]
fn every_recording_has_expectations() {
    let names: Vec<_> = expected().iter().map(|(name, _)| fixture(name)).collect();
    assert_eq!(names, fixtures());
}

#[test]
fn text_matches_expectation() {
    for_each(|name, row| {
        on(&["text"], name).stdout(row["text"].as_str().unwrap().to_owned());
    });
}

#[test]
fn final_answer_is_from_result_or_last_message() {
    for_each(|name, row| {
        on(&["text", "--last"], name).stdout(row["last"].as_str().unwrap().to_owned());
    });
}

#[test]
fn tool_calls_match_expectation() {
    for_each(|name, row| {
        let tools: Vec<_> = on(&["tools"], name).rows().iter().map(tool).collect();
        assert_eq!(Value::from(tools), row["tools"], "{name}");
    });
}

#[test]
fn usage_is_counted_once() {
    let members = [
        "source",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "total_tokens",
        "turns",
        "cost_usd",
    ];
    for_each(|name, row| {
        assert_eq!(joined(&on(&["usage"], name).row(), &members), row["usage"], "{name}");
    });
}

#[test]
fn errors_are_classified() {
    for_each(|name, row| assert_eq!(error(&on(&["error"], name)), row["error"], "{name}"));
}

#[test]
fn summary_is_clean_exactly_without_error() {
    for_each(|name, row| {
        let summary = on(&["summary"], name).row();
        assert_eq!(summary["succeeded_cleanly"], row["error"].is_null(), "{name}");
        let incomplete = row["error"].as_str().is_some_and(|error| error.starts_with("incomplete"));
        assert_eq!(summary["complete"], !incomplete, "{name}");
    });
}

#[test]
fn projections_print_the_same_when_reading_events() {
    for path in fixtures() {
        let path = path.to_str().unwrap();
        let events = run(&["events", path], "");
        for command in ["text", "usage", "tools"] {
            let direct = run(&[command, path], "");
            run(&[command], events.get_output().stdout.clone())
                .append_context("recording", path.to_owned())
                .stdout(direct.get_output().stdout.clone());
        }
    }
}

#[test]
fn files_are_separate_runs_in_order() {
    let (one, two) = (fixture("codex/text_success"), fixture("claude/text_success"));
    let files = [one.to_str().unwrap(), two.to_str().unwrap()];
    let usage = run(&["usage", files[0], files[1]], "");
    let harnesses: Vec<_> = usage.rows().iter().map(|row| row["harness"].clone()).collect();
    assert_eq!(harnesses, ["codex", "claude"]);
    run(&["text", files[0], "-", files[1]], fixture_bytes("codex/reasoning")).stdout(
        "Hello from the fake model.\nLet me look.\nThought about it.\nHello! This is a plain answer.\n",
    );
}

#[test]
fn session_is_printed_once_with_its_settings() {
    let session = on(&["session"], "claude/input_stream_json_interactive").row();
    assert_eq!(session["harness"], "claude");
    assert_eq!(session["model"], "claude-sonnet-5-5");
    assert_eq!(session["cwd"], "/tmp/demo");
    assert_eq!(session["version"], "2.1.325");
    assert_eq!(session["permission_mode"], "bypassPermissions");
    assert_eq!(session["api_key_source"], "ANTHROPIC_API_KEY");
    assert!(session["tools"].as_array().unwrap().contains(&"Bash".into()));
    assert!(session["agents"].is_array() && session["slash_commands"].is_array());
    let servers = &on(&["session"], "claude/mcp_servers").row()["mcp_servers"];
    assert_eq!(servers[0]["name"], "demo");
    let session = on(&["session"], "codex/text_success").row();
    let expected = serde_json::json!({
        "harness": "codex",
        "session_id": "01a1e184-9112-7833-950f-0ff741e7680a",
        "resume_command": "codex resume 01a1e184-9112-7833-950f-0ff741e7680a",
    });
    assert_eq!(session, expected);
}

#[test]
fn last_line_cut_at_65536_bytes_is_one_malformed_line() {
    let summary = on(&["summary"], "codex/signal_sigkill_blocked_writer").row();
    assert_eq!(summary["lines"]["malformed"], 1);
    assert_eq!(summary["lines"]["events"], 2);
}
