//! Several threads decode blocks of lines; what they decode comes back in the
//! order of the stream.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

use crate::harness::{BlockDecoder, Decoded, Outlook, Spare};
use crate::input::Block;

/// Blocks under way beside those the threads work on. So many and no more:
/// memory is bounded by threads times the size of a block.
const AHEAD: usize = 1;

struct Job {
    number: u64,
    block: Block,
    spare: Spare,
    outlook: Outlook,
}

/// The threads, and what is under way.
pub(super) struct Crew {
    jobs: Sender<Job>,
    done: Receiver<(u64, Decoded)>,
    threads: usize,
    sent: u64,
    received: u64,
    /// Done before their turn.
    early: HashMap<u64, Decoded>,
    /// Memory to be used again: for blocks, and to decode them in.
    blocks: VecDeque<Vec<u8>>,
    spares: VecDeque<Spare>,
}

impl Crew {
    /// Starts so many threads.
    pub(super) fn start<'scope>(scope: &'scope Scope<'scope, '_>, threads: usize) -> Self {
        let (jobs, waiting) = channel::<Job>();
        let (finished, done) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let (waiting, finished) = (Arc::clone(&waiting), finished.clone());
            scope.spawn(move || {
                let mut decoder = BlockDecoder::default();
                loop {
                    let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    // Nobody asks, or nobody listens: that is the end.
                    let Ok(Job { number, block, spare, outlook }) = job else { break };
                    let block = decoder.decode(block, spare, outlook);
                    if finished.send((number, block)).is_err() {
                        break;
                    }
                }
            });
        }
        Self {
            jobs,
            done,
            threads,
            sent: 0,
            received: 0,
            early: HashMap::new(),
            blocks: VecDeque::new(),
            spares: VecDeque::new(),
        }
    }

    /// Whether another block can be taken.
    pub(super) fn has_room(&self) -> bool {
        self.sent - self.received < (self.threads + AHEAD) as u64
    }

    /// Whether blocks are under way.
    pub(super) fn is_busy(&self) -> bool {
        self.sent > self.received
    }

    /// Memory for another block.
    pub(super) fn memory(&mut self) -> Vec<u8> {
        self.blocks.pop_front().unwrap_or_default()
    }

    /// Memory that was not needed.
    pub(super) fn keep(&mut self, memory: Vec<u8>) {
        self.blocks.push_back(memory);
    }

    /// Gives a block to whoever is free.
    pub(super) fn send(&mut self, block: Block, outlook: Outlook) {
        let spare = self.spares.pop_front().unwrap_or_default();
        // Without threads nothing would come back; there are some.
        let _ = self.jobs.send(Job { number: self.sent, block, spare, outlook });
        self.sent += 1;
    }

    /// The next block in the order of the stream, when it is decoded.
    pub(super) fn receive(&mut self) -> Option<Decoded> {
        if !self.is_busy() {
            return None;
        }
        let decoded = loop {
            if let Some(decoded) = self.early.remove(&self.received) {
                break decoded;
            }
            let (number, decoded) = self.done.recv().ok()?;
            self.early.insert(number, decoded);
        };
        self.received += 1;
        Some(decoded)
    }

    /// Takes the memory of a block back.
    pub(super) fn recycle(&mut self, decoded: Decoded) {
        let (block, spare) = decoded.recycle();
        // What a huge line has made large is not kept so.
        if block.len() <= super::BLOCK * 2 {
            self.blocks.push_back(block);
            self.spares.push_back(spare);
        }
    }
}
