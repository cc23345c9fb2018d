//! `check`: lines are compared with the format of their CLI.

use std::path::PathBuf;

use predicates::prelude::*;
use serde_json::Value;

use crate::support::cli::{Printed, run};
use crate::support::{files_under, fixture, fixtures, recordings_under, root, shared};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1"}"#;

fn rows(args: &[&str], input: &str) -> Vec<Value> {
    run(&[&["check", "--format", "jsonl"], args].concat(), input).rows()
}

#[test]
fn violations_are_printed_with_file_and_line_in_a_pipe() {
    let input = format!("{INIT}\nnot json\n\n{{\"type\":\"user\"}}\n");
    run(&["check", "--contract", "v1"], input.as_str())
        .code(1)
        .stdout(
            "<stdin>:2: JsonParse: not JSON: expected value at byte 0\n\
             <stdin>:4: TypedParse: session_id: missing\n",
        )
        .stderr("streamj: <stdin>: 3 lines, 1 event, 2 violations\n");
    run(&["check", "-q"], input).code(1).stderr("");
}

#[test]
fn valid_stream_prints_nothing() {
    run(&["check", fixture("claude/text_success").to_str().unwrap()], "")
        .success()
        .stdout("")
        .stderr(predicate::str::ends_with("3 lines, 3 events, 0 violations\n"));
}

#[test]
fn violations_of_several_files_follow_without_blank_lines() {
    let file = fixture("claude/max_turns_1");
    let path = file.to_str().unwrap();
    let line = format!("{path}:5: TypedParse: subtype: expected \"success\" or \"error\"\n");
    let args = ["check", "-q", "--contract", "v1", path];
    run(&[&args[..], &[path]].concat(), "").stdout(line.repeat(2));
    let row = run(&[&args[..], &["--format", "jsonl"]].concat(), "").row();
    assert_eq!(row["file"], path);
}

#[test]
fn every_line_also_prints_matching_lines() {
    let input = format!("{INIT}\n[]\n{{\"type\":\"new\"}}\n");
    assert_eq!(rows(&["--contract", "v1"], &input).len(), 1);
    let rows = rows(&["--contract", "v1", "--every-line"], &input);
    let printed: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(
        printed,
        [
            r#"{"line":1,"outcome":"event","session_id":"s1","variant":"SystemInit"}"#,
            r#"{"code":"TypedParse","line":2,"message":"expected an object","outcome":"error"}"#,
            r#"{"line":3,"outcome":"event","session_id":"s1","variant":"Unknown"}"#,
        ]
    );
    let args = ["check", "-q", "--contract", "v1"];
    run(&[&args[..], &["--every-line", "--format", "text"]].concat(), input.as_str())
        .stdout(predicate::str::starts_with("<stdin>:1: ok: SystemInit\n<stdin>:2: TypedParse:"));
    run(&[&args[..], &["--get", "/code"]].concat(), input).code(1).stdout("TypedParse\n");
}

#[test]
fn line_that_other_commands_repair_is_not_json() {
    for line in [
        b"{\"type\":\"user\",\"session_id\":\"\xff\"}".as_slice(),
        br#"{"type":"user","session_id":"s","x":1e999}"#,
        br#"{"type":"turn.failed","error":{"message":"\ud83d"},"n":1e999}"#,
        b"\"\xff\"",
    ] {
        for contract in ["v1", "current"] {
            run(&["check", "-q", "--contract", contract, "--get", "/code"], line)
                .append_context("line", line.escape_ascii())
                .code(1)
                .stdout("JsonParse\n");
        }
    }
    run(&["check", "-q", "--max-line", "10"], INIT)
        .stdout("<stdin>:1: JsonParse: line too long: 52 bytes\n");
}

