//! `text`: what the agent said, as it arrives, and nothing twice.

use crate::support::{BIN, fixture_bytes, fixtures, read, run};

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

fn text(lines: &[String]) -> (String, String) {
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain([RESULT]).collect();
    let run = read(&["text"], &lines);
    (run.text().to_owned(), run.stderr)
}

#[test]
fn deltas_and_their_block_are_one_text() {
    let (out, notes) = text(&[
        start("m"),
        delta(0, "Hel"),
        delta(0, "lo"),
        block("m", "Hello"),
        delta(1, "Wor"),
        block("m", "World"),
    ]);
    assert_eq!((out.as_str(), notes.as_str()), ("Hello\nWorld\n", ""));
}

#[test]
fn what_the_deltas_left_out_follows_with_the_block() {
    let (out, _) = text(&[start("m"), delta(0, "Hel"), block("m", "Hello")]);
    assert_eq!(out, "Hello\n");
}

#[test]
fn blocks_without_deltas_and_empty_blocks_keep_their_place() {
    let (out, _) =
        text(&[start("m"), block("m", "a"), block("m", ""), delta(2, "b"), block("m", "b")]);
    assert_eq!(out, "a\n\nb\n");
}

#[test]
fn abandoned_deltas_stay_closed_by_a_newline_and_a_note() {
    let retried =
        [start("m"), delta(0, "Half an ans"), start("n"), delta(0, "Other"), block("n", "Other")];
    let (out, notes) = text(&retried);
    assert_eq!(out, "Half an ans\nOther\n");
    let note =
        "streamj: <stdin>:3: an answer was given up unfinished; what was printed of it stays\n";
    assert_eq!(notes, note);
    // Without a new start: another message simply follows.
    let (out, notes) = text(&[start("m"), delta(0, "Half"), block("n", "Other")]);
    assert_eq!((out.as_str(), notes.lines().count()), ("Half\nOther\n", 1));
    // The same message with a different text.
    let (out, notes) = text(&[start("m"), delta(0, "Half"), block("m", "Other")]);
    assert_eq!((out.as_str(), notes.lines().count()), ("Half\nOther\n", 1));
    // Nothing follows but a failed result.
    let failed = r#"{"type":"result","is_error":true,"result":"429"}"#;
    let run = read(&["text"], &[&start("m"), &delta(0, "Half"), failed]);
    assert_eq!((run.text(), run.stderr.lines().count()), ("Half\n", 1));
}

#[test]
fn an_unfinished_subagent_does_not_hold_back_the_others() {
    let failed = r#"{"type":"user","parent_tool_use_id":null,"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x","is_error":true}]}}"#;
    let lines = [
        delta_in("\"t1\"", 0, "half a sub"),
        failed.to_owned(),
        start("m"),
        delta(0, "main"),
        block("m", "main"),
    ];
    let (out, notes) = text(&lines);
    assert_eq!(out, "half a sub\nmain\n");
    assert!(notes.starts_with("streamj: <stdin>:2: "), "given up at once: {notes}");
}

#[test]
fn an_empty_block_contradicts_nothing() {
    let lines = [start("m"), delta(1, "Hel"), block("m", ""), delta(1, "lo"), block("m", "Hello")];
    let (out, notes) = text(&lines);
    assert_eq!((out.as_str(), notes.as_str()), ("Hello\n\n", ""));
}

#[test]
fn a_character_cut_in_two_between_deltas_is_not_printed_again() {
    let lines = [start("m"), delta(0, r"a\ud83d"), delta(0, r"\ude00b"), block("m", "a😀bc")];
    let (out, notes) = text(&lines);
    assert_eq!((out.as_str(), notes.as_str()), ("a\u{fffd}\u{fffd}bc\n", ""));
}

#[test]
fn deltas_and_a_result_without_a_message_are_one_text() {
    let (out, _) = text(&[start("m"), delta(0, "end")]);
    assert_eq!(out, "end\n");
}

#[test]
fn a_complete_block_has_its_newline_at_once() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut child =
        Command::new(BIN).arg("text").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for text in ["one", "two"] {
        // The next line is only fed when this one has come out whole.
        stdin.write_all((block("m", text) + "\n").as_bytes()).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), text);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn deltas_cut_off_by_the_end_of_the_stream_stay() {
    let run = run(&["text"], fixture_bytes("claude/signal_sigkill_midtext"));
    assert!(run.text().ends_with("A slow a\n"));
    assert!(run.stderr.contains("given up unfinished"), "{}", run.stderr);
    assert!(run.stderr.contains("ended without a 'result' message"), "{}", run.stderr);
}

