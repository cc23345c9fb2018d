//! Inputs in which nothing is understood, and documents that span several lines.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture_bytes, fixtures};

/// Commands that read a run.
const COMMANDS: [&str; 9] =
    ["text", "tools", "usage", "error", "session", "summary", "events", "view", "findings"];

/// Runs a command on a file with this content.
fn on_file(command: &str, content: &[u8]) -> assert_cmd::assert::Assert {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    std::fs::write(&path, content).unwrap();
    streamj(&[command]).arg(path).assert().append_context("command", command.to_owned())
}

#[test]
fn input_without_any_event_is_described_in_one_sentence_and_exits_with_1() {
    let binary: Vec<u8> = (0..=255).cycle().take(5000).collect();
    for (content, sentence) in [
        (&b""[..], "nothing to read: the file is empty"),
        (&binary, "line 1 is not JSON: NUL bytes; expected the events"),
        (b"\n<html>\n<p>\n", "line 2 is not JSON: expected value at byte 0; expected the events"),
        (b"{\"a\":1}\n{\"b\":2}\n", "no event of a known agent CLI"),
        (b"{\n  \"steps\": [\n    {\"a\": 1}\n  ]\n}\n", "no event of a known agent CLI"),
    ] {
        for command in COMMANDS {
            let read = on_file(command, content).code(1);
            let read = read.stderr(predicate::str::contains(sentence));
            read.stderr(predicate::str::contains("\n").count(1));
        }
    }
}

#[test]
fn data_that_can_be_converted_is_described_with_the_command() {
    let utf16: Vec<u8> = "\u{feff}{}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (content, sentence) in [
        (&utf16[..], "not JSON: UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8\n"),
        (b"\xfd7zXZ\0\0\x04", "not JSON: xz data; convert it first: xz -dc\n"),
        (b"BZh91AY&SY", "not JSON: bzip2 data; convert it first: bzip2 -dc\n"),
        (b"PK\x03\x04\x14\0", "not JSON: a ZIP archive; convert it first: unzip -p\n"),
        (b"SQLite format 3\0", "line 1 is not JSON: an SQLite database; expected the events"),
    ] {
        on_file("text", content).code(1).stderr(predicate::str::contains(sentence));
    }
    // Files are decompressed, pipes are not.
    let sentence = "streamj: <stdin>: not JSON: gzip data; convert it first: gzip -dc\n";
    run(&["text"], b"\x1f\x8b\x08\0\0".to_vec()).code(1).stderr(sentence);
}

#[test]
fn empty_standard_input_is_an_empty_pipeline() {
    for command in COMMANDS {
        run(&[command], "").append_context("command", command).success().stderr("");
        run(&[command], "\n \n").append_context("command", command).success();
    }
}

#[test]
fn empty_file_on_standard_input_is_no_empty_pipeline() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.jsonl");
    std::fs::write(&path, "").unwrap();
    for command in COMMANDS {
        let file = std::fs::File::open(&path).unwrap();
        let read = std::process::Command::new(env!("CARGO_BIN_EXE_streamj"))
            .arg(command)
            .stdin(file)
            .output()
            .unwrap();
        assert_eq!(read.status.code(), Some(1), "{command}");
        let sentence = "streamj: <stdin>: nothing to read: the file is empty\n";
        assert_eq!(String::from_utf8(read.stderr).unwrap(), sentence, "{command}");
    }
}

#[test]
fn usage_table_without_any_session_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let table = |path: &std::path::Path| {
        streamj(&["usage", "--by", "session", "--format", "csv"]).arg(path).assert()
    };
    let nothing = |path| {
        let note = format!("streamj: no session or stream in {}\n", folder.path().display());
        table(path).code(1).stderr(note);
    };
    nothing(folder.path());
    let other = folder.path().join("other.jsonl");
    std::fs::write(&other, "{\"a\":1}\n").unwrap();
    nothing(folder.path());
    table(&other).code(1).stderr(predicate::str::contains(
        "other.jsonl: one JSON object, but no event of a known agent",
    ));
    let session = folder.path().join("session.jsonl");
    std::fs::write(&session, fixture_bytes("codex/reasoning")).unwrap();
    table(folder.path()).success().stderr("");
}

#[test]
fn object_with_events_in_a_member_is_described() {
    let document = b"{\n  \"id\": 7,\n  \"steps\": [\n    {\"type\": \"turn.started\"}\n  ]\n}\n";
    let read = on_file("text", document).code(1);
    read.stderr(predicate::str::ends_with(
        "one object with events in its member \"steps\"; read them with jq -c '.steps[]'\n",
    ));
}

