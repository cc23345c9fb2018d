//! Detection of the CLI that printed a line.

use bstr::ByteSlice;
use predicates::prelude::*;
use serde_json::Value;

use crate::support::cli::{Printed, read, run};
use crate::support::{fixture_bytes, fixtures, harness_of, recordings_under, shared};

const CLAUDE: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"from claude"}]},"session_id":"s","uuid":"u"}"#;
const CODEX: &str = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"from codex"}}"#;

fn harnesses(lines: &[&str]) -> Vec<Value> {
    let events = run(&["events"], lines.join("\n")).rows();
    events.iter().map(|event| event["harness"].clone()).collect()
}

#[test]
fn unique_keys_identify_each_line() {
    assert_eq!(harnesses(&[CLAUDE, CODEX, CLAUDE]), ["claude", "codex", "claude"]);
}

#[test]
fn library_detects_the_same_harness_as_the_program() {
    for line in [CLAUDE, CODEX, r#"{"type":"something_new"}"#, r#"{"type":"keep_alive"}"#] {
        let record = streamj::records(line.as_bytes()).next().unwrap().unwrap();
        assert_eq!(harnesses(&[line]), [record.get().harness.name()], "{line}");
    }
}

#[test]
fn ambiguous_line_inherits_the_harness_of_the_stream() {
    let new = r#"{"type":"something_new"}"#;
    assert_eq!(
        harnesses(&[new, CLAUDE, new, CODEX, new]),
        ["unknown", "claude", "claude", "codex", "codex"]
    );
    let error = r#"{"type":"error","message":"x"}"#;
    assert_eq!(harnesses(&[error, CLAUDE, error]), ["codex", "claude", "claude"]);
}