/// Real releases print half of a surrogate pair where they cut a text.
#[test]
fn lone_surrogate_violates_v1_and_matches_current() {
    for line in [
        r#"{"type":"user","session_id":"s","parent_tool_use_id":null,"message":{"content":"\ud83d"}}"#,
        r#"{"type":"turn.failed","error":{"message":"\ude00\ud83d"}}"#,
    ] {
        run(&["check", "-q", "--contract", "v1", "--get", "/code"], line)
            .code(1)
            .stdout("JsonParse\n");
        run(&["check", "--contract", "current"], line).success().stdout("");
    }
    run(&["check", "-q"], r#"["\ud83d"]"#).stdout("<stdin>:1: TypedParse: expected an object\n");
}

#[test]
fn array_of_messages_violates_v1_and_matches_current() {
    let file = fixture("claude/json_verbose");
    let path = file.to_str().unwrap();
    run(&["check", "-q", "--contract", "v1", path], "")
        .stdout(format!("{path}:1: TypedParse: expected an object\n"));
    run(&["check", "--contract", "current", path], "").success().stdout("");
}

#[test]
fn default_contract_is_current() {
    let novel = r#"{"type":"system","subtype":"novel","session_id":"s"}"#;
    run(&["check", "-q"], novel)
        .code(1)
        .stdout("<stdin>:1: Unknown: unknown type system/novel, 1 line\n");
    // The published contract has one subtype for failures.
    let file = fixture("claude/max_turns_1");
    run(&["check", file.to_str().unwrap()], "").success().stdout("");
}

#[test]
fn shipped_examples_match_current() {
    for (name, violations) in [("claude", ""), ("codex", ""), ("watch", ""), ("failed", "2\n3\n")] {
        let path = root().join("examples").join(name).with_extension("jsonl");
        let args = ["check", "-q", "--members", "--get", "/line", path.to_str().unwrap()];
        run(&args, "").append_context("example", name).stdout(violations);
    }
    assert_session_files(&files_under(&root().join("examples/sessions"), "jsonl"));
}

/// Checks session files against `current`.
fn assert_session_files(files: &[PathBuf]) {
    assert!(!files.is_empty());
    for file in files {
        let args = ["check", "-q", "--members", file.to_str().unwrap()];
        run(&args, "").append_context("file", file.display().to_string()).success().stdout("");
    }
}

#[test]
fn shared_session_files_match_current() {
    let Some(transcripts) = shared("captures/transcripts") else { return };
    assert_session_files(&files_under(&transcripts, "jsonl"));
}

#[test]
fn unknown_types_in_session_files_are_reported() {
    let lines = [
        r#"{"type":"dance","parentUuid":null,"sessionId":"s"}"#,
        r#"{"type":"user","parentUuid":null,"sessionId":"s"}"#,
        r#"{"type":"system","subtype":"sing","parentUuid":null,"sessionId":"s"}"#,
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"sing"}}"#,
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{}}"#,
    ];
    run(&["check", "-q"], lines.join("\n")).code(1).stdout(
        "<stdin>:2: TypedParse: message: missing\n\
         <stdin>:5: TypedParse: payload.id: missing\n\
         <stdin>:1: Unknown: unknown type dance, 1 line\n\
         <stdin>:3: Unknown: unknown type system/sing, 1 line\n\
         <stdin>:4: Unknown: unknown type event_msg/sing, 1 line\n",
    );
}

#[test]
fn v1_accepts_unknown_types_and_notes_each_once() {
    let input =
        format!("{INIT}\n{{\"type\":\"new\"}}\n{{\"type\":\"newer\"}}\n{{\"type\":\"new\"}}\n");
    run(&["check", "--contract", "v1"], input).success().stdout("").stderr(
        "streamj: <stdin>: unknown type new, 2 lines\n\
         streamj: <stdin>: unknown type newer, 1 line\n\
         streamj: <stdin>: 4 lines, 4 events, 0 violations, 2 unknown types\n",
    );
}

#[test]
fn current_lists_unknown_claude_types_with_counts() {
    let lines = [
        r#"{"type":"system","subtype":"novel","session_id":"s"}"#,
        r#"{"type":"system","subtype":"novel","session_id":"s"}"#,
        r#"{"type":"brand_new","session_id":"s"}"#,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"content":[{"type":"hologram"}]}}"#,
        r#"{"type":"stream_event","session_id":"s","parent_tool_use_id":null,"event":{"type":"content_block_delta","index":0,"delta":{"type":"smell_delta"}}}"#,
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"dance"}}"#,
        r#"{"type":"result","subtype":"error_bored","session_id":"s","is_error":true,"duration_ms":1,"num_turns":1,"total_cost_usd":0,"usage":{},"permission_denials":[]}"#,
    ];
    run(&["check", "-q", "--contract", "current"], lines.join("\n")).code(1).stdout(
        "<stdin>:1: Unknown: unknown type system/novel, 2 lines\n\
         <stdin>:3: Unknown: unknown type brand_new, 1 line\n\
         <stdin>:4: Unknown: unknown type assistant/hologram, 1 line\n\
         <stdin>:5: Unknown: unknown type stream_event/content_block_delta/smell_delta, 1 line\n\
         <stdin>:6: Unknown: unknown type control_request/dance, 1 line\n\
         <stdin>:7: Unknown: unknown type result/error_bored, 1 line\n",
    );
    let row = rows(&["--contract", "current"], lines[0]).remove(0);
    assert_eq!(
        (&row["outcome"], &row["name"], &row["count"]),
        (&"unknown".into(), &"system/novel".into(), &1.into())
    );
}

