//! Whose line is it?

use serde_json::Value;

use crate::support::{fixture_bytes, read, run};

const CLAUDE: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"from claude"}]},"session_id":"s","uuid":"u"}"#;
const CODEX: &str = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"from codex"}}"#;

fn tags(lines: &[&str]) -> Vec<Value> {
    let events = read(&["events"], lines).rows();
    events.iter().map(|event| event["harness"].clone()).collect()
}

#[test]
fn unique_keys_decide_line_by_line() {
    assert_eq!(tags(&[CLAUDE, CODEX, CLAUDE]), ["claude", "codex", "claude"]);
}

#[test]
fn library_detects_the_same_harness_as_the_program() {
    for line in [CLAUDE, CODEX, r#"{"type":"something_new"}"#, r#"{"type":"keep_alive"}"#] {
        let record = streamj::records(line.as_bytes()).next().unwrap().unwrap();
        assert_eq!(tags(&[line]), [record.get().harness.name()], "{line}");
    }
}

#[test]
fn a_shared_shape_inherits_what_the_stream_has_shown() {
    let new = r#"{"type":"something_new"}"#;
    assert_eq!(
        tags(&[new, CLAUDE, new, CODEX, new]),
        ["unknown", "claude", "claude", "codex", "codex"]
    );
    let error = r#"{"type":"error","message":"x"}"#;
    assert_eq!(tags(&[error, CLAUDE, error]), ["codex", "claude", "claude"]);
}

#[test]
fn noise_before_the_first_event_decides_nothing() {
    let noise =
        [r#"{"level":"info","msg":"starting"}"#, r#"{"id":7}"#, r#"{"type":"log","session":1}"#];
    let lines: Vec<&str> = noise.iter().copied().chain([CODEX]).collect();
    assert_eq!(tags(&lines), ["unknown", "unknown", "unknown", "codex"]);
    assert_eq!(read(&["text"], &lines).text(), "from codex\n");
}

#[test]
fn a_shared_shape_before_the_first_event_decides_nothing_for_the_run() {
    let started = r#"{"type":"thread.started","thread_id":"th"}"#;
    for noise in [
        r#"{"type":"system","message":"booting"}"#,
        r#"{"type":"keep_alive"}"#,
        r#"{"type":"result"}"#,
    ] {
        let summary = read(&["summary"], &[noise, started, CODEX]).row();
        assert_eq!(summary["harness"], "codex", "{noise}");
        assert_eq!(summary["harness_metadata"]["thread_id"], "th", "{noise}");
        assert_eq!(summary["complete"], false, "{noise}");
    }
    let noise = r#"{"type":"error","message":"update check failed"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false}"#;
    let summary = read(&["summary"], &[noise, CLAUDE, result]).row();
    assert_eq!(summary["harness"], "claude");
    assert_eq!((&summary["error"], &summary["succeeded_cleanly"]), (&Value::Null, &true.into()));
    let alone = read(&["summary"], &[noise]).row();
    assert_eq!(
        (&alone["harness"], &alone["error"]),
        (&"codex".into(), &"update check failed".into())
    );
}

#[test]
fn the_harness_option_overrides() {
    assert_eq!(read(&["text", "--harness", "codex"], &[CLAUDE, CODEX]).text(), "from codex\n");
    assert_eq!(read(&["text", "--harness", "claude"], &[CLAUDE, CODEX]).text(), "from claude\n");
    let wrong = run(&["text", "--harness", "nobody"], "");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("claude, codex"), "{}", wrong.stderr);
}

#[test]
fn a_harness_member_decides() {
    let spoofed = r#"{"type":"item.completed","item":{"type":"agent_message","text":"x"},"harness":"claude"}"#;
    assert_eq!(read(&["text"], &[spoofed]).text(), "");
    let unknown_name = spoofed.replace("\"claude\"", "\"spoof\"");
    assert_eq!(read(&["text"], &[&unknown_name]).text(), "x\n");
}

#[test]
fn the_session_id_has_an_older_spelling() {
    let line = r#"{"type":"assistant","message":{"content":[]},"sessionId":"old"}"#;
    assert_eq!(read(&["session", "--get", "/session_id"], &[line]).text(), "old\n");
    let both =
        r#"{"type":"assistant","message":{"content":[]},"sessionId":"old","session_id":"new"}"#;
    assert_eq!(read(&["session", "--get", "/session_id"], &[both]).text(), "new\n");
    let wrong = r#"{"type":"assistant","message":{"content":[]},"sessionId":"old","session_id":5}"#;
    assert_eq!(read(&["session", "--get", "/session_id"], &[wrong]).text(), "old\n");
}

#[test]
fn one_result_object_is_a_claude_run() {
    let summary = run(&["summary"], fixture_bytes("claude/json_plain")).row();
    assert_eq!(summary["harness"], "claude");
    assert_eq!(summary["output"], "It said hello.");
    assert_eq!(summary["complete"], true);
}

#[test]
fn an_array_of_messages_on_one_line_is_unpacked() {
    let input = fixture_bytes("claude/json_verbose");
    let array: Vec<Value> = serde_json::from_slice(&input).unwrap();
    let events = run(&["events"], input.as_slice()).rows();
    assert_eq!(events.len(), array.len());
    for (event, message) in events.iter().zip(&array) {
        assert_eq!(event["harness"], "claude");
        assert_eq!(event["type"], message["type"]);
    }
    let lines = &run(&["summary"], input).row()["lines"];
    assert_eq!((&lines["total"], &lines["events"]), (&1.into(), &array.len().into()));
}

#[test]
fn arrays_of_anything_else_are_ignored() {
    for array in
        [r#"[{"type":"result"},{"no":"type"}]"#, "[]", r#"[{"type":"x"},1]"#, r#"[{"type":5}]"#]
    {
        assert_eq!(read(&["events"], &[array]).text(), "", "{array}");
    }
}

#[test]
fn other_clis_are_not_mistaken() {
    for line in [
        r#"{"type":"result","timestamp":"2026-11-15T23:29:02Z","status":"success","stats":{}}"#,
        r#"{"type":"message","timestamp":"2026-11-15T23:29:02Z","role":"user","content":"x"}"#,
        r#"{"type":"session.tools_updated","data":{},"id":"a","parentId":"b"}"#,
        r#"{"type":"step_start","timestamp":1794785731461,"sessionID":"ses","part":{}}"#,
        r#"{"type":"error","timestamp":1794785749990,"sessionID":"ses","error":{}}"#,
        r#"{"type":"error","timestamp":"2026","severity":"x","message":"y"}"#,
        r#"{"type":"result","sessionId":"x","exitCode":0,"usage":{}}"#,
    ] {
        assert_eq!(tags(&[line]), ["unknown"], "{line}");
    }
}

#[test]
fn a_stream_of_strangers_is_pointed_out() {
    let run = read(&["text"], &[r#"{"type":"x"}"#]);
    let note = "streamj: <stdin>: no event of a known agent CLI; --harness names one\n";
    assert_eq!(run.stderr, note);
    assert_eq!(read(&["text"], &[]).stderr, "");
}
