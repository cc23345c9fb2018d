//! Outputs that fail: full disks, readers that leave or do not read, terminals
//! that hang up. Never a panic, never a good end with something lost.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::resources::{MUCH_MEMORY, most_memory};
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

/// A run that failed, was used up, and ended with a document: every command
/// has something to say about it.
fn talkative() -> Vec<u8> {
    let watch = std::fs::read(root().join("examples/watch.jsonl")).unwrap();
    let names = ["claude/subagent_foreground", "claude/err_429_unified_oauth"];
    [&names.map(fixture_bytes).concat()[..], &watch].concat()
}

fn shell(script: &str) -> Output {
    let path = format!(
        "{}:{}",
        std::path::Path::new(BIN).parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    Command::new("sh").args(["-c", script]).env("PATH", path).stdin(Stdio::null()).output().unwrap()
}

fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Feeds a command whose output goes somewhere bad.
fn fed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may end before it has read everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn no_command_ends_well_when_the_disk_is_full() {
    for args in COMMANDS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = fed(Command::new(BIN).arg("-q").args(*args).stdout(full), &talkative());
        assert_eq!(stderr(&output), "streamj: cannot write: no space left on device\n", "{args:?}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    for args in [&["prompt", "hi"][..], &["wrap", "--dry-run", "--", "true"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = fed(Command::new(BIN).args(args).stdout(full), b"");
        assert!(stderr(&output).starts_with("streamj: cannot write"), "{output:?}");
        assert!(matches!(output.status.code(), Some(2 | 125)), "{output:?}");
    }
}

#[test]
fn a_reader_who_leaves_ends_every_command_quietly() {
    let long = talkative().repeat(60);
    for args in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = fed(Command::new(BIN).arg("-q").args(*args).stdout(writer), &long);
        assert_eq!(stderr(&output), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_terminal_that_hangs_up_is_an_error() {
    for args in [&["text"][..], &["events"], &["view"]] {
        let (person, program) = terminal();
        let mut command = Command::new(BIN);
        command.arg("-q").args(args).stdout(program);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        drop(person);
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(&talkative());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr(&output), "streamj: cannot write: input/output error\n", "{args:?}");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

/// Files that may not grow: `trap` makes it an error instead of a signal.
const SMALL_FILES: &str = "trap '' XFSZ; ulimit -f 1";

#[test]
fn a_file_that_may_not_grow_is_an_error_and_what_fitted_stays() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let input = fixture("claude/subagent_foreground");
    let script = format!("{SMALL_FILES}; streamj events {} > {}", input.display(), out.display());
    let output = shell(&script);
    assert_eq!(stderr(&output), "streamj: cannot write: file too large\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(std::fs::metadata(&out).unwrap().len() > 0);
    // Without it the signal ends us: no good end either.
    let script = format!("ulimit -f 1; streamj events {} > {}", input.display(), out.display());
    assert_ne!(shell(&script).status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_copy_or_a_record_that_cannot_be_written_is_told_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let input = fixture("claude/subagent_foreground");
    let input = input.display();
    for (option, target, words) in [
        ("--tee", path("tee"), "cannot write: File too large"),
        ("--record", path("record"), "cannot write the record: File too large"),
        ("--tee", "/dev/full".to_owned(), "cannot write: No space left"),
        ("--record", "/dev/full".to_owned(), "cannot write the record: No space left"),
    ] {
        let with_events = if option == "--record" { "--with-events" } else { "" };
        let done = path("done");
        let agent = format!("cat {input}; touch {done}");
        let script = format!(
            "{SMALL_FILES}; streamj -q wrap {option} {target} {with_events} -- sh -c '{agent}'"
        );
        let output = shell(&script);
        let told = stderr(&output);
        assert!(told.contains(words), "{script}: {told}");
        assert_eq!(output.status.code(), Some(125), "{script}: something was lost");
        let text = String::from_utf8(output.stdout).unwrap();
        let open = shell(&format!("streamj -q text {input}"));
        assert_eq!(text.as_bytes(), open.stdout, "what could be printed was");
        std::fs::remove_file(&done).unwrap();
    }
    assert!(!folder.path().join("record").exists(), "a record is whole, or not there");
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["tee"], "nothing is left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn standard_error_that_cannot_be_written_changes_nothing_else() {
    let broken =
        shell("printf 'broken\\n{\"type\":\"turn.started\"}\\n' | streamj events 2>/dev/full");
    assert_eq!(broken.status.code(), Some(0));
    assert!(broken.stdout.starts_with(b"{\"type\":\"turn.started\""));
    let closed = shell("streamj text no-such-file 2>&-");
    assert_eq!(closed.status.code(), Some(2));
}

/// The runtime puts `/dev/null` in the place of a closed standard output, as if
/// the user had: no file that is opened later takes its place.
#[cfg(unix)]
#[test]
fn a_standard_output_that_is_closed_from_the_start_spoils_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let input = fixture("codex/text_success");
    let (tee, record) = (folder.path().join("tee"), folder.path().join("record"));
    let script = format!(
        "streamj wrap --tee {} --record {} -- cat {} >&-",
        tee.display(),
        record.display(),
        input.display()
    );
    let output = shell(&script);
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)));
    assert_eq!(std::fs::read(tee).unwrap(), std::fs::read(&input).unwrap());
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(record["output"], "Hello from the fake model.");
    let output = shell(&format!("streamj text {} >&-", input.display()));
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_slow_reader_costs_no_memory_and_gets_everything() {
    let text = "x".repeat(64 << 10);
    let line = format!(
        r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"{text}"}}}}"#
    );
    let stream = (line + "\n").repeat(100).into_bytes();
    let times = 15;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    std::fs::write(&path, &stream).unwrap();
    let feeding = format!("for _ in $(seq {times}); do cat {}; done", path.display());
    let feed = |args: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = Command::new(BIN);
        command.args(args).stdout(writer).stderr(Stdio::null()).stdin(Stdio::piped());
        (reader, command.spawn().unwrap())
    };
    let wrapped = ["-q", "wrap", "--as", "events --tag none", "--", "sh", "-c", &feeding];
    for args in [&["-q", "events", "--tag", "none"][..], &wrapped] {
        let (mut reader, mut child) = feed(args);
        let mut stdin = child.stdin.take().unwrap();
        let whole = stream.clone();
        let feeder = std::thread::spawn(move || {
            for _ in 0..times {
                if stdin.write_all(&whole).is_err() {
                    break;
                }
            }
        });
        // Nobody reads until nothing moves any more; then slowly at first.
        std::thread::sleep(Duration::from_millis(500));
        let mut piece = vec![0; 4096];
        let mut read = 0;
        loop {
            let count = reader.read(&mut piece).unwrap();
            if count == 0 {
                break;
            }
            if read < 200 * 4096 {
                std::thread::sleep(Duration::from_millis(1));
            } else if read < 300 * 4096 {
                assert!(most_memory(&child) < MUCH_MEMORY, "{args:?}: {}", most_memory(&child));
                piece.resize(1 << 20, 0);
            }
            read += count;
        }
        feeder.join().unwrap();
        child.wait().unwrap();
        assert_eq!(read, stream.len() * times, "{args:?}");
    }
}
