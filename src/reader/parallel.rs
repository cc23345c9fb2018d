//! Decodes blocks of lines on several threads and passes them on in order.
//!
//! Idle workers claim the next block, so it is decoded on the core that read it.
//! The coordinator, which is the calling thread, replays the blocks in order and
//! decodes while there is nothing to replay. Only the coordinator waits for
//! input, after everything before it has been passed on, and reads long lines.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use super::decoded_block::{BlockMemory, DecodedBlock};
use super::options::DecodeOptions;
use super::{DecodeStage, Decoder, LineSink, LineSource, Reader};
use crate::harness::Detector;
use crate::input::{Input, LineBlock, MAX_POOLED_BUFFER};
use crate::redact::LineCheck;

/// Bytes that are decoded at once.
const BLOCK_SIZE: usize = if cfg!(test_hooks) { 1 << 10 } else { 64 << 10 };

/// Blocks in flight beside those the threads work on. Together with the block
/// size it bounds the memory.
const MAX_IN_FLIGHT: usize = 4;

/// Attempts to take the lock before a thread sleeps, some tens of microseconds.
/// The lock is held while a block is read, which takes less time than sleeping
/// and being woken; without the attempts reading takes 1.15 times as long.
const SPIN_LIMIT: usize = 1000;

/// Index of a thread.
type WorkerId = usize;

const COORDINATOR: WorkerId = 0;

/// Reads to the end of the input on `threads` threads, the calling one included.
pub(super) fn read<I: Input + Send, S: LineSink>(
    reader: &mut Reader<'_, I, S>,
    threads: usize,
) -> io::Result<()> {
    let Reader { source, stage } = reader;
    let DecodeStage { decoder, redactor, .. } = &*stage;
    let check = redactor.as_ref().map(|redactor| redactor.check().clone());
    let parallel = ParallelReader {
        check,
        ..ParallelReader::new(source, decoder.detector, decoder.options, threads)
    };
    std::thread::scope(|scope| -> io::Result<()> {
        let mut coordinator = parallel.start(scope, threads);
        while let Some(step) = coordinator.step() {
            match step {
                Step::Replay(worker, decoded) => {
                    let before = stage.last_line;
                    let (sink, last_line) = (&mut *stage.sink, &mut stage.last_line);
                    let redactor = stage.redactor.as_mut();
                    stage.decoder.replay(&decoded, redactor, |number, line| {
                        *last_line = before + number;
                        sink.line(*last_line, &line)
                    })?;
                    coordinator.replayed(worker, decoded, stage.decoder.detector);
                }
                Step::Serial => coordinator.read_serially(|source| {
                    source.lines.set_number(stage.last_line);
                    stage.step(source)?;
                    Ok(stage.decoder.detector)
                })?,
            }
        }
        Ok(())
    })?;
    source.lines.set_number(stage.last_line);
    Ok(())
}

/// State that all threads share.
struct ParallelReader<'s, 'i, I> {
    queue: Mutex<BlockQueue<'s, 'i, I>>,
    /// Signalled when a waiting worker may be able to claim a block.
    changed: Condvar,
    options: DecodeOptions,
    /// Decides which lines may be decoded before they are redacted in order.
    check: Option<LineCheck>,
}

/// The input, cut into blocks.
struct BlockQueue<'s, 'i, I> {
    source: &'s mut LineSource<'i, I>,
    /// State of the detector behind the last replayed block.
    detector: Detector,
    /// Number of blocks claimed and replayed; the difference is in flight.
    claimed: u64,
    replayed: u64,
    max_in_flight: u64,
    /// Whether only the coordinator may touch the source.
    is_serial: bool,
    /// Whether no more blocks are needed.
    is_closed: bool,
    /// Number of workers that wait for `changed`.
    waiting: usize,
    pools: Vec<BufferPool>,
}

/// Memory of replayed blocks, for reuse by the thread that allocated it: it is in
/// the cache of its core.
#[derive(Default)]
struct BufferPool {
    buffers: Vec<Vec<u8>>,
    memory: Vec<BlockMemory>,
}

/// A claimed block.
struct Job {
    number: u64,
    worker: WorkerId,
    block: LineBlock,
    memory: BlockMemory,
    detector: Detector,
}

