//! Memory and threads: how much is used, and what happens where there is none.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{BIN, fixture_bytes};

/// More than the program itself needs, and far less than what goes through it.
pub const MUCH_MEMORY: u64 = 48 << 10;

/// The most memory a process has had, in KiB.
pub fn most_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The most memory a command has had when it has read what it is fed.
fn peak(args: &[&str], feed: impl FnOnce(&mut dyn Write)) -> u64 {
    let mut command = Command::new(BIN);
    let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    feed(&mut stdin);
    let peak = most_memory(&child);
    drop(stdin);
    assert!(child.wait().unwrap().code().is_some_and(|code| code < 2));
    peak
}

/// What is known of a line must not take more room than the line.
#[test]
fn millions_of_short_lines_on_several_threads_use_little_memory() {
    for line in ["\n", "{}\n"] {
        let lines = line.repeat((2 << 20) / line.len());
        let peak = peak(&["-q", "session", "--threads", "4"], |stdin| {
            stdin.write_all(lines.as_bytes()).unwrap();
        });
        assert!(peak < MUCH_MEMORY, "{line:?}: {peak}");
    }
}

/// Nor must what a line says, where it says much in few words.
#[test]
fn lines_that_say_much_use_little_memory_on_many_threads() {
    let dense = [
        r#"{"type":"turn.started"}"#.to_owned(),
        format!(
            r#"{{"type":"assistant","message":{{"content":[{}{{}}]}}}}"#,
            r#"{"type":"text","text":""},"#.repeat(1500)
        ),
        format!(r#"{{"type":"x","a":[{}1]}}"#, "1,".repeat(20_000)),
    ];
    for line in dense {
        let lines = format!("{line}\n").repeat((16 << 20) / line.len());
        let peak = peak(&["-q", "check", "--threads", "8"], |stdin| {
            stdin.write_all(lines.as_bytes()).unwrap();
        });
        assert!(peak < MUCH_MEMORY, "{}: {peak}", &line[..20]);
    }
}

/// Threads are for lines shorter than that.
#[test]
fn long_lines_on_many_threads_use_as_much_memory_as_on_one() {
    let peaks = ["1", "8"].map(|threads| {
        peak(&["usage", "--threads", threads], |stdin| {
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

#[test]
fn live_lines_behind_many_use_no_more_memory() {
    let line = format!("{{\"type\":\"turn.started\",\"x\":\"{}\"}}\n", "y".repeat(100));
    let peaks = [1, 2000].map(|live| {
        peak(&["usage", "--threads", "4"], |stdin| {
            stdin.write_all(line.repeat((3 << 20) / line.len()).as_bytes()).unwrap();
            for _ in 0..live {
                stdin.write_all(line.as_bytes()).unwrap();
                // So that each is read alone, or nearly.
                std::thread::sleep(Duration::from_micros(200));
            }
        })
    });
    assert!(peaks[1] < peaks[0] + (16 << 10), "{peaks:?}");
}

/// As in a container that may have so many processes and no more.
#[test]
fn threads_that_cannot_be_started_are_done_without() {
    let folder = tempfile::tempdir().unwrap();
    let [program, path] = ["streamj", "stream"].map(|name| folder.path().join(name));
    let message =
        r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"hi"}}"#;
    let count = (3 << 20) / message.len();
    std::fs::copy(BIN, &program).unwrap();
    std::fs::write(&path, format!("{message}\n").repeat(count)).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    for most in ["1", "3"] {
        // The limit does not hold for root.
        let words = if rustix::process::getuid().is_root() {
            &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "prlimit"][..]
        } else {
            &["prlimit"]
        };
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(format!("--nproc={most}"));
        let output =
            command.arg(&program).args(["text", "--threads", "8"]).arg(&path).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.stdout.len(), count * "hi\n".len(), "{:?}", output.status);
    }
}

#[test]
fn a_line_without_end_uses_no_more_memory_than_it_may_be_long() {
    for command in ["text", "view"] {
        let mut child = Command::new(BIN)
            .args([command, "--max-line", "1M"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let piece = vec![b'x'; 1 << 20];
        let bytes: u64 = 200 << 20;
        for _ in 0..bytes >> 20 {
            stdin.write_all(&piece).unwrap();
        }
        assert!(most_memory(&child) < MUCH_MEMORY, "{command}: {}", most_memory(&child));
        stdin.write_all(b"\n").unwrap();
        stdin.write_all(&fixture_bytes("codex/text_success")).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(&format!("<stdin>:1: line too long: {bytes} bytes")), "{told}");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains("Hello from the fake model."), "{command} {shown}");
    }
}
