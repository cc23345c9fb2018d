//! The child's output as an input, and our standard output while a run is supervised.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;
use std::time::Instant;

use super::background_writer::BackgroundWriter;
use super::supervisor::{POLL_INTERVAL, Supervisor, SupervisorStep};
use crate::input::Input;
use crate::output::Sanitizer;

/// The output of the child.
pub(super) struct ChildOutput {
    supervisor: Rc<RefCell<Supervisor>>,
    /// A chunk, of which `read` bytes were passed on.
    chunk: Vec<u8>,
    read: usize,
    /// Where the output is copied to.
    copy: Option<RawCopy>,
}

impl ChildOutput {
    /// Creates an input that also copies the output to `raw`, if given.
    pub(super) fn new(supervisor: Rc<RefCell<Supervisor>>, raw: Option<NonBlockingStdout>) -> Self {
        Self { supervisor, chunk: Vec::new(), read: 0, copy: raw.map(RawCopy::new) }
    }
}

impl Input for ChildOutput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = &self.chunk[self.read..];
            if !rest.is_empty() {
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                self.read += count;
                return Ok(count);
            }
            let step = self.supervisor.borrow_mut().next();
            match step {
                SupervisorStep::Output(chunk) => {
                    if let Some(copy) = &mut self.copy {
                        copy.write(&chunk)?;
                    }
                    (self.chunk, self.read) = (chunk, 0);
                }
                SupervisorStep::Wait(events, timeout) => events.wait(timeout),
                SupervisorStep::End => return Ok(0),
            }
        }
    }

    fn ready(&self) -> bool {
        self.read < self.chunk.len() || self.supervisor.borrow().has_waiting_output()
    }
}

/// Copies the child's output to ours; sanitised on a terminal.
struct RawCopy {
    to: NonBlockingStdout,
    sanitizer: Option<Sanitizer>,
    /// The start of a character that is incomplete.
    incomplete: Vec<u8>,
}

impl RawCopy {
    fn new(to: NonBlockingStdout) -> Self {
        let sanitizer = io::stdout().is_terminal().then(Sanitizer::default);
        Self { to, sanitizer, incomplete: Vec::new() }
    }

    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        match &mut self.sanitizer {
            None => self.to.write_all(chunk)?,
            Some(sanitizer) => {
                self.incomplete.extend_from_slice(chunk);
                let rest = self.incomplete.split_off(complete_length(&self.incomplete));
                let text = sanitizer.push(&String::from_utf8_lossy(&self.incomplete));
                self.incomplete = rest;
                self.to.write_all(text.as_bytes())?;
            }
        }
        self.to.flush()
    }
}

/// Returns the length without an incomplete character at the end.
fn complete_length(bytes: &[u8]) -> usize {
    let recent = bytes.len().saturating_sub(3);
    let is_incomplete = |(at, byte): (usize, &u8)| {
        let length = match byte {
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
            _ => 1,
        };
        at + length > bytes.len()
    };
    let mut last = bytes.iter().enumerate().skip(recent);
    last.find(|position| is_incomplete(*position)).map_or(bytes.len(), |(at, _)| at)
}

/// Our standard output while a run is supervised. A reader that does not read blocks
/// nothing but writing, and a closed pipe is not an error.
#[derive(Clone)]
pub(super) struct NonBlockingStdout {
    supervisor: Rc<RefCell<Supervisor>>,
    writer: BackgroundWriter,
}

impl NonBlockingStdout {
    pub(super) fn new(supervisor: Rc<RefCell<Supervisor>>) -> Self {
        Self { supervisor, writer: BackgroundWriter::start(crate::output::stdout()) }
    }

    /// Supervises the run until the writer is `done`, or can never be.
    fn wait_until(&self, done: impl Fn(&BackgroundWriter) -> bool) -> io::Result<()> {
        let started = Instant::now();
        while !done(&self.writer) {
            let mut supervisor = self.supervisor.borrow_mut();
            supervisor.act();
            if supervisor.should_stop_waiting(started.elapsed()) {
                supervisor.stdout_closed();
            }
            if supervisor.is_stdout_closed() {
                break;
            }
            drop(supervisor);
            self.writer.wait(POLL_INTERVAL);
        }
        match self.writer.take_error() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.supervisor.borrow_mut().stdout_closed();
                Ok(())
            }
            Some(error) => {
                self.supervisor.borrow_mut().output_failed();
                Err(error)
            }
            None => Ok(()),
        }
    }
}

impl Write for NonBlockingStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait_until(BackgroundWriter::has_room)?;
        if !self.supervisor.borrow().is_stdout_closed() {
            self.writer.put(bytes.to_vec());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_until(BackgroundWriter::is_idle)
    }
}

#[cfg(test)]
mod tests {
    use super::complete_length;

    #[test]
    fn incomplete_character_is_held_back_and_invalid_bytes_are_not() {
        let text = "aé世👍".as_bytes();
        let lengths: Vec<_> = (0..=text.len()).map(|end| complete_length(&text[..end])).collect();
        assert_eq!(lengths, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
        assert_eq!(complete_length(b"\x80\x80\x80"), 3);
        assert_eq!(complete_length(b"\xff\x80\x80\x80"), 4);
    }
}
