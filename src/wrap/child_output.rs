//! The command's output as an input, and our standard output while a run is supervised.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::background_writer::BackgroundWriter;
use super::clean_copy::CleanCopy;
use super::plain_output::PlainOutput;
use super::stdout_queue::StdoutQueue;
use super::supervision::{StdoutState, Supervision};
use super::supervisor::POLL_INTERVAL;
use super::tee::Tee;
use crate::input::Input;

/// The output of the command.
pub(super) struct ChildOutput {
    queue: StdoutQueue,
    supervision: Arc<Supervision>,
    /// A chunk, of which `read` bytes were passed on.
    chunk: Vec<u8>,
    read: usize,
    copy: OutputCopy,
    tee: Option<Tee>,
}

/// What happens to the output beside being read.
pub(super) enum OutputCopy {
    /// It is printed as it is.
    Raw(CleanCopy),
    /// It is printed if it turns out to contain no events.
    Plain(PlainOutput),
}

impl ChildOutput {
    pub(super) fn new(
        queue: StdoutQueue,
        supervision: Arc<Supervision>,
        copy: OutputCopy,
        tee: Option<Tee>,
    ) -> Self {
        Self { queue, supervision, chunk: Vec::new(), read: 0, copy, tee }
    }

    /// Waits until the copy of the stream is written.
    pub(super) fn finish_tee(&mut self) {
        let supervision = &self.supervision;
        if let Some(tee) = &mut self.tee {
            tee.wait_until(BackgroundWriter::is_idle, supervision);
        }
    }

    /// Returns whether the copy of the stream is incomplete.
    pub(super) fn has_tee_failed(&self) -> bool {
        self.tee.as_ref().is_some_and(|tee| tee.has_failed)
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
            let Some(chunk) = self.queue.next() else {
                self.finish_tee();
                return Ok(0);
            };
            if let Some(tee) = &mut self.tee {
                tee.put(&chunk, &self.supervision);
            }
            match &mut self.copy {
                OutputCopy::Raw(copy) => {
                    copy.write_all(&chunk)?;
                    copy.flush()?;
                }
                OutputCopy::Plain(plain) => plain.add(&chunk)?,
            }
            (self.chunk, self.read) = (chunk, 0);
        }
    }

    fn ready(&self) -> bool {
        self.read < self.chunk.len() || self.queue.is_ready()
    }

    fn wait(&self, limit: Duration) -> bool {
        self.read < self.chunk.len() || self.queue.wait(limit)
    }
}

/// Our standard output while a run is supervised. A reader that does not read blocks
/// nothing but writing, and a closed pipe is not an error.
#[derive(Clone)]
pub(super) struct NonBlockingStdout {
    supervision: Arc<Supervision>,
    writer: BackgroundWriter,
}

impl NonBlockingStdout {
    pub(super) fn new(supervision: Arc<Supervision>) -> io::Result<Self> {
        let writer = BackgroundWriter::start(crate::output::stdout())?;
        Ok(Self { supervision, writer })
    }

    /// Waits until the writer is `done`, or can never be.
    fn wait_until(&self, done: impl Fn(&BackgroundWriter) -> bool) -> io::Result<()> {
        let started = Instant::now();
        while !done(&self.writer) {
            if self.supervision.should_stop_waiting(started.elapsed()) {
                self.supervision.set_stdout(StdoutState::Closed);
            }
            if self.supervision.stdout() != StdoutState::Open {
                break;
            }
            self.writer.wait(POLL_INTERVAL);
        }
        match self.writer.take_error() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.supervision.set_stdout(StdoutState::Closed);
                Ok(())
            }
            Some(error) => {
                self.supervision.set_stdout(StdoutState::Failed);
                Err(error)
            }
            None => Ok(()),
        }
    }
}

impl Write for NonBlockingStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait_until(BackgroundWriter::has_room)?;
        if self.supervision.stdout() == StdoutState::Open {
            self.writer.put(bytes.to_vec());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_until(BackgroundWriter::is_idle)
    }
}
