//! Outputs that fail: full disks, closed pipes, slow readers, terminals that hang
//! up. The program must neither panic nor succeed if output was lost.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::resources::{MEMORY_LIMIT, peak_memory};
use crate::support::{BIN, fixture, fixture_bytes, root, terminal};

const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["text", "--last"],
    &["tools"],
    &["tools", "--format", "json"],
    &["usage"],
    &["usage", "--format", "csv"],
    &["error"],
    &["session"],
    &["summary"],
    &["summary", "--get", "/output"],
    &["events"],
    &["events", "--unified"],
    &["view"],
    &["check", "--every-line"],
    &["structured"],
    &["findings"],
    &["text", "--redact"],
];

/// Returns a stream for which every command prints something: it has tools, an
/// error, usage, and a structured document.
fn stream() -> Vec<u8> {
    let watch = std::fs::read(root().join("examples/watch.jsonl")).unwrap();
    let names = ["claude/subagent_foreground", "claude/err_429_unified_oauth"];
    [&names.map(fixture_bytes).concat()[..], &watch].concat()
}

/// Runs a shell script that finds the program in its `PATH`.
fn shell(script: &str) -> Assert {
    let folder = Path::new(BIN).parent().unwrap().display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", script]).env("PATH", path).stdin(Stdio::null()).assert()
}

/// Runs `streamj` with the given standard output, which `assert_cmd::Command` would
/// capture.
fn run_to(stdout: impl Into<Stdio>, args: &[&str], input: &[u8]) -> Assert {
    let mut command = Command::new(BIN);
    command.args(args).stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may exit before it has read everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    output.assert().append_context("command", format!("{command:?}"))
}

/// Matches messages that contain `text` and no panic.
fn message(text: &str) -> impl Predicate<str> {
    predicate::str::contains(text).and(predicate::str::contains("panicked").not())
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_an_error_for_every_command() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    for args in COMMANDS {
        run_to(full(), &[&["-q"], *args].concat(), &stream())
            .code(2)
            .stderr("streamj: cannot write: no space left on device\n");
    }
    for args in [&["prompt", "hi"][..], &["wrap", "--dry-run", "--", "true"]] {
        run_to(full(), args, b"")
            .code(predicate::in_iter([2, 125]))
            .stderr(predicate::str::starts_with("streamj: cannot write").and(message("")));
    }
}

#[test]
fn closed_pipe_is_success_for_every_command() {
    let long_stream = stream().repeat(60);
    for args in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        run_to(writer, &[&["-q"], *args].concat(), &long_stream).code(0).stderr("");
    }
}

#[test]
fn terminal_hangup_is_an_error() {
    for args in [&["-q", "text"][..], &["-q", "events"], &["-q", "view"]] {
        let (user_side, program_side) = terminal();
        let mut command = Command::new(BIN);
        command.args(args).stdout(program_side).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(command);
        drop(user_side);
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(&stream());
        drop(stdin);
        let run = child.wait_with_output().unwrap().assert();
        run.append_context("args", format!("{args:?}"))
            .code(2)
            .stderr("streamj: cannot write: input/output error\n");
    }
}

/// Limits the size of files. The `trap` makes exceeding it an error instead of a
/// signal.
const LIMIT_FILE_SIZE: &str = "trap '' XFSZ; ulimit -f 1";

#[test]
fn file_size_limit_is_an_error_and_keeps_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let input = fixture("claude/subagent_foreground");
    let print = format!("streamj events {} > {}", input.display(), out.display());
    shell(&format!("{LIMIT_FILE_SIZE}; {print}"))
        .code(2)
        .stderr("streamj: cannot write: file too large\n");
    assert!(std::fs::metadata(&out).unwrap().len() > 0);
    // Without the trap the signal ends the program.
    shell(&format!("ulimit -f 1; {print}")).failure();
}

#[test]
fn run_continues_if_tee_or_record_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let input = fixture("claude/subagent_foreground");
    let input = input.display();
    let text = shell(&format!("streamj -q text {input}")).get_output().stdout.clone();
    for (option, target, error) in [
        ("--tee", path("tee"), "cannot write: File too large"),
        ("--record", path("record"), "cannot write the record: File too large"),
        ("--tee", "/dev/full".to_owned(), "cannot write: No space left"),
        ("--record", "/dev/full".to_owned(), "cannot write the record: No space left"),
    ] {
        let with_events = if option == "--record" { "--with-events" } else { "" };
        let done = path("done");
        let agent = format!("cat {input}; touch {done}");
        shell(&format!(
            "{LIMIT_FILE_SIZE}; streamj -q wrap {option} {target} {with_events} -- sh -c '{agent}'"
        ))
        .code(125)
        .stdout(text.clone())
        .stderr(message(error));
        std::fs::remove_file(&done).unwrap();
    }
    assert!(!folder.path().join("record").exists(), "an incomplete record is removed");
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["tee"], "no temporary files are left");
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_standard_error_does_not_change_the_result() {
    shell("printf 'broken\\n{\"type\":\"turn.started\"}\\n' | streamj events 2>/dev/full")
        .code(0)
        .stdout(predicate::str::starts_with("{\"type\":\"turn.started\""));
    shell("streamj text no-such-file 2>&-").code(2);
}

/// The Rust runtime opens `/dev/null` in place of a closed standard output, so that
/// no file opened later gets its descriptor.
#[test]
fn closed_standard_output_does_not_corrupt_files() {
    let folder = tempfile::tempdir().unwrap();
    let input = fixture("codex/text_success");
    let (tee, record) = (folder.path().join("tee"), folder.path().join("record"));
    let script = format!(
        "streamj wrap --tee {} --record {} -- cat {} >&-",
        tee.display(),
        record.display(),
        input.display()
    );
    shell(&script).code(0).stderr("");
    assert_eq!(std::fs::read(tee).unwrap(), std::fs::read(&input).unwrap());
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(record["output"], "Hello from the fake model.");
    shell(&format!("streamj text {} >&-", input.display())).code(0).stderr("");
}

#[cfg(target_os = "linux")]
#[test]
fn slow_reader_gets_all_output_with_little_memory() {
    let text = "x".repeat(64 << 10);
    let line = format!(
        r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"{text}"}}}}"#
    );
    let stream = (line + "\n").repeat(100).into_bytes();
    let times = 15;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    std::fs::write(&path, &stream).unwrap();
    let agent = format!("for _ in $(seq {times}); do cat {}; done", path.display());
    let wrap = ["-q", "wrap", "--as", "events --tag none", "--", "sh", "-c", &agent];
    for args in [&["-q", "events", "--tag", "none"][..], &wrap] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut child = Command::new(BIN)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = stream.clone();
        let input_writer = std::thread::spawn(move || {
            for _ in 0..times {
                if stdin.write_all(&input).is_err() {
                    break;
                }
            }
        });
        // Lets all buffers fill up, then reads slowly at first.
        std::thread::sleep(Duration::from_millis(500));
        let mut buffer = vec![0; 4096];
        let mut total = 0;
        loop {
            let count = reader.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            if total < 200 * 4096 {
                std::thread::sleep(Duration::from_millis(1));
            } else if total < 300 * 4096 {
                assert!(peak_memory(&child) < MEMORY_LIMIT, "{args:?}: {}", peak_memory(&child));
                buffer.resize(1 << 20, 0);
            }
            total += count;
        }
        input_writer.join().unwrap();
        child.wait().unwrap();
        assert_eq!(total, stream.len() * times, "{args:?}");
    }
}
