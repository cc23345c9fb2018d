//! Tool calls that were denied: advisory, and a failure on request.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run};
use crate::support::{fixture_bytes, has_warning};

/// A run with a denied call, a cancelled one and a failed one.
const CODEX: [&str; 6] = [
    r#"{"type":"thread.started","thread_id":"th"}"#,
    r#"{"type":"turn.started"}"#,
    r#"{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"rm x","aggregated_output":"","exit_code":null,"status":"declined"}}"#,
    r#"{"type":"item.completed","item":{"id":"i2","type":"mcp_tool_call","server":"s","tool":"write","arguments":{},"result":null,"error":{"message":"user cancelled MCP tool call"},"status":"failed"}}"#,
    r#"{"type":"item.completed","item":{"id":"i3","type":"command_execution","command":"false","aggregated_output":"","exit_code":1,"status":"failed"}}"#,
    r#"{"type":"turn.completed","usage":{}}"#,
];

fn denials(summary: &Value) -> &Value {
    &summary["permission_denials"]
}

#[test]
fn denied_and_cancelled_calls_are_listed_and_do_not_fail_the_run() {
    let summary = read(&["summary"], &CODEX).row();
    let listed = json!([{"name": "command_execution", "id": "i1"}, {"name": "write", "id": "i2"}]);
    assert_eq!(*denials(&summary), listed);
    assert_eq!(summary["tools"], json!({"calls": 3, "failed": 1, "denied": 2}));
    assert!(has_warning(&summary, "permission-denied: command_execution (i1)"));
    assert_eq!(
        (&summary["error_category"], &summary["succeeded_cleanly"]),
        (&Value::Null, &json!(true))
    );
}

#[test]
fn denials_of_a_claude_result_are_listed_once() {
    let summary = run(&["summary"], fixture_bytes("claude/tool_permission_denied")).row();
    assert_eq!(denials(&summary).as_array().unwrap().len(), 2);
    assert_eq!(denials(&summary)[0]["name"], "Bash");
    assert_eq!(denials(&summary)[1]["name"], "Write");
    assert_eq!(summary["tools"], json!({"calls": 2, "failed": 0, "denied": 2}));
    assert_eq!(summary["succeeded_cleanly"], true);
}

#[test]
fn call_that_the_result_lists_as_denied_does_not_also_count_as_failed() {
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"X","input":{}}]}}"#;
    let failed = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"no","is_error":true}]}}"#;
    let result = r#"{"type":"result","subtype":"success","permission_denials":[{"tool_name":"X","tool_use_id":"t1"}]}"#;
    let summary = read(&["summary"], &[call, failed, result]).row();
    assert_eq!(summary["tools"], json!({"calls": 1, "failed": 0, "denied": 1}));
}

#[test]
fn view_names_denied_tools_in_its_result() {
    let denied = "[tools] 3 tools, 1 failed, 2 denied: shell, write\n";
    read(&["view"], &CODEX).stdout(predicate::str::contains(denied));
}

#[test]
fn fail_on_makes_an_advisory_condition_a_failure() {
    let [denied, failure, warning] =
        ["denied", "tool-failure", "warning"].map(|what| vec!["error", "-e", "--fail-on", what]);
    let lines = CODEX.join("\n");
    run(&["error", "-e"], lines.clone()).success();
    for (args, sentence) in [
        (&denied, "2 tool calls denied (--fail-on denied)"),
        (&failure, "1 tool call failed (--fail-on tool-failure)"),
        (&warning, "2 warnings (--fail-on warning)"),
    ] {
        run(args, lines.clone()).code(1).stderr(format!("streamj: <stdin>: {sentence}\n"));
        run(args, fixture_bytes("codex/text_success")).success();
    }
    // A failure of the run itself decides.
    run(&denied, fixture_bytes("claude/err_401")).code(77);
    run(&["error", "--fail-on", "denied"], lines).code(2);
}

#[test]
fn refused_question_is_denied_in_every_command() {
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"AskUserQuestion","input":{}}]}}"#;
    let refused = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Answer questions?","is_error":true}]}}"#;
    let result = r#"{"type":"result","subtype":"success","permission_denials":[{"tool_name":"AskUserQuestion","tool_use_id":"t1"}]}"#;
    let lines = [call, refused, result];
    assert_eq!(read(&["tools"], &lines).row()["status"], "denied");
    assert_eq!(read(&["summary"], &lines).row()["tools"]["denied"], 1);
}

#[test]
fn denial_of_the_wrong_type_is_none() {
    let result =
        r#"{"type":"result","subtype":"success","permission_denials":[5,"x",{"tool_name":"X"}]}"#;
    assert_eq!(*denials(&read(&["summary"], &[result]).row()), json!([{"name": "X"}]));
}
