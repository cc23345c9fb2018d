//! Several threads read and decode blocks of lines; what they decode is
//! folded by one of them, in the order of the stream.
//!
//! Whoever is free takes the next block, so that the bytes are decoded where
//! they were read. Only the thread that folds does what has to happen in
//! order: waiting for input that is not there (after everything has been
//! shown that was), and the rest of a line that is too long.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use super::Source;
use crate::harness::{BlockDecoder, Decoded, Outlook, Spare};
use crate::input::{Block, Input};

/// How much is decoded at once.
const BLOCK: usize = if cfg!(feature = "_threads") { 1 << 10 } else { 128 << 10 };

/// Blocks under way beside those the threads work on. So many and no more:
/// memory is bounded by threads times the size of a block.
const AHEAD: usize = 2;

/// How often somebody looks whether it is free what others hold, before it
/// sleeps: some ten microseconds.
const PATIENCE: usize = 2000;

/// What all threads share.
pub(super) struct Crew<'a, 'i, I> {
    intake: Mutex<Intake<'a, 'i, I>>,
    /// Something has changed for those who wait for a block.
    changed: Condvar,
}

struct Intake<'a, 'i, I> {
    source: &'a mut Source<'i, I>,
    outlook: Outlook,
    /// Blocks that have been taken, and folded, and how far apart these can be.
    taken: u64,
    folded: u64,
    limit: u64,
    /// The leader acts alone: nobody else touches the source.
    alone: bool,
    /// Nobody wants any more.
    closed: bool,
    /// Memory to be used again: for blocks, and to decode them in.
    memory: Vec<(Vec<u8>, Spare)>,
}

/// A block that was taken.
struct Job {
    number: u64,
    block: Block,
    spare: Spare,
    outlook: Outlook,
}

/// What there is to do.
#[allow(clippy::large_enum_variant)] // there is one at a time
enum Next {
    Decode(Job),
    /// What is under way comes first.
    Wait,
    /// Everything is folded, and the next step is one for the leader.
    Alone,
    /// Everything is folded, and nothing comes any more.
    Ended,
}

impl<'a, 'i, I: Input> Crew<'a, 'i, I> {
    /// A crew of so many threads for one source.
    pub(super) fn new(source: &'a mut Source<'i, I>, outlook: Outlook, threads: usize) -> Self {
        let intake = Intake {
            source,
            outlook,
            taken: 0,
            folded: 0,
            limit: (threads + AHEAD) as u64,
            alone: false,
            closed: false,
            memory: Vec::new(),
        };
        Self { intake: Mutex::new(intake), changed: Condvar::new() }
    }

