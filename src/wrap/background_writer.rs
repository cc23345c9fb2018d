//! Writes on a thread of its own, so that a reader that does not read blocks only
//! that thread.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};

/// Chunks that may wait before the caller should wait.
const MAX_WAITING: usize = 8;

/// Further chunks are dropped: so many wait only if nothing is ever read.
const MAX_QUEUED: usize = 4096;

/// Writes chunks in the background. The thread ends after the last handle is dropped
/// and everything has been written.
#[derive(Clone)]
pub(crate) struct BackgroundWriter {
    queue: Sender<Vec<u8>>,
    /// Receives a message after each write.
    progress: Receiver<()>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Chunks that are queued or being written.
    pending: AtomicUsize,
    error: Mutex<Option<io::Error>>,
}

impl BackgroundWriter {
    /// Starts to write to `to`.
    pub fn start(to: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, chunks) = bounded(MAX_QUEUED);
        let (progressed, progress) = bounded(1);
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        std::thread::Builder::new().spawn(move || write_all(to, &chunks, &progressed, &own))?;
        Ok(Self { queue, progress, shared })
    }

    /// Queues a chunk without waiting.
    pub fn put(&self, chunk: Vec<u8>) {
        self.shared.pending.fetch_add(1, Ordering::SeqCst);
        if self.queue.try_send(chunk).is_err() {
            self.shared.pending.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Returns whether the caller may put another chunk.
    pub fn has_room(&self) -> bool {
        self.queue.len() < MAX_WAITING
    }

    /// Returns whether everything has been written.
    pub fn is_idle(&self) -> bool {
        self.shared.pending.load(Ordering::SeqCst) == 0
    }

    /// Waits for a chunk to be written, at most this long.
    pub fn wait(&self, timeout: Duration) {
        if !self.is_idle() {
            let _ = self.progress.recv_timeout(timeout);
        }
    }

    /// Waits until everything has been written, at most this long.
    pub fn drain(&self, timeout: Duration) {
        let started = Instant::now();
        while !self.is_idle() && started.elapsed() < timeout {
            self.wait(timeout.saturating_sub(started.elapsed()));
        }
    }

    /// Returns the error since the last call.
    pub fn take_error(&self) -> Option<io::Error> {
        self.shared.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn write_all(
    mut to: impl Write,
    chunks: &Receiver<Vec<u8>>,
    progressed: &Sender<()>,
    shared: &Shared,
) {
    for chunk in chunks {
        let mut written = 1;
        if let Err(error) = to.write_all(&chunk).and_then(|()| to.flush()) {
            // Later chunks would follow a gap.
            written += chunks.try_iter().count();
            *shared.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        shared.pending.fetch_sub(written, Ordering::SeqCst);
        let _ = progressed.try_send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends every chunk; fails for one of them.
    struct Recorder(Sender<Vec<u8>>);

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if bytes == b"bad" {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let _ = self.0.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn chunks_are_written_in_order_and_errors_are_reported() {
        let (sender, written) = crossbeam_channel::unbounded();
        let writer = BackgroundWriter::start(Recorder(sender)).unwrap();
        for chunk in ["one", "two", "bad"] {
            writer.put(chunk.into());
        }
        writer.drain(Duration::from_mins(1));
        assert!(writer.is_idle());
        assert_eq!(writer.take_error().unwrap().kind(), io::ErrorKind::StorageFull);
        assert!(writer.take_error().is_none());
        assert_eq!(written.try_iter().collect::<Vec<_>>(), [b"one", b"two"]);
    }

    #[test]
    fn queued_chunks_are_written_after_the_last_handle_is_dropped() {
        let (sender, written) = crossbeam_channel::unbounded();
        let writer = BackgroundWriter::start(Recorder(sender)).unwrap();
        for _ in 0..100 {
            writer.clone().put(b"x".to_vec());
        }
        drop(writer);
        assert_eq!(written.iter().count(), 100, "the channel ends with the thread");
    }

    #[test]
    fn blocked_writer_does_not_block_the_caller() {
        struct Blocked;
        impl Write for Blocked {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                loop {
                    std::thread::park();
                }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let writer = BackgroundWriter::start(Blocked).unwrap();
        for _ in 0..2 * MAX_QUEUED {
            writer.put(vec![0]);
        }
        writer.drain(Duration::from_millis(5));
        assert!(!writer.is_idle() && !writer.has_room());
        assert!(writer.queue.len() <= MAX_QUEUED);
    }
}
