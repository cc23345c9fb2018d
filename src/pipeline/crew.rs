//! Several threads read and decode blocks of lines; what they decode is
//! folded by one of them, in the order of the stream.
//!
//! Whoever is free takes the next block, so that the bytes are decoded where
//! they were read. Only the thread that folds does what has to happen in
//! order: waiting for input that is not there, after everything has been shown
//! that was, and reading what is better read alone.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use super::{LARGE, Supply};
use crate::harness::{BlockDecoder, Decoded, Outlook, Spare};
use crate::input::{Block, Buffer, Input, LARGEST_BLOCK};

/// How much is decoded at once.
const BLOCK: usize = if cfg!(feature = "_threads") { 1 << 10 } else { 64 << 10 };

/// Blocks under way beside those the threads work on. So many and no more:
/// memory is bounded by threads times the size of a block.
const AHEAD: usize = 4;

/// Fewer blocks between two long lines do not pay for having called the others.
const WORTHWHILE: u64 = 64;

/// How many times a thread tries the lock before it sleeps: some tens of
/// microseconds.
const PATIENCE: usize = 1000;

/// What all threads share.
pub(super) struct Crew<'a, 'i, I> {
    intake: Mutex<Intake<'a, 'i, I>>,
    /// Something has changed for those who wait for a block.
    changed: Condvar,
}

struct Intake<'a, 'i, I> {
    supply: &'a mut Supply<'i, I>,
    outlook: Outlook,
    /// Blocks that have been taken, and folded, and how far apart these can be.
    taken: u64,
    folded: u64,
    limit: u64,
    /// The leader acts alone: nobody else touches the supply.
    alone: bool,
    caution: Caution,
    /// Nobody wants any more.
    closed: bool,
    /// How many wait for a change.
    waiting: usize,
    /// Memory to be used again, best by the thread that has used it: it is near
    /// its core.
    memory: Vec<Recycled>,
}

/// Long lines are none for blocks. Where one has come, the leader reads on alone for a
/// while: there may be more.
struct Caution {
    /// How much is still to be read alone.
    left: usize,
    /// How much it is in all: more where long lines come often.
    all: usize,
    /// The first block that was taken by others since.
    since: u64,
}

/// Memory for blocks, and to decode them in.
#[derive(Default)]
struct Recycled {
    buffers: Vec<Buffer>,
    spares: Vec<Spare>,
}

/// A block that was taken.
struct Job {
    number: u64,
    taker: Taker,
    block: Block,
    spare: Spare,
    outlook: Outlook,
}

/// A thread, by its number.
type Taker = usize;

const LEADER: Taker = 0;