#[test]
fn current_requires_members_that_every_release_prints() {
    let lines = [
        INIT,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{}}"#,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"content":[{"type":"tool_use","id":"t","name":"B"}]}}"#,
        r#"{"type":"result","subtype":"success","session_id":"s","is_error":true}"#,
        r#"{"type":"assistant","sessionId":"s"}"#,
    ];
    run(&["check", "-q", "--contract", "current"], lines.join("\n")).stdout(
        "<stdin>:1: TypedParse: cwd: missing\n\
         <stdin>:2: TypedParse: message.content: missing\n\
         <stdin>:3: TypedParse: message.content.0.input: missing\n\
         <stdin>:4: TypedParse: duration_ms: missing\n\
         <stdin>:5: TypedParse: session_id: missing\n",
    );
}

#[test]
fn absent_member_is_missing_and_other_types_are_named() {
    let lines = [
        r#"{"type":"user","message":{}}"#,
        r#"{"type":"user","session_id":7}"#,
        r#"{"type":"user","session_id":null}"#,
        r#"{"type":"stream_event","session_id":"s"}"#,
        r#"{"type":"stream_event","session_id":"s","event":[]}"#,
        r#"{"type":"system","session_id":"s"}"#,
    ];
    let expected = "<stdin>:1: TypedParse: session_id: missing\n\
        <stdin>:2: TypedParse: session_id: expected a string\n\
        <stdin>:3: TypedParse: session_id: expected a string\n\
        <stdin>:4: TypedParse: event: missing\n\
        <stdin>:5: TypedParse: event: expected an object\n\
        <stdin>:6: TypedParse: subtype: missing\n";
    for contract in ["v1", "current"] {
        let args = ["check", "-q", "--harness", "claude", "--contract", contract];
        run(&args, lines.join("\n")).code(1).stdout(expected);
    }
}

