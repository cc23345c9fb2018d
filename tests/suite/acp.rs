//! The Agent Client Protocol: rules of its schema that the fixtures do not show, or not
//! completely.

use serde_json::{Value, json};

use crate::support::cli::{Printed, run};
use crate::support::lines_of;
use crate::workspace::Workspace;

fn update(update: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}})
}

fn chunk(kind: &str, text: &str) -> Value {
    update(&json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}}))
}

fn stop(reason: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 3, "result": {"stopReason": reason}})
}

#[test]
fn other_json_rpc_is_not_recognised() {
    let harness =
        |line: &Value| run(&["-q", "events"], line.to_string()).rows()[0]["harness"].clone();
    for line in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}}),
    ] {
        assert_eq!(harness(&line), "unknown", "{line}");
    }
    for line in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "terminal/output", "params": {"sessionId": "s", "terminalId": "t"}}),
        chunk("agent_message_chunk", "x"),
        stop("end_turn"),
    ] {
        assert_eq!(harness(&line), "acp", "{line}");
    }
}

#[test]
fn reasoning_or_a_call_ends_a_text() {
    let call = update(&json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read"}));
    let lines = [
        chunk("agent_message_chunk", "A"),
        chunk("agent_message_chunk", "B"),
        chunk("agent_thought_chunk", "hm"),
        chunk("agent_message_chunk", "C"),
        call,
        chunk("agent_message_chunk", "D"),
        chunk("agent_message_chunk", "E"),
    ];
    run(&["text"], lines_of(&lines)).stdout("AB\nC\nDE\n");
    run(&["text", "--last"], lines_of(&lines)).stdout("DE\n");
    assert_eq!(run(&["summary"], lines_of(&lines)).row()["output"], "AB\nC\nDE");
}

#[test]
fn other_lines_do_not_interrupt_a_text() {
    let used = update(&json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}));
    let lines = [chunk("agent_message_chunk", "A"), used, chunk("agent_message_chunk", "B")];
    run(&["text"], lines_of(&lines)).stdout("AB\n");
}

#[test]
fn call_without_a_final_status_is_pending() {
    let call = |members: Value| {
        let mut call =
            json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "List files"});
        call.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        update(&call)
    };
    let changed = |status: &str| {
        update(
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status, "rawInput": {"path": "/w"}}),
        )
    };
    let row = |lines: &[Value]| run(&["tools"], lines_of(lines)).row();
    let pending = row(&[call(json!({"status": "pending"})), changed("in_progress")]);
    let found = (&pending["name"], &pending["status"], &pending["input"]["path"]);
    assert_eq!(found, (&"List files".into(), &"pending".into(), &"/w".into()));
    let named = row(&[call(json!({"name": "ls", "kind": "read"})), changed("completed")]);
    assert_eq!((&named["name"], &named["status"]), (&"ls".into(), &"completed".into()));
    // A call may be printed once, with its result.
    let whole = row(&[call(
        json!({"kind": "search", "status": "failed", "rawOutput": {"output": "none", "exit_code": 1}}),
    )]);
    let found = (&whole["name"], &whole["status"], &whole["output"], &whole["exit_code"]);
    assert_eq!(found, (&"search".into(), &"failed".into(), &"none".into(), &1.into()));
}

#[test]
fn turn_ends_with_its_stop_reason() {
    for (reason, failure) in [
        ("end_turn", Value::Null),
        ("cancelled", "interrupted".into()),
        ("refusal", "refusal".into()),
        ("max_turn_requests", "max_turns".into()),
    ] {
        let lines = lines_of(&[chunk("agent_message_chunk", "Hi."), stop(reason)]);
        let summary = run(&["summary"], lines).row();
        assert_eq!(
            (&summary["complete"], &summary["reason"]),
            (&true.into(), &failure),
            "{reason}"
        );
    }
    let running = lines_of(&[chunk("agent_message_chunk", "Hi.")]);
    assert_eq!(run(&["summary"], running).row()["complete"], false);
}

#[test]
fn total_tells_what_input_and_output_include() {
    for (usage, expected) in [
        (
            json!({"inputTokens": 100, "outputTokens": 20, "cachedReadTokens": 60, "totalTokens": 120}),
            [40, 20, 120],
        ),
        (
            json!({"inputTokens": 100, "outputTokens": 20, "cachedReadTokens": 60, "totalTokens": 180}),
            [100, 20, 180],
        ),
        (
            json!({"inputTokens": 100, "outputTokens": 20, "thoughtTokens": 5, "totalTokens": 120}),
            [100, 20, 120],
        ),
        (
            json!({"inputTokens": 100, "outputTokens": 20, "thoughtTokens": 5, "totalTokens": 125}),
            [100, 25, 125],
        ),
        (
            json!({"inputTokens": 100, "outputTokens": 20, "cachedReadTokens": 60, "thoughtTokens": 5, "totalTokens": 185}),
            [100, 25, 185],
        ),
    ] {
        let line = json!({"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn", "usage": usage}});
        let row = run(&["usage"], line.to_string()).row();
        let found = ["uncached_input_tokens", "output_tokens", "total_tokens"]
            .map(|key| row[key].as_u64().unwrap());
        assert_eq!(found, expected, "{usage}");
    }
}

#[test]
fn draft_with_whole_messages_is_read() {
    let state = |state: &str| update(&json!({"sessionUpdate": "state_update", "state": state}));
    let whole = json!({"sessionUpdate": "agent_message", "messageId": "m", "content": [{"type": "text", "text": "Hi."}]});
    let call = |status: &str| {
        update(
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "kind": "read", "title": "Read", "status": status}),
        )
    };
    let lines =
        [state("running"), call("pending"), call("completed"), update(&whole), state("idle")];
    run(&["text"], lines_of(&lines)).stdout("Hi.\n");
    assert_eq!(run(&["tools"], lines_of(&lines)).row()["name"], "read");
    assert_eq!(run(&["summary"], lines_of(&lines)).row()["succeeded_cleanly"], true);
}

#[test]
fn command_is_left_alone() {
    let workspace = Workspace::new();
    let args = ["--dry-run", "--harness", "acp", "--", "some-agent", "--acp"];
    workspace.wrap(&args).success().stdout("some-agent --acp\n");
}
