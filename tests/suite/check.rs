//! `check`: lines held against a contract.

use serde_json::Value;

use crate::support::{fixture, fixtures, recordings_under, run, shared};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1"}"#;

fn rows(args: &[&str], input: &str) -> Vec<Value> {
    run(&[&["check", "--format", "jsonl"], args].concat(), input).rows()
}

#[test]
fn violations_are_lines_with_their_place_in_a_pipe_too() {
    let input = format!("{INIT}\nnot json\n\n{{\"type\":\"user\"}}\n");
    let checked = run(&["check"], input.as_str());
    assert_eq!(
        checked.text(),
        "<stdin>:2: JsonParse: not JSON: expected value at byte 0\n\
         <stdin>:4: TypedParse: session_id: expected a string\n"
    );
    assert_eq!(checked.stderr, "streamj: <stdin>: 3 lines, 1 event, 2 violations\n");
    assert_eq!(checked.code, 1);
    let quiet = run(&["check", "-q"], input.as_str());
    assert_eq!((quiet.stderr.as_str(), quiet.code), ("", 1));
}

#[test]
fn a_stream_that_keeps_its_contract_prints_nothing() {
    let path = fixture("claude/text_success");
    let checked = run(&["check", path.to_str().unwrap()], "");
    assert_eq!((checked.text(), checked.code), ("", 0));
    assert!(checked.stderr.ends_with("3 lines, 3 events, 0 violations\n"), "{checked:?}");
}

#[test]
fn several_files_stand_one_after_the_other_without_a_gap() {
    let claude = fixture("claude/max_turns_1");
    let path = claude.to_str().unwrap();
    let checked = run(&["check", "-q", path, path], "");
    let line = format!("{path}:5: TypedParse: subtype: expected \"success\" or \"error\"\n");
    assert_eq!(checked.text(), line.repeat(2));
    let row = run(&["check", "-q", "--format", "jsonl", path], "").row();
    assert_eq!(row["file"], path);
}

#[test]
fn rows_tell_of_every_line_when_asked() {
    let input = format!("{INIT}\n[]\n{{\"type\":\"new\"}}\n");
    assert_eq!(rows(&[], &input).len(), 1);
    let rows = rows(&["--every-line"], &input);
    let shown: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            r#"{"line":1,"outcome":"event","session_id":"s1","variant":"SystemInit"}"#,
            r#"{"code":"TypedParse","line":2,"message":"expected an object","outcome":"error"}"#,
            r#"{"line":3,"outcome":"event","session_id":"s1","variant":"Unknown"}"#,
        ]
    );
    let text = run(&["check", "-q", "--every-line", "--format", "text"], input.as_str());
    assert!(text.text().starts_with("<stdin>:1: ok: SystemInit\n<stdin>:2: TypedParse:"));
    let codes = run(&["check", "-q", "--get", "/code"], input.as_str());
    assert_eq!((codes.text(), codes.code), ("TypedParse\n", 1));
}

#[test]
fn what_is_kept_elsewhere_is_not_json_here() {
    for line in [
        b"{\"type\":\"user\",\"session_id\":\"\xff\"}".as_slice(),
        br#"{"type":"user","session_id":"s","x":"\ud83d"}"#,
        br#"{"type":"user","session_id":"s","x":1e999}"#,
        br#"{"type":"turn.failed","error":{"message":"\ud83d"}}"#,
        b"\"\xff\"",
    ] {
        let checked = run(&["check", "-q", "--get", "/code"], line);
        assert_eq!((checked.text(), checked.code), ("JsonParse\n", 1));
    }
    let long = run(&["check", "-q", "--max-line", "10"], INIT);
    assert_eq!(long.text(), "<stdin>:1: JsonParse: line too long: 52 bytes\n");
}

