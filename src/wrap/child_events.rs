//! Events from the child and its pipes: output that was read, and signals to this
//! process.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Select, Sender, bounded};

use super::signals::Caught;

/// Chunks of output that may wait. A child whose output is not taken has to wait.
const MAX_CHUNKS: usize = 8;

/// Receives the child's output and the signals to this process.
#[derive(Clone)]
pub(super) struct ChildEvents {
    output: Receiver<Vec<u8>>,
    has_ended: Arc<AtomicBool>,
    signals: Receiver<Caught>,
}

impl ChildEvents {
    /// Starts to read `stdout` on a thread of its own.
    pub(super) fn start(
        stdout: impl Read + Send + 'static,
        signals: Receiver<Caught>,
    ) -> io::Result<Self> {
        let (sender, output) = bounded(MAX_CHUNKS);
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        std::thread::Builder::new().spawn(move || {
            read_output(stdout, &sender);
            ended.store(true, Ordering::SeqCst);
        })?;
        Ok(Self { output, has_ended, signals })
    }

    /// Returns the next chunk of output.
    pub(super) fn next_output(&self) -> Option<Vec<u8>> {
        self.output.try_recv().ok()
    }

    /// Returns the next signal.
    pub(super) fn next_signal(&self) -> Option<Caught> {
        self.signals.try_recv().ok()
    }

    /// Returns whether output is waiting.
    pub(super) fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// Returns whether all output has been taken and no more will come.
    pub(super) fn is_drained(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst) && self.output.is_empty()
    }

    /// Waits for an event, at most this long.
    pub(super) fn wait(&self, timeout: Duration) {
        let mut select = Select::new();
        select.recv(&self.signals);
        // A closed channel is always ready.
        if !self.is_drained() {
            select.recv(&self.output);
        }
        let _ = select.ready_timeout(timeout);
    }
}

fn read_output(mut stdout: impl Read, sender: &Sender<Vec<u8>>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stdout.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
