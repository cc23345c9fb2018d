//! `text`: the assistant's text, printed as it arrives and without repetition.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use assert_cmd::assert::Assert;
use bstr::ByteSlice;
use predicates::prelude::*;

use serde_json::json;

use crate::support::cli::{Printed, read, run};
use crate::support::{BIN, fixture_bytes, fixtures};

fn start(id: &str) -> String {
    format!(
        r#"{{"type":"stream_event","parent_tool_use_id":null,"event":{{"type":"message_start","message":{{"id":"{id}"}}}}}}"#
    )
}

fn delta_in(parent: &str, index: u64, text: &str) -> String {
    format!(
        r#"{{"type":"stream_event","parent_tool_use_id":{parent},"event":{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
    )
}

fn delta(index: u64, text: &str) -> String {
    delta_in("null", index, text)
}

fn block_in(parent: &str, id: &str, text: &str) -> String {
    format!(
        r#"{{"type":"assistant","parent_tool_use_id":{parent},"message":{{"id":"{id}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

fn block(id: &str, text: &str) -> String {
    block_in("null", id, text)
}

const RESULT: &str = r#"{"type":"result","subtype":"success","result":"end"}"#;

/// Runs `text` on lines and a successful result.
fn text(lines: &[String]) -> Assert {
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain([RESULT]).collect();
    read(&["text"], &lines)
}

/// Matches a single note.
fn one_note() -> impl Predicate<str> {
    predicate::str::contains("\n").count(1)
}

#[test]
fn deltas_and_their_block_are_printed_once() {
    text(&[
        start("m"),
        delta(0, "Hel"),
        delta(0, "lo"),
        block("m", "Hello"),
        delta(1, "Wor"),
        block("m", "World"),
    ])
    .stdout("Hello\nWorld\n")
    .stderr("");
}

#[test]
fn block_completes_missing_deltas() {
    text(&[start("m"), delta(0, "Hel"), block("m", "Hello")]).stdout("Hello\n");
}

#[test]
fn blocks_without_deltas_and_empty_blocks_are_printed_in_order() {
    text(&[start("m"), block("m", "a"), block("m", ""), delta(2, "b"), block("m", "b")])
        .stdout("a\n\nb\n");
}

#[test]
fn abandoned_deltas_end_with_a_newline_and_a_note() {
    let retried =
        [start("m"), delta(0, "Half an ans"), start("n"), delta(0, "Other"), block("n", "Other")];
    text(&retried).stdout("Half an ans\nOther\n").stderr(
        "streamj: <stdin>:3: an answer was given up unfinished; what was printed of it stays\n",
    );
    // Another message follows without a start.
    text(&[start("m"), delta(0, "Half"), block("n", "Other")])
        .stdout("Half\nOther\n")
        .stderr(one_note());
    // The same message has a different text.
    text(&[start("m"), delta(0, "Half"), block("m", "Other")])
        .stdout("Half\nOther\n")
        .stderr(one_note());
    // Only a failed result follows.
    let failed = r#"{"type":"result","is_error":true,"result":"429"}"#;
    read(&["text"], &[&start("m"), &delta(0, "Half"), failed]).stdout("Half\n").stderr(one_note());
}

#[test]
fn unfinished_subagent_does_not_delay_other_text() {
    let failed = r#"{"type":"user","parent_tool_use_id":null,"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x","is_error":true}]}}"#;
    let lines = [
        delta_in("\"t1\"", 0, "half a sub"),
        failed.to_owned(),
        start("m"),
        delta(0, "main"),
        block("m", "main"),
    ];
    // Noted at line 2: the failed call ends the subagent.
    text(&lines)
        .stdout("half a sub\nmain\n")
        .stderr(predicate::str::starts_with("streamj: <stdin>:2: "));
}

#[test]
fn empty_block_does_not_abandon_deltas() {
    let lines = [start("m"), delta(1, "Hel"), block("m", ""), delta(1, "lo"), block("m", "Hello")];
    text(&lines).stdout("Hello\n\n").stderr("");
}

#[test]
fn character_split_between_deltas_is_not_repeated() {
    let lines = [start("m"), delta(0, r"a\ud83d"), delta(0, r"\ude00b"), block("m", "a😀bc")];
    text(&lines).stdout("a\u{fffd}\u{fffd}bc\n").stderr("");
}

#[test]
fn deltas_and_result_without_message_are_printed_once() {
    text(&[start("m"), delta(0, "end")]).stdout("end\n");
}

#[test]
fn complete_block_is_printed_immediately() {
    let mut child = Command::new(BIN)
        .arg("text")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for text in ["one", "two"] {
        // The next line is written only after this one was printed.
        stdin.write_all((block("m", text) + "\n").as_bytes()).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), text);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn deltas_without_an_end_are_printed_with_notes() {
    run(&["text"], fixture_bytes("claude/signal_sigkill_midtext"))
        .stdout(predicate::str::ends_with("A slow a\n"))
        .stderr(predicate::str::contains("given up unfinished"))
        .stderr(predicate::str::contains("ended without a 'result' message"));
}

#[test]
fn interleaved_blocks_are_printed_one_after_another() {
    let lines = [
        start("m"),
        delta(0, "main "),
        delta_in("\"t1\"", 0, "sub "),
        delta(0, "goes on"),
        delta_in("\"t1\"", 0, "too"),
        block_in("\"t2\"", "x", "third"),
        block("m", "main goes on"),
        delta_in("\"t1\"", 0, "!"),
        block_in("\"t1\"", "s", "sub too!"),
    ];
    text(&lines).stdout("main goes on\nthird\nsub too!\n").stderr("");
    run(&["text"], fixture_bytes("claude/partial_background_agent")).stdout(predicate::str::ends_with(
        "in the background \nGamma in the background starts \nGamma reports seven \nThe background one is back.\n",
    ));
}

#[test]
fn abandoned_waiting_block_is_printed() {
    let sub = r#"{"type":"stream_event","parent_tool_use_id":"t1","event":{"type":"message_start","message":{"id":"s2"}}}"#;
    let lines = [
        start("m"),
        delta(0, "main"),
        delta_in("\"t1\"", 0, "half a sub"),
        sub.to_owned(),
        block("m", "main"),
    ];
    text(&lines).stdout("main\nhalf a sub\n").stderr(one_note());
}

#[test]
fn partial_messages_do_not_change_finished_text() {
    // These abandon a block, or have text of a subagent within one.
    let other_rules = ["midstream", "second_block", "midtext", "background_agent", "interrupt"];
    let mut checked = 0;
    for path in fixtures() {
        let name = path.to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        if !bytes.contains_str("stream_event") || other_rules.iter().any(|rule| name.contains(rule))
        {
            continue;
        }
        let is_delta = |line: &[u8]| line.starts_with(br#"{"type":"stream_event""#);
        let lines = bytes.lines_with_terminator();
        let whole = lines.filter(|line| !is_delta(line)).collect::<Vec<_>>().concat();
        assert!(whole.len() < bytes.len(), "{name}");
        let expected = run(&["text"], whole).get_output().stdout.clone();
        run(&["text"], bytes).append_context("recording", name.to_owned()).stdout(expected);
        checked += 1;
    }
    assert!(checked >= 5, "{checked}");
}

#[test]
fn main_only_excludes_subagents() {
    run(&["text", "--main-only"], fixture_bytes("claude/subagent_background_two"))
        .stdout("Launched both.\nOne came back.\nTwo came back.\n");
    run(&["text", "--main-only"], fixture_bytes("claude/partial_background_agent"))
        .stdout(predicate::str::contains("Gamma").not());
}

#[test]
fn last_prints_the_last_message_if_the_result_failed_or_is_empty() {
    let last =
        |result: &str| read(&["text", "--last"], &[&block("m", "one"), &block("m", "two"), result]);
    last(RESULT).stdout("end\n");
    last(r#"{"type":"result","subtype":"success","result":""}"#).stdout("one\ntwo\n");
    last(r#"{"type":"result","is_error":true,"result":"429"}"#).stdout("one\ntwo\n");
    let tool_only = r#"{"type":"assistant","message":{"id":"n","content":[{"type":"tool_use","id":"t","name":"Bash"}]}}"#;
    last(tool_only).stdout("one\ntwo\n");
}

#[test]
fn successful_result_is_printed_if_there_is_no_message() {
    read(&["text"], &[RESULT]).stdout("end\n");
    let empty = r#"{"type":"assistant","message":{"content":[]}}"#;
    read(&["text"], &[empty, RESULT]).stdout("");
}

#[test]
fn single_empty_block_prints_nothing() {
    read(&["text"], &[&block("m", ""), RESULT]).stdout("");
    read(&["text"], &[&block("m", ""), &block("m", ""), RESULT]).stdout("\n\n");
}

#[test]
fn accumulating_snapshots_of_a_message_are_printed_once() {
    let snapshot = |text: &str| {
        json!({"type": "assistant", "session_id": "s", "uuid": text, "message": {
            "id": "msg_1", "role": "assistant", "content": [{"type": "text", "text": text}],
            "stop_reason": null,
        }})
        .to_string()
    };
    let result = json!({"type": "result", "subtype": "success", "session_id": "s"}).to_string();
    let texts = ["I'll", "I'll help", "I'll help you with that.", "I'll help you with that."];
    let mut lines = texts.map(snapshot).to_vec();
    lines.push(result);
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    read(&["text"], &lines).stdout("I'll help you with that.\n");
    read(&["text", "--last"], &lines).stdout("I'll help you with that.\n");
    assert_eq!(read(&["summary"], &lines).row()["output"], "I'll help you with that.");
    read(&["view"], &lines)
        .stdout("I'll help you with that.\n[result] success\n[resume] claude --resume s\n");
}

/// A line of the message `m` with these text blocks, and one with a tool call.
fn message_line(texts: &[&str]) -> String {
    let blocks: Vec<_> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    json!({"type": "assistant", "session_id": "s", "message": {"id": "m", "content": blocks}})
        .to_string()
}

fn call_line() -> String {
    let call = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}});
    json!({"type": "assistant", "session_id": "s", "message": {"id": "m", "content": [call]}})
        .to_string()
}

#[test]
fn snapshots_between_deltas_are_printed_once() {
    let stop = r#"{"type":"stream_event","event":{"type":"message_stop"}}"#.to_owned();
    let result = json!({"type": "result", "subtype": "success", "session_id": "s"}).to_string();
    for (lines, text) in [
        // A snapshot of a block that goes on, one that lacks the last delta, a repeated one.
        (vec![delta(0, "Hel"), block("m", "Hel"), delta(0, "lo")], "Hello\n"),
        (vec![delta(0, "Hello"), block("m", "Hel"), block("m", "Hello")], "Hello\n"),
        (vec![delta(0, "Hello"), block("m", "Hello"), stop], "Hello\n"),
        // A further block.
        (vec![delta(0, "Hello"), block("m", "Hello"), delta(1, "World")], "Hello\nWorld\n"),
    ] {
        let blocks: Vec<_> = text.lines().collect();
        let mut lines = [vec![start("m")], lines, vec![message_line(&blocks)]].concat();
        lines.push(result.clone());
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        read(&["text"], &lines).stdout(text).stderr("");
        read(&["view"], &lines)
            .stdout(format!("{text}[result] success\n[resume] claude --resume s\n"));
    }
}

#[test]
fn snapshots_with_several_blocks_are_shown_once() {
    let lines = [
        block("m", "One"),
        message_line(&["One two", "Three"]),
        message_line(&["One two", "Three four"]),
        json!({"type": "result", "subtype": "success", "session_id": "s"}).to_string(),
    ];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    read(&["text"], &lines).stdout("One two\nThree four\n");
    read(&["view"], &lines)
        .stdout("One two\nThree four\n[result] success\n[resume] claude --resume s\n");
}

#[test]
fn block_that_starts_like_the_one_before_a_tool_call_is_printed_whole() {
    let lines = [block("m", "Yes"), call_line(), block("m", "Yes, done")];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    read(&["text"], &lines).stdout("Yes\nYes, done\n");
}

#[test]
fn error_in_place_of_an_answer_is_printed_for_a_result_alone() {
    let result = json!({"type": "result", "subtype": "success", "is_error": true,
        "result": "Invalid API key", "session_id": "s"})
    .to_string();
    read(&["text"], &[&result]).stdout("Invalid API key\n");
    read(&["text", "--last"], &[&result]).stdout("Invalid API key\n");
    let limited = json!({"type": "result", "subtype": "error_max_turns", "is_error": true,
        "errors": ["Reached maximum number of turns (1)"], "session_id": "s"})
    .to_string();
    read(&["text"], &[&limited]).stdout("");
}
