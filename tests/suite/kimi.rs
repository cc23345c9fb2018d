//! Kimi Code and its predecessor: rules that the recordings do not show, or not completely.
//! The lines of the predecessor are made by hand from its published types.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

const VERSION: &str = r#"{"role":"meta","type":"system.version","version":"2.1.0"}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"Hi."}"#;

fn transcripts(name: &str) -> String {
    root().join("tests/fixtures/transcripts").join(name).to_str().unwrap().to_owned()
}

fn harnesses(lines: &[&str]) -> Vec<Value> {
    let events = run(&["events"], lines.join("\n")).rows();
    events.iter().map(|event| event["harness"].clone()).collect()
}

#[test]
fn role_without_type_identifies_a_message() {
    assert_eq!(harnesses(&[VERSION, ANSWER]), ["kimi", "kimi"]);
    assert_eq!(harnesses(&[ANSWER]), ["kimi"]);
    for other in [
        r#"{"role":"user","content":"Hi."}"#,
        r#"{"role":"assistant"}"#,
        r#"{"role":"assistant","content":"Hi.","message_id":"m"}"#,
        r#"{"role":"tool","content":"x"}"#,
    ] {
        assert_eq!(harnesses(&[other]), ["unknown"], "{other}");
    }
}

#[test]
fn run_is_finished_with_an_answer_or_its_last_line() {
    let summary = |lines: &[&str]| run(&["summary"], lines.join("\n")).row();
    assert_eq!(summary(&[VERSION, ANSWER])["complete"], true);
    assert_eq!(summary(&[VERSION])["complete"], false);
    let call = r#"{"role":"assistant","content":"Let me look.","tool_calls":[{"type":"function","id":"c","function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]}"#;
    assert_eq!(summary(&[VERSION, call])["complete"], false);
    let hint = r#"{"role":"meta","type":"session.resume_hint","session_id":"s","command":"kimi -r s","content":"x"}"#;
    assert_eq!(summary(&[VERSION, call, hint])["complete"], true);
}

#[test]
fn parts_of_a_message_are_text_and_reasoning() {
    let line = r#"{"role":"assistant","content":[{"type":"think","think":"Hm."},{"type":"text","text":"Hi."}]}"#;
    run(&["text"], line).stdout("Hi.\n");
    let kinds: Vec<_> = run(&["events", "--unified"], line)
        .rows()
        .iter()
        .map(|event| event["kind"].clone())
        .collect();
    assert_eq!(kinds, ["reasoning", "text"]);
}

#[test]
fn requests_of_a_copied_session_count_once() {
    let folder = tempfile::tempdir().unwrap();
    let source = transcripts(
        "kimi.tools/sessions/wd_demo_84a8cd7d7a26/session_cc555bac-3625-4b8e-bdc2-9dfb6b544933",
    );
    for id in ["session_a", "session_b"] {
        let copy = folder.path().join("sessions/wd_demo_1").join(id);
        std::fs::create_dir_all(copy.join("agents/main")).unwrap();
        for file in ["state.json", "agents/main/wire.jsonl"] {
            let text = std::fs::read_to_string(format!("{source}/{file}")).unwrap();
            let own = text.replace("session_cc555bac-3625-4b8e-bdc2-9dfb6b544933", id);
            std::fs::write(copy.join(file), own).unwrap();
        }
    }
    let rows = run(&["usage", "--by", "model", folder.path().to_str().unwrap()], "").rows();
    // The model is named by the requests, and not by the record of its use.
    assert_eq!((&rows[0]["model"], &rows[0]["total_tokens"]), (&"fake-model".into(), &7500.into()));
}

#[test]
fn session_has_the_tokens_of_its_subagents() {
    let mut command = streamj(&["usage", "--home", "--by", "session"]);
    let home = command.env("HOME", "/no/such").env("KIMI_CODE_HOME", transcripts("kimi.subagent"));
    let rows = home.assert().success().rows();
    assert_eq!(rows.len(), 2, "one session and the total");
    let row = &rows[0];
    assert_eq!((&row["project"], &row["total_tokens"]), (&"/tmp/demo".into(), &5000.into()));
}

#[test]
fn denied_call_of_a_session_is_listed() {
    let entry = |kind: &str, members: Value| {
        let mut entry = json!({"type": kind, "agentId": "main", "time": 1_794_940_676_709_u64});
        entry.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        entry
    };
    let call =
        json!({"type": "tool.call", "toolCallId": "c", "name": "Bash", "args": {"command": "ls"}});
    let result = json!({"type": "tool.result", "toolCallId": "c", "result": {"output": "Rejected.", "isError": true}});
    let lines = [
        entry("context.append_loop_event", json!({"event": call})),
        entry(
            "permission.record_approval_result",
            json!({"toolCallId": "c", "toolName": "Bash", "result": {"decision": "rejected"}}),
        ),
        entry("context.append_loop_event", json!({"event": result})),
    ];
    assert_eq!(run(&["tools"], lines_of(&lines)).row()["status"], "denied");
}

