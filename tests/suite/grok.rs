//! Grok: rules of its documented formats that the fixtures do not show, or not completely.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

fn harness(line: &str) -> Value {
    run(&["-q", "events"], line).rows()[0]["harness"].clone()
}

fn end(members: &Value) -> Value {
    let mut end =
        json!({"type": "end", "stopReason": "end_turn", "sessionId": "s", "requestId": "r"});
    end.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    end
}

#[test]
fn members_of_its_own_identify_each_line() {
    for line in [
        r#"{"type":"text","data":"x"}"#,
        r#"{"type":"tool_call_update","toolCallId":"c","status":"completed"}"#,
        r#"{"type":"auto_compact_started","percentage":80}"#,
        r#"{"type":"text","stepNumber":1,"text":"x"}"#,
        r#"{"timestamp":1787521420,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        r#"{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}"#,
        r#"{"text":"x","stopReason":"EndTurn","sessionId":"s","requestId":"r"}"#,
    ] {
        assert_eq!(harness(line), "grok", "{line}");
    }
    for line in [
        r#"{"type":"text","data":{"x":1}}"#,
        r#"{"type":"text","data":"x","id":"y","timestamp":"z","parentId":"p"}"#,
        r#"{"type":"text","stepNumber":1,"part":{},"sessionID":"s"}"#,
        r#"{"type":"tool_call","toolId":"c","parameters":{}}"#,
        r#"{"type":"end"}"#,
    ] {
        assert_ne!(harness(line), "grok", "{line}");
    }
}

#[test]
fn messages_belong_to_the_stream_of_their_first_line() {
    let text = String::from_utf8(fixture_bytes("grok/messages")).unwrap();
    let first = text.lines().next().unwrap();
    assert_eq!(harness(first), "grok");
    for member in [r#""claude_code_version":"2.1""#, r#""agents":[]"#] {
        let other = first.replacen('{', &format!("{{{member},"), 1);
        assert_eq!(harness(&other), "claude", "{member}");
    }
}

#[test]
fn cost_is_in_dollars_or_ticks_and_never_partial() {
    let cost =
        |members: Value| run(&["usage"], end(&members).to_string()).row()["cost_usd"].clone();
    assert_eq!(cost(json!({"total_cost_usd": 0.5, "total_cost_usd_ticks": 1})), 0.5);
    assert_eq!(cost(json!({"total_cost_usd_ticks": 20_000_000_000_u64})), 2.0);
    assert_eq!(cost(json!({"total_cost_usd": 0.5, "cost_is_partial": true})), Value::Null);
    assert_eq!(cost(json!({})), Value::Null);
}

#[test]
fn models_share_the_tokens_of_a_run() {
    let usage = json!({"input_tokens": 30, "cache_read_input_tokens": 0, "output_tokens": 3, "total_tokens": 33});
    let model =
        |input: u64| json!({"inputTokens": input, "outputTokens": 1, "cacheReadInputTokens": 0});
    let line =
        end(&json!({"usage": usage, "modelUsage": {"grok-a": model(10), "grok-b": model(20)}}));
    let row = run(&["usage"], line.to_string()).row();
    let models: Vec<_> =
        row["models"].as_array().unwrap().iter().map(|model| &model["input_tokens"]).collect();
    assert_eq!(models, [10, 20]);
}

