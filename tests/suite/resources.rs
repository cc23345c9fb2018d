//! Use of memory, and threads that cannot be started.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use assert_cmd::assert::OutputAssertExt;
use bstr::ByteSlice;
use predicates::prelude::*;

use crate::support::{BIN, fixture_bytes};

/// Limit in KiB: more than the program needs, and far less than its input.
pub const MEMORY_LIMIT: u64 = 48 << 10;

/// Returns the peak resident memory of a process in KiB.
pub fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Returns the peak memory of a command at the end of its input.
fn peak_while_reading(args: &[&str], write_input: impl FnOnce(&mut dyn Write)) -> u64 {
    let mut command = Command::new(BIN);
    let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    write_input(&mut stdin);
    let peak = peak_memory(&child);
    drop(stdin);
    assert!(child.wait().unwrap().code().is_some_and(|code| code < 2));
    peak
}

/// The index entry of a line must not be larger than the line.
#[test]
fn short_lines_on_several_threads_use_little_memory() {
    for line in ["\n", "{}\n"] {
        let lines = line.repeat((2 << 20) / line.len());
        let peak = peak_while_reading(&["-q", "session", "--threads", "4"], |stdin| {
            stdin.write_all(lines.as_bytes()).unwrap();
        });
        assert!(peak < MEMORY_LIMIT, "{line:?}: {peak}");
    }
}