#[test]
fn events_in_the_messages_of_an_object_are_read() {
    let message = r#"{"type": "item.completed", "item": {"type": "agent_message", "text": "Hi."}}"#;
    let document = format!("{{\n  \"id\": 7,\n  \"messages\": [\n    {message}\n  ]\n}}\n");
    on_file("text", document.as_bytes()).success().stdout("Hi.\n").stderr("");
}

#[test]
fn elements_of_a_document_are_reported_with_the_line_they_start_on() {
    let document =
        "[\n  {\n    \"type\": \"turn.started\"\n  },\n  {\n    \"type\": oops\n  }\n]\n";
    let note = "streamj: <stdin>:5: not JSON: expected value at byte 8\n";
    run(&["text"], document).stderr(note);
}

#[test]
fn recognised_run_without_text_or_tool_calls_exits_with_0() {
    let lines = "{\"type\":\"turn.started\"}\n{\"type\":\"turn.completed\",\"usage\":{}}\n";
    for command in COMMANDS {
        run(&[command], lines).append_context("command", command).success();
    }
}

#[test]
fn notes_before_the_first_event_are_printed_with_it() {
    let lines = "banner\n{\"type\":\"turn.started\"}\nbroken\n";
    let notes = "streamj: <stdin>:1: not JSON: expected value at byte 0\n\
                 streamj: <stdin>:3: not JSON: expected value at byte 0\n";
    for command in ["text", "view", "tools"] {
        run(&[command], lines).success().stderr(notes);
    }
}

#[test]
fn pretty_printed_run_is_read_as_its_messages() {
    for name in ["claude/subagent_foreground", "claude/tool_permission_denied", "codex/reasoning"] {
        let Some(path) =
            fixtures().into_iter().find(|path| path.ends_with(format!("{name}.jsonl")))
        else {
            continue;
        };
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let messages: Vec<Value> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let pretty = serde_json::to_string_pretty(&messages).unwrap();
        let one_per_line = format!("[\n{}\n]\n", lines.join(",\n"));
        for command in ["text", "tools", "usage", "error", "session", "view"] {
            let expected = run(&[command], text.as_str()).get_output().stdout.clone();
            let expected = String::from_utf8(expected).unwrap();
            run(&[command], one_per_line.as_str()).success().stderr("").stdout(expected.clone());
            // Other commands print objects as they are spelled.
            if ["text", "usage", "view"].contains(&command) {
                run(&[command], pretty.as_str()).success().stderr("").stdout(expected);
            }
        }
    }
}

#[test]
fn pretty_printed_result_is_a_run() {
    let result: Value = serde_json::from_slice(&fixture_bytes("claude/json_plain")).unwrap();
    let pretty = serde_json::to_string_pretty(&result).unwrap();
    run(&["text"], pretty.clone()).success().stdout("It said hello.\n").stderr("");
    // Also several of them.
    run(&["usage"], format!("{pretty}\n{pretty}\n")).success();
}

#[test]
fn broken_message_in_a_document_does_not_affect_others() {
    let item =
        |text: &str| json!({"type":"item.completed","item":{"type":"agent_message","text":text}});
    let [one, two] = ["one", "two"].map(|text| serde_json::to_string_pretty(&item(text)).unwrap());
    run(&["text"], format!("[\n{one},\n{{\"type\": oops}},\n{two}\n]\n"))
        .success()
        .stdout("one\ntwo\n")
        .stderr("streamj: <stdin>:9: not JSON: expected value at byte 8\n");
}

#[test]
fn array_without_elements_is_described() {
    for content in ["[\n]\n", "[]\n", "[\n"] {
        for command in COMMANDS {
            run(&[command], content).append_context("command", command).code(1);
            on_file(command, content.as_bytes())
                .code(1)
                .stderr(predicate::str::contains("empty").not());
        }
    }
}

#[test]
fn empty_file_is_nothing_to_check_or_validate() {
    let sentence = predicate::str::ends_with("input: nothing to read: the file is empty\n");
    on_file("structured", b"").code(1).stderr(sentence.clone());
    on_file("check", b"").code(1).stderr(predicate::str::contains("nothing to read"));
    run(&["check"], "").success();
}

#[test]
fn object_whose_first_line_has_members_is_a_document() {
    let document = "{ \"type\": \"result\",\n  \"subtype\": \"success\", \"result\": \"Hi.\",\n  \"session_id\": \"s\" }\n";
    run(&["text"], document).success().stdout("Hi.\n").stderr("");
    assert_eq!(run(&["summary"], document).row()["lines"]["total"], 3);
}