impl Job {
    fn decode(self, decoder: &mut Decoder, check: Option<&LineCheck>) -> DecodedJob {
        let decoded = decoder.decode_block(self.block, self.memory, self.detector, check);
        DecodedJob { number: self.number, worker: self.worker, decoded }
    }
}

struct DecodedJob {
    number: u64,
    worker: WorkerId,
    decoded: DecodedBlock,
}

/// What a thread can do next.
#[allow(clippy::large_enum_variant)] // exists once at a time
enum Claim {
    Decode(Job),
    /// Blocks in flight have to be replayed first.
    Wait,
    /// Everything is replayed, and the coordinator has to read.
    Serial,
    /// Everything is replayed, and the input has ended.
    End,
}

impl<'s, 'i, I: Input> ParallelReader<'s, 'i, I> {
    fn new(
        source: &'s mut LineSource<'i, I>,
        detector: Detector,
        options: DecodeOptions,
        threads: usize,
    ) -> Self {
        let queue = BlockQueue {
            source,
            detector,
            claimed: 0,
            replayed: 0,
            max_in_flight: (threads + MAX_IN_FLIGHT) as u64,
            is_serial: false,
            is_closed: false,
            waiting: 0,
            pools: (0..threads).map(|_| BufferPool::default()).collect(),
        };
        Self { queue: Mutex::new(queue), changed: Condvar::new(), options, check: None }
    }

    /// Starts the workers, as many as the system allows.
    fn start<'p>(&'p self, scope: &'p Scope<'p, '_>, threads: usize) -> Coordinator<'p, 's, 'i, I>
    where
        I: Send,
    {
        let (sender, decoded) = channel();
        for worker in 1..threads {
            let sender = sender.clone();
            let work = move || self.work(worker, &sender);
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        let decoder = Decoder::new(self.options);
        Coordinator { parallel: self, decoded, early: HashMap::new(), decoder }
    }

    /// Makes all workers stop.
    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, BlockQueue<'s, 'i, I>> {
        for _ in 0..SPIN_LIMIT {
            if let Ok(queue) = self.queue.try_lock() {
                return queue;
            }
            std::hint::spin_loop();
        }
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decodes blocks until there are no more.
    fn work(&self, worker: WorkerId, sender: &Sender<DecodedJob>) {
        let _guard = CloseOnPanic(self);
        let mut decoder = Decoder::new(self.options);
        while let Some(job) = self.next_job(worker) {
            if sender.send(job.decode(&mut decoder, self.check.as_ref())).is_err() {
                return;
            }
        }
    }

    /// Waits for a block; `None` at the end.
    fn next_job(&self, worker: WorkerId) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if queue.is_closed {
                return None;
            }
            if !queue.is_serial {
                if let Claim::Decode(job) = queue.claim(worker) {
                    return Some(job);
                }
                if queue.source.end.is_some() {
                    return None;
                }
            }
            queue.waiting += 1;
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.waiting -= 1;
        }
    }
}

/// Closes the queue if a worker panics: its block will never be decoded.
struct CloseOnPanic<'p, 's, 'i, I: Input>(&'p ParallelReader<'s, 'i, I>);

impl<I: Input> Drop for CloseOnPanic<'_, '_, '_, I> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

impl<I: Input> BlockQueue<'_, '_, I> {
    /// Claims the next block, reading as much as necessary without waiting.
    fn claim(&mut self, worker: WorkerId) -> Claim {
        let in_flight = self.claimed - self.replayed;
        if in_flight >= self.max_in_flight {
            return Claim::Wait;
        }
        loop {
            let LineSource { input, lines, end, .. } = &self.source;
            let has_ended = end.is_some();
            let is_long = lines.is_long();
            let must_stop = has_ended || is_long || !input.ready();
            // A line over the limit is discarded by the next read, so the complete
            // lines before it are taken first.
            let is_full = lines.unread() >= BLOCK_SIZE.min(lines.max_line());
            if (must_stop || is_full)
                && !is_long
                && let Some(job) = self.take_job(worker)
            {
                return Claim::Decode(job);
            }
            if !must_stop {
                self.reserve(worker);
                self.source.fill();
            } else if in_flight > 0 {
                return Claim::Wait;
            } else {
                return if has_ended { Claim::End } else { Claim::Serial };
            }
        }
    }

