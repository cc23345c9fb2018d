use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::ThreadId;

use super::*;
use crate::reader::{DecodedLine, PARALLEL_THRESHOLD, ReaderOptions, Wait};

/// Returns `line(0)`, `line(1)`, … in reads of `read_size` bytes.
struct Generated<L> {
    line: L,
    lines: u64,
    next: u64,
    pending: Vec<u8>,
    read_size: usize,
    reads: usize,
    /// Every `wait_every`th read would wait.
    wait_every: usize,
}

impl<L: Fn(u64) -> String> Generated<L> {
    fn new(lines: u64, line: L) -> Self {
        let (pending, read_size) = (Vec::new(), usize::MAX);
        Self { line, lines, next: 0, pending, read_size, reads: 1, wait_every: usize::MAX }
    }
}

impl<L: Fn(u64) -> String> Input for Generated<L> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        let size = buffer.len().min(self.read_size);
        while self.pending.len() < size && self.next < self.lines {
            self.pending.extend_from_slice((self.line)(self.next).as_bytes());
            self.pending.push(b'\n');
            self.next += 1;
        }
        let count = size.min(self.pending.len());
        buffer[..count].copy_from_slice(&self.pending[..count]);
        self.pending.drain(..count);
        Ok(count)
    }

    fn ready(&self) -> bool {
        !self.reads.is_multiple_of(self.wait_every)
    }
}

/// Collects line numbers and the JSON of the lines.
#[derive(Default)]
struct Collected {
    lines: Vec<(u64, String)>,
    waits: usize,
    /// Fails after this many lines.
    limit: Option<usize>,
}

impl LineSink for Collected {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        if self.limit == Some(self.lines.len()) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let text = match line {
            DecodedLine::Record(record) => record.json.bytes().to_vec(),
            other => format!("{other:?}").into_bytes(),
        };
        self.lines.push((number, String::from_utf8(text).unwrap()));
        Ok(())
    }

    fn before_wait(&mut self) -> io::Result<Wait> {
        self.waits += 1;
        Ok(Wait::Forever)
    }
}

fn read(input: &mut (impl Input + Send), sink: &mut Collected) -> io::Result<()> {
    let options = ReaderOptions { threads: Some(4), ..ReaderOptions::default() };
    crate::reader::read(input, &options, sink).map(|error| assert!(error.is_none()))
}

fn numbered(number: u64) -> String {
    format!(r#"{{"type":"turn.started","number":{number}}}"#)
}

/// Enough lines for all threads after the first ones, which are read serially.
const LINES: u64 = (PARALLEL_THRESHOLD / 40 + 60_000) as u64;

fn assert_in_order(collected: &Collected, line: impl Fn(u64) -> String) {
    assert_eq!(collected.lines.len() as u64, LINES);
    for (index, (number, text)) in (0..).zip(&collected.lines) {
        assert_eq!((*number, text), (index + 1, &line(index)));
    }
}

#[test]
fn blocks_are_passed_on_in_order() {
    let mut collected = Collected::default();
    read(&mut Generated::new(LINES, numbered), &mut collected).unwrap();
    assert_in_order(&collected, numbered);
    assert_eq!(collected.waits, 0);
}

#[test]
fn sink_is_told_before_every_wait() {
    let mut collected = Collected::default();
    let mut input = Generated { wait_every: 3, ..Generated::new(LINES, numbered) };
    input.read_size = 7919;
    read(&mut input, &mut collected).unwrap();
    assert_in_order(&collected, numbered);
    let waits = (input.reads - 1) / 3;
    assert!(collected.waits >= waits, "{} of {waits}", collected.waits);
}

#[test]
fn long_lines_are_read_between_blocks() {
    // Longer than all blocks in flight together.
    let line = |number: u64| match number % 20_000 {
        19_999 => format!(r#"{{"type":"turn.started","x":"{}"}}"#, "y".repeat(2 << 20)),
        _ => numbered(number),
    };
    let mut collected = Collected::default();
    read(&mut Generated::new(LINES, line), &mut collected).unwrap();
    assert_in_order(&collected, line);
}

#[test]
fn error_of_the_sink_stops_all_threads() {
    let limit = usize::try_from(LINES / 2).unwrap();
    let mut collected = Collected { limit: Some(limit), ..Collected::default() };
    let mut input = Generated::new(u64::MAX, numbered);
    let error = read(&mut input, &mut collected).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(collected.lines.len(), limit);
}

#[test]
fn read_error_follows_the_lines_before_it() {
    struct Failing<L>(Generated<L>);
    impl<L: Fn(u64) -> String> Input for Failing<L> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::ErrorKind::PermissionDenied.into()),
                count => Ok(count),
            }
        }
        fn ready(&self) -> bool {
            true
        }
    }
    let mut collected = Collected::default();
    let options = ReaderOptions { threads: Some(4), ..ReaderOptions::default() };
    let mut input = Failing(Generated::new(LINES, numbered));
    let error = crate::reader::read(&mut input, &options, &mut collected).unwrap();
    assert_eq!(error.unwrap().kind(), io::ErrorKind::PermissionDenied);
    assert_in_order(&collected, numbered);
}

#[test]
fn panic_of_a_worker_ends_the_reading() {
    /// Panics as soon as a thread other than `coordinator` reads.
    struct Panicking<L>(Generated<L>, ThreadId);
    impl<L: Fn(u64) -> String> Input for Panicking<L> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert_eq!(std::thread::current().id(), self.1, "expected by the test");
            self.0.read(buffer)
        }
        fn ready(&self) -> bool {
            true
        }
    }
    let coordinator = std::thread::current().id();
    let mut input = Panicking(Generated::new(u64::MAX, numbered), coordinator);
    let mut collected = Collected::default();
    let done = catch_unwind(AssertUnwindSafe(|| read(&mut input, &mut collected)));
    assert!(done.is_err());
    let numbers = collected.lines.iter().map(|(number, _)| *number);
    assert!(numbers.eq(1..=collected.lines.len() as u64));
}
