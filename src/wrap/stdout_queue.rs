//! The command's standard output, read on a thread of its own.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Select, Sender, bounded, never, select};

/// Chunks of output that may wait. A command whose output is not taken has to wait.
const MAX_CHUNKS: usize = 8;

/// The chunks that were read and not taken.
pub(super) struct StdoutQueue {
    chunks: Receiver<Vec<u8>>,
    activity: Arc<StdoutActivity>,
    /// Disconnected when no more output is waited for.
    over: Receiver<()>,
}

/// What is known about the output without taking it.
#[derive(Debug)]
pub(super) struct StdoutActivity {
    started: Instant,
    /// Time of the last output in nanoseconds since the start.
    last: AtomicU64,
    waiting: AtomicUsize,
    has_any: AtomicBool,
    has_ended: AtomicBool,
}

impl StdoutQueue {
    /// Starts to read `stdout`; waits for its end until `over` is disconnected.
    pub(super) fn start(
        stdout: impl Read + Send + 'static,
        over: Receiver<()>,
    ) -> io::Result<Self> {
        let (sender, chunks) = bounded(MAX_CHUNKS);
        let activity = Arc::new(StdoutActivity {
            started: Instant::now(),
            last: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            has_any: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        });
        let own = Arc::clone(&activity);
        std::thread::Builder::new().spawn(move || {
            read_all(stdout, &sender, &own);
            own.has_ended.store(true, Ordering::SeqCst);
        })?;
        Ok(Self { chunks, activity, over })
    }

    /// Returns what the supervisor needs to know.
    pub(super) fn activity(&self) -> Arc<StdoutActivity> {
        Arc::clone(&self.activity)
    }

    /// Waits for the next chunk; `None` at the end of the run.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        let chunk = select! {
            recv(self.chunks) -> chunk => chunk.ok(),
            // What was read before the end counts.
            recv(self.over) -> _ => return self.take(),
        };
        if chunk.is_none() {
            // The output has ended, and the command may still be running.
            self.chunks = never();
            let _ = self.over.recv();
        }
        chunk.inspect(|_| self.taken())
    }

    fn take(&self) -> Option<Vec<u8>> {
        self.chunks.try_recv().ok().inspect(|_| self.taken())
    }

    fn taken(&self) {
        self.activity.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Waits for a chunk or the end of the run, at most for this time; returns whether there
    /// is one of them.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        let mut select = Select::new();
        select.recv(&self.chunks);
        select.recv(&self.over);
        select.ready_timeout(limit).is_ok()
    }

    /// Returns whether a chunk is waiting.
    pub(super) fn is_ready(&self) -> bool {
        !self.chunks.is_empty()
    }
}

impl StdoutActivity {
    /// Returns the time of the last output, or of the start. Output that waits for our
    /// reader is not silence of the command.
    pub(super) fn last_output(&self, now: Instant) -> Instant {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            return now;
        }
        self.started + Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }

    /// Returns whether there was any output.
    pub(super) fn has_any(&self) -> bool {
        self.has_any.load(Ordering::Relaxed)
    }

    /// Returns whether the output has been read to its end.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst)
    }

    fn read(&self) {
        let elapsed = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last.store(elapsed, Ordering::Relaxed);
        self.has_any.store(true, Ordering::Relaxed);
        self.waiting.fetch_add(1, Ordering::SeqCst);
    }
}

fn read_all(mut stdout: impl Read, sender: &Sender<Vec<u8>>, activity: &StdoutActivity) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stdout.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                activity.read();
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