#[test]
fn stream_without_its_end_counts_responses() {
    let text = String::from_utf8(fixture_bytes("grok/tools")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n");
    let usage = run(&["usage"], cut.as_str()).row();
    assert_eq!((&usage["source"], &usage["total_tokens"]), (&"messages".into(), &1762.into()));
    assert_eq!(run(&["summary"], cut).row()["complete"], false);
}

#[test]
fn document_of_a_run_has_its_text() {
    let document = json!({"text": "One file.", "stopReason": "EndTurn", "sessionId": "s", "requestId": "r", "thought": "Hm.",
        "usage": {"input_tokens": 8, "output_tokens": 2}});
    run(&["text"], document.to_string()).stdout("One file.\n");
    let summary = run(&["summary"], document.to_string()).row();
    assert_eq!((&summary["complete"], &summary["input_tokens"]), (&true.into(), &8.into()));
    let refused = document.to_string().replace("EndTurn", "Refusal");
    assert_eq!(run(&["error"], refused).row()["reason"], "refusal");
}

#[test]
fn document_that_was_requested_is_printed() {
    let line = end(&json!({"structuredOutput": {"a": 1}}));
    run(&["structured"], line.to_string()).success().stdout("{\"a\":1}\n");
}

#[test]
fn session_and_stream_have_the_same_tokens() {
    let home = root().join("tests/fixtures/transcripts/grok.tools");
    let mut command = streamj(&["usage", "--home", "--by", "session"]);
    let rows = command.env("HOME", "/no/such").env("GROK_HOME", &home).assert().success().rows();
    let stream = run(&["usage"], fixture_bytes("grok/tools")).row();
    for name in
        ["uncached_input_tokens", "output_tokens", "cache_read_tokens", "total_tokens", "cost_usd"]
    {
        assert_eq!(rows[0][name], stream[name], "{name}");
    }
    assert_eq!(rows[0]["project"], "/tmp/demo");
}

#[test]
fn turn_of_a_fork_counts_once() {
    let turn = |session: &str, prompt: &str| {
        json!({"timestamp": 1_787_521_425, "method": "_x.ai/session/update", "params": {"sessionId": session, "update":
            {"sessionUpdate": "turn_completed", "prompt_id": prompt, "stop_reason": "end_turn", "usage": {"inputTokens": 10, "outputTokens": 1}}}})
    };
    let folder = tempfile::tempdir().unwrap();
    for (session, prompts) in [("a", &["p1"][..]), ("b", &["p1", "p2"])] {
        let lines: Vec<_> = prompts.iter().map(|prompt| turn(session, prompt)).collect();
        let path = folder.path().join(session);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("updates.jsonl"), lines_of(&lines)).unwrap();
    }
    let rows = run(&["usage", "--by", "harness", folder.path().to_str().unwrap()], "").rows();
    assert_eq!(rows[0]["total_tokens"], 22);
}

#[test]
fn database_of_the_community_has_the_tokens_of_requests() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grok.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "CREATE TABLE workspaces (id INTEGER PRIMARY KEY);
            CREATE TABLE sessions (id TEXT PRIMARY KEY, workspace_id INTEGER, model TEXT, cwd_at_start TEXT, cwd_last TEXT, created_at TEXT);
            CREATE TABLE usage_events (id INTEGER PRIMARY KEY, session_id TEXT, model TEXT, input_tokens INTEGER, output_tokens INTEGER,
                total_tokens INTEGER, cost_micros INTEGER, created_at TEXT);
            INSERT INTO sessions VALUES ('s1', 1, 'grok-4.7', '/tmp', '/tmp/demo', '2026-08-23T21:43:40.000Z');
            INSERT INTO usage_events VALUES (1, 's1', 'grok-4.7', 100, 10, 110, 2500, '2026-08-23T21:43:45.000Z');
            INSERT INTO usage_events VALUES (2, 's1', 'grok-4.7', 100, 10, 110, 2500, '2026-08-23T21:43:46.000Z');",
        )
        .unwrap();
    let mut command = streamj(&["usage", "--home", "--by", "session"]);
    let rows =
        command.env("HOME", "/no/such").env("GROK_HOME", folder.path()).assert().success().rows();
    let row = &rows[0];
    assert_eq!((&row["total_tokens"], &row["cost_usd"]), (&220.into(), &0.005.into()));
    assert_eq!((&row["project"], &row["session_id"]), (&"/tmp/demo".into(), &"s1".into()));
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["grok", "-p", "fix it"][..], "grok --output-format streaming-json -p 'fix it'\n"),
        (&["grok", "-p", "x", "--output-format", "plain"], "grok -p x --output-format plain\n"),
        // The CLI of the community.
        (&["grok", "--prompt", "x", "--format", "json"], "grok --prompt x --format json\n"),
        (&["grok", "login"], "grok login\n"),
        (&["grok", "agent", "stdio"], "grok agent stdio\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn error_line_fails_the_run_with_its_category() {
    let workspace = Workspace::new();
    workspace.program("grok", &format!("cat {}; exit 1", fixture("grok/error").display()));
    let (run, record) = workspace.record(&["--exit-status", "category", "--", "grok", "-p", "x"]);
    run.code(75);
    assert_eq!(record["error_category"], "rate_limit");
    workspace.program("grok", &format!("cat {}", fixture("grok/tools").display()));
    let (run, record) = workspace.record(&["--", "grok", "-p", "x"]);
    run.success();
    assert_eq!(record["succeeded_cleanly"], true);
}