#[test]
fn terminal_refresh_before_init_is_a_known_subtype() {
    let line = r#"{"type":"system","subtype":"ui_invalidate","event":"ui.render","session_id":"s","uuid":"u"}"#;
    run(&["check", "--members"], line).success().stdout("");
    let without_event = line.replace(r#""event":"ui.render","#, "");
    run(&["check", "--members"], without_event).success().stdout("");
}

/// The entries that Claude Code 2.1.326 writes beside messages.
#[test]
fn bookkeeping_entries_of_session_files_are_known() {
    let entries = [
        r#"{"type":"queue-operation","operation":"enqueue","timestamp":"t","sessionId":"s"}"#,
        r#"{"type":"atis-latch","atis":false,"sessionId":"s"}"#,
        r#"{"type":"api-request-shape","shape":{},"shapeHash":"h","timestamp":"t","sessionId":"s","version":"2.1.326"}"#,
        r#"{"type":"api-request-blob","hash":"h","message":{},"sessionId":"s"}"#,
        r#"{"type":"tools-used","tools":["Bash"],"sessionId":"s"}"#,
        r#"{"type":"worktree-state","sessionId":"s"}"#,
    ];
    run(&["check"], entries.join("\n")).success().stdout("");
    let unknown = entries[1].replace("atis-latch", "some-other");
    let lines = [entries[0], &unknown].join("\n");
    run(&["check", "-q"], lines).stdout("<stdin>:2: Unknown: unknown type some-other, 1 line\n");
}

#[test]
fn codex_lines_are_checked_against_the_codex_format() {
    let lines = [
        r#"{"type":"thread.started","thread_id":"th"}"#,
        r#"{"type":"turn.started"}"#,
        r#"{"type":"thread.started"}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":"2"}}"#,
        r#"{"type":"turn.failed","error":"x"}"#,
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"x"}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"agent_message"}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"paused"}}"#,
        r#"{"type":"item.started","item":{"id":"i","type":"file_change","changes":[{"path":"x","kind":"rename"}],"status":"completed"}}"#,
        r#"{"type":"item.started","item":{"id":"i","type":"todo_list","items":[{"text":"x"}]}}"#,
        r#"{"type":"error"}"#,
        r#"{"type":"item.started","item":{"id":"i","type":"dance"}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"dance"}}"#,
        r#"{"type":"thread.forked","thread_id":"th"}"#,
    ];
    run(&["check", "--contract", "v1"], lines.join("\n"))
        .stdout(
        "<stdin>:3: TypedParse: thread_id: missing\n\
         <stdin>:4: TypedParse: usage.output_tokens: expected a number\n\
         <stdin>:5: TypedParse: error: expected an object\n\
         <stdin>:6: TypedParse: item.id: missing\n\
         <stdin>:7: TypedParse: item.text: missing\n\
         <stdin>:8: TypedParse: item.status: expected one of in_progress, completed, failed, declined\n\
         <stdin>:9: TypedParse: item.changes.0.kind: expected one of add, delete, update\n\
         <stdin>:10: TypedParse: item.items.0.completed: missing\n\
         <stdin>:11: TypedParse: message: missing\n",
    )
    .stderr(
        "streamj: <stdin>: unknown type item/dance, 2 lines\n\
         streamj: <stdin>: unknown type thread.forked, 1 line\n\
         streamj: <stdin>: 14 lines, 5 events, 9 violations, 2 unknown types\n",
    );
    let known = [lines[0], lines[1], lines[13]].join("\n");
    run(&["check", "--contract", "v1"], known.as_str()).success();
    run(&["check", "-q", "--contract", "current"], known.as_str())
        .code(1)
        .stdout("<stdin>:3: Unknown: unknown type thread.forked, 1 line\n");
    let rows = rows(&["--contract", "v1", "--every-line"], &known);
    assert_eq!(
        (&rows[1]["variant"], &rows[1]["session_id"]),
        (&"TurnStarted".into(), &"th".into())
    );
}

#[test]
fn unknown_members_are_listed_once_with_counts() {
    let task = r#"{"type":"system","subtype":"task_notification","task_id":"t","session_id":"s","summary_is_report":true,"usage":{"total_tokens":1,"seconds":2}}"#;
    let lines = [
        task,
        task,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"mood":"good","message":{"content":[{"type":"text","text":"a","font":"b"},{"type":"text","text":"c","font":"d"},{"type":"tool_use","id":"t","name":"B","input":{"any":{"thing":1}}}],"usage":{"tokens":1}}}"#,
        r#"{"type":"result","subtype":"success","session_id":"s","is_error":false,"duration_ms":1,"num_turns":1,"total_cost_usd":0,"usage":{},"permission_denials":[],"result":"","structured_output":{"free":1},"modelUsage":{"m":{"joules":3}}}"#,
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"commands":[],"models":[],"hooks_when_unanswered_kept":true}}}"#,
        r#"{"type":"stream_event","session_id":"s","parent_tool_use_id":null,"event":{"type":"message_stop","metrics":{}}}"#,
    ];
    run(&["check", "--members"], lines.join("\n"))
        .code(1)
        .stdout(
            "<stdin>:1: Unknown: unknown member system/task_notification.summary_is_report, 2 lines\n\
             <stdin>:1: Unknown: unknown member system/task_notification.usage.seconds, 2 lines\n\
             <stdin>:3: Unknown: unknown member assistant.message.usage.tokens, 1 line\n\
             <stdin>:3: Unknown: unknown member assistant.mood, 1 line\n\
             <stdin>:3: Unknown: unknown member assistant/text.font, 1 line\n\
             <stdin>:4: Unknown: unknown member result/success.modelUsage.*.joules, 1 line\n\
             <stdin>:5: Unknown: unknown member control_response/success.response.hooks_when_unanswered_kept, 1 line\n",
        )
        .stderr("streamj: <stdin>: 6 lines, 6 events, 0 violations, 7 unknown members\n");
    run(&["check"], lines.join("\n")).success().stdout("");
    let row = rows(&["--members"], lines[0]).remove(0);
    assert_eq!(
        (&row["code"], &row["name"], &row["count"]),
        (&"Unknown".into(), &"system/task_notification.summary_is_report".into(), &1.into())
    );
}

