//! `view --follow`.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use predicates::prelude::*;

use super::{DONE, THREAD, agent_message};
use crate::support::BIN;
use crate::support::cli::run;

/// A running `view`.
struct Following {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Following {
    fn new(args: &[&str], home: &Path) -> Self {
        let mut child = Command::new(BIN)
            .args(["-q", "view", "--color", "never"])
            .args(args)
            .env("HOME", home)
            .env("CODEX_HOME", home.join("codex"))
            .env("CLAUDE_CONFIG_DIR", home.join("claude"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn next(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn rest(mut self) -> Vec<String> {
        let rest = self.lines.by_ref().map(Result::unwrap).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }

    fn stop(mut self) {
        drop(self.lines);
        self.child.wait().unwrap();
    }
}

#[test]
fn file_that_does_not_exist_yet_is_waited_for_and_followed_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("later.jsonl");
    let mut following = Following::new(&["--follow", path.to_str().unwrap()], folder.path());
    std::thread::sleep(std::time::Duration::from_millis(100));
    std::fs::write(&path, format!("{THREAD}\n{}\n", agent_message("hello"))).unwrap();
    assert_eq!(following.next(), "[session] codex, th_1");
    assert_eq!(following.next(), "hello");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    writeln!(file, "{DONE}").unwrap();
    // The event that ends the run ends the program.
    let rest = following.rest();
    assert_eq!(rest[0], "[result] success");
    assert_eq!(rest.iter().filter(|line| line.starts_with("[result]")).count(), 1);
}

#[test]
fn missing_file_is_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("never.jsonl");
    let mut child = Command::new(BIN)
        .args(["view", "--follow", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut note = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut note).unwrap();
    assert!(note.ends_with("never.jsonl: entity not found; waiting for it\n"), "{note}");
    drop(child.stdout.take());
    child.wait().unwrap();
}

#[test]
fn run_is_followed_beyond_its_end_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, format!("{THREAD}\n{DONE}\n")).unwrap();
    let mut following =
        Following::new(&["--follow=forever", path.to_str().unwrap()], folder.path());
    assert_eq!(following.next(), "[session] codex, th_1");
    assert!(following.next().starts_with("[result] success"));
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    let started = r#"{"type":"turn.started"}"#;
    writeln!(file, "{started}\n{}\n{DONE}", agent_message("again")).unwrap();
    while following.next() != "again" {}
    following.stop();
}

#[test]
fn newest_session_is_followed_until_there_is_a_newer_one() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("claude/projects/-work");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |id: &str, text: &str, day: u32| {
        let line = format!(
            r#"{{"type":"user","sessionId":"{id}","uuid":"u-{id}","parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/work","version":"2.0.0","timestamp":"2026-01-0{day}T00:00:00Z","message":{{"role":"user","content":"{text}"}}}}"#
        );
        std::fs::write(folder.join(format!("{id}.jsonl")), line + "\n").unwrap();
    };
    write("aaaa1111-0000-4000-8000-000000000000", "first prompt", 1);
    let mut newest = Following::new(&["--follow", "--latest"], home.path());
    let mut last = Following::new(&["--follow", "@last"], home.path());
    for following in [&mut newest, &mut last] {
        while following.next() != "[prompt] first prompt" {}
    }
    write("bbbb2222-0000-4000-8000-000000000000", "second prompt", 2);
    while newest.next() != "[prompt] second prompt" {}
    newest.stop();
    last.stop();
}

#[test]
fn follow_needs_a_file_or_latest() {
    run(&["view", "--follow"], "")
        .code(2)
        .stderr(predicate::str::contains("--follow needs a FILE, or --latest"));
    run(&["view", "--latest"], "").code(2);
}
