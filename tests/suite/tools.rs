//! `tools`: tool calls with their results.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run};
use crate::support::fixture_bytes;

fn rows(name: &str) -> Vec<Value> {
    run(&["tools"], fixture_bytes(name)).rows()
}

#[test]
fn row_has_the_members_of_the_stream() {
    let rows = rows("claude/max_turns_1");
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    let output = "total 4\ndrwxr-xr-x 2 demo demo  60";
    assert_eq!(row["harness"], "claude");
    assert!(row["id"].as_str().unwrap().starts_with("toolu_"));
    assert_eq!(row["name"], "Bash");
    assert!(row["input"]["command"].is_string());
    assert_eq!(row["status"], "completed");
    assert!(row["output"].as_str().unwrap().starts_with(output), "{row}");
    assert_eq!(row["stdout"], row["output"]);
    assert_eq!(row["stderr"], "");
    assert_eq!((&row["interrupted"], &row["is_error"]), (&json!(false), &json!(false)));
    assert_eq!(
        (&row["started_at"], &row["duration_ms"]),
        (&json!("2026-11-15T23:18:57.724Z"), &json!(94))
    );
    for absent in ["exit_code", "parent_id", "server", "truncated"] {
        assert!(row.get(absent).is_none(), "{absent}");
    }
}

#[test]
fn calls_are_paired_across_parallel_subagents() {
    let rows = rows("claude/subagent_parallel_foreground");
    let agents: Vec<_> = rows.iter().filter(|row| row["name"] == "Agent").collect();
    let others: Vec<_> = rows.iter().filter(|row| row["name"] == "Bash").collect();
    assert_eq!((agents.len(), others.len()), (2, 2));
    for other in others {
        assert!(agents.iter().any(|agent| agent["id"] == other["parent_id"]), "{other}");
    }
    assert!(agents[0]["duration_ms"].is_u64());
}

#[test]
fn rows_are_in_the_order_of_results() {
    let call = |id: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"N{id}","input":{{"n":"{id}"}}}}]}}}}"#
        )
    };
    let result = |id: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"r{id}"}}]}}}}"#
        )
    };
    let lines = [call("1"), call("2"), call("3"), result("2"), result("1"), result("9")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let rows = read(&["tools"], &lines).rows();
    let brief =
        |row: &Value| format!("{} {} {} {}", row["id"], row["name"], row["output"], row["status"]);
    let brief: Vec<_> = rows.iter().map(brief).collect();
    let expected = [
        r#""2" "N2" "r2" "completed""#,
        r#""1" "N1" "r1" "completed""#,
        r#""9" null "r9" "completed""#,
        r#""3" "N3" null "pending""#,
    ];
    assert_eq!(brief, expected);
}

#[test]
fn refused_call_is_denied_in_every_release() {
    for name in ["claude/tool_permission_denied", "claude_2_0_77/tool_permission_denied"] {
        let rows = rows(name);
        assert_eq!(rows.len(), 2);
        let denied = |row: &Value| row["status"] == "denied" && row["is_error"] == true;
        assert!(rows.iter().all(denied), "{name}");
    }
    let declined = r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"rm","aggregated_output":"","exit_code":null,"status":"declined"}}"#;
    assert_eq!(read(&["tools"], &[declined]).row()["status"], "denied");
}

#[test]
fn interrupted_call_is_failed_not_denied() {
    let row = &rows("claude/control_interrupt")[0];
    assert_eq!((&row["status"], &row["is_error"]), (&json!("failed"), &json!(true)));
}

