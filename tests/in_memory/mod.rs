//! Runs a reading command inside the test process, on any input.
#![allow(dead_code)] // each test binary uses a part of it

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::rc::Rc;

use streamj::program::{Streams, run_with};

/// Runs `streamj ARGS` on one thread and returns what it prints on standard output
/// and standard error.
pub fn project(args: &[&str], input: impl Read + Send + 'static) -> [Vec<u8>; 2] {
    capture(args, input, |streams| streams)
}

/// The same with a terminal of 80 columns as standard output.
pub fn project_on_terminal(args: &[&str], input: impl Read + Send + 'static) -> [Vec<u8>; 2] {
    capture(args, input, Streams::as_terminal)
}

/// Asserts that two outputs are equal; shows the first line that differs.
pub fn assert_same(actual: &[u8], expected: &[u8], context: &str) {
    let mut lines = actual.split(|byte| *byte == b'\n').zip(expected.split(|byte| *byte == b'\n'));
    if let Some(at) = lines.position(|(actual, expected)| actual != expected) {
        let line = |bytes: &[u8]| {
            let line = bytes.split(|byte| *byte == b'\n').nth(at).unwrap_or_default().to_vec();
            String::from_utf8_lossy(&line).into_owned()
        };
        panic!(
            "{context}: line {}\n  actual: {}\nexpected: {}",
            at + 1,
            line(actual),
            line(expected)
        );
    }
    assert_eq!(actual.len(), expected.len(), "{context}: number of bytes");
}

/// Asserts that standard output and standard error are equal.
pub fn assert_same_outputs(actual: &[Vec<u8>; 2], expected: &[Vec<u8>; 2], context: &str) {
    for (name, (actual, expected)) in ["stdout", "stderr"].iter().zip(actual.iter().zip(expected)) {
        assert_same(actual, expected, &format!("{context}: {name}"));
    }
}

/// Runs `streamj ARGS` and drops its output.
pub fn discard(args: &[&str], input: impl Read + Send + 'static) {
    let streams = Streams::new(input, io::sink(), io::sink());
    assert_ne!(run_with(arguments(args), streams), 2, "{args:?}");
}

/// Runs `streamj ARGS` and returns both outputs in one, as with `2>&1`.
pub fn project_merged(args: &[&str], input: impl Read + Send + 'static) -> Vec<u8> {
    let merged = SharedBuffer::default();
    let streams = Streams::new(input, merged.clone(), merged.clone());
    assert_ne!(run_with(arguments(args), streams), 2, "{args:?}");
    merged.0.take()
}

fn capture(
    args: &[&str],
    input: impl Read + Send + 'static,
    prepare: impl FnOnce(Streams) -> Streams,
) -> [Vec<u8>; 2] {
    let [stdout, stderr] = [SharedBuffer::default(), SharedBuffer::default()];
    let streams = prepare(Streams::new(input, stdout.clone(), stderr.clone()));
    let status = run_with(arguments(args), streams);
    let [stdout, stderr] = [stdout, stderr].map(|buffer| buffer.0.take());
    assert_ne!(status, 2, "{args:?}: {}", String::from_utf8_lossy(&stderr));
    [stdout, stderr]
}

fn arguments<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let has_threads = args.contains(&"--threads");
    let threads: &[&str] = if has_threads { &[] } else { &["--threads", "1"] };
    [&["streamj"], args, threads].concat()
}

#[derive(Clone, Default)]
struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns its bytes in chunks of the given sizes, repeated in turn.
pub struct Chunks {
    bytes: Vec<u8>,
    position: usize,
    sizes: Vec<usize>,
    reads: usize,
}

impl Chunks {
    pub fn new(bytes: impl Into<Vec<u8>>, sizes: &[usize]) -> Self {
        Self { bytes: bytes.into(), position: 0, sizes: sizes.to_vec(), reads: 0 }
    }

    /// Returns all bytes in one read, if the buffer is large enough.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(bytes, &[usize::MAX])
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.reads % self.sizes.len()].max(1);
        self.reads += 1;
        let rest = &self.bytes[self.position..];
        let count = size.min(buffer.len()).min(rest.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }
}
