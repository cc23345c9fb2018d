//! Output to pipes, terminals and full disks.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use assert_cmd::assert::OutputAssertExt;
use bstr::ByteSlice;
use predicates::prelude::*;

use crate::support::cli::{Printed, run};
use crate::support::{BIN, fixture_bytes};
#[cfg(unix)]
use crate::support::{on_terminal, terminal, terminal_command};

/// Returns what the program prints on a terminal of 80 columns.
#[cfg(unix)]
fn shown(args: &[&str], variables: &[(&str, &str)], input: &[u8]) -> String {
    on_terminal(terminal_command(args).envs(variables.iter().copied()), 80, input)
}

#[cfg(unix)]
#[test]
fn records_are_tables_on_a_terminal_and_json_lines_in_a_pipe() {
    let input = fixture_bytes("claude/text_success");
    let expected = "claude  claude-sonnet-5-5  abf5c9cd-cf54-433e-a396-e4b81aa92760\n        \
                    input  output  cache read  cache write   total     cost\n\
                    tokens     12      15       7,890        3,456  11,373  $0.0096\n\
                    1 turn · 0.2 s · from the result\n";
    assert_eq!(shown(&["usage"], &[("NO_COLOR", "1")], &input), expected);
    run(&["usage"], input).row();
}

#[cfg(unix)]
#[test]
fn projections_have_a_human_format_on_a_terminal() {
    let plain = |command: &str, name: &str| {
        shown(&[command, "--color", "never"], &[], &fixture_bytes(name))
    };
    let tools = "failed    command_execution  echo two; exit 3  exit 3\n          two\n\
                 completed command_execution  sleep 1; echo one\n";
    assert_eq!(plain("tools", "codex/command_parallel"), tools);
    let error = "auth: Invalid API key · Fix external API key\nstatus 401 · api_error\n";
    assert_eq!(plain("error", "claude/err_401"), error);
    let session = "harness  codex\nsession  01a1e184-9112-7833-950f-0ff741e7680a\n\
                   resume   codex resume 01a1e184-9112-7833-950f-0ff741e7680a\n";
    assert_eq!(plain("session", "codex/text_success"), session);
    let summary = plain("summary", "codex/text_success");
    assert!(summary.starts_with("succeeded  codex  01a1e184-"), "{summary}");
    assert!(summary.ends_with("\n\nHello from the fake model.\n"), "{summary}");
}

#[cfg(unix)]
#[test]
fn colour_is_used_on_terminals_or_on_request() {
    let input = fixture_bytes("claude/err_401");
    assert!(shown(&["error"], &[], &input).contains("\u{1b}[31mauth"));
    assert!(!shown(&["error"], &[("NO_COLOR", "1")], &input).contains('\u{1b}'));
    assert!(!shown(&["error"], &[("TERM", "dumb")], &input).contains('\u{1b}'));
    let escape = || predicate::str::contains("\u{1b}");
    run(&["error", "--format", "human"], input.as_slice()).stdout(escape().not());
    run(&["error", "--format", "human", "--color", "always"], input).stdout(escape());
}

/// JSON escapes of terminal sequences, C1 controls, and invisible and bidirectional
/// characters.
const CONTROLS: &str =
    "a\\u001b[31mb\\u001b]52;c;aGk=\\u0007\\rc\\u0008\\u009b2J\\u202ed\\u200be\\u007f";

fn controls() -> Vec<u8> {
    format!(
        "{}\n{}\n{}\n",
        format_args!(r#"{{"type":"thread.started","thread_id":"{CONTROLS}"}}"#),
        format_args!(r#"{{"type":"item.completed","item":{{"id":"{CONTROLS}","type":"agent_message","text":"{CONTROLS}"}}}}"#),
        format_args!(r#"{{"type":"turn.failed","error":{{"message":"{CONTROLS}"}}}}"#),
    )
    .into_bytes()
}

#[cfg(unix)]
#[test]
fn control_characters_are_escaped_on_a_terminal() {
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
        let shown = shown(&[args, &["--color", "never"]].concat(), &[], &controls());
        let bad = |c: char| {
            (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{200b}')
        };
        assert!(!shown.contains(bad), "{args:?}: {shown:?}");
    }
    let text = shown(&["text"], &[], &controls());
    assert!(
        text.starts_with("a^[[31mb^[]52;c;aGk=^G^Mc^H<U+009B>2J<U+202E>d<U+200B>e^?\n"),
        "{text:?}"
    );
}

#[test]
fn control_characters_pass_through_a_pipe() {
    let beginning = "a\u{1b}[31mb\u{1b}]52;c;aGk=\u{7}\rc";
    run(&["text"], controls()).stdout(predicate::str::starts_with(beginning));
}

#[cfg(unix)]
#[test]
fn json_is_indented_only_on_a_terminal() {
    let input = fixture_bytes("codex/text_success");
    let shown = shown(&["session", "--format", "json"], &[], &input);
    assert_eq!(
        shown,
        "{\n  \"harness\": \"codex\",\n  \"session_id\": \"01a1e184-9112-7833-950f-0ff741e7680a\",\n  \
         \"resume_command\": \"codex resume 01a1e184-9112-7833-950f-0ff741e7680a\"\n}\n"
    );
    run(&["session", "--format", "json"], input).row();
}

#[cfg(unix)]
#[test]
fn terminal_as_standard_input_without_file_is_a_usage_error() {
    let (_person, program) = terminal();
    Command::new(BIN).arg("text").stdin(program).assert().code(2).stderr(
        predicate::str::contains("give a FILE, or pipe a stream in")
            .and(predicate::str::contains("Usage: streamj text")),
    );
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported_with_exit_status_2() {
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
            command.arg(crate::support::fixture("codex/command_parallel"));
        }
        command
            .stdout(full)
            .assert()
            .append_context("arguments", format!("{args:?}"))
            .code(2)
            .stderr("streamj: cannot write: no space left on device\n");
    }
}

#[test]
fn broken_pipe_ends_the_program_silently_with_0() {
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
    // Enough to fill every buffer; writing fails once the program has ended.
    for _ in 0..10_000 {
        if stdin.write_all(&line).is_err() {
            break;
        }
    }
    drop(stdin);
    child.wait_with_output().unwrap().assert().code(0).stderr("");
}

#[test]
fn output_is_flushed_before_the_next_read() {
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
                let _ = sender.send(buffer[..count].to_vec());
            }
        });
        let input = fixture_bytes("codex/text_success");
        for line in input.lines_with_terminator().take(3) {
            stdin.write_all(line).unwrap();
        }
        // Standard input stays open, so only a flush makes the output appear.
        let mut printed = Vec::new();
        while !printed.contains_str(expected) {
            printed.extend(receiver.recv_timeout(Duration::from_mins(1)).expect("no output"));
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        reader.join().unwrap();
    }
}
