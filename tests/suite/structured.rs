//! `structured`: the structured output of a run.

use std::path::{Path, PathBuf};

use predicates::prelude::*;

use crate::findings::codex_message;
use crate::in_memory::assert_same;
use crate::support::cli::{Printed, read, run};
use crate::support::{fixture_bytes, recordings_under, root, shared};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1","model":"m","tools":[],"mcp_servers":[],"cwd":"/"}"#;

const TURN_COMPLETED: &str =
    r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;

fn result(output: &str) -> String {
    format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","structured_output":{output}}}"#
    )
}

/// Writes a schema to a file, which is deleted with the folder.
fn schema(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schema.json");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn last_structured_output_is_printed_verbatim() {
    let lines = [INIT, &result(r#"{"a":1}"#), &result(r#"{ "a" : 2.50 }"#), &result("null")];
    read(&["structured"], &lines).stdout("{ \"a\" : 2.50 }\n");
}

#[test]
fn get_prints_one_member() {
    let lines = [&*result(r#"{"escalation":{"needed":true,"reason":"disk\nfull"}}"#)];
    read(&["structured", "--get", "/escalation/needed"], &lines).stdout("true\n");
    read(&["structured", "--get", "/escalation/reason"], &lines).stdout("disk\nfull\n");
    run(&["structured", "--get", "/none"], lines.concat())
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("no record has /none"));
}

#[test]
fn reason_is_printed_if_there_is_no_structured_output() {
    let text = &*codex_message("Done.");
    for (lines, reason) in [
        (&[][..], "the stream has no events"),
        (&[&*result("null")], "the result is a text of 5 bytes"),
        (&[INIT], "the stream ends before its result"),
        (&[r#"{"type":"error","message":"usage limit"}"#], "the run failed"),
        (&[TURN_COMPLETED], "there is no message"),
        (
            &[
                r#"{"type":"result","subtype":"error_max_structured_output_retries","is_error":true}"#,
            ],
            "the run failed: error_max_structured_output_retries",
        ),
        (&[text], "the stream ends before its result"),
        (&[text, TURN_COMPLETED], "the last message is not JSON"),
    ] {
        run(&["structured"], lines.join("\n"))
            .code(1)
            .stdout("")
            .stderr(format!("streamj: <stdin>: no structured output: {reason}\n"));
    }
}

#[test]
fn last_message_of_codex_is_the_structured_output_if_it_is_json() {
    let read = |text: &str| read(&["structured"], &[&codex_message(text), TURN_COMPLETED]);
    let lines =
        [&*codex_message("Let me see."), &codex_message("{\"n\": 3}\n"), TURN_COMPLETED].join("\n");
    run(&["structured"], lines).code(0).stdout("{\"n\": 3}\n");
    // Line breaks are removed, numbers and strings are kept as they are.
    read("{\n  \"a b\": 1.50,\n  \"c\": [\"d\\\" e\"]\n}")
        .stdout("{\"a b\":1.50,\"c\":[\"d\\\" e\"]}\n");
    read("\u{feff}{\"a\":\"\\ud83d\"}").stdout("{\"a\":\"\\ud83d\"}\n");
    run(&["structured"], [&*codex_message("null"), TURN_COMPLETED].join("\n")).code(1).stdout("");
    // Claude has a member for the structured output, so its messages are text.
    let claude = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"{}"}]}}"#;
    run(&["structured"], claude).code(1);
}

#[test]
fn every_schema_violation_is_reported_without_its_value() {
    let (_folder, path) = schema(
        r#"{"properties":{"events":{"items":{"properties":{"level":{"enum":["info"]}}}}},"required":["summary"]}"#,
    );
    let args = ["structured", "--schema", path.to_str().unwrap()];
    read(&args, &[&result(r#"{"summary":"","events":[{"level":"info"}]}"#)])
        .stdout("{\"summary\":\"\",\"events\":[{\"level\":\"info\"}]}\n");
    let run = run(&args, result(r#"{"events":[{"level":"sk-ant-secret"}]}"#))
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains("secret").not());
    let mut lines: Vec<_> = run.errors().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 2, "{run}");
    assert!(lines[0].starts_with("streamj: structured: \"summary\" is a required"), "{run}");
    assert!(lines[1].starts_with("streamj: structured: /events/0/level: "), "{run}");
}

#[test]
fn schema_violations_after_the_twentieth_are_counted() {
    let (_folder, path) = schema(r#"{"items":{"type":"string"}}"#);
    let numbers = format!("[{}]", vec!["1"; 50].join(","));
    let run = run(&["structured", "--schema", path.to_str().unwrap()], result(&numbers))
        .stderr(predicate::str::ends_with("streamj: structured: 30 more\n"));
    assert_eq!(run.errors().lines().count(), 21);
}

#[test]
fn invalid_schema_is_a_usage_error() {
    for (text, reason) in [
        ("{not json", "not JSON: expected a member name at byte 1"),
        (r#"{"type":"objekt"}"#, "not a JSON Schema: /type: "),
        (r#"{"$ref":"https://example.com/x.json"}"#, "not a JSON Schema: "),
    ] {
        let (_folder, path) = schema(text);
        run(&["structured", "--schema", path.to_str().unwrap()], result("{}"))
            .append_context("schema", text)
            .code(2)
            .stdout("")
            .stderr(predicate::str::starts_with(format!("streamj: {}: {reason}", path.display())));
    }
    run(&["structured", "--schema", "/nowhere/schema.json"], "")
        .code(2)
        .stderr(predicate::str::starts_with("streamj: /nowhere/schema.json: "));
}

#[test]
fn document_of_fifty_megabytes_is_printed_verbatim() {
    let element = r#"{"level":"info","message":"nothing to see here, move along","service":"s"}"#;
    let events = vec![element; (50 << 20) / element.len()].join(",");
    let document = format!(r#"{{"summary":"long","events":[{events}]}}"#);
    let line = result(&document);
    assert!(line.len() > 50 << 20);
    let run = run(&["structured"], line).code(0);
    // Compared here, because a difference of this size is not readable.
    assert_same(&run.get_output().stdout, (document + "\n").as_bytes(), "document");
}

/// Checks the recordings of runs with a schema, by their names, and returns their
/// number.
fn check_recordings_with_schema(folder: &Path) -> usize {
    let (_folder, schema) = schema(
        r#"{"properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name","n"]}"#,
    );
    let mut count = 0;
    for path in recordings_under(folder) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !name.starts_with("json_schema_") && !name.starts_with("output_schema") {
            continue;
        }
        count += 1;
        let valid = ["json_schema_ok", "json_schema_ok_json", "json_schema_invalid_then_ok"];
        // Claude releases before 2.0 have no option for a schema.
        let has_option = !path.to_str().unwrap().contains("claude_1_0");
        let (code, document) = if valid.contains(&name) && has_option {
            (0, "{\"name\":\"demo\",\"n\":3}\n")
        } else {
            (1, "")
        };
        run(&["structured", "--schema", schema.to_str().unwrap()], std::fs::read(&path).unwrap())
            .append_context("recording", path.display().to_string())
            .code(code)
            .stdout(document);
    }
    count
}

#[test]
fn fixtures_have_a_document_if_the_run_succeeded() {
    assert_eq!(check_recordings_with_schema(&root().join("tests/fixtures")), 6);
}

#[test]
fn captures_have_a_document_if_the_run_succeeded() {
    let Some(captures) = shared("captures") else { return };
    let count = check_recordings_with_schema(&captures);
    assert!(count >= 10, "{count}");
}

#[test]
fn schema_with_many_alternatives_has_an_answer() {
    let alternative = r##"{"properties":{"c":{"$ref":"#"}},"required":["c"]}"##;
    let (_folder, path) = schema(&format!(r#"{{"anyOf":[{alternative},{alternative}]}}"#));
    let nested = r#"{"c":"#.repeat(60) + "{}" + &"}".repeat(60);
    let args = ["structured", "--schema", path.to_str().unwrap()];
    run(&args, result(&nested)).code(1).stdout("").stderr(predicate::str::starts_with(
        "streamj: structured: does not match the schema; too many alternatives",
    ));
}

#[test]
fn run_without_a_schema_has_no_document() {
    run(&["structured"], fixture_bytes("claude/text_success")).code(1).stdout("");
}

#[test]
fn printed_schema_is_the_shipped_file() {
    let file = std::fs::read_to_string(root().join("schemas/agent-response.json")).unwrap();
    read(&["findings", "--print-schema"], &[]).stdout(file);
}
