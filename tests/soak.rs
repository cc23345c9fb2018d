//! Reads recordings repeatedly and checks that memory and descriptors do not grow.
//!
//! Takes seconds by default. For an hour: `STREAMJ_SOAK_MINUTES=60 cargo test
//! --release --test soak -- --nocapture`.
#![cfg(target_os = "linux")]
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BIN: &str = env!("CARGO_BIN_EXE_streamj");

/// The commands that print while they read. The others collect their output.
const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["text", "--last"],
    &["tools"],
    &["usage"],
    &["error"],
    &["session"],
    &["events"],
    &["events", "--unified"],
    &["view", "--full"],
    &["check", "--members"],
    &["structured"],
    &["text", "--redact"],
];

/// Growth in KiB that is allowed after the first third of the time.
const TOLERANCE: u64 = 8 << 10;

/// Descriptors that may be open for a moment when they are counted.
const TRANSIENT_DESCRIPTORS: usize = 2;

fn duration() -> Duration {
    let minutes = std::env::var("STREAMJ_SOAK_MINUTES").ok();
    let seconds = minutes.map_or(4.0, |minutes| minutes.parse::<f64>().unwrap() * 60.0);
    Duration::from_secs_f64(seconds)
}

fn recordings(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The requests of a session file are kept, to be compared with those of others.
        if path.ends_with("transcripts") {
            continue;
        }
        if path.is_dir() {
            recordings(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

/// Returns all recordings, and some lines that are not events.
fn stream() -> Vec<u8> {
    let mut paths = Vec::new();
    recordings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), &mut paths);
    paths.sort();
    let mut bytes = b"not JSON\n\n[1]\n\xff\xfe\n".to_vec();
    for path in paths {
        bytes.extend(std::fs::read(path).unwrap());
        bytes.push(b'\n');
    }
    bytes
}

/// Memory in KiB and number of open descriptors of a process.
#[derive(Clone, Copy, Debug)]
struct Usage {
    memory: u64,
    descriptors: usize,
}

fn usage(pid: u32) -> Usage {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let memory = line.trim().trim_end_matches(" kB").parse().unwrap();
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    Usage { memory, descriptors }
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(BIN);
    command.arg("-q").args(args).stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Calls `step` until the time is over. Returns the usage after a third of the
/// time and at its end.
fn measure(child: &Child, time: Duration, mut step: impl FnMut()) -> [Usage; 2] {
    let started = Instant::now();
    let mut early = None;
    loop {
        step();
        let elapsed = started.elapsed();
        if elapsed * 3 >= time {
            early.get_or_insert_with(|| usage(child.id()));
        }
        if elapsed >= time {
            return [early.unwrap(), usage(child.id())];
        }
    }
}

fn assert_no_growth(command: &str, [early, late]: [Usage; 2]) {
    let descriptors = late.descriptors;
    eprintln!(
        "{command}: {} KiB, then {} KiB; {descriptors} descriptors",
        early.memory, late.memory
    );
    let limit = early.memory + early.memory / 10 + TOLERANCE;
    assert!(late.memory <= limit, "{command}: {early:?}, then {late:?}");
    let limit = early.descriptors + TRANSIENT_DESCRIPTORS;
    assert!(late.descriptors <= limit, "{command}: {early:?}, then {late:?}");
}

#[test]
fn reading_command_does_not_grow_with_the_stream() {
    let bytes = stream();
    let time = duration() / u32::try_from(COMMANDS.len()).unwrap() * 2;
    std::thread::scope(|scope| {
        for half in COMMANDS.chunks(COMMANDS.len() / 2) {
            let bytes = &bytes;
            scope.spawn(move || {
                for args in half {
                    let mut child = start(args);
                    let mut stdin = child.stdin.take().unwrap();
                    let usages = measure(&child, time, || stdin.write_all(bytes).unwrap());
                    assert_no_growth(&args.join(" "), usages);
                    drop(stdin);
                    assert!(child.wait().unwrap().code().is_some(), "{args:?}");
                }
            });
        }
    });
}

#[test]
fn wrap_does_not_grow_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    std::fs::write(&path, stream()).unwrap();
    let script = format!("while :; do cat {}; echo some text >&2; done", path.display());
    // The recordings contain results, after which `wrap` would end the run.
    let mut child =
        start(&["wrap", "--exit-grace", "0", "--as", "view", "--", "sh", "-c", &script]);
    let usages = measure(&child, duration() / 2, || std::thread::sleep(Duration::from_millis(50)));
    assert_no_growth("wrap", usages);
    drop(child.stdin.take());
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