#[test]
fn an_array_of_messages_is_a_violation_of_v1_and_what_today_prints() {
    let path = fixture("claude/json_verbose");
    let path = path.to_str().unwrap();
    let checked = run(&["check", "-q", path], "");
    assert_eq!(checked.text(), format!("{path}:1: TypedParse: expected an object\n"));
    let checked = run(&["check", "--contract", "current", path], "");
    assert_eq!((checked.text(), checked.code), ("", 0), "{checked:?}");
}

#[test]
fn v1_lets_unknown_types_pass_and_notes_them_once() {
    let input =
        format!("{INIT}\n{{\"type\":\"new\"}}\n{{\"type\":\"newer\"}}\n{{\"type\":\"new\"}}\n");
    let checked = run(&["check"], input.as_str());
    assert_eq!((checked.text(), checked.code), ("", 0));
    assert_eq!(
        checked.stderr,
        "streamj: <stdin>: unknown type new, 2 lines\n\
         streamj: <stdin>: unknown type newer, 1 line\n\
         streamj: <stdin>: 4 lines, 4 events, 0 violations, 2 unknown types\n"
    );
}

#[test]
fn current_lists_what_a_new_release_has_changed_for_claude() {
    let lines = [
        r#"{"type":"system","subtype":"novel","session_id":"s"}"#,
        r#"{"type":"system","subtype":"novel","session_id":"s"}"#,
        r#"{"type":"brand_new","session_id":"s"}"#,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"content":[{"type":"hologram"}]}}"#,
        r#"{"type":"stream_event","session_id":"s","parent_tool_use_id":null,"event":{"type":"content_block_delta","index":0,"delta":{"type":"smell_delta"}}}"#,
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"dance"}}"#,
        r#"{"type":"result","subtype":"error_bored","session_id":"s","is_error":true,"duration_ms":1,"num_turns":1,"total_cost_usd":0,"usage":{},"permission_denials":[]}"#,
    ];
    let checked = run(&["check", "-q", "--contract", "current"], lines.join("\n"));
    assert_eq!(
        checked.text(),
        "<stdin>:1: Unknown: unknown type system/novel, 2 lines\n\
         <stdin>:3: Unknown: unknown type brand_new, 1 line\n\
         <stdin>:4: Unknown: unknown type assistant/hologram, 1 line\n\
         <stdin>:5: Unknown: unknown type stream_event/content_block_delta/smell_delta, 1 line\n\
         <stdin>:6: Unknown: unknown type control_request/dance, 1 line\n\
         <stdin>:7: Unknown: unknown type result/error_bored, 1 line\n"
    );
    assert_eq!(checked.code, 1);
    let row = rows(&["--contract", "current"], lines[0]).remove(0);
    assert_eq!(
        (&row["outcome"], &row["name"], &row["count"]),
        (&"unknown".into(), &"system/novel".into(), &1.into())
    );
}

#[test]
fn current_misses_members_that_every_release_prints() {
    let lines = [
        INIT,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{}}"#,
        r#"{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{"content":[{"type":"tool_use","id":"t","name":"B"}]}}"#,
        r#"{"type":"result","subtype":"success","session_id":"s","is_error":true}"#,
        r#"{"type":"assistant","sessionId":"s"}"#,
    ];
    let checked = run(&["check", "-q", "--contract", "current"], lines.join("\n"));
    assert_eq!(
        checked.text(),
        "<stdin>:1: TypedParse: cwd: expected a string\n\
         <stdin>:2: TypedParse: message.content: expected an array\n\
         <stdin>:3: TypedParse: message.content.0.input: expected a value\n\
         <stdin>:4: TypedParse: duration_ms: expected a number\n\
         <stdin>:5: TypedParse: session_id: expected a string\n"
    );
}

