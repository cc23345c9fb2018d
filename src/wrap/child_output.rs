//! The child's output as an input, and our standard output while a run is supervised.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Instant;

use super::background_writer::BackgroundWriter;
use super::clean_copy::CleanCopy;
use super::plain_output::PlainOutput;
use super::supervisor::{POLL_INTERVAL, Supervisor, SupervisorStep};
use crate::input::Input;

/// The output of the child.
pub(super) struct ChildOutput {
    supervisor: Rc<RefCell<Supervisor>>,
    /// A chunk, of which `read` bytes were passed on.
    chunk: Vec<u8>,
    read: usize,
    copy: OutputCopy,
}

/// What happens to the output beside being read.
pub(super) enum OutputCopy {
    /// It is printed as it is.
    Raw(CleanCopy),
    /// It is printed if it turns out to contain no events.
    Plain(PlainOutput),
}

impl ChildOutput {
    pub(super) fn new(supervisor: Rc<RefCell<Supervisor>>, copy: OutputCopy) -> Self {
        Self { supervisor, chunk: Vec::new(), read: 0, copy }
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
                    match &mut self.copy {
                        OutputCopy::Raw(copy) => {
                            copy.write_all(&chunk)?;
                            copy.flush()?;
                        }
                        OutputCopy::Plain(plain) => plain.add(&chunk)?,
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
