//! Recorded streams at full speed, over and over: no growth of memory or
//! descriptors. Seconds by default; `STREAMJ_SOAK_MINUTES=60 cargo test
//! --release --test soak -- --nocapture` for an hour.
#![cfg(target_os = "linux")]
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BIN: &str = env!("CARGO_BIN_EXE_streamj");

/// Everything that does not hold what it prints.
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
    &["check", "--contract", "current"],
    &["structured"],
    &["text", "--redact"],
];

/// What may be more at the end than after a third of the time, in KiB.
const LITTLE: u64 = 8 << 10;

fn duration() -> Duration {
    let minutes = std::env::var("STREAMJ_SOAK_MINUTES").ok();
    let seconds = minutes.map_or(4.0, |minutes| minutes.parse::<f64>().unwrap() * 60.0);
    Duration::from_secs_f64(seconds)
}

fn recordings(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            recordings(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

/// All recordings, and some lines that are none.
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

/// The memory of a process in KiB, and its descriptors.
fn state(pid: u32) -> (u64, usize) {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let memory = line.trim().trim_end_matches(" kB").parse().unwrap();
    (memory, std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count())
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(BIN);
    command.arg("-q").args(args).stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Calls `feed` until the time is over; the state after a third of it, and at
/// its end.
fn watched(child: &Child, time: Duration, mut feed: impl FnMut()) -> [(u64, usize); 2] {
    let started = Instant::now();
    let mut early = None;
    loop {
        feed();
        let elapsed = started.elapsed();
        if elapsed * 3 >= time {
            early.get_or_insert_with(|| state(child.id()));
        }
        if elapsed >= time {
            return [early.unwrap(), state(child.id())];
        }
    }
}

fn assert_steady(what: &str, [early, late]: [(u64, usize); 2]) {
    eprintln!("{what}: {} KiB, then {} KiB; {} descriptors", early.0, late.0, late.1);
    assert!(late.0 <= early.0 + early.0 / 10 + LITTLE, "{what}: {early:?}, then {late:?}");
    assert_eq!(late.1, early.1, "{what}: descriptors");
}

#[test]
fn memory_and_descriptors_do_not_grow_with_the_length_of_a_stream() {
    let bytes = stream();
    let time = duration() / u32::try_from(COMMANDS.len()).unwrap() * 2;
    std::thread::scope(|scope| {
        for half in COMMANDS.chunks(COMMANDS.len() / 2) {
            let bytes = &bytes;
            scope.spawn(move || {
                for args in half {
                    let mut child = start(args);
                    let mut stdin = child.stdin.take().unwrap();
                    let states = watched(&child, time, || stdin.write_all(bytes).unwrap());
                    assert_steady(&args.join(" "), states);
                    drop(stdin);
                    assert!(child.wait().unwrap().code().is_some(), "{args:?}");
                }
            });
        }
    });
}

#[test]
fn memory_and_descriptors_do_not_grow_with_the_length_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    std::fs::write(&path, stream()).unwrap();
    let script = format!("while :; do cat {}; echo some words >&2; done", path.display());
    // A terminal event ends a run; here it goes on.
    let mut child =
        start(&["wrap", "--exit-grace", "0", "--as", "view", "--", "sh", "-c", &script]);
    let states = watched(&child, duration() / 2, || std::thread::sleep(Duration::from_millis(50)));
    assert_steady("wrap", states);
    drop(child.stdin.take());
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