#[test]
fn codex_lines_are_held_against_the_contract_of_codex() {
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
    let input = lines.join("\n");
    let checked = run(&["check"], input.as_str());
    assert_eq!(
        checked.text(),
        "<stdin>:3: TypedParse: thread_id: expected a string\n\
         <stdin>:4: TypedParse: usage.output_tokens: expected a number\n\
         <stdin>:5: TypedParse: error: expected an object\n\
         <stdin>:6: TypedParse: item.id: expected a string\n\
         <stdin>:7: TypedParse: item.text: expected a string\n\
         <stdin>:8: TypedParse: item.status: expected one of in_progress, completed, failed, declined\n\
         <stdin>:9: TypedParse: item.changes.0.kind: expected one of add, delete, update\n\
         <stdin>:10: TypedParse: item.items.0.completed: expected a boolean\n\
         <stdin>:11: TypedParse: message: expected a string\n"
    );
    assert_eq!(
        checked.stderr,
        "streamj: <stdin>: unknown type item/dance, 2 lines\n\
         streamj: <stdin>: unknown type thread.forked, 1 line\n\
         streamj: <stdin>: 14 lines, 5 events, 9 violations, 2 unknown types\n"
    );
    let known = [lines[0], lines[1], lines[13]].join("\n");
    assert_eq!(run(&["check"], known.as_str()).code, 0);
    let current = run(&["check", "-q", "--contract", "current"], known.as_str());
    assert_eq!(current.text(), "<stdin>:3: Unknown: unknown type thread.forked, 1 line\n");
    assert_eq!(current.code, 1);
    let rows = rows(&["--every-line"], &known);
    assert_eq!(
        (&rows[1]["variant"], &rows[1]["session_id"]),
        (&"TurnStarted".into(), &"th".into())
    );
}

#[test]
fn what_the_known_releases_print_is_current() {
    let mut files = fixtures();
    files.extend(shared("captures").iter().flat_map(|folder| recordings_under(folder)));
    let mut checked = 0;
    for file in files {
        let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let theirs = folder.starts_with("claude") || folder.starts_with("codex");
        // Cut off in the middle of a line, or not asked for JSON at all.
        let broken = name.ends_with("blocked_writer")
            || name.ends_with("_text")
            || name.ends_with("_no_json");
        if !theirs || broken {
            continue;
        }
        let run = run(&["check", "-q", "--contract", "current", file.to_str().unwrap()], "");
        assert_eq!((run.text(), run.code), ("", 0), "{}", file.display());
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn a_name_from_the_stream_cannot_pass_for_a_line_of_ours() {
    let args = ["check", "-q", "--contract", "current", "--harness", "claude"];
    let input = "{\"type\":\"x\\n<stdin>:9: ok\\u001b[31m\"}";
    let checked = run(&args, input);
    assert_eq!(checked.text(), "<stdin>:1: Unknown: unknown type x^J<stdin>:9: ok^[[31m, 1 line\n");
    let long = format!("{{\"type\":\"{}\"}}", "y".repeat(5000));
    assert!(run(&args, long).text().len() < 200);
}

#[test]
fn a_word_may_be_as_long_as_a_text() {
    let (spelled, long) = ("\\u0041 \\\"word\\\" ".repeat(60), "A \"word\" ".repeat(60));
    let stream_event = format!(
        r#"{{"type":"stream_event","event":{{"type":"{spelled}"}},"session_id":"s1","parent_tool_use_id":null}}"#
    );
    let row = rows(&["--every-line"], &stream_event).remove(0);
    assert_eq!((&row["variant"], &row["subtype"]), (&"StreamEvent".into(), &long.clone().into()));

    let session = format!(r#"{{"type":"thread.started","thread_id":"{spelled}"}}"#);
    let thread = format!("{session}\n{{\"type\":\"turn.started\"}}\n");
    for row in rows(&["--every-line"], &thread) {
        assert_eq!(row["session_id"], long, "also of the lines behind it");
    }

    let block = |kind: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"{kind}","text":"{spelled}"}}]}},"session_id":"s1","parent_tool_use_id":null}}"#
        )
    };
    assert_eq!(rows(&["--contract", "current"], &block("text")), [] as [Value; 0]);
    let unknown = rows(&["--contract", "current"], &block(&spelled)).remove(0);
    let name: String = format!("assistant/{long}").chars().take(80).collect();
    assert_eq!(unknown["name"], name);
}
