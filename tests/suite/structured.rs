//! `structured`: the document a run was asked for.

use std::path::PathBuf;

use serde_json::json;

use crate::support::{fixture_bytes, read, recordings_under, root, run, shared, streamj};

const INIT: &str =
    r#"{"type":"system","subtype":"init","session_id":"s1","model":"m","tools":[],"cwd":"/"}"#;

fn result(output: &str) -> String {
    format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","structured_output":{output}}}"#
    )
}

/// A file with a schema; it lives as long as the folder.
fn schema(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schema.json");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn it_is_that_of_the_last_result_that_has_one_as_it_is_spelled() {
    let lines = [INIT, &result(r#"{"a":1}"#), &result(r#"{ "a" : 2.50 }"#), &result("null")];
    assert_eq!(read(&["structured"], &lines).text(), "{ \"a\" : 2.50 }\n");
}

#[test]
fn one_member_can_be_had() {
    let lines = [&*result(r#"{"escalation":{"needed":true,"reason":"disk\nfull"}}"#)];
    assert_eq!(read(&["structured", "--get", "/escalation/needed"], &lines).text(), "true\n");
    assert_eq!(read(&["structured", "--get", "/escalation/reason"], &lines).text(), "disk\nfull\n");
    let none = run(&["structured", "--get", "/none"], lines.concat());
    assert_eq!((none.text(), none.code), ("", 1));
    assert!(none.stderr.contains("no record has /none"), "{none:?}");
}

#[test]
fn without_one_it_says_what_there_is_instead() {
    let text =
        r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}"#;
    let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
    for (lines, instead) in [
        (String::new(), "the stream has no events"),
        (result("null"), "the result is a text of 5 bytes"),
        (INIT.to_owned(), "the stream ends before its result"),
        (r#"{"type":"error","message":"usage limit"}"#.to_owned(), "the run failed"),
        (end.to_owned(), "there is no message"),
        (
            r#"{"type":"result","subtype":"error_max_structured_output_retries","is_error":true}"#
                .to_owned(),
            "the run failed: error_max_structured_output_retries",
        ),
        (text.to_owned(), "the stream ends before its result"),
        ([text, end].join("\n"), "the last message is not JSON"),
    ] {
        let run = run(&["structured"], lines.clone());
        assert_eq!((run.text(), run.code), ("", 1), "{lines}");
        let expected = format!("streamj: <stdin>: no structured output: {instead}\n");
        assert_eq!(run.stderr, expected, "{lines}");
    }
}

#[test]
fn the_last_message_of_codex_is_the_document_if_it_is_json() {
    let message = |text: &str| {
        json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}})
            .to_string()
    };
    let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let lines = [&*message("Let me see."), &message("{\"n\": 3}\n"), end];
    assert_eq!(read(&["structured"], &lines).text(), "{\"n\": 3}\n");
    // On one line, as it is spelled otherwise; and null is none.
    let pretty = [&*message("{\n  \"a b\": 1.50,\n  \"c\": [\"d\\\" e\"]\n}"), end];
    assert_eq!(read(&["structured"], &pretty).text(), "{\"a b\":1.50,\"c\":[\"d\\\" e\"]}\n");
    let null = run(&["structured"], [&*message("null"), end].join("\n"));
    assert_eq!((null.text(), null.code), ("", 1));
    let half = [&*message("\u{feff}{\"a\":\"\\ud83d\"}"), end];
    assert_eq!(read(&["structured"], &half).text(), "{\"a\":\"\\ud83d\"}\n");
    let claude = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"{}"}]}}"#;
    assert_eq!(run(&["structured"], claude).code, 1, "Claude says where its document is");
}

