//! Where the output goes: pipes, terminals, full disks.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::support::{BIN, fixture, fixture_bytes, on_terminal, run, terminal, terminal_command};

/// What the program shows on a terminal.
#[cfg(unix)]
fn seen(args: &[&str], variables: &[(&str, &str)], input: &[u8]) -> String {
    on_terminal(terminal_command(args).envs(variables.iter().copied()), 80, input)
}

#[cfg(unix)]
#[test]
fn records_are_for_people_on_a_terminal_and_json_lines_in_a_pipe() {
    let input = fixture_bytes("claude/text_success");
    let shown = seen(&["usage"], &[("NO_COLOR", "1")], &input);
    let expected = "claude  claude-sonnet-5-5  abf5c9cd-cf54-433e-a396-e4b81aa92760\n        \
                    input  output  cache read  cache write   total     cost\n\
                    tokens     12      15       7,890        3,456  11,373  $0.0096\n\
                    1 turn · 0.2 s · from the result\n";
    assert_eq!(shown, expected);
    assert_eq!(run(&["usage"], input).rows().len(), 1);
}

#[cfg(unix)]
#[test]
fn every_projection_has_a_form_for_people() {
    let tools = seen(&["tools", "--color", "never"], &[], &fixture_bytes("codex/command_parallel"));
    let expected = "failed    command_execution  /bin/bash -lc 'echo two; exit 3'  exit 3\n          two\n\
                    completed command_execution  /bin/bash -lc 'sleep 1; echo one'\n";
    assert_eq!(tools, expected);
    let error = seen(&["error", "--color", "never"], &[], &fixture_bytes("claude/err_401"));
    assert_eq!(error, "auth: Invalid API key · Fix external API key\nstatus 401 · api_error\n");
    let session = seen(&["session", "--color", "never"], &[], &fixture_bytes("codex/text_success"));
    assert_eq!(session, "harness  codex\nsession  01a1e184-9112-7833-950f-0ff741e7680a\n");
    let summary = seen(&["summary", "--color", "never"], &[], &fixture_bytes("codex/text_success"));
    assert!(summary.starts_with("succeeded  codex"), "{summary}");
    assert!(summary.ends_with("\n\nHello from the fake model.\n"), "{summary}");
}

#[cfg(unix)]
#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let input = fixture_bytes("claude/err_401");
    assert!(seen(&["error"], &[], &input).contains("\u{1b}[31mauth"));
    assert!(!seen(&["error"], &[("NO_COLOR", "1")], &input).contains('\u{1b}'));
    assert!(!seen(&["error"], &[("TERM", "dumb")], &input).contains('\u{1b}'));
    assert!(!run(&["error", "--format", "human"], input.as_slice()).text().contains('\u{1b}'));
    let forced = run(&["error", "--format", "human", "--color", "always"], input);
    assert!(forced.text().contains('\u{1b}'));
}

const NASTY: &str =
    "a\\u001b[31mb\\u001b]52;c;aGk=\\u0007\\rc\\u0008\\u009b2J\\u202ed\\u200be\\u007f";

fn nasty() -> Vec<u8> {
    format!(
        "{}\n{}\n{}\n",
        format_args!(r#"{{"type":"thread.started","thread_id":"{NASTY}"}}"#),
        format_args!(r#"{{"type":"item.completed","item":{{"id":"{NASTY}","type":"agent_message","text":"{NASTY}"}}}}"#),
        format_args!(r#"{{"type":"turn.failed","error":{{"message":"{NASTY}"}}}}"#),
    )
    .into_bytes()
}

#[cfg(unix)]
#[test]
fn control_characters_are_shown_on_a_terminal_never_obeyed() {
    for args in [
        &["text"][..],
        &["usage"],
        &["error"],
        &["session"],
        &["summary"],
        &["events"],
        &["usage", "--format", "json"],
        &["events", "--unified"],
        &["text", "--last"],
        &["session", "--get", "/session_id"],
        &["error", "--format", "tsv"],
    ] {
        let shown = seen(&[args, &["--color", "never"]].concat(), &[], &nasty());
        let bad = |c: char| {
            (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{200b}')
        };
        assert!(!shown.contains(bad), "{args:?}: {shown:?}");
    }
    let text = seen(&["text"], &[], &nasty());
    assert!(
        text.starts_with("a^[[31mb^[]52;c;aGk=^G^Mc^H<U+009B>2J<U+202E>d<U+200B>e^?\n"),
        "{text:?}"
    );
}

#[test]
fn in_a_pipe_bytes_pass() {
    let text = run(&["text"], nasty());
    assert!(text.text().starts_with("a\u{1b}[31mb\u{1b}]52;c;aGk=\u{7}\rc"));
}

#[cfg(unix)]
#[test]
fn json_is_indented_on_a_terminal_only() {
    let input = fixture_bytes("codex/text_success");
    let shown = seen(&["session", "--format", "json"], &[], &input);
    assert_eq!(
        shown,
        "{\n  \"harness\": \"codex\",\n  \"session_id\": \"01a1e184-9112-7833-950f-0ff741e7680a\"\n}\n"
    );
    let piped = run(&["session", "--format", "json"], input);
    assert_eq!(piped.text().lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_terminal_on_standard_input_and_no_file_is_wrong_usage() {
    let (_person, program) = terminal();
    let output = Command::new(BIN).arg("text").stdin(program).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("give a FILE, or pipe a stream in"), "{stderr}");
    assert!(stderr.contains("Usage: streamj text"), "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_with_exit_status_2() {
    let commands: [&[&str]; 8] = [
        &["text"],
        &["usage"],
        &["events"],
        &["tools"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
    ];
    for args in commands {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(BIN);
        command.args(args);
        if !matches!(args[0], "man" | "completions" | "--help" | "--version") {
            command.arg(fixture("codex/command_parallel"));
        }
        let output = command.stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr, "streamj: cannot write: no space left on device\n");
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly_with_0() {
    let mut child = Command::new(BIN)
        .args(["events"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let line = fixture_bytes("codex/text_success");
    // Enough to fill every buffer; the pipe breaks on the way.
    for _ in 0..10_000 {
        if stdin.write_all(&line).is_err() {
            break;
        }
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

/// Feeds a line, and gets its output before the next one is fed.
#[test]
fn a_line_in_is_a_line_out_before_the_next_read() {
    for (args, expected) in [
        (&["text"][..], "Hello from the fake model."),
        (&["events", "--get", "/type"], "item.completed"),
    ] {
        let mut child = Command::new(BIN)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                let _ = sender.send(String::from_utf8_lossy(&buffer[..count]).into_owned());
            }
        });
        let input = fixture_bytes("codex/text_success");
        for line in input.split_inclusive(|byte| *byte == b'\n').take(3) {
            stdin.write_all(line).unwrap();
        }
        // Standard input stays open: only flushing can bring it out.
        let mut seen = String::new();
        while !seen.contains(expected) {
            seen += &receiver.recv_timeout(Duration::from_mins(1)).expect("nothing came out");
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        reader.join().unwrap();
    }
}
