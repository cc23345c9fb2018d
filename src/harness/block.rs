//! A block of lines, decoded at once and on any thread.
//!
//! What a line says is a pure function of the line and of the dialect the
//! stream has shown. The latter is assumed; whoever folds the block knows, and
//! decodes it again in the rare case that the assumption was wrong.

use self_cell::{MutBorrow, self_cell};

use super::Event;
use super::decoder::{About, Decoder, Habits, Reading, is_blank, reuse};
use super::detector::Detector;
use crate::input::{Block, Buffer, Content};
use crate::json::{OnTape, Room, Tapes, Tokeniser};

/// What the stream is assumed to have shown before a block.
#[derive(Clone, Copy)]
pub struct Outlook {
    detector: Detector,
    habits: Habits,
}

impl Decoder {
    /// How things stand now.
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        Outlook { detector: self.detector(), habits: self.habits() }
    }

    /// Hands on what the lines of a block are, as if they had come one by
    /// one.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn fold<E>(
        &mut self,
        decoded: &Decoded,
        mut each: impl FnMut(u64, Reading<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let trusted = self.detector().agrees_with(&decoded.assumed.detector);
        let mut number = 0;
        if !trusted || decoded.left {
            for content in decoded.block().lines() {
                number += 1;
                match content {
                    Content::TooLong(bytes) => each(number, Reading::TooLong(bytes))?,
                    Content::Bytes(line) => self.decode(line, |reading| each(number, reading))?,
                }
            }
            return Ok(());
        }
        let result = decoded.cell.with_dependent(|_, read| {
            let (mut rest, mut objects) = (&*read.events, read.tapes.kept());
            for line in &read.lines {
                number += 1;
                match line {
                    Line::Packet { about, own_events, bytes } => {
                        let (own, others) = rest.split_at(*own_events);
                        rest = others;
                        let object = objects.next();
                        let object = object.as_ref().map(OnTape::value);
                        let packet = about.packet(own, object, bytes, false);
                        each(number, Reading::Packet(packet))?;
                    }
                    Line::Blank => each(number, Reading::Blank)?,
                    Line::TooLong(bytes) => each(number, Reading::TooLong(*bytes))?,
                    Line::Deferred { detector, bytes } => {
                        self.set_detector(*detector);
                        self.decode(bytes, |reading| each(number, reading))?;
                    }
                }
            }
            Ok(())
        });
        self.set_detector(decoded.end);
        result
    }
}

/// A line of a block.
enum Line<'a> {
    Blank,
    TooLong(u64),
    Packet {
        about: About<'a>,
        /// How many of the events are its own.
        own_events: usize,
        bytes: &'a [u8],
    },
    /// Rare: broken, to be mended, an array, with a long string where a short one is
    /// expected, or one of very many short ones.
    Deferred {
        detector: Detector,
        bytes: &'a [u8],
    },
}

/// What the lines of a block are, with the events of all packets and, if they
/// are asked for, their objects.
#[derive(Default)]
struct Read<'a> {
    lines: Vec<Line<'a>>,
    events: Vec<Event<'a>>,
    tapes: Tapes<'a>,
}

impl Read<'_> {
    /// How much memory it takes, about.
    fn size(&self) -> usize {
        size_of_val(&*self.lines) + size_of_val(&*self.events) + self.tapes.size()
    }
}

/// What the lines stand in, and what they are tokenised in.
struct Rooms {
    block: Block,
    /// Tokenising changes the lines.
    room: MutBorrow<Vec<u8>>,
}

self_cell!(
    struct Cell {
        owner: Rooms,
        #[covariant]
        dependent: Read,
    }
);

/// A decoded block.
pub struct Decoded {
    cell: Cell,
    assumed: Outlook,
    end: Detector,
    /// It is left to whoever folds.
    left: bool,
}

impl Decoded {
    /// The lines.
    #[must_use]
    pub fn block(&self) -> &Block {
        &self.cell.borrow_owner().block
    }

    /// The memory of a block that has been folded, to be used again: that of
    /// its lines, and that it was decoded in.
    #[must_use]
    pub fn recycle(mut self) -> (Buffer, Spare) {
        let mut spare = self.cell.with_dependent_mut(|_, read| {
            let Read { lines, events, tapes } = std::mem::take(read);
            let tapes = tapes.reset();
            Spare { room: Vec::new(), lines: emptied(lines), events: reuse(events), tapes }
        });
        let memory = self.cell.into_owner();
        spare.room = memory.room.into_inner();
        (memory.block.into_buffer(), spare)
    }
}

