//! How `view` names calls, and what its result says about them.

use serde_json::json;

use super::{DONE, THREAD, plain, pretty};
use crate::support::{fixture_bytes, rendered};

fn claude_call(id: &str, name: &str, input: &serde_json::Value) -> String {
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let message = json!({"id": id, "content": [block]});
    json!({"type": "assistant", "session_id": "s", "message": message}).to_string()
}

fn claude_result(id: &str, content: &str) -> String {
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
    json!({"type": "user", "session_id": "s", "message": {"content": [block]}}).to_string()
}

const INIT: &str =
    r#"{"type":"system","subtype":"init","session_id":"7f3c","cwd":"/work/demo","model":"m"}"#;

#[test]
fn edit_shows_its_file_and_the_numbers_of_lines() {
    let edit = json!({"file_path": "/work/demo/src/lib.rs", "old_string": "a\nb\nc", "new_string": "a\nX\nY\nc\n"});
    let write = json!({"file_path": "/elsewhere/new.rs", "content": "1\n2\n"});
    let lines = [
        INIT.to_owned(),
        claude_call("1", "Edit", &edit),
        claude_result("1", "The file has been updated."),
        claude_call("2", "Write", &write),
        claude_result("2", "Written."),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = plain(&[], &lines);
    assert!(shown.contains("[tool] Edit  src/lib.rs\n[tool] ok: +2 −1\n"), "{shown}");
    assert!(shown.contains("[tool] Write  /elsewhere/new.rs\n[tool] ok: +2\n"), "{shown}");
    assert!(shown.contains("[files] src/lib.rs +2 −1, /elsewhere/new.rs +2\n"), "{shown}");
    let shown = pretty(&["--width", "60"], &lines);
    assert!(shown.contains("  src/lib.rs\u{1b}[2m  +2 −1\u{1b}[0m\n"), "{shown:?}");
}

#[test]
fn failed_edit_changes_no_file() {
    let edit = json!({"file_path": "/a", "old_string": "a", "new_string": "b"});
    let result = claude_result("1", "not found")
        .replace("\"content\":\"not", "\"is_error\":true,\"content\":\"not");
    let shown = plain(&[], &[INIT, &claude_call("1", "Edit", &edit), &result]);
    assert!(shown.contains("[tool] failed: 9 B\n    not found\n"), "{shown}");
    assert!(!shown.contains("[files]") && shown.contains("[tools] 1 tool, 1 failed\n"), "{shown}");
}

#[test]
fn calls_of_servers_and_shells_are_named_by_what_they_do() {
    for (name, expected) in [
        ("claude/mcp_servers", "[tool] demo.add  a=2 b=3\n"),
        ("codex/mcp_server_dies", "[tool] demo.add  a=x\n"),
        ("codex/command_parallel", "[tool] shell  echo two; exit 3\n"),
        ("codex/web_search", "[tool] search  demo query\n"),
        ("codex/collab_spawn_agent", "[tool] agent  spawn_agent LANE=sub1 Find the answer.\n"),
        ("claude/read_image", "[tool] Read  p.png\n"),
        ("claude/ask_user_question", "[tool] AskUserQuestion  Which colour?\n"),
        ("claude/subagent_background_two", "[tool] Agent  Explore: Two\n"),
    ] {
        let shown = rendered(&["view"], &fixture_bytes(name));
        assert!(shown.contains(expected), "{name}: {shown}");
    }
}

#[test]
fn plan_is_a_list() {
    let call = json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {
        "type": "function_call", "call_id": "c", "name": "update_plan",
        "arguments": r#"{"plan":[{"step":"One","status":"completed"},{"step":"Two","status":"pending"}]}"#}});
    let shown = plain(&[], &[&call.to_string()]);
    assert!(shown.contains("    [x] One\n    [ ] Two\n"), "{shown}");
}

#[test]
fn result_has_the_command_that_resumes_the_session() {
    for (name, expected) in [
        ("claude/text_success", "[resume] claude --resume abf5c9cd-cf54-433e-a396-e4b81aa92760\n"),
        ("codex/text_success", "[resume] codex resume "),
        ("gemini/tools", "[resume] gemini --resume "),
        ("opencode/tools", "[resume] opencode -s "),
    ] {
        let shown = rendered(&["view"], &fixture_bytes(name));
        assert!(shown.contains(expected), "{name}: {shown}");
    }
    // An id that is no word of a shell is no command.
    let hostile = THREAD.replace("th_1", "x; rm -rf ~");
    assert!(!plain(&[], &[&hostile, DONE]).contains("[resume]"));
}

#[test]
fn background_work_that_is_left_is_named() {
    let start = claude_call("1", "Bash", &json!({"command": "sleep 9", "run_in_background": true}));
    let launched = json!({"type": "user", "session_id": "s", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "1", "content": "running"}]},
        "tool_use_result": {"backgroundTaskId": "b1"}});
    let task = json!({"type": "system", "subtype": "task_started", "session_id": "s",
        "task_id": "b1", "tool_use_id": "1", "description": "Sleep long"});
    let result = json!({"type": "result", "subtype": "success", "session_id": "s", "is_error": false, "result": "x"});
    let lines = [start, launched.to_string(), task.to_string(), result.to_string()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = plain(&[], &lines);
    assert!(shown.contains("[note] 1 background task left: Sleep long\n"), "{shown}");
}