#[test]
fn a_schema_is_kept_or_every_violation_is_told() {
    let (_folder, path) = schema(
        r#"{"properties":{"events":{"items":{"properties":{"level":{"enum":["info"]}}}}},"required":["summary"]}"#,
    );
    let args = ["structured", "--schema", path.to_str().unwrap()];
    let good = result(r#"{"summary":"","events":[{"level":"info"}]}"#);
    assert_eq!(
        read(&args, &[&good]).text(),
        "{\"summary\":\"\",\"events\":[{\"level\":\"info\"}]}\n"
    );
    let bad = run(&args, result(r#"{"events":[{"level":"sk-ant-secret"}]}"#));
    assert_eq!((bad.text(), bad.code), ("", 1));
    let mut lines: Vec<_> = bad.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 2, "{bad:?}");
    assert!(lines[0].starts_with("streamj: structured: \"summary\" is a required"), "{bad:?}");
    assert!(lines[1].starts_with("streamj: structured: /events/0/level: "), "{bad:?}");
    assert!(!bad.stderr.contains("secret"), "a value is nobody's business: {bad:?}");
}

#[test]
fn violations_are_so_many_and_then_a_count() {
    let (_folder, path) = schema(r#"{"items":{"type":"string"}}"#);
    let numbers = format!("[{}]", vec!["1"; 50].join(","));
    let run = run(&["structured", "--schema", path.to_str().unwrap()], result(&numbers));
    assert_eq!(run.stderr.lines().count(), 21);
    assert!(run.stderr.ends_with("streamj: structured: 30 more\n"), "{run:?}");
}

#[test]
fn a_schema_that_is_none_is_wrong_usage() {
    for (text, why) in [
        ("{not json", "not JSON: expected a member name at byte 1"),
        (r#"{"type":"objekt"}"#, "not a JSON Schema: /type: "),
        (r#"{"$ref":"https://example.com/x.json"}"#, "not a JSON Schema: "),
    ] {
        let (_folder, path) = schema(text);
        let run = run(&["structured", "--schema", path.to_str().unwrap()], result("{}"));
        assert_eq!((run.text(), run.code), ("", 2), "{text}");
        let expected = format!("streamj: {}: {why}", path.display());
        assert!(run.stderr.starts_with(&expected), "{text}: {run:?}");
    }
    let run = run(&["structured", "--schema", "/nowhere/schema.json"], "");
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("streamj: /nowhere/schema.json: "), "{run:?}");
}

#[test]
fn a_document_of_fifty_megabytes_comes_out_as_it_went_in() {
    let element = r#"{"level":"info","message":"nothing to see here, move along","service":"s"}"#;
    let events = vec![element; (50 << 20) / element.len()].join(",");
    let document = format!(r#"{{"summary":"long","events":[{events}]}}"#);
    let line = result(&document);
    assert!(line.len() > 50 << 20);
    let run = streamj().arg("structured").write_stdin(line).output().unwrap();
    assert_eq!(run.status.code(), Some(0));
    assert!(run.stdout == (document + "\n").into_bytes(), "not as it went in");
}

#[test]
fn the_recordings_have_what_their_names_say() {
    let Some(captures) = shared("captures") else { return };
    let (_folder, path) = schema(
        r#"{"properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name","n"]}"#,
    );
    let mut seen = 0;
    for path_of_recording in recordings_under(&captures) {
        let name = path_of_recording.file_stem().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("json_schema_") && !name.starts_with("output_schema") {
            continue;
        }
        seen += 1;
        let run = run(
            &["structured", "--schema", path.to_str().unwrap()],
            std::fs::read(&path_of_recording).unwrap(),
        );
        // Releases before 2.0 know no schema.
        let old = path_of_recording.to_str().unwrap().contains("claude_1_0");
        let ok = ["json_schema_ok", "json_schema_ok_json", "json_schema_invalid_then_ok"]
            .contains(&&*name)
            && !old;
        assert_eq!(run.code, i32::from(!ok), "{}: {run:?}", path_of_recording.display());
        let expected = if ok { "{\"name\":\"demo\",\"n\":3}\n" } else { "" };
        assert_eq!(run.text(), expected, "{}", path_of_recording.display());
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn the_shipped_schema_is_that_of_the_file() {
    let printed = read(&["findings", "--print-schema"], &[]);
    let file = std::fs::read(root().join("schemas/agent-response.json")).unwrap();
    assert_eq!(printed.stdout, file);
}

#[test]
fn a_run_without_a_document_has_none() {
    let run = run(&["structured"], fixture_bytes("claude/text_success"));
    assert_eq!((run.text(), run.code), ("", 1));
}
