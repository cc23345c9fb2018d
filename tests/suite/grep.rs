//! `grep`: a search in what was said and done.

use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, streamj};

/// A folder with one session.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(lines: &[String]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("one", lines);
        folder
    }

    fn write(&self, name: &str, lines: &[String]) -> PathBuf {
        let path = self.0.path().join(format!("{name}.jsonl"));
        std::fs::write(&path, lines.concat()).unwrap();
        path
    }

    fn grep(&self, args: &[&str]) -> Assert {
        let mut command = streamj(&["grep"]);
        command.env("TZ", "UTC").args(args).arg(self.0.path());
        command.assert()
    }

    /// Returns `line where tool text` of each match.
    fn found(&self, args: &[&str]) -> Vec<String> {
        self.grep(args).success().rows().iter().map(describe).collect()
    }
}

fn describe(row: &Value) -> String {
    let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
    format!("{} {} {} {}", row["line"], text("where"), text("tool"), text("text"))
}

fn line(kind: &str, content: &Value) -> String {
    let message = json!({
        "type": kind, "uuid": "u", "parentUuid": null, "version": "2.1.0", "isSidechain": false, "sessionId": "s1", "cwd": "/src/web",
        "timestamp": "2026-11-01T10:00:00Z", "message": {"role": kind, "content": content},
    });
    format!("{message}\n")
}

fn text(text: &str) -> String {
    line("assistant", &json!([{"type": "text", "text": text}]))
}

fn call(id: &str, command: &str) -> String {
    let input = json!({"command": command, "timeout": 8080});
    line("assistant", &json!([{"type": "tool_use", "id": id, "name": "Bash", "input": input}]))
}

fn result(id: &str, output: &str) -> String {
    line("user", &json!([{"type": "tool_result", "tool_use_id": id, "content": output}]))
}

#[test]
fn every_place_is_searched() {
    let thinking = line("assistant", &json!([{"type": "thinking", "thinking": "a needle"}]));
    let folder = Folder::new(&[
        line("user", &json!("Find the needle.")),
        thinking,
        call("t1", "grep needle"),
        result("t1", "hay\nneedle found\nhay"),
        text("There is a needle."),
    ]);
    assert_eq!(
        folder.found(&["needle"]),
        [
            "1 prompt - Find the needle.",
            "2 thinking - a needle",
            "3 tool-input Bash grep needle",
            "4 tool-output Bash needle found",
            "5 text - There is a needle.",
        ]
    );
    assert_eq!(
        folder.found(&["--in", "text,prompt", "needle"]),
        ["1 prompt - Find the needle.", "5 text - There is a needle."]
    );
    assert_eq!(folder.found(&["80.0"]), ["3 tool-input Bash 8080"]);
    assert_eq!(folder.found(&["-C", "1", "found"]), ["4 tool-output Bash hay\nneedle found\nhay"]);
}

#[test]
fn row_names_the_session_and_the_file() {
    let folder = Folder::new(&[line("user", &json!("hi")), text("needle")]);
    let row = folder.grep(&["needle"]).success().row();
    assert_eq!(
        (&row["session_id"], &row["harness"], &row["project"], &row["timestamp"]),
        (&"s1".into(), &"claude".into(), &"/src/web".into(), &"2026-11-01T10:00:00Z".into())
    );
    assert!(Path::new(row["file"].as_str().unwrap()).ends_with("one.jsonl"));
}

#[test]
fn escaped_characters_match_as_themselves() {
    // Beyond the lines by which the session is recognised.
    let mut lines = vec![text("nothing"); 40];
    lines.push(text("X").replace('X', r#"caf\u00e9 \"quoted\"\nnext\/line \ud83d\ude00"#));
    let folder = Folder::new(&lines);
    for pattern in ["café", "\"quoted\"", "next/line", "^next", "😀", r"caf\x{e9}", "é \"q"] {
        let found = folder.found(&[pattern]);
        assert_eq!(found.len(), 1, "{pattern}: {found:?}");
        assert!(found[0].starts_with("41 text"), "{pattern}: {found:?}");
    }
    assert_eq!(folder.found(&["-F", "\"\nnext"]), ["41 text - café \"quoted\"\nnext/line 😀"]);
    folder.grep(&["u00e9"]).code(1).stdout("");
}

#[test]
fn tool_of_an_output_is_named_even_if_its_call_does_not_match() {
    let mut lines = vec![text("nothing"); 40];
    lines.extend([call("t7", "make"), result("t7", "needle")]);
    assert_eq!(Folder::new(&lines).found(&["needle"]), ["42 tool-output Bash needle"]);
}

#[test]
fn case_and_wildcards_are_options() {
    let folder = Folder::new(&[text("Needle a.c")]);
    folder.grep(&["needle"]).code(1).stdout("").stderr("");
    folder.grep(&["-i", "NEEDLE"]).success();
    folder.grep(&["-F", "abc"]).code(1);
    folder.grep(&["-F", "a.c"]).success();
    folder
        .grep(&["a(c"])
        .code(2)
        .stderr(predicate::str::starts_with("streamj: the pattern cannot be used: "));
}

#[test]
fn sessions_and_counts_are_listed() {
    let folder = Folder::new(&[text("needle"), text("needle needle"), text("hay")]);
    folder.write("two", &[text("hay")]);
    let sessions = folder.grep(&["-l", "needle"]).success().rows();
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["session_id"], "s1");
    let counts = folder.grep(&["-c", "needle"]).success().rows();
    assert_eq!(counts.iter().map(|row| &row["count"]).collect::<Vec<_>>(), [2]);
}

#[test]
fn project_and_time_select_what_is_searched() {
    let folder = Folder::new(&[line("user", &json!("hi")), text("needle")]);
    folder.grep(&["--project", "web", "needle"]).success();
    folder.grep(&["--project", "api", "needle"]).code(1);
    folder.grep(&["--since", "2026-11-01", "needle"]).success();
    folder.grep(&["--since", "2026-11-02", "needle"]).code(1);
}

#[test]
fn broken_lines_and_files_do_not_end_the_search() {
    let folder =
        Folder::new(&["{\"needle\n".to_owned(), text("needle"), "\0\0needle\n".to_owned()]);
    assert_eq!(folder.found(&["needle"]), ["2 text - needle"]);
    let mut command = streamj(&["grep", "needle"]);
    let one = folder.0.path().join("one.jsonl");
    let missing = folder.0.path().join("missing.jsonl");
    let found = command.arg(missing).arg(one).assert().code(2);
    assert_eq!(found.rows().len(), 1);
    assert!(found.errors().contains("no such file"), "{}", found.errors());
}

#[test]
fn matches_are_the_same_on_any_number_of_threads() {
    let folder = Folder::new(&[text("needle 0")]);
    for number in 1..80 {
        folder.write(&format!("n{number:02}"), &[text(&format!("needle {number}"))]);
    }
    let sorted = |args: &[&str]| {
        let mut found = folder.found(args);
        found.sort();
        found
    };
    assert_eq!(sorted(&["--threads", "1", "needle"]).len(), 80);
    assert_eq!(sorted(&["--threads", "1", "needle"]), sorted(&["--threads", "4", "needle"]));
}

#[test]
fn named_file_without_events_is_described() {
    let folder = Folder::new(&["not a stream\n".to_owned()]);
    let file = folder.0.path().join("one.jsonl");
    let mut command = streamj(&["grep", "stream"]);
    command.arg(&file).assert().code(1).stdout("").stderr(predicate::str::contains("not JSON"));
    // A folder may contain anything.
    folder.grep(&["stream"]).code(1).stdout("").stderr("");
}