#[test]
fn unknown_codex_members_are_named_by_event_and_item() {
    let lines = [
        r#"{"type":"turn.started","at":1}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"ls","aggregated_output":"","exit_code":0,"status":"completed","foo":1}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"x","kind":"add","mode":1}],"status":"completed"}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","status":"completed","arguments":{"any":1},"result":{"any":1}}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"dance","any":1}}"#,
    ];
    run(&["check", "-q", "--members"], lines.join("\n")).code(1).stdout(
        "<stdin>:1: Unknown: unknown member turn.started.at, 1 line\n\
         <stdin>:2: Unknown: unknown member item.completed/command_execution.foo, 1 line\n\
         <stdin>:3: Unknown: unknown member item.completed/file_change.changes.mode, 1 line\n\
         <stdin>:5: Unknown: unknown type item/dance, 1 line\n",
    );
}

#[test]
fn members_need_the_current_contract() {
    run(&["check", "--members", "--contract", "v1"], INIT).code(2).stdout("").stderr(
        "streamj: --members compares with the known releases; it cannot be used with --contract v1\n",
    );
}

/// Checks recordings of Claude and Codex against `current`; returns how many.
fn assert_current(recordings: &[PathBuf]) -> usize {
    let mut checked = 0;
    for file in recordings {
        let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let has_tables = folder.starts_with("claude") || folder.starts_with("codex");
        // Cut off in the middle of a line, or recorded without the JSON option.
        let not_json = name.ends_with("blocked_writer")
            || name.ends_with("_text")
            || name.ends_with("_no_json");
        let is_empty = std::fs::metadata(file).unwrap().len() == 0;
        if !has_tables || not_json || is_empty {
            continue;
        }
        run(&["check", "-q", "--members", file.to_str().unwrap()], "")
            .append_context("file", file.display().to_string())
            .success()
            .stdout("");
        checked += 1;
    }
    checked
}

#[test]
fn fixtures_match_current_with_all_members() {
    let checked = assert_current(&fixtures());
    assert!(checked > 50, "{checked}");
}

#[test]
fn shared_captures_match_current_with_all_members() {
    let Some(captures) = shared("captures") else { return };
    let checked = assert_current(&recordings_under(&captures));
    assert!(checked > 200, "{checked}");
}

#[test]
fn type_name_cannot_forge_an_output_line() {
    let args = ["check", "-q", "--contract", "current", "--harness", "claude"];
    run(&args, "{\"type\":\"x\\n<stdin>:9: ok\\u001b[31m\"}")
        .stdout("<stdin>:1: Unknown: unknown type x^J<stdin>:9: ok^[[31m, 1 line\n");
    let long = format!("{{\"type\":\"{}\"}}", "y".repeat(5000));
    assert!(run(&args, long).text().len() < 200);
}

#[test]
fn long_names_and_ids_are_read_whole() {
    let (escaped, long) = ("\\u0041 \\\"word\\\" ".repeat(60), "A \"word\" ".repeat(60));
    let stream_event = format!(
        r#"{{"type":"stream_event","event":{{"type":"{escaped}"}},"session_id":"s1","parent_tool_use_id":null}}"#
    );
    let row = rows(&["--contract", "v1", "--every-line"], &stream_event).remove(0);
    assert_eq!((&row["variant"], &row["subtype"]), (&"StreamEvent".into(), &long.clone().into()));

    let session = format!(r#"{{"type":"thread.started","thread_id":"{escaped}"}}"#);
    let thread = format!("{session}\n{{\"type\":\"turn.started\"}}\n");
    for row in rows(&["--contract", "v1", "--every-line"], &thread) {
        assert_eq!(row["session_id"], long, "later lines have the id too");
    }

    let block = |kind: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"{kind}","text":"{escaped}"}}]}},"session_id":"s1","parent_tool_use_id":null}}"#
        )
    };
    assert_eq!(rows(&["--contract", "current"], &block("text")), [] as [Value; 0]);
    let unknown = rows(&["--contract", "current"], &block(&escaped)).remove(0);
    let name: String = format!("assistant/{long}").chars().take(80).collect();
    assert_eq!(unknown["name"], name);
}