#[test]
fn of_interleaved_blocks_one_streams_and_the_others_wait() {
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
    let (out, notes) = text(&lines);
    assert_eq!((out.as_str(), notes.as_str()), ("main goes on\nthird\nsub too!\n", ""));
    let run = run(&["text"], fixture_bytes("claude/partial_background_agent"));
    let waited = "in the background \nGamma in the background starts \nGamma reports seven \nThe background one is back.\n";
    assert!(run.text().ends_with(waited), "{}", run.text());
}

#[test]
fn a_waiting_block_that_is_abandoned_is_not_lost() {
    let sub = r#"{"type":"stream_event","parent_tool_use_id":"t1","event":{"type":"message_start","message":{"id":"s2"}}}"#;
    let lines = [
        start("m"),
        delta(0, "main"),
        delta_in("\"t1\"", 0, "half a sub"),
        sub.to_owned(),
        block("m", "main"),
    ];
    let (out, notes) = text(&lines);
    assert_eq!(out, "main\nhalf a sub\n");
    assert_eq!(notes.lines().count(), 1, "{notes}");
}

#[test]
fn partial_messages_change_nothing_where_blocks_finish() {
    // These give up a block, or have a subagent speak in the middle of one.
    let other_rules = ["midstream", "second_block", "midtext", "background_agent", "interrupt"];
    let mut checked = 0;
    for path in fixtures() {
        let name = path.to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let has_deltas = bytes.windows(12).any(|window| window == b"stream_event");
        if !has_deltas || other_rules.iter().any(|rule| name.contains(rule)) {
            continue;
        }
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let whole: Vec<u8> = lines
            .filter(|line| !line.starts_with(br#"{"type":"stream_event""#))
            .flatten()
            .copied()
            .collect();
        assert!(whole.len() < bytes.len(), "{name}");
        assert_eq!(run(&["text"], bytes).stdout, run(&["text"], whole).stdout, "{name}");
        checked += 1;
    }
    assert!(checked >= 5, "{checked}");
}

#[test]
fn main_only_leaves_subagents_out() {
    let out = run(&["text", "--main-only"], fixture_bytes("claude/subagent_background_two"));
    assert_eq!(out.text(), "Launched both.\nOne came back.\nTwo came back.\n");
    let out = run(&["text", "--main-only"], fixture_bytes("claude/partial_background_agent"));
    assert!(!out.text().contains("Gamma"), "{}", out.text());
}

#[test]
fn last_takes_the_last_message_where_the_result_failed_or_is_empty() {
    let lines = |result: &str| [block("m", "one"), block("m", "two"), result.to_owned()];
    let last = |result: &str| {
        let lines = lines(result);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        read(&["text", "--last"], &lines).text().to_owned()
    };
    assert_eq!(last(RESULT), "end\n");
    assert_eq!(last(r#"{"type":"result","subtype":"success","result":""}"#), "one\ntwo\n");
    assert_eq!(last(r#"{"type":"result","is_error":true,"result":"429"}"#), "one\ntwo\n");
    let tool_only = r#"{"type":"assistant","message":{"id":"n","content":[{"type":"tool_use","id":"t","name":"Bash"}]}}"#;
    assert_eq!(last(tool_only), "one\ntwo\n");
}

#[test]
fn a_stream_without_any_message_gives_the_text_of_its_successful_result() {
    assert_eq!(read(&["text"], &[RESULT]).text(), "end\n");
    let failed = r#"{"type":"result","is_error":true,"result":"429"}"#;
    assert_eq!(read(&["text"], &[failed]).text(), "");
    let empty = r#"{"type":"assistant","message":{"content":[]}}"#;
    assert_eq!(read(&["text"], &[empty, RESULT]).text(), "");
}

#[test]
fn output_without_text_is_empty() {
    assert_eq!(read(&["text"], &[&block("m", ""), RESULT]).text(), "");
    assert_eq!(read(&["text"], &[&block("m", ""), &block("m", ""), RESULT]).text(), "\n\n");
}