#[test]
fn result_content_may_be_a_string_or_a_list() {
    let result = |content: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","content":{content}}}]}}}}"#
        )
    };
    let output = |content: &str| read(&["tools"], &[&result(content)]).row()["output"].clone();
    assert_eq!(output(r#""plain""#), "plain");
    assert_eq!(output(r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#), "a\nb");
    assert_eq!(output(r#"[{"type":"image","source":{}}]"#), "[image]");
    assert_eq!(output(r#"[{"type":"tool_reference","tool_name":"X"}]"#), "[tool_reference X]");
    assert_eq!(output("[]"), Value::Null);
    assert_eq!(output("7"), Value::Null);
}

#[test]
fn replayed_prompt_is_not_a_result() {
    let line = r#"{"type":"user","isReplay":true,"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}"#;
    read(&["tools"], &[line]).stdout("");
}

#[test]
fn user_content_may_be_a_string() {
    let line = r#"{"type":"user","message":{"content":"hello"},"session_id":"s"}"#;
    read(&["tools"], &[line]).stdout("");
}

#[test]
fn codex_tool_is_named_after_its_item_type() {
    let rows = rows("codex/collab_spawn_agent");
    assert_eq!(rows[0]["name"], "collab_tool_call");
    assert_eq!(rows[0]["input"]["tool"], "spawn_agent");
    assert_eq!(rows[0]["input"]["prompt"], "LANE=sub1 Find the answer.");
    assert!(rows[1]["output"].as_str().unwrap().contains("Sub result: 42."));
}

#[test]
fn first_of_duplicate_ids_wins() {
    let rows = rows("codex/web_search");
    let ids: Vec<_> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["item_0", "item_1", "item_2"]);
    let input = json!({"query":"demo query","action":{"type":"search","query":"demo query","queries":["demo query"]}});
    assert_eq!(rows[0]["input"], input);
}

#[test]
fn mcp_call_has_tool_and_server() {
    let rows = rows("codex/mcp_server_dies");
    assert_eq!((&rows[1]["name"], &rows[1]["server"]), (&json!("add"), &json!("demo")));
    assert_eq!(rows[1]["input"], json!({"a":"x"}));
    assert!(rows[1]["output"].as_str().unwrap().ends_with("Transport closed"));
    let done = r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":null,"result":{"content":[],"structured_content":{"a":1.50}},"error":null,"status":"completed"}}"#;
    assert_eq!(read(&["tools"], &[done]).row()["output"], r#"{"a":1.50}"#);
}

#[test]
fn command_running_after_its_turn_is_pending() {
    let rows = rows("codex/command_left_running");
    assert_eq!(rows[0]["status"], "pending");
    assert_eq!(rows[0]["input"]["command"], "/bin/bash -lc 'sleep 61 & sleep 62'");
    assert!(rows[0].get("exit_code").is_none());
}

#[test]
fn todo_list_is_one_call_with_its_last_items() {
    let rows = rows("codex/todo_list");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["input"]["items"][0], json!({"text":"One","completed":true}));
}

#[test]
fn input_is_printed_unchanged() {
    let line = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"X","input":{"b":1.50,"a":"\u0041","n":12345678901234567890123}}]}}"#;
    read(&["tools"], &[line]).stdout(predicate::str::contains(
        r#""input":{"b":1.50,"a":"\u0041","n":12345678901234567890123}"#,
    ));
}

#[test]
fn names_are_filtered_by_globs() {
    let names = |args: &[&str]| {
        let args = [&["tools"], args].concat();
        let rows = run(&args, fixture_bytes("claude/mcp_servers")).rows();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["--name", "mcp__*__add"]), ["mcp__demo__add"]);
    assert_eq!(names(&["--name", "Bash"]), Vec::<String>::new());
    assert_eq!(names(&["--name", "Bash", "--name", "*boom"]), ["mcp__demo__boom"]);
    assert_eq!(names(&["--failed"]), ["mcp__demo__boom"]);
}

#[test]
fn max_output_truncates_and_marks_the_row() {
    let row = |limit: &str| {
        run(&["tools", "--max-output", limit], fixture_bytes("codex/reasoning")).row()
    };
    let truncated = row("5");
    assert_eq!((&truncated["output"], &truncated["truncated"]), (&json!("think"), &json!(true)));
    let whole = row("1K");
    assert_eq!((&whole["output"], whole.get("truncated")), (&json!("thinking\n"), None));
    assert_eq!(row("0")["output"], "");
}

#[test]
fn exit_status_says_whether_a_call_failed() {
    let failed = fixture_bytes("claude/tool_permission_denied");
    run(&["tools", "--failed", "-e"], failed.clone()).code(1);
    run(&["tools", "-e"], failed.clone()).code(1);
    run(&["tools", "--failed"], failed.clone()).success();
    run(&["tools", "-e", "--name", "Read"], failed).success();
    run(&["tools", "--failed", "-e"], fixture_bytes("codex/text_success")).success();
}