/// A block that was decoded, by whom, and which one it is.
type Done = (u64, Taker, Decoded);

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
    /// A crew of so many threads for one supply.
    pub(super) fn new(supply: &'a mut Supply<'i, I>, outlook: Outlook, threads: usize) -> Self {
        let intake = Intake {
            supply,
            outlook,
            taken: 0,
            folded: 0,
            limit: (threads + AHEAD) as u64,
            alone: false,
            caution: Caution { left: 0, all: LARGE, since: 0 },
            closed: false,
            waiting: 0,
            memory: (0..threads).map(|_| Recycled::default()).collect(),
        };
        Self { intake: Mutex::new(intake), changed: Condvar::new() }
    }

    /// Starts the threads but one, which is the caller's and leads; as many of them as
    /// the system allows.
    pub(super) fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        threads: usize,
    ) -> Leader<'s, 'a, 'i, I>
    where
        I: Send,
    {
        let (finished, done) = channel();
        for taker in 1..threads {
            let finished = finished.clone();
            let work = move || self.work(taker, &finished);
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        Leader { crew: self, done, early: HashMap::new(), decoder: BlockDecoder::default() }
    }

    /// Nobody takes another block.
    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Intake<'a, 'i, I>> {
        // Whoever holds it reads a block, which takes less time than to sleep and be
        // woken.
        for _ in 0..PATIENCE {
            if let Ok(intake) = self.intake.try_lock() {
                return intake;
            }
            std::hint::spin_loop();
        }
        self.intake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decodes blocks until none comes any more.
    fn work(&self, taker: Taker, finished: &Sender<Done>) {
        let _alarm = Alarm(self);
        let mut decoder = BlockDecoder::default();
        while let Some(job) = self.job(taker) {
            if finished.send(job.decoded(&mut decoder)).is_err() {
                return;
            }
        }
    }

    /// The next block for a thread that does not lead.
    fn job(&self, taker: Taker) -> Option<Job> {
        let mut intake = self.lock();
        loop {
            if intake.closed {
                return None;
            }
            if !intake.alone {
                if let Next::Decode(job) = intake.next(taker) {
                    return Some(job);
                }
                if intake.supply.ended.is_some() {
                    return None;
                }
            }
            intake.waiting += 1;
            intake = self.changed.wait(intake).unwrap_or_else(PoisonError::into_inner);
            intake.waiting -= 1;
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
    fn next(&mut self, taker: Taker) -> Next {
        let under_way = self.taken - self.folded;
        if under_way >= self.limit {
            return Next::Wait;
        }
        loop {
            let Supply { input, lines, ended } = &self.supply;
            let ended = ended.is_some();
            let cautious = self.caution.left > 0 || lines.is_long();
            let alone = cautious || !input.ready();
            // What is longer than a line may be is thrown away when more is read:
            // complete lines are taken before that.
            let enough = lines.unread() >= BLOCK.min(lines.max_line());
            if (ended || alone || enough)
                && !cautious
                && let Some(job) = self.take(taker)
            {
                return Next::Decode(job);
            }
            if !ended && !alone {
                self.make_room(taker);
                self.supply.fill();
            } else if under_way > 0 {
                return Next::Wait;
            } else {
                return if ended { Next::Ended } else { Next::Alone };
            }
        }
    }

    /// Memory that was used before: by the same thread, else by any, so that there
    /// is never more than is under way at once.
    fn again<T: Default>(
        &mut self,
        taker: Taker,
        mut pop: impl FnMut(&mut Recycled) -> Option<T>,
    ) -> T {
        let own = pop(&mut self.memory[taker]);
        own.or_else(|| self.memory.iter_mut().find_map(pop)).unwrap_or_default()
    }

    /// Sees to it that what is read next has room, in memory that was used before.
    fn make_room(&mut self, taker: Taker) {
        if !self.supply.lines.has_room() {
            let buffer = self.again(taker, |memory| memory.buffers.pop());
            self.supply.lines.adopt(buffer);
        }
    }

    /// All complete lines that there are.
    fn take(&mut self, taker: Taker) -> Option<Job> {
        let block = self.supply.lines.take_block()?;
        let spare = self.again(taker, |memory| memory.spares.pop());
        self.taken += 1;
        Some(Job { number: self.taken - 1, taker, block, spare, outlook: self.outlook })
    }
}

impl Caution {
    /// So much has been read alone, and now a line is long, or not.
    fn read(&mut self, count: usize, long: bool, taken: u64) {
        if long {
            if self.left == 0 {
                let often = taken - self.since < WORTHWHILE;
                self.all = if often { self.all.saturating_mul(8) } else { LARGE };
            }
            self.left = self.all;
        } else {
            self.left = self.left.saturating_sub(count);
        }
        self.since = taken;
    }
}

impl Job {
    fn decoded(self, decoder: &mut BlockDecoder) -> Done {
        (self.number, self.taker, decoder.decode(self.block, self.spare, self.outlook))
    }
}

/// The thread that folds, and decodes while there is nothing to fold.
pub(super) struct Leader<'s, 'a, 'i, I: Input> {
    crew: &'s Crew<'a, 'i, I>,
    done: Receiver<Done>,
    /// Done, and waiting for their turn.
    early: HashMap<u64, (Taker, Decoded)>,
    decoder: BlockDecoder,
}

/// What the leader has to do.
pub(super) enum Step {
    /// Fold this block.
    Fold(Taker, Decoded),
    /// Everything is folded: see how it goes on.
    Alone,
}

impl<'i, I: Input> Leader<'_, '_, 'i, I> {
    /// What to do next; None at the end.
    pub(super) fn step(&mut self) -> Option<Step> {
        loop {
            let known = |(number, taker, decoded)| (number, (taker, decoded));
            self.early.extend(self.done.try_iter().map(known));
            let mut intake = self.crew.lock();
            if let Some((taker, decoded)) = self.early.remove(&intake.folded) {
                return Some(Step::Fold(taker, decoded));
            }
            let next = intake.next(LEADER);
            intake.alone = matches!(next, Next::Alone);
            drop(intake);
            let (number, taker, decoded) = match next {
                Next::Decode(job) => job.decoded(&mut self.decoder),
                Next::Wait => self.done.recv().ok()?,
                Next::Alone => return Some(Step::Alone),
                Next::Ended => return None,
            };
            self.early.insert(number, (taker, decoded));
        }
    }

    /// A block is folded: its memory can be used again, and more is known.
    pub(super) fn folded(&mut self, taker: Taker, decoded: Decoded, outlook: Outlook) {
        let (buffer, spare) = decoded.recycle();
        let mut intake = self.crew.lock();
        intake.folded += 1;
        intake.outlook = outlook;
        // What a long line has made large is not kept so.
        let memory = &mut intake.memory[taker];
        if buffer.len() <= LARGEST_BLOCK {
            memory.buffers.push(buffer);
            memory.spares.push(spare);
        }
        let awaited = intake.waiting > 0;
        // Whoever wakes up wants it next.
        drop(intake);
        if awaited {
            self.crew.changed.notify_one();
        }
    }

    /// Passes on and reads alone, once, while nobody else touches the supply: the step
    /// before has seen to that. `act` tells how much it has read, and what is known
    /// then.
    pub(super) fn alone<E>(
        &mut self,
        act: impl FnOnce(&mut Supply<'i, I>) -> Result<(usize, Outlook), E>,
    ) -> Result<(), E> {
        let mut intake = self.crew.lock();
        intake.make_room(LEADER);
        let Intake { supply, caution, taken, outlook, .. } = &mut *intake;
        let (count, known) = act(supply)?;
        *outlook = known;
        caution.read(count, supply.lines.is_long(), *taken);
        intake.alone = intake.caution.left > 0;
        if !intake.alone {
            self.crew.changed.notify_all();
        }
        Ok(())
    }
}

impl<I: Input> Drop for Leader<'_, '_, '_, I> {
    fn drop(&mut self) {
        self.crew.close();
    }
}