/// Rooms to decode in.
#[derive(Default)]
pub struct Spare {
    room: Vec<u8>,
    lines: Vec<Line<'static>>,
    events: Vec<Event<'static>>,
    tapes: Tapes<'static>,
}

/// The same allocation, for lines of another lifetime.
fn emptied<'b>(mut lines: Vec<Line<'_>>) -> Vec<Line<'b>> {
    lines.clear();
    lines.into_iter().map(|_| Line::Blank).collect()
}

/// A block of lines that are shorter than this is left to whoever folds: what is
/// known of them takes more memory than they do.
const SHORT: usize = 24;

/// So is one of which so much becomes known: there are many blocks at once.
const MUCH: usize = 512 << 10;

/// Hardly any line of an agent is shorter.
const COMMON: usize = 48;

/// Decodes blocks.
#[derive(Default)]
pub struct BlockDecoder {
    tokeniser: Tokeniser,
    /// For lines that are left to whoever folds.
    decoder: Decoder,
}

impl BlockDecoder {
    /// Decodes a block, in memory that was used before.
    #[must_use]
    pub fn decode(&mut self, block: Block, spare: Spare, assumed: Outlook) -> Decoded {
        let most_lines = block.len() / SHORT;
        let about_lines = block.about_lines();
        // What the beginning looks like need not go on.
        let mut left = about_lines > most_lines && block.count_lines() > most_lines;
        let Spare { mut room, lines, events, tapes } = spare;
        // Lines for which there is no room are decoded one by one.
        let with_room = (2 * about_lines).min(block.len() / COMMON);
        let needed = Tokeniser::room_for(block.len(), with_room);
        if !left && room.len() < needed {
            room.resize(needed, 0);
        }
        let mut detector = assumed.detector;
        let memory = Rooms { block, room: MutBorrow::new(room) };
        let cell = Cell::new(memory, |memory| {
            let mut read =
                Read { lines: emptied(lines), events: reuse(events), tapes: tapes.reset() };
            let mut room = Room(memory.room.borrow_mut());
            for content in memory.block.lines() {
                left |= read.lines.len() > most_lines || read.size() > MUCH;
                if left {
                    read = Read::default();
                    break;
                }
                let line = match content {
                    Content::TooLong(bytes) => Line::TooLong(bytes),
                    Content::Bytes(bytes) if is_blank(bytes) => Line::Blank,
                    Content::Bytes(bytes) => {
                        let outlook = Outlook { detector, ..assumed };
                        let (line, seen) = self
                            .packet(bytes, outlook, &mut room, &mut read)
                            .unwrap_or_else(|| self.deferred(bytes, outlook));
                        detector = seen;
                        line
                    }
                };
                read.lines.push(line);
            }
            read
        });
        Decoded { cell, assumed, end: detector, left }
    }

    /// Decodes a line, if it is an ordinary one; also what the stream has shown
    /// with it.
    fn packet<'a>(
        &mut self,
        bytes: &'a [u8],
        outlook: Outlook,
        room: &mut Room<'a>,
        read: &mut Read<'a>,
    ) -> Option<(Line<'a>, Detector)> {
        let Outlook { mut detector, habits: Habits { objects, interest, .. } } = outlook;
        if !self.tokeniser.tokenise(bytes, objects.skims(), room, &mut read.tapes) {
            return None;
        }
        let last = read.tapes.last();
        let object = last.value();
        if !object.is_object() {
            return None;
        }
        let first = read.events.len();
        let about = About::of(object, interest, &mut detector, &mut read.events);
        if object.lacks() {
            read.events.truncate(first);
            return None;
        }
        if objects.are_seen() {
            read.tapes.keep_last();
        }
        let own_events = read.events.len() - first;
        Some((Line::Packet { about, own_events, bytes }, detector))
    }

    /// Leaves a line to whoever folds, and finds out what the stream has shown
    /// with it.
    fn deferred<'a>(&mut self, bytes: &'a [u8], outlook: Outlook) -> (Line<'a>, Detector) {
        let Outlook { detector, habits } = outlook;
        self.decoder.go_on_at(detector, habits);
        let _ = self.decoder.decode(bytes, |_| Ok::<(), ()>(()));
        (Line::Deferred { detector, bytes }, self.decoder.detector())
    }
}