    /// Starts the threads but one, which is the caller's and leads.
    pub(super) fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        threads: usize,
    ) -> Leader<'s, 'a, 'i, I>
    where
        I: Send,
    {
        let (finished, done) = channel();
        for _ in 1..threads {
            let finished = finished.clone();
            scope.spawn(move || self.work(&finished));
        }
        Leader { crew: self, done, early: HashMap::new(), decoder: BlockDecoder::default() }
    }

    /// Nobody takes another block.
    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Intake<'a, 'i, I>> {
        // Somebody reads a block, which takes less time than to sleep and be
        // woken does.
        for _ in 0..PATIENCE {
            if let Ok(intake) = self.intake.try_lock() {
                return intake;
            }
            std::hint::spin_loop();
        }
        self.intake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decodes blocks until none comes any more.
    fn work(&self, finished: &Sender<(u64, Decoded)>) {
        let _alarm = Alarm(self);
        let mut decoder = BlockDecoder::default();
        while let Some(job) = self.job() {
            if finished.send(job.decoded(&mut decoder)).is_err() {
                return;
            }
        }
    }

    /// The next block for a thread that does not lead.
    fn job(&self) -> Option<Job> {
        let mut intake = self.lock();
        loop {
            if intake.closed {
                return None;
            }
            if !intake.alone {
                if let Next::Decode(job) = intake.next() {
                    return Some(job);
                }
                if intake.source.ended.is_some() {
                    return None;
                }
            }
            intake = self.changed.wait(intake).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Whoever panics leaves nobody waiting for its block.
struct Alarm<'s, 'a, 'i, I: Input>(&'s Crew<'a, 'i, I>);

impl<I: Input> Drop for Alarm<'_, '_, '_, I> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

impl<I: Input> Intake<'_, '_, I> {
    fn next(&mut self) -> Next {
        let under_way = self.taken - self.folded;
        if under_way >= self.limit {
            return Next::Wait;
        }
        loop {
            let Source { input, lines, ended } = &self.source;
            let alone = lines.is_dropping() || !input.ready();
            let ended = ended.is_some();
            // What is longer than a line may be is thrown away when more is read:
            // complete lines are taken before that.
            let enough = lines.unread() >= BLOCK.min(lines.max_line());
            if (alone || ended || enough)
                && let Some(job) = self.take()
            {
                return Next::Decode(job);
            }
            match () {
                () if !alone && !ended => self.source.fill(),
                () if under_way > 0 => return Next::Wait,
                () if ended => return Next::Ended,
                () => return Next::Alone,
            };
        }
    }

    /// All complete lines that there are.
    fn take(&mut self) -> Option<Job> {
        let (bytes, spare) = self.memory.pop().unwrap_or_default();
        match self.source.lines.take_block(bytes) {
            Ok(block) => {
                self.taken += 1;
                Some(Job { number: self.taken - 1, block, spare, outlook: self.outlook })
            }
            Err(bytes) => {
                self.memory.push((bytes, spare));
                None
            }
        }
    }
}

impl Job {
    fn decoded(self, decoder: &mut BlockDecoder) -> (u64, Decoded) {
        (self.number, decoder.decode(self.block, self.spare, self.outlook))
    }
}

/// The thread that folds, and decodes while there is nothing to fold.
pub(super) struct Leader<'s, 'a, 'i, I: Input> {
    crew: &'s Crew<'a, 'i, I>,
    done: Receiver<(u64, Decoded)>,
    /// Done, and waiting for their turn.
    early: HashMap<u64, Decoded>,
    decoder: BlockDecoder,
}

/// What the leader has to do.
pub(super) enum Step {
    /// Fold this block.
    Fold(Decoded),
    /// Everything is folded: see how it goes on.
    Alone,
}

impl<'i, I: Input> Leader<'_, '_, 'i, I> {
    /// What to do next; None at the end.
    pub(super) fn step(&mut self) -> Option<Step> {
        loop {
            self.early.extend(self.done.try_iter());
            let mut intake = self.crew.lock();
            if let Some(decoded) = self.early.remove(&intake.folded) {
                return Some(Step::Fold(decoded));
            }
            let next = intake.next();
            intake.alone = matches!(next, Next::Alone);
            drop(intake);
            let (number, decoded) = match next {
                Next::Decode(job) => job.decoded(&mut self.decoder),
                Next::Wait => self.done.recv().ok()?,
                Next::Alone => return Some(Step::Alone),
                Next::Ended => return None,
            };
            self.early.insert(number, decoded);
        }
    }

    /// A block is folded: its memory can be used again, and more is known.
    pub(super) fn folded(&mut self, decoded: Decoded, outlook: Outlook) {
        let memory = decoded.recycle();
        let mut intake = self.crew.lock();
        intake.folded += 1;
        intake.outlook = outlook;
        // What a huge line has made large is not kept so.
        if memory.0.len() <= BLOCK * 2 {
            intake.memory.push(memory);
        }
        self.crew.changed.notify_one();
    }

    /// Does something with the source while nobody else does: the step before has
    /// seen to that.
    pub(super) fn alone<R>(&mut self, act: impl FnOnce(&mut Source<'i, I>) -> R) -> R {
        let mut intake = self.crew.lock();
        let result = act(intake.source);
        intake.alone = false;
        self.crew.changed.notify_all();
        result
    }
}

impl<I: Input> Drop for Leader<'_, '_, '_, I> {
    fn drop(&mut self) {
        self.crew.close();
    }
}
