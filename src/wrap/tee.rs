//! A copy of the raw stream in a file.

use std::fs::File;
use std::io;
use std::time::Instant;

use super::background_writer::BackgroundWriter;
use super::stderr::SharedStderr;
use super::supervision::Supervision;
use super::supervisor::POLL_INTERVAL;

/// A copy of the command's output.
pub(super) struct Tee {
    writer: BackgroundWriter,
    name: String,
    stderr: SharedStderr,
    /// Whether the copy is incomplete.
    pub(super) has_failed: bool,
}

impl Tee {
    /// Copies to `file`, called `name`; errors are reported to `stderr`.
    pub(super) fn start(file: File, name: String, stderr: SharedStderr) -> io::Result<Self> {
        Ok(Self { writer: BackgroundWriter::start(file)?, name, stderr, has_failed: false })
    }

    /// Copies a chunk, waiting for room.
    pub(super) fn put(&mut self, chunk: &[u8], supervision: &Supervision) {
        self.wait_until(BackgroundWriter::has_room, supervision);
        if !self.has_failed {
            self.writer.put(chunk.to_vec());
        }
    }

    /// Waits until the writer is `done`, or can never be.
    pub(super) fn wait_until(
        &mut self,
        done: impl Fn(&BackgroundWriter) -> bool,
        supervision: &Supervision,
    ) {
        let started = Instant::now();
        while !self.has_failed && !done(&self.writer) {
            if supervision.should_stop_waiting(started.elapsed()) {
                self.fail("it is not read");
            }
            self.writer.wait(POLL_INTERVAL);
        }
        if let Some(error) = self.writer.take_error().filter(|_| !self.has_failed) {
            self.fail(&error.to_string());
        }
    }

    /// Abandons the copy.
    fn fail(&mut self, reason: &str) {
        self.has_failed = true;
        self.stderr.diagnostics(false).error(&format!("{}: cannot write: {reason}", self.name));
    }
}
