//! The output does not depend on the number of threads.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use bstr::ByteSlice;

use crate::in_memory::{Chunks, assert_same, assert_same_outputs, project, project_merged};
use crate::properties::{COMMANDS, streams};
use crate::support::BIN;

const WHOLE: &[usize] = &[usize::MAX];
const FOUR_THREADS: &[&str] = &["events", "--threads", "4"];

/// Returns a stream large enough for several threads, with every kind of line in a
/// pseudo-random order.
fn large_stream(seed: usize) -> Vec<u8> {
    let fixtures: Vec<Vec<u8>> = streams();
    let long = format!("{{\"type\":\"turn.started\",\"x\":\"{}\"}}\n", "y".repeat(70_000));
    let odd: [&[u8]; 11] = [
        b"not json\n",
        b"\n  \r\n",
        b"{\"type\":\"error\",\"message\":\"ambiguous\"}\n",
        b"{\"type\":\"result\"}\n",
        b"[{\"type\":\"turn.started\"},{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"a\"}]\n",
        b"[1,2]\n42\n",
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"\xff\xfe\"}}\n",
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"\\ud800\"}}\r\n",
        b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1e999}}\n",
        b"{\"unknown\":true}\n",
        long.as_bytes(),
    ];
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    let mut random = seed;
    while bytes.len() < 3 << 20 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = random >> 33;
        // Long sequences of one kind, as in real streams, and short ones of others.
        for _ in 0..number % 40 {
            bytes.extend_from_slice(&fixtures[number % fixtures.len()]);
        }
        bytes.extend_from_slice(odd[(number / 7) % odd.len()]);
    }
    bytes.extend_from_slice(b"{\"type\":\"turn.started\"");
    bytes
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    for seed in [1, 2] {
        let bytes = large_stream(seed);
        for command in COMMANDS {
            // Lines over the limit, and reads of many sizes.
            for (sizes, max_line) in
                [(&[usize::MAX, 1][..], "64M"), (&[60_000, 9][..], "50000"), (WHOLE, "1500")]
            {
                let args = [*command, &["--max-line", max_line]].concat();
                let serial = project(&args, Chunks::whole(bytes.as_slice()));
                let parallel = [args.as_slice(), &["--threads", "3"]].concat();
                let parallel = project(&parallel, Chunks::new(bytes.as_slice(), sizes));
                assert_same_outputs(&parallel, &serial, &format!("{command:?}, seed {seed}"));
            }
        }
    }
}

/// Blocks of lines that any CLI could have printed follow each kind of line that
/// decides: an object, an array, a line that is repaired.
#[test]
fn detected_harness_holds_across_blocks() {
    let decisive: [&[u8]; 5] = [
        b"{\"type\":\"turn.started\"}\n",
        b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"a\"}\n",
        b"[{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"a\"}]\n",
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"\xff\"}}\n",
        b"[{\"type\":\"turn.started\"}]\n",
    ];
    let ambiguous =
        format!("{{\"type\":\"error\",\"message\":\"{}\"}}\n", "ambiguous ".repeat(200));
    let mut bytes = ambiguous.repeat((2 << 20) / ambiguous.len()).into_bytes();
    for round in 0..80 {
        bytes.extend_from_slice(decisive[round * 7 % 11 % decisive.len()]);
        bytes.extend_from_slice(ambiguous.repeat(round * 7919 % 200).as_bytes());
    }
    let serial = project(&["events"], Chunks::whole(bytes.as_slice()));
    for _ in 0..3 {
        let parallel = project(FOUR_THREADS, Chunks::whole(bytes.as_slice()));
        assert_same_outputs(&parallel, &serial, "events");
    }
}

#[test]
fn byte_order_mark_is_stripped_at_the_start_of_the_stream_only() {
    let line = format!("\u{feff}{{\"type\":\"turn.started\",\"x\":\"{}\"}}\n", "y".repeat(5000));
    let bytes = line.repeat((3 << 20) / line.len());
    let [events, _] = project(FOUR_THREADS, Chunks::whole(bytes));
    assert_eq!(ByteSlice::lines(events.as_slice()).count(), 1);
}

#[test]
fn diagnostics_keep_their_place_in_merged_output() {
    let bytes = large_stream(4);
    for command in ["text", "tools", "events", "usage"] {
        let serial = project_merged(&[command], Chunks::whole(bytes.as_slice()));
        for sizes in [WHOLE, &[70_000, 9]] {
            let chunks = Chunks::new(bytes.as_slice(), sizes);
            let parallel = project_merged(&[command, "--threads", "4"], chunks);
            assert_same(&parallel, &serial, command);
        }
    }
}

#[test]
fn single_line_is_printed_at_once_after_parallel_reading() {
    let mut child = Command::new(BIN)
        .args(["text", "--threads", "4"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).unwrap();
    });
    let message = |text: &str| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n"
        )
    };
    // Bounds the time of a failing test.
    let next = || receiver.recv_timeout(Duration::from_mins(1)).expect("a line in time");
    input.write_all(message("first").as_bytes()).unwrap();
    assert_eq!(next(), "first");
    #[cfg(all(target_os = "linux", not(test_hooks)))]
    assert_eq!(threads_of(&child), 1, "few lines are read by one thread");
    let long = "long ".repeat(100);
    let many = 6000;
    input.write_all(message(&long).repeat(many).as_bytes()).unwrap();
    assert!((0..many).all(|_| next() == long));
    #[cfg(target_os = "linux")]
    assert_eq!(threads_of(&child), 4);
    for text in ["short", &"a line as long as several blocks ".repeat(10_000), "short again"] {
        input.write_all(message(text).as_bytes()).unwrap();
        assert_eq!(next(), text);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
}

/// Returns the number of threads of a process.
#[cfg(target_os = "linux")]
fn threads_of(child: &std::process::Child) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().count()
}