/// Decoded, a line with many small values is far larger than its text.
#[test]
fn dense_lines_on_several_threads_use_little_memory() {
    let dense_lines = [
        r#"{"type":"turn.started"}"#.to_owned(),
        format!(
            r#"{{"type":"assistant","message":{{"content":[{}{{}}]}}}}"#,
            r#"{"type":"text","text":""},"#.repeat(1500)
        ),
        format!(r#"{{"type":"x","a":[{}1]}}"#, "1,".repeat(20_000)),
    ];
    for line in dense_lines {
        let lines = format!("{line}\n").repeat((16 << 20) / line.len());
        let peak = peak_while_reading(&["-q", "check", "--threads", "8"], |stdin| {
            stdin.write_all(lines.as_bytes()).unwrap();
        });
        assert!(peak < MEMORY_LIMIT, "{}: {peak}", &line[..20]);
    }
}

/// Long lines are read on one thread.
#[test]
fn long_lines_on_several_threads_use_as_much_memory_as_on_one() {
    let peaks = ["1", "8"].map(|threads| {
        peak_while_reading(&["usage", "--threads", threads], |stdin| {
            for length in [10, 100_000, 1 << 20, 130_000, 3 << 20].repeat(20) {
                let output = "x".repeat(length);
                let item =
                    format!(r#"{{"type":"command_execution","aggregated_output":"{output}"}}"#);
                writeln!(stdin, r#"{{"type":"item.completed","item":{item}}}"#).unwrap();
            }
        })
    });
    assert!(peaks[1] < peaks[0] + (16 << 10), "{peaks:?}");
}

/// Returns the peak memory of a command in KiB, as far as it was seen.
fn peak_of(args: &[&str]) -> u64 {
    let mut command = Command::new(BIN);
    let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(seen.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

/// Memory of a program that has read nothing long, in KiB; most of it is the program
/// itself, built without optimisation, which takes up to 26 MiB.
const BASE: u64 = 28 << 10;

/// Memory of the tables that find secrets, in KiB.
const TABLES: u64 = 12 << 10;

/// Length of a long line.
const LONG: usize = 8_000_000;

/// Commands that read one run.
const COMMANDS: &[&str] = &[
    "text",
    "text --last",
    "text --redact",
    "usage",
    "tools",
    "events",
    "events --unified",
    "check --members",
    "error",
    "session",
    "summary",
    "structured",
    "findings",
    "redact",
    "view",
    "view --full",
];

/// Returns lines of that length: a text, one with escapes, small blocks, numbers, calls.
fn long_lines() -> Vec<String> {
    let message = |blocks: &str| {
        format!(
            r#"{{"type":"assistant","session_id":"s","message":{{"id":"m","model":"m","content":[{blocks}],"usage":{{"input_tokens":1,"output_tokens":2}}}}}}"#
        )
    };
    let filled = |part: &str, last: &str| part.repeat(LONG / part.len()) + last;
    let text = |text: &str| message(&format!(r#"{{"type":"text","text":"{text}"}}"#));
    let call = |input: &str| {
        message(&format!(r#"{{"type":"tool_use","id":"t","name":"x","input":[{input}]}}"#))
    };
    vec![
        text(&"x".repeat(LONG)),
        text(&filled(r#"a \"quote\"\n"#, "")),
        message(&filled(r#"{"type":"text","text":"a"},"#, "{}")),
        call(&filled("1,", "1")),
        call(&filled(r#"{"k":"v"},"#, "1")),
    ]
}

#[test]
fn memory_is_at_most_four_times_the_longest_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    for (at, line) in long_lines().iter().enumerate() {
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let limit = 4 * (line.len() as u64 >> 10) + BASE;
        for command in COMMANDS {
            let args: Vec<&str> = command.split(' ').chain([path.to_str().unwrap()]).collect();
            let peak = peak_of(&args);
            assert!(peak < limit, "{command}: line {at}: {peak} of {limit}");
        }
    }
}

/// A result repeats the last message, and a tool's output is part of several events.
#[test]
fn memory_is_at_most_four_times_the_longest_line_if_lines_repeat_a_text() {
    let text = r#"a \"quote\"\n"#.repeat(LONG / 13);
    let message = format!(
        r#"{{"type":"assistant","session_id":"s","message":{{"id":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    );
    let result = format!(r#"{{"type":"result","subtype":"success","result":"{text}"}}"#);
    let call = r#"{"type":"assistant","session_id":"s","message":{"id":"n","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#;
    let output = |is_error: bool| {
        format!(
            r#"{{"type":"user","session_id":"s","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","is_error":{is_error},"content":"{text}"}}]}}}}"#
        )
    };
    let item = format!(
        r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"{text}"}}}}"#
    );
    let streams = [
        [message.as_str(), &result],
        [&result, ""],
        [call, &output(false)],
        [call, &output(true)],
        [&item, r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#],
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    for (at, stream) in streams.iter().enumerate() {
        std::fs::write(&path, stream.join("\n")).unwrap();
        let limit = 4 * (text.len() as u64 >> 10) + BASE;
        for command in COMMANDS {
            let args: Vec<&str> = command.split(' ').chain([path.to_str().unwrap()]).collect();
            let peak = peak_of(&args);
            assert!(peak < limit, "{command}: stream {at}: {peak} of {limit}");
        }
    }
}

/// Each secret is known with its place and its rule while a text is masked, and so is an
/// escape sequence.
#[test]
fn memory_is_at_most_four_times_a_line_of_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    for part in ["password=hunter2x ", r"pass\u001b[mword "] {
        let text = part.repeat(3_000_000 / part.len());
        let line = format!(
            r#"{{"type":"assistant","session_id":"s","message":{{"id":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        );
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let limit = 4 * (line.len() as u64 >> 10) + BASE + TABLES;
        for command in ["events --redact", "redact"] {
            let args: Vec<&str> = command.split(' ').chain([path.to_str().unwrap()]).collect();
            let peak = peak_of(&args);
            assert!(peak < limit, "{command}: {part}: {peak} of {limit}");
        }
    }
}

#[test]
fn one_long_line_is_in_memory_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let line = &long_lines()[0];
    for at in 0..8 {
        std::fs::write(folder.path().join(format!("{at}.jsonl")), line).unwrap();
    }
    let limit = 4 * (line.len() as u64 >> 10) + 2 * BASE;
    let peak = peak_of(&["usage", "--threads", "8", folder.path().to_str().unwrap()]);
    assert!(peak < limit, "{peak} of {limit}");
}

/// Every match would take more memory than its text.
#[test]
fn memory_of_grep_does_not_grow_with_the_matches_of_a_line_or_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = "x of a line\n".repeat(1 << 20);
    let content = serde_json::json!([{"type": "text", "text": text}]);
    let line = serde_json::json!({"type": "assistant", "session_id": "s",
        "message": {"id": "m", "role": "assistant", "content": content}});
    let line = format!("{line}\n");
    for at in 0..8 {
        std::fs::write(folder.path().join(format!("{at}.jsonl")), &line).unwrap();
    }
    for command in ["grep x", "grep --count x", "grep --files-with-matches x"] {
        let folder = folder.path().to_str().unwrap();
        let args: Vec<_> = command.split(' ').chain(["--threads", "2", folder]).collect();
        let peak = peak_of(&args);
        let limit = 4 * (line.len() as u64 >> 10) + 2 * BASE;
        assert!(peak < limit, "{command}: {peak} of {limit}");
    }
}

#[test]
fn line_of_too_many_values_is_reported_and_a_long_array_of_messages_is_read() {
    let event = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"hi"}}"#;
    let blocks = r#"{"type":"text","text":"a"},"#.repeat(200_000);
    let dense = format!(r#"{{"type":"assistant","message":{{"content":[{blocks}{{}}]}}}}"#);
    let array = format!("[{event}{}]", format!(",{event}").repeat(99_999));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, [event, &dense, &array, event, ""].join("\n")).unwrap();
    Command::new(BIN)
        .arg("text")
        .arg(&path)
        .assert()
        .success()
        .stdout("hi\n".repeat(100_002))
        .stderr(predicate::str::contains(
            "run.jsonl:2: too dense: more than 524288 values, and one for each 64 bytes\n",
        ));
}

#[test]
fn values_that_are_copied_as_a_whole_may_be_many() {
    let input = format!("[{}1]", r#"{"k":[1,"v"]},"#.repeat(200_000));
    let line = format!(
        r#"{{"type":"assistant","session_id":"s","message":{{"content":[{{"type":"tool_use","id":"t","name":"x","input":{input}}}]}},"last":1}}"#
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, &line).unwrap();
    let print = |args: &[&str], expected: &str| {
        let output = Command::new(BIN).args(args).arg(&path).output().unwrap();
        assert_eq!(output.stderr.as_bstr(), "", "{args:?}");
        // Compared here, because a difference of this size is not readable.
        assert!(output.stdout == format!("{expected}\n").as_bytes(), "{args:?}");
    };
    print(&["tools", "--get", "/input"], &input);
    print(&["events", "--tag", "none"], &line);
}

#[test]
fn single_lines_after_a_large_block_use_no_more_memory() {
    let line = format!("{{\"type\":\"turn.started\",\"x\":\"{}\"}}\n", "y".repeat(100));
    let peaks = [1, 2000].map(|count| {
        peak_while_reading(&["usage", "--threads", "4"], |stdin| {
            stdin.write_all(line.repeat((3 << 20) / line.len()).as_bytes()).unwrap();
            for _ in 0..count {
                stdin.write_all(line.as_bytes()).unwrap();
                // Lets the program read each line by itself.
                std::thread::sleep(Duration::from_micros(200));
            }
        })
    });
    assert!(peaks[1] < peaks[0] + (16 << 10), "{peaks:?}");
}

/// A container may limit the number of processes.
#[test]
fn input_is_read_without_threads_that_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let [program, path] = ["streamj", "stream"].map(|name| folder.path().join(name));
    let message =
        r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"hi"}}"#;
    let count = (3 << 20) / message.len();
    std::fs::copy(BIN, &program).unwrap();
    std::fs::write(&path, format!("{message}\n").repeat(count)).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    for limit in ["1", "3"] {
        // The limit does not apply to root.
        let launcher = if rustix::process::getuid().is_root() {
            &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "prlimit"][..]
        } else {
            &["prlimit"]
        };
        let mut command = Command::new(launcher[0]);
        command.args(&launcher[1..]).arg(format!("--nproc={limit}"));
        command.arg(&program).args(["text", "--threads", "8"]).arg(&path);
        command.assert().stderr("").stdout("hi\n".repeat(count));
    }
}

#[test]
fn memory_of_an_endless_line_is_limited_by_max_line() {
    for command in ["text", "view"] {
        let mut child = Command::new(BIN)
            .args([command, "--max-line", "1M"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mebibyte = vec![b'x'; 1 << 20];
        let bytes: u64 = 200 << 20;
        for _ in 0..bytes >> 20 {
            stdin.write_all(&mebibyte).unwrap();
        }
        assert!(peak_memory(&child) < MEMORY_LIMIT, "{command}: {}", peak_memory(&child));
        stdin.write_all(b"\n").unwrap();
        stdin.write_all(&fixture_bytes("codex/text_success")).unwrap();
        drop(stdin);
        child
            .wait_with_output()
            .unwrap()
            .assert()
            .append_context("command", command)
            .stdout(predicate::str::contains("Hello from the fake model."))
            .stderr(predicate::str::contains(format!("<stdin>:1: line too long: {bytes} bytes")));
    }
}