#[test]
fn session_of_the_predecessor_is_read() {
    let wire = |kind: &str, payload: Value| json!({"timestamp": 1_767_323_045.5, "message": {"type": kind, "payload": payload}});
    let sub = |event: Value| {
        wire("SubagentEvent", json!({"parent_tool_call_id": "t", "agent_id": "a", "event": event}))
    };
    let usage = json!({"token_usage": {"input_other": 4, "output": 5, "input_cache_read": 8, "input_cache_creation": 0}, "message_id": "m1"});
    let other = json!({"token_usage": {"input_other": 1, "output": 1, "input_cache_read": 0, "input_cache_creation": 0}, "message_id": "m2"});
    let lines = [
        json!({"type": "metadata", "protocol_version": "1.2"}),
        wire("TurnBegin", json!({"user_input": "Look."})),
        wire("ContentPart", json!({"type": "think", "think": "Hm."})),
        wire("ContentPart", json!({"type": "text", "text": "Let me "})),
        wire("ContentPart", json!({"type": "text", "text": "look."})),
        wire(
            "ToolCall",
            json!({"type": "function", "id": "t", "function": {"name": "Task", "arguments": "{\"prompt\":\"x\"}"}}),
        ),
        sub(json!({"type": "ContentPart", "payload": {"type": "text", "text": "Sub."}})),
        sub(json!({"type": "StatusUpdate", "payload": other})),
        wire(
            "ToolResult",
            json!({"tool_call_id": "t", "return_value": {"is_error": true, "output": "", "message": "It failed."}}),
        ),
        wire("StatusUpdate", usage.clone()),
        // A later update repeats the count.
        wire("StatusUpdate", usage),
        wire("ContentPart", json!({"type": "text", "text": "Done."})),
    ];
    run(&["text", "--main-only"], lines_of(&lines)).success().stdout("Let me look.\nDone.\n");
    let tool = run(&["tools"], lines_of(&lines)).row();
    let call = (&tool["name"], &tool["status"], &tool["output"], &tool["input"]["prompt"]);
    assert_eq!(call, (&"Task".into(), &"failed".into(), &"It failed.".into(), &"x".into()));
    let usage = run(&["usage"], lines_of(&lines)).row();
    assert_eq!((&usage["input_tokens"], &usage["total_tokens"]), (&5.into(), &19.into()));
    let summary = run(&["summary"], lines_of(&lines)).row();
    assert_eq!((&summary["harness"], &summary["complete"]), (&"kimi".into(), &true.into()));
}

#[test]
fn final_error_is_taken_from_standard_error() {
    let workspace = Workspace::new();
    let stream = fixture("kimi/err_429");
    workspace.program("kimi", &format!("cat {}; echo 'error: failed to run prompt: provider.rate_limit: 429 Rate limit reached. Please try again in 90s.' >&2; echo 'See log: /home/demo/.kimi-code/logs/kimi-code.log' >&2; exit 1", stream.display()));
    let (run, record) = workspace.record(&["--exit-status", "category", "--", "kimi", "-p", "Hi."]);
    run.code(75);
    assert_eq!(record["error"], "429 Rate limit reached. Please try again in 90s.");
    let error = workspace.wrap(&["--as", "error", "--", "kimi", "-p", "Hi."]).row();
    assert_eq!((&error["status"], &error["reason"]), (&429.into(), &"rate_limit".into()));
    for (message, category) in [
        ("provider.auth_error: 401 Incorrect API key provided", "auth"),
        ("No model configured. Run `kimi` and use /login to sign in, then retry", "auth"),
        ("provider.connection_error: Connection error.", "api"),
    ] {
        workspace.write("error", format!("error: failed to run prompt: {message}\n"));
        workspace.program("kimi", "cat $DIR/error >&2; exit 1");
        let record = workspace.record(&["--", "kimi", "-p", "Hi."]).1;
        assert_eq!(record["error_category"], category, "{message}");
    }
}

#[test]
fn output_of_commands_on_standard_error_is_no_failure() {
    let workspace = Workspace::new();
    let stream = fixture("kimi/tools");
    workspace.program("kimi", &format!("echo 'error: x' >&2; cat {}", stream.display()));
    let (run, record) = workspace.record(&["--", "kimi", "-p", "Work."]);
    run.success();
    assert_eq!((&record["error"], &record["succeeded_cleanly"]), (&Value::Null, &true.into()));
}

#[test]
fn run_that_exits_with_0_without_an_answer_is_a_failure() {
    let workspace = Workspace::new();
    workspace.write("stream", format!("{VERSION}\n"));
    workspace.program("kimi", "cat $DIR/stream");
    workspace.wrap(&["--", "kimi", "-p", "Hi."]).code(1);
}

#[test]
fn state_of_a_goal_is_explained() {
    let workspace = Workspace::new();
    workspace.program("kimi", &format!("echo '{VERSION}'; exit 3"));
    workspace
        .wrap(&["--", "kimi", "-p", "/goal x"])
        .code(3)
        .stderr(predicate::str::contains("the goal is blocked"));
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["kimi", "-p", "fix it"][..], "kimi --output-format stream-json -p 'fix it'\n"),
        (&["kimi", "-p", "x", "--output-format", "text"], "kimi -p x --output-format text\n"),
        (&["kimi", "-S", "login", "-p", "x"], "kimi --output-format stream-json -S login -p x\n"),
        (&["kimi", "login"], "kimi login\n"),
        (&["kimi", "export", "x"], "kimi export x\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn stream_says_where_its_tokens_are() {
    run(&["usage"], fixture_bytes("kimi/tools")).stderr(predicate::str::ends_with(
        "the stream of kimi contains no tokens; its sessions on disk do (usage --home)\n",
    ));
}
