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
use super::{Decoder, LineSink, LineSource, Reader};
use crate::harness::Detector;
use crate::input::{Input, LineBlock, MAX_POOLED_BUFFER};

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
    let options = stage.decoder.options;
    let parallel = ParallelReader::new(source, stage.decoder.detector, options, threads);
    std::thread::scope(|scope| -> io::Result<()> {
        let mut coordinator = parallel.start(scope, threads);
        while let Some(step) = coordinator.step() {
            match step {
                Step::Replay(worker, decoded) => {
                    let before = stage.last_line;
                    let (sink, last_line) = (&mut *stage.sink, &mut stage.last_line);
                    stage.decoder.replay(&decoded, |number, line| {
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
    fn decode(self, decoder: &mut Decoder) -> DecodedJob {
        let decoded = decoder.decode_block(self.block, self.memory, self.detector);
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
        Self { queue: Mutex::new(queue), changed: Condvar::new(), options }
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
            if sender.send(job.decode(&mut decoder)).is_err() {
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
            let LineSource { input, lines, end } = &self.source;
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
                Claim::Decode(job) => job.decode(&mut self.decoder),
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
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread::ThreadId;

    use super::*;
    use crate::reader::{DecodedLine, PARALLEL_THRESHOLD, ReaderOptions};

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

        fn before_wait(&mut self) -> io::Result<()> {
            self.waits += 1;
            Ok(())
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
}
