//! Every line for itself: bad input of all kinds.

use predicates::prelude::*;

use crate::support::{fixture, read, run, streamj};

const GOOD: &str =
    r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"good"}}"#;

/// `text` of a bad line between two good ones.
fn between(bad: &[u8]) -> crate::support::Run {
    let input = [GOOD.as_bytes(), b"\n", bad, b"\n", GOOD.as_bytes(), b"\n"].concat();
    run(&["text"], input)
}

#[test]
fn a_broken_line_never_harms_its_neighbours() {
    for bad in [
        b"this is not json".as_slice(),
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"cut",
        b"{\"type\":\"turn.started\"}{\"type\":\"turn.started\"}",
        b"\0\0\0\0\0\0\0\0",
        b"\x1b[32mINFO\x1b[0m starting up",
        b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":NaN}}",
        b"\xff\xfe\x00",
        b"}",
    ] {
        let run = between(bad);
        assert_eq!(run.text(), "good\ngood\n", "{}", bad.escape_ascii());
        assert_eq!(run.code, 0);
        assert!(run.stderr.starts_with("streamj: <stdin>:2: not JSON: expected "), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[test]
fn nesting_beyond_all_measure_is_refused() {
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    let run = between(&deep);
    assert_eq!(run.text(), "good\ngood\n");
    assert_eq!(run.stderr, "streamj: <stdin>:2: nested deeper than 1024 levels\n");
}

#[test]
fn strict_tells_by_the_exit_status_that_a_line_was_skipped() {
    let input = format!("{GOOD}\nbroken\n");
    assert_eq!(run(&["text", "--strict"], input.as_str()).code, 1);
    assert_eq!(run(&["--strict", "text"], format!("{GOOD}\n\n[1]\n")).code, 0);
    let long = run(&["text", "--strict", "--max-line", "10"], format!("{GOOD}\n"));
    assert_eq!(long.code, 1);
    let strict = run(&["text", "--strict"], input.as_str());
    assert_eq!(strict.text(), "good\n", "the rest is printed all the same");
}

#[test]
fn quiet_silences_notes_and_no_errors() {
    assert_eq!(run(&["-q", "text"], "broken\n").stderr, "");
    let missing = run(&["-q", "text", "no such file"], "");
    assert_eq!(missing.stderr, "streamj: no such file: no such file or directory\n");
    assert_eq!(missing.code, 2);
}

#[test]
fn a_line_over_the_limit_is_skipped_with_its_size() {
    let long = format!(r#"{{"type":"x","text":"{}"}}"#, "a".repeat(1000));
    let run = run(&["text", "--max-line", "200"], format!("{GOOD}\n{long}\n{GOOD}\n"));
    assert_eq!(run.text(), "good\ngood\n");
    let size = long.len();
    assert_eq!(run.stderr, format!("streamj: <stdin>:2: line too long: {size} bytes\n"));
}

#[test]
fn limits_must_make_sense() {
    for wrong in ["0", "5G", "ten", "1T"] {
        let run = run(&["text", "--max-line", wrong], "");
        assert_eq!(run.code, 2, "{wrong}");
        assert!(run.stderr.contains("--max-line"), "{}", run.stderr);
    }
}

#[test]
fn crlf_bom_and_a_missing_last_newline_are_no_trouble() {
    let input = format!("\u{feff}{GOOD}\r\n\r\n{GOOD}");
    let run = run(&["text"], input);
    assert_eq!((run.text(), run.stderr.as_str()), ("good\ngood\n", ""));
}

#[test]
fn unicode_line_separators_do_not_end_a_line() {
    let line = GOOD.replace("good", "a\u{2028}b\u{2029}c\u{85}d");
    let run = read(&["text"], &[&line]);
    assert_eq!((run.text(), run.stderr.as_str()), ("a\u{2028}b\u{2029}c\u{85}d\n", ""));
}

#[test]
fn invalid_utf8_and_lone_surrogates_keep_their_line() {
    let raw = GOOD.as_bytes().to_vec();
    let at = GOOD.find("good").unwrap();
    let invalid = [&raw[..at], b"a\xffb", &raw[at + 4..]].concat();
    let run = between(&invalid);
    assert_eq!(run.text(), "good\na\u{fffd}b\ngood\n");
    assert_eq!(run.stderr, "");
    let lone = GOOD.replace("good", r"a\ud83d");
    assert_eq!(between(lone.as_bytes()).text(), "good\na\u{fffd}\ngood\n");
}

#[test]
fn events_passes_on_the_very_bytes_of_a_mended_line() {
    let line = b"{\"type\":\"turn.started\",\"x\":\"a\xff\\ud83d\",\"n\":1e999,\"big\":123456789012345678901234567890}";
    let events = run(&["events"], [line.as_slice(), b"\n"].concat());
    let expected = [&line[..line.len() - 1], b",\"harness\":\"codex\"}\n"].concat();
    assert_eq!(events.stdout, expected);
}

#[test]
fn a_missing_file_a_directory_and_an_unreadable_file_do_not_stop_the_others() {
    let good = fixture("codex/text_success");
    let good = good.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = run(&["text", "missing.jsonl", folder.path().to_str().unwrap(), good], "");
    assert_eq!(run.text(), "Hello from the fake model.\n");
    assert_eq!(run.code, 2);
    let notes: Vec<_> = run.stderr.lines().collect();
    assert_eq!(notes[0], "streamj: missing.jsonl: no such file or directory");
    assert_eq!(notes[1], format!("streamj: {}: is a directory", folder.path().display()));
    assert_eq!(notes.len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_that_fails_is_reported_after_what_came_before() {
    // Reading the memory of this process at address zero gives EIO.
    streamj()
        .args(["text", "/proc/self/mem"])
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("streamj: /proc/self/mem: cannot read: "));
}

#[test]
fn a_file_name_cannot_take_over_the_terminal() {
    let run = run(&["text", "x\u{1b}[31m\u{202e}"], "");
    assert_eq!(run.stderr, "streamj: x^[[31m<U+202E>: no such file or directory\n");
}

#[test]
fn wrong_usage_exits_with_2() {
    for args in [
        &["nonsense"][..],
        &[],
        &["text", "--nonsense"],
        &["usage", "--format", "yaml"],
        &["session", "--get", "session_id"],
        &["text", "--format", "json"],
    ] {
        let run = run(args, "");
        assert_eq!(run.code, 2, "{args:?}");
        assert!(!run.stderr.is_empty(), "{args:?}");
        assert_eq!(run.text(), "", "{args:?}");
    }
}

#[test]
fn an_empty_input_is_an_empty_answer() {
    for command in ["text", "tools", "events"] {
        let run = run(&[command], "");
        assert_eq!((run.text(), run.stderr.as_str(), run.code), ("", "", 0), "{command}");
    }
    assert_eq!(run(&["usage"], "").row()["source"], "none");
    assert_eq!(run(&["error"], "").row()["category"], "incomplete");
    assert_eq!(run(&["summary"], "").row()["harness"], "unknown");
}
