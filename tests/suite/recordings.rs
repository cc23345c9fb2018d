//! The recordings shipped with the tests, against values checked by hand.
//!
//! `expected.jsonl` has per recording: text, final answer, tool calls
//! (`name status exit parent server`), usage (`source input output cache-read
//! cache-write reasoning total turns cost`) and error (`category source status
//! subtype terminal-reason retry-at | message`).

use serde_json::Value;

use crate::support::{Run, fixture, fixture_bytes, fixtures, root, run};

fn expected() -> Vec<Value> {
    let path = root().join("tests/fixtures/expected.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn on(args: &[&str], name: &str) -> Run {
    let path = fixture(name);
    let run = run(&[args, &["--quiet", path.to_str().unwrap()]].concat(), "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    run
}

fn words(row: &Value, members: &[&str]) -> String {
    let word = |name: &&str| match &row[*name] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    members.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn tool(row: &Value) -> String {
    let exit = row["exit_code"].as_i64().map(|code| format!(" exit {code}"));
    let sub = row["parent_id"].as_str().map(|_| " sub".to_owned());
    let server = row["server"].as_str().map(|server| format!(" server {server}"));
    let facts = [exit, sub, server].into_iter().flatten();
    words(row, &["name", "status"]) + &facts.collect::<String>()
}

fn error(run: &Run) -> Value {
    if run.stdout.is_empty() {
        return Value::Null;
    }
    let row = run.row();
    let facts = ["category", "source", "status", "subtype", "terminal_reason", "retry_at"];
    let message = row["message"].as_str().unwrap();
    Value::String(format!("{} | {message}", words(&row, &facts)))
}

#[test]
fn every_recording_has_expectations() {
    let names: Vec<_> =
        expected().iter().map(|row| fixture(row["file"].as_str().unwrap())).collect();
    assert_eq!(names, fixtures());
}

#[test]
fn text_is_what_was_said() {
    for row in expected() {
        let name = row["file"].as_str().unwrap();
        assert_eq!(on(&["text"], name).text(), row["text"], "{name}");
    }
}

#[test]
fn the_final_answer_is_the_results_else_the_last_message() {
    for row in expected() {
        let name = row["file"].as_str().unwrap();
        assert_eq!(on(&["text", "--last"], name).text(), row["last"], "{name}");
    }
}

#[test]
fn tools_are_those_that_ran() {
    for row in expected() {
        let name = row["file"].as_str().unwrap();
        let tools: Vec<_> = on(&["tools"], name).rows().iter().map(tool).collect();
        assert_eq!(Value::from(tools), row["tools"], "{name}");
    }
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
    for row in expected() {
        let name = row["file"].as_str().unwrap();
        assert_eq!(words(&on(&["usage"], name).row(), &members), row["usage"], "{name}");
    }
}

#[test]
fn errors_are_classified() {
    for row in expected() {
        let name = row["file"].as_str().unwrap();
        assert_eq!(error(&on(&["error"], name)), row["error"], "{name}");
    }
}

#[test]
fn a_summary_is_clean_exactly_when_there_is_no_error() {
    for row in expected() {
        let name = row["file"].as_str().unwrap();
        let summary = on(&["summary"], name).row();
        assert_eq!(summary["succeeded_cleanly"], row["error"].is_null(), "{name}");
        let incomplete = row["error"].as_str().is_some_and(|error| error.starts_with("incomplete"));
        assert_eq!(summary["complete"], !incomplete, "{name}");
    }
}

#[test]
fn events_piped_into_a_projection_change_nothing() {
    for path in fixtures() {
        let path = path.to_str().unwrap();
        let events = run(&["events", path], "").stdout;
        for command in ["text", "usage", "tools"] {
            let direct = run(&[command, path], "");
            let piped = run(&[command], events.as_slice());
            assert_eq!(piped.stdout, direct.stdout, "{command} {path}");
        }
    }
}

#[test]
fn several_files_are_several_runs_in_order() {
    let (one, two) = (fixture("codex/text_success"), fixture("claude/text_success"));
    let files = [one.to_str().unwrap(), two.to_str().unwrap()];
    let usage = run(&["usage", files[0], files[1]], "");
    let harnesses: Vec<_> = usage.rows().iter().map(|row| row["harness"].clone()).collect();
    assert_eq!(harnesses, ["codex", "claude"]);
    let text = run(&["text", files[0], "-", files[1]], fixture_bytes("codex/reasoning"));
    let expected = "Hello from the fake model.\nLet me look.\nThought about it.\nHello! This is a plain answer.\n";
    assert_eq!(text.text(), expected);
}

#[test]
fn the_session_describes_itself_once_and_first() {
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
    });
    assert_eq!(session, expected);
}

#[test]
fn a_last_line_cut_at_65536_bytes_is_one_malformed_line() {
    let summary = on(&["summary"], "codex/signal_sigkill_blocked_writer").row();
    assert_eq!(summary["lines"]["malformed"], 1);
    assert_eq!(summary["lines"]["events"], 2);
}
