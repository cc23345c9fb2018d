//! Lines that cannot be read: invalid JSON, encodings, sizes, files and arguments.

use assert_cmd::assert::Assert;
use predicates::prelude::*;

use crate::support::cli::{Printed, read, run};
use crate::support::fixture;

const GOOD: &str =
    r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"good"}}"#;

/// Runs `text` on a line between two good ones.
fn between(line: &[u8]) -> Assert {
    let input = [GOOD.as_bytes(), b"\n", line, b"\n", GOOD.as_bytes(), b"\n"].concat();
    run(&["text"], input).append_context("line", line.escape_ascii().to_string())
}

#[test]
fn malformed_line_does_not_affect_other_lines() {
    for line in [
        b"this is not json".as_slice(),
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"cut",
        b"{\"type\":\"turn.started\"}{\"type\":\"turn.started\"}",
        b"\0\0\0\0\0\0\0\0",
        b"\x1b[32mINFO\x1b[0m starting up",
        b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":NaN}}",
        b"\xff\xfe\x00",
        b"}",
    ] {
        between(line).success().stdout("good\ngood\n").stderr(
            predicate::str::starts_with("streamj: <stdin>:2: not JSON: ")
                .and(predicate::str::contains("\n").count(1)),
        );
    }
}

#[test]
fn too_deeply_nested_line_is_skipped() {
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    between(&deep)
        .stdout("good\ngood\n")
        .stderr("streamj: <stdin>:2: nested deeper than 1024 levels\n");
}

#[test]
fn strict_exits_with_1_if_a_line_was_skipped() {
    // The other lines are printed.
    run(&["text", "--strict"], format!("{GOOD}\nbroken\n")).code(1).stdout("good\n");
    run(&["--strict", "text"], format!("{GOOD}\n\n[1]\n")).success();
    run(&["text", "--strict", "--max-line", "10"], format!("{GOOD}\n")).code(1);
}

#[test]
fn quiet_suppresses_notes_but_not_errors() {
    run(&["-q", "text"], "broken\n").stderr("");
    run(&["-q", "text", "no such file"], "")
        .code(2)
        .stderr("streamj: no such file: no such file or directory\n");
}

#[test]
fn too_long_line_is_skipped_and_its_size_noted() {
    let long = format!(r#"{{"type":"x","text":"{}"}}"#, "a".repeat(1000));
    run(&["text", "--max-line", "200"], format!("{GOOD}\n{long}\n{GOOD}\n"))
        .stdout("good\ngood\n")
        .stderr(format!("streamj: <stdin>:2: line too long: {} bytes\n", long.len()));
}

#[test]
fn invalid_line_limit_is_an_error() {
    for limit in ["0", "5G", "ten", "1T"] {
        run(&["text", "--max-line", limit], "")
            .append_context("limit", limit)
            .code(2)
            .stderr(predicate::str::contains("--max-line"));
    }
}

#[test]
fn crlf_bom_and_missing_last_newline_are_accepted() {
    run(&["text"], format!("\u{feff}{GOOD}\r\n\r\n{GOOD}")).stdout("good\ngood\n").stderr("");
}

#[test]
fn unicode_line_separators_do_not_end_a_line() {
    let line = GOOD.replace("good", "a\u{2028}b\u{2029}c\u{85}d");
    read(&["text"], &[&line]).stdout("a\u{2028}b\u{2029}c\u{85}d\n").stderr("");
}

#[test]
fn invalid_utf8_and_lone_surrogates_are_replaced() {
    let (before, after) = GOOD.split_once("good").unwrap();
    let invalid = [before.as_bytes(), b"a\xffb", after.as_bytes()].concat();
    between(&invalid).stdout("good\na\u{fffd}b\ngood\n").stderr("");
    let lone = GOOD.replace("good", r"a\ud83d");
    between(lone.as_bytes()).stdout("good\na\u{fffd}\ngood\n");
}

#[test]
fn events_prints_the_original_bytes_of_a_repaired_line() {
    let line = b"{\"type\":\"turn.started\",\"x\":\"a\xff\\ud83d\",\"n\":1e999,\"big\":123456789012345678901234567890}";
    let expected = [&line[..line.len() - 1], b",\"harness\":\"codex\"}\n"].concat();
    run(&["events"], [line.as_slice(), b"\n"].concat()).stdout(expected);
}

#[test]
fn missing_file_and_directory_do_not_stop_other_files() {
    let good = fixture("codex/text_success");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    run(&["text", "missing.jsonl", folder, good.to_str().unwrap()], "")
        .code(2)
        .stdout("Hello from the fake model.\n")
        .stderr(format!(
            "streamj: missing.jsonl: no such file or directory\n\
             streamj: {folder}: is a directory\n"
        ));
}

#[cfg(target_os = "linux")]
#[test]
fn read_error_is_reported() {
    // Reading the memory of a process at address zero fails with EIO.
    run(&["text", "/proc/self/mem"], "")
        .code(2)
        .stderr(predicate::str::starts_with("streamj: /proc/self/mem: cannot read: "));
}

#[test]
fn control_characters_in_file_names_are_escaped() {
    run(&["text", "x\u{1b}[31m\u{202e}"], "")
        .stderr("streamj: x^[[31m<U+202E>: no such file or directory\n");
}

#[test]
fn usage_error_exits_with_2() {
    for args in [
        &["nonsense"][..],
        &[],
        &["text", "--nonsense"],
        &["usage", "--format", "yaml"],
        &["session", "--get", "session_id"],
        &["text", "--format", "json"],
    ] {
        run(args, "")
            .append_context("args", format!("{args:?}"))
            .code(2)
            .stdout("")
            .stderr(predicate::str::is_empty().not());
    }
}

#[test]
fn empty_input_gives_empty_output() {
    for command in ["text", "tools", "events"] {
        run(&[command], "").append_context("command", command).success().stdout("").stderr("");
    }
    assert_eq!(run(&["usage"], "").row()["source"], "none");
    assert_eq!(run(&["error"], "").row()["category"], "incomplete");
    assert_eq!(run(&["summary"], "").row()["harness"], "unknown");
}
