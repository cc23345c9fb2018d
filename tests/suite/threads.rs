//! However many threads decode, nobody can tell.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::fuzz::bodies::projected::{Pieces, Projected};
use crate::properties::{COMMANDS, MAX_LINE, project_on, streams};
use crate::support::BIN;

/// More than threads are worth their while for, with everything that can
/// stand in a line, in an order that a seed decides.
fn a_lot(seed: usize) -> Vec<u8> {
    let fixtures: Vec<Vec<u8>> = streams();
    let long = format!("{{\"type\":\"turn.started\",\"x\":\"{}\"}}\n", "y".repeat(70_000));
    let odd: [&[u8]; 11] = [
        b"not json\n",
        b"\n  \r\n",
        b"{\"type\":\"error\",\"message\":\"whose?\"}\n",
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
    let mut dice = seed;
    while bytes.len() < 3 << 20 {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let roll = dice >> 33;
        // Long stretches of one kind, as in life, and short ones of others.
        for _ in 0..roll % 40 {
            bytes.extend_from_slice(&fixtures[roll % fixtures.len()]);
        }
        bytes.extend_from_slice(odd[(roll / 7) % odd.len()]);
    }
    bytes.extend_from_slice(b"{\"type\":\"turn.started\"");
    bytes
}

/// Waits now here, now there, after every few bytes.
#[test]
fn nobody_reads_on_while_somebody_waits() {
    let bytes = a_lot(3);
    let sizes: Vec<usize> = (1..200_usize).map(|at| at * 7919 % 900).collect();
    let alone = project_on(1, &["events"], &bytes, &[usize::MAX], MAX_LINE);
    for _ in 0..5 {
        let together = project_on(4, &["events"], &bytes, &sizes, MAX_LINE);
        assert!(together == alone);
    }
}

#[test]
fn nothing_shows_how_many_threads_there_are() {
    for seed in [1, 2] {
        let bytes = a_lot(seed);
        for command in COMMANDS {
            // Lines over the limit, reads of many sizes, and waits in between.
            for (sizes, max_line) in [
                (&[usize::MAX, 1][..], MAX_LINE),
                (&[60_000, 9][..], 50_000),
                (&[usize::MAX], 1_500),
            ] {
                let alone = project_on(1, command, &bytes, &[usize::MAX], max_line);
                let together = project_on(3, command, &bytes, sizes, max_line);
                assert!(together == alone, "{command:?}, seed {seed}");
            }
        }
    }
}

/// Lines that could be anybody's, for longer than a block, behind each that is
/// somebody's: in a tape, in an array, in a line that has to be mended.
#[test]
fn what_a_stream_has_shown_holds_across_blocks() {
    let shows: [&[u8]; 5] = [
        b"{\"type\":\"turn.started\"}\n",
        b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"a\"}\n",
        b"[{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"a\"}]\n",
        b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"\xff\"}}\n",
        b"[{\"type\":\"turn.started\"}]\n",
    ];
    let anybodys = format!("{{\"type\":\"error\",\"message\":\"{}\"}}\n", "whose? ".repeat(200));
    let mut bytes = anybodys.repeat((2 << 20) / anybodys.len()).into_bytes();
    for round in 0..80 {
        bytes.extend_from_slice(shows[round * 7 % 11 % shows.len()]);
        bytes.extend_from_slice(anybodys.repeat(round * 7919 % 200).as_bytes());
    }
    let alone = project_on(1, &["events"], &bytes, &[usize::MAX], MAX_LINE);
    for _ in 0..3 {
        assert!(project_on(4, &["events"], &bytes, &[usize::MAX], MAX_LINE) == alone);
    }
}

#[test]
fn a_byte_order_mark_is_one_at_the_start_of_the_stream_and_of_no_block() {
    let line = format!("\u{feff}{{\"type\":\"turn.started\",\"x\":\"{}\"}}\n", "y".repeat(5000));
    let bytes = line.repeat((3 << 20) / line.len());
    let (events, _) = project_on(4, &["events"], bytes.as_bytes(), &[usize::MAX], MAX_LINE);
    assert_eq!(events.lines().count(), 1);
}

/// As with `2>&1`.
#[test]
fn notes_stand_among_the_output_where_they_belong() {
    let bytes = a_lot(4);
    for command in [&["text"][..], &["tools"], &["events"], &["usage"]] {
        let [alone, together, in_pieces] =
            [(1, vec![usize::MAX]), (4, vec![usize::MAX]), (4, vec![70_000, 9])].map(
                |(threads, sizes)| {
                    let command = Projected { threads, ..Projected::new(command.iter().copied()) };
                    command.printed_together(&mut Pieces::new(&bytes, &sizes))
                },
            );
        assert!(alone == together && alone == in_pieces, "{command:?}");
    }
}

#[test]
fn a_line_comes_out_at_once_after_so_many_that_threads_were_worth_their_while() {
    let mut child = Command::new(BIN)
        .args(["text", "--threads", "4"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (said, heard) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| said.send(line)).unwrap();
    });
    let message = |text: &str| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n"
        )
    };
    // Only so long that a test that fails does so before anybody loses patience.
    let next = || heard.recv_timeout(Duration::from_mins(1)).expect("nobody waits for more");
    input.write_all(message("first").as_bytes()).unwrap();
    assert_eq!(next(), "first");
    #[cfg(all(target_os = "linux", not(feature = "_threads")))]
    assert_eq!(threads_of(&child), 1, "a little is for one");
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

/// How many threads a process has.
#[cfg(target_os = "linux")]
fn threads_of(child: &std::process::Child) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().count()
}