    /// Takes memory from the pool of a thread, or from any other, so that there is
    /// never more than is in flight at once.
    fn reuse<T: Default>(
        &mut self,
        worker: WorkerId,
        mut pop: impl FnMut(&mut BufferPool) -> Option<T>,
    ) -> T {
        let own = pop(&mut self.pools[worker]);
        own.or_else(|| self.pools.iter_mut().find_map(pop)).unwrap_or_default()
    }

    /// Makes room for another block.
    fn reserve(&mut self, worker: WorkerId) {
        if !self.source.lines.has_block_capacity() {
            let buffer = self.reuse(worker, |pool| pool.buffers.pop());
            self.source.lines.replace_buffer(buffer);
        }
    }

    /// Takes all complete lines.
    fn take_job(&mut self, worker: WorkerId) -> Option<Job> {
        let block = self.source.lines.take_block()?;
        let memory = self.reuse(worker, |pool| pool.memory.pop());
        self.claimed += 1;
        Some(Job { number: self.claimed - 1, worker, block, memory, detector: self.detector })
    }
}

/// The calling thread.
struct Coordinator<'p, 's, 'i, I: Input> {
    parallel: &'p ParallelReader<'s, 'i, I>,
    decoded: Receiver<DecodedJob>,
    /// Decoded blocks whose predecessors are still in flight.
    early: HashMap<u64, DecodedJob>,
    decoder: Decoder,
}

/// What the coordinator has to do.
enum Step {
    Replay(WorkerId, DecodedBlock),
    /// Everything is replayed: read once, waiting if necessary.
    Serial,
}

impl<'i, I: Input> Coordinator<'_, '_, 'i, I> {
    /// Returns what to do next; `None` at the end.
    fn step(&mut self) -> Option<Step> {
        loop {
            self.early.extend(self.decoded.try_iter().map(|job| (job.number, job)));
            let mut queue = self.parallel.lock();
            // A worker has panicked; its panic continues when the threads are joined.
            if queue.is_closed {
                return None;
            }
            if let Some(job) = self.early.remove(&queue.replayed) {
                return Some(Step::Replay(job.worker, job.decoded));
            }
            let claim = queue.claim(COORDINATOR);
            queue.is_serial = matches!(claim, Claim::Serial);
            drop(queue);
            let job = match claim {
                Claim::Decode(job) => job.decode(&mut self.decoder, self.parallel.check.as_ref()),
                Claim::Wait => self.decoded.recv().ok()?,
                Claim::Serial => return Some(Step::Serial),
                Claim::End => return None,
            };
            self.early.insert(job.number, job);
        }
    }

    /// Reuses the memory of a replayed block and updates the detector.
    fn replayed(&mut self, worker: WorkerId, decoded: DecodedBlock, detector: Detector) {
        let (buffer, memory) = decoded.into_memory();
        let mut queue = self.parallel.lock();
        queue.replayed += 1;
        queue.detector = detector;
        // Memory that a long line has grown is not kept.
        let pool = &mut queue.pools[worker];
        if buffer.len() <= MAX_POOLED_BUFFER {
            pool.buffers.push(buffer);
            pool.memory.push(memory);
        }
        let is_awaited = queue.waiting > 0;
        // Release the lock before notifying; the woken thread needs it.
        drop(queue);
        if is_awaited {
            self.parallel.changed.notify_one();
        }
    }

    /// Calls `read` while no worker touches the source; `step` has ensured that.
    fn read_serially(
        &mut self,
        read: impl FnOnce(&mut LineSource<'i, I>) -> io::Result<Detector>,
    ) -> io::Result<()> {
        let mut queue = self.parallel.lock();
        queue.reserve(COORDINATOR);
        queue.detector = read(queue.source)?;
        queue.is_serial = queue.source.lines.is_long();
        if !queue.is_serial {
            self.parallel.changed.notify_all();
        }
        Ok(())
    }
}

impl<I: Input> Drop for Coordinator<'_, '_, '_, I> {
    fn drop(&mut self) {
        self.parallel.close();
    }
}

#[cfg(test)]
mod tests;