#[test]
fn unrelated_lines_before_the_first_event_are_ignored() {
    let unrelated =
        [r#"{"level":"info","msg":"starting"}"#, r#"{"id":7}"#, r#"{"type":"log","session":1}"#];
    let lines: Vec<&str> = unrelated.iter().copied().chain([CODEX]).collect();
    assert_eq!(harnesses(&lines), ["unknown", "unknown", "unknown", "codex"]);
    read(&["text"], &lines).stdout("from codex\n");
}

#[test]
fn ambiguous_line_before_the_first_event_does_not_set_the_harness() {
    let started = r#"{"type":"thread.started","thread_id":"th"}"#;
    for ambiguous in [
        r#"{"type":"system","message":"booting"}"#,
        r#"{"type":"keep_alive"}"#,
        r#"{"type":"result"}"#,
    ] {
        let summary = read(&["summary"], &[ambiguous, started, CODEX]).row();
        assert_eq!(summary["harness"], "codex", "{ambiguous}");
        assert_eq!(summary["harness_metadata"]["thread_id"], "th", "{ambiguous}");
        assert_eq!(summary["complete"], false, "{ambiguous}");
    }
    let ambiguous = r#"{"type":"error","message":"update check failed"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false}"#;
    let summary = read(&["summary"], &[ambiguous, CLAUDE, result]).row();
    assert_eq!(summary["harness"], "claude");
    assert_eq!((&summary["error"], &summary["succeeded_cleanly"]), (&Value::Null, &true.into()));
    let alone = read(&["summary"], &[ambiguous]).row();
    assert_eq!(
        (&alone["harness"], &alone["error"]),
        (&"codex".into(), &"update check failed".into())
    );
}

#[test]
fn harness_option_overrides_detection() {
    read(&["text", "--harness", "codex"], &[CLAUDE, CODEX]).stdout("from codex\n");
    read(&["text", "--harness", "claude"], &[CLAUDE, CODEX]).stdout("from claude\n");
    run(&["text", "--harness", "other"], "")
        .code(2)
        .stderr(predicate::str::contains("claude, codex"));
}

#[test]
fn harness_member_identifies_the_line() {
    let tagged = r#"{"type":"item.completed","item":{"type":"agent_message","text":"x"},"harness":"claude"}"#;
    read(&["text"], &[tagged]).stdout("");
    let unknown_name = tagged.replace("\"claude\"", "\"spoof\"");
    read(&["text"], &[&unknown_name]).stdout("x\n");
}

#[test]
fn older_session_id_spelling_is_read() {
    for (members, expected) in [
        (r#""sessionId":"old""#, "old\n"),
        (r#""sessionId":"old","session_id":"new""#, "new\n"),
        (r#""sessionId":"old","session_id":5"#, "old\n"),
    ] {
        let line = format!(r#"{{"type":"assistant","message":{{"content":[]}},{members}}}"#);
        read(&["session", "--get", "/session_id"], &[&line])
            .append_context("line", line)
            .stdout(expected);
    }
}

#[test]
fn single_result_object_is_a_claude_run() {
    let summary = run(&["summary"], fixture_bytes("claude/json_plain")).row();
    assert_eq!(summary["harness"], "claude");
    assert_eq!(summary["output"], "It said hello.");
    assert_eq!(summary["complete"], true);
}

#[test]
fn array_of_messages_on_one_line_is_unpacked() {
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
fn other_arrays_are_ignored() {
    for array in
        [r#"[{"type":"result"},{"no":"type"}]"#, "[]", r#"[{"type":"x"},1]"#, r#"[{"type":5}]"#]
    {
        run(&["events"], array).append_context("array", array).code(1).stdout("");
    }
}

#[test]
fn lines_of_other_clis_are_unknown() {
    for line in [
        r#"{"type":"step_start","timestamp":1794785731461,"sessionID":"ses"}"#,
        r#"{"type":"error","timestamp":1794785749990,"error":{}}"#,
    ] {
        assert_eq!(harnesses(&[line]), ["unknown"], "{line}");
    }
}

#[test]
fn stream_without_known_events_is_noted() {
    run(&["text"], r#"{"type":"x"}"#)
        .code(1)
        .stderr(predicate::str::starts_with("streamj: <stdin>: one JSON object, but no event of a known agent CLI (--harness selects one of: claude, codex, "));
}

#[test]
fn members_identify_a_line_and_not_the_prefix_of_its_type() {
    for line in [
        r#"{"type":"system","subtype":"init","session_id":"s","tools":["Read"]}"#,
        r#"{"type":"item.completed","data":{}}"#,
        r#"{"type":"thread.other"}"#,
    ] {
        assert_eq!(harnesses(&[line]), ["unknown"], "{line}");
    }
    // In a stream of a CLI its new types belong to it.
    assert_eq!(harnesses(&[CODEX, r#"{"type":"turn.paused"}"#]), ["codex", "codex"]);
}

#[test]
fn shared_type_with_members_of_another_cli_is_not_claudes() {
    for line in [
        r#"{"type":"user","content":"hi"}"#,
        r#"{"type":"assistant","content":"x"}"#,
        r#"{"type":"result","value":3}"#,
    ] {
        assert_eq!(run(&["summary"], line).code(1).row()["harness"], "unknown", "{line}");
    }
    for line in [
        r#"{"type":"assistant"}"#,
        r#"{"type":"result","result":"x","session_id":"s"}"#,
        r#"{"type":"result","structured_output":{}}"#,
    ] {
        assert_eq!(run(&["summary"], line).code(0).row()["harness"], "claude", "{line}");
    }
}

/// Lines that can be decided are assigned to their CLI whatever comes before them, and
/// others never to another one.
#[test]
fn line_of_a_recording_is_not_assigned_to_another_cli() {
    for path in fixtures() {
        let own = harness_of(&path);
        if own == "unknown" {
            continue;
        }
        let text = std::fs::read(&path).unwrap();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let record = streamj::records(line).next().and_then(Result::ok);
            let Some(record) = record else { continue };
            let record = record.get();
            let harness = record.harness.name();
            // Messages of CLIs with Claude Code's shape are its own without their stream.
            let has_shape = ["qwen", "amp", "cursor", "grok"].contains(&own) && harness == "claude";
            // Most lines of a fork are those of its original.
            let is_of_fork = own == "kilo" && harness == "opencode";
            let is_shared = !record.is_certain || has_shape || is_of_fork;
            assert!(
                harness == own || harness == "unknown" || is_shared,
                "{harness}: {}",
                path.display()
            );
        }
    }
}

/// A line of a recording.
struct RecordedLine {
    own: &'static str,
    line: Vec<u8>,
    /// The CLI of the line without its stream; `None` if it may be several CLIs'.
    alone: Option<&'static str>,
}

impl RecordedLine {
    fn new(own: &'static str, line: &[u8]) -> Self {
        let record = streamj::records(line).next().and_then(Result::ok);
        let certain = record.filter(|record| record.get().is_certain);
        let alone = certain.map(|record| record.get().harness.name());
        Self { own, line: line.to_vec(), alone: alone.filter(|name| *name != "unknown") }
    }

    fn is_message(&self) -> bool {
        let value: Value = serde_json::from_slice(&self.line).unwrap();
        ["assistant", "user", "stream_event"].iter().any(|kind| value["type"] == *kind)
    }

    /// Returns whether it may be assigned to `found` if other CLIs precede it.
    fn may_be(&self, found: &str) -> bool {
        let shape = ["claude", "qwen", "amp", "cursor", "grok"];
        let fork = ["opencode", "kilo"];
        let is_of = |group: &[&str]| group.contains(&self.own) && group.contains(&found);
        match self.alone {
            None => true,
            // A message of the shared shape belongs to the CLI that the stream has shown.
            Some("claude") if shape.contains(&self.own) => is_of(&shape),
            Some(_) if self.is_message() && is_of(&shape) => true,
            Some("opencode" | "kilo") => is_of(&fork),
            Some(alone) => alone == self.own && found == self.own,
        }
    }
}

/// Returns the lines of each recording that is one object for each line.
fn recorded() -> Vec<Vec<RecordedLine>> {
    let shared = ["captures", "more_captures"].into_iter().filter_map(shared);
    let files = fixtures().into_iter().chain(shared.flat_map(|folder| recordings_under(&folder)));
    let known = files.filter(|path| harness_of(path) != "unknown");
    let recorded = known.map(|path| {
        let text = std::fs::read(&path).unwrap();
        let is_object = |line: &&[u8]| {
            let value: Option<Value> = serde_json::from_slice(line).ok();
            value.is_some_and(|value| value.is_object())
        };
        let lines = text.lines().filter(is_object);
        lines.map(|line| RecordedLine::new(harness_of(&path), line)).collect()
    });
    recorded.collect()
}

/// Returns the CLI of each line of a stream of all lines in this order.
fn found_in(lines: &[&RecordedLine]) -> Vec<String> {
    let input: Vec<u8> = lines.iter().flat_map(|it| [it.line.as_slice(), b"\n"].concat()).collect();
    let printed = run(&["events", "--get", "/harness"], input);
    let found: Vec<_> = printed.text().lines().map(str::to_owned).collect();
    assert_eq!(found.len(), lines.len());
    found
}

/// A generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

#[test]
fn recordings_in_random_order_are_assigned_line_by_line() {
    let recorded = recorded();
    for seed in 1..=3 {
        let mut order: Vec<_> = recorded.iter().collect();
        Random(seed).shuffle(&mut order);
        let lines: Vec<_> = order.iter().flat_map(|lines| lines.iter()).collect();
        let mut found = found_in(&lines).into_iter();
        for lines in order {
            // After a line that shows its CLI, the others follow it.
            let mut is_shown = false;
            for line in lines {
                let found = found.next().unwrap();
                let is_right = if is_shown { found == line.own } else { line.may_be(&found) };
                let is_fork = (line.own, found.as_str()) == ("kilo", "opencode");
                assert!(is_right || is_fork, "{found} {} {}", line.own, line.line.as_bstr());
                is_shown |= found == line.own && line.alone.is_some();
            }
        }
    }
}

#[test]
fn lines_in_random_order_are_assigned_one_by_one() {
    let recorded = recorded();
    let mut lines: Vec<_> = recorded.iter().flatten().collect();
    Random(7).shuffle(&mut lines);
    for (line, found) in lines.iter().zip(found_in(&lines)) {
        assert!(line.may_be(&found), "{found} {} {}", line.own, line.line.as_bstr());
    }
    // Few lines may be several CLIs'.
    let undecided = lines.iter().filter(|line| line.alone.is_none()).count();
    assert!(undecided * 100 < lines.len(), "{undecided} of {}", lines.len());
}
