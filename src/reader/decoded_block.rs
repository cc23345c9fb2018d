//! Decodes a block of lines at once, on any thread.
//!
//! Decoding a line depends on the line and on the dialect the stream has shown
//! before it. A worker assumes the latter; when the block is replayed in order
//! and the assumption was wrong, which is rare, it is decoded again.

use self_cell::{MutBorrow, self_cell};

use super::decoder::{DecodedLine, Decoder, LineMeta, is_blank, reuse};
use super::options::Objects;
use crate::event::Event;
use crate::harness::Detector;
use crate::input::{LineBlock, LineContent};
use crate::json::{Arena, TapeStore, TapeView};
use crate::redact::{LineCheck, LineEffect, LineRedactor};

/// Blocks whose lines are shorter than this on average are not decoded ahead:
/// their metadata would need more memory than the lines.
const MIN_AVERAGE_LINE: usize = 24;

/// Blocks that need more memory than this are not decoded ahead: there are many
/// blocks at once.
const MAX_DECODED: usize = 512 << 10;

/// Shortest line that an agent usually prints, for the size of the arena.
const USUAL_LINE: usize = 48;

/// A decoded block.
pub(super) struct DecodedBlock {
    cell: BlockCell,
    /// The state of the detector that was assumed before the block.
    assumed: Detector,
    /// The state after the block.
    end: Detector,
    /// Whether the block has to be decoded when it is replayed.
    is_deferred: bool,
}

self_cell!(
    struct BlockCell {
        owner: BlockOwner,
        #[covariant]
        dependent: StoredLines,
    }
);

struct BlockOwner {
    block: LineBlock,
    /// Memory for the tokenised copies of the lines.
    arena: MutBorrow<Vec<u8>>,
}

/// The decoded lines of a block, with the events of all of them.
#[derive(Default)]
struct StoredLines<'a> {
    lines: Vec<StoredLine<'a>>,
    events: Vec<Event<'a>>,
    /// The objects, if they are requested.
    tapes: TapeStore<'a>,
    /// Records that may end a text in several lines, if the input is redacted.
    endings: Vec<Ending>,
}

/// A record that may end a text in several lines.
struct Ending {
    /// Its index among the lines.
    line: usize,
    detector: DetectorStates,
}

/// The states of the detector before and after a line.
#[derive(Clone, Copy)]
struct DetectorStates {
    before: Detector,
    after: Detector,
}

impl StoredLines<'_> {
    /// Returns the approximate size in bytes.
    fn size(&self) -> usize {
        size_of_val(&*self.lines)
            + size_of_val(&*self.events)
            + self.tapes.size()
            + size_of_val(&*self.endings)
    }
}

enum StoredLine<'a> {
    Blank,
    TooLong(u64),
    Record {
        meta: LineMeta<'a>,
        /// Number of events that belong to the line.
        event_count: usize,
        bytes: &'a [u8],
    },
    /// A line that is decoded when it is replayed: malformed, in need of repair, an
    /// array, a document, with a long string where a short one is expected, without room in
    /// the arena, or to be redacted.
    Deferred {
        detector: DetectorStates,
        bytes: &'a [u8],
    },
}

/// Reusable memory for a decoded block.
#[derive(Default)]
pub(super) struct BlockMemory {
    arena: Vec<u8>,
    lines: Vec<StoredLine<'static>>,
    events: Vec<Event<'static>>,
    tapes: TapeStore<'static>,
    endings: Vec<Ending>,
}

impl DecodedBlock {
    /// Returns the memory of a block that has been replayed: its buffer, and that of
    /// its records.
    pub(super) fn into_memory(mut self) -> (Vec<u8>, BlockMemory) {
        let mut memory = self.cell.with_dependent_mut(|_, stored| {
            let StoredLines { lines, events, tapes, mut endings } = std::mem::take(stored);
            endings.clear();
            BlockMemory {
                arena: Vec::new(),
                lines: emptied(lines),
                events: reuse(events),
                tapes: tapes.reset(),
                endings,
            }
        });
        let owner = self.cell.into_owner();
        memory.arena = owner.arena.into_inner();
        (owner.block.into_buffer(), memory)
    }
}

/// Empties a vector of lines for another lifetime and keeps its memory.
fn emptied<'b>(mut lines: Vec<StoredLine<'_>>) -> Vec<StoredLine<'b>> {
    lines.clear();
    lines.into_iter().map(|_| StoredLine::Blank).collect()
}

impl Decoder {
    /// Decodes a block, assuming the state of the detector before it. Lines that `check`
    /// does not exclude are redacted when the block is replayed.
    pub(super) fn decode_block(
        &mut self,
        block: LineBlock,
        memory: BlockMemory,
        assumed: Detector,
        check: Option<&LineCheck>,
    ) -> DecodedBlock {
        let max_lines = block.len() / MIN_AVERAGE_LINE;
        let estimate = block.estimate_lines();
        // The estimate is from the start of the block; the rest may differ.
        let mut is_deferred = estimate > max_lines && block.count_lines() > max_lines;
        let BlockMemory { mut arena, lines, events, tapes, endings } = memory;
        // Lines that do not fit are deferred.
        let arena_lines = (2 * estimate).min(block.len() / USUAL_LINE);
        let needed = Arena::size_for(block.len(), arena_lines);
        if !is_deferred && arena.len() < needed {
            arena.resize(needed, 0);
        }
        self.detector = assumed;
        let owner = BlockOwner { block, arena: MutBorrow::new(arena) };
        let cell = BlockCell::new(owner, |owner| {
            let mut stored = StoredLines {
                lines: emptied(lines),
                events: reuse(events),
                tapes: tapes.reset(),
                endings,
            };
            let mut arena = Arena(owner.arena.borrow_mut());
            for content in owner.block.lines() {
                is_deferred |= stored.lines.len() > max_lines || stored.size() > MAX_DECODED;
                if is_deferred {
                    stored = StoredLines::default();
                    break;
                }
                let line = match content {
                    LineContent::TooLong(length) => StoredLine::TooLong(length),
                    LineContent::Bytes(bytes) if is_blank(bytes) => StoredLine::Blank,
                    LineContent::Bytes(bytes) => self
                        .store_line(bytes, check, &mut arena, &mut stored)
                        .unwrap_or_else(|| self.defer_line(bytes)),
                };
                stored.lines.push(line);
            }
            stored
        });
        DecodedBlock { cell, assumed, end: self.detector, is_deferred }
    }

    /// Decodes a line if it needs no special treatment.
    fn store_line<'a>(
        &mut self,
        bytes: &'a [u8],
        check: Option<&LineCheck>,
        arena: &mut Arena<'a>,
        stored: &mut StoredLines<'a>,
    ) -> Option<StoredLine<'a>> {
        if !self.parser.tokenise(bytes, true, arena, &mut stored.tapes) {
            return None;
        }
        let last = stored.tapes.last();
        let object = last.value();
        if !object.is_object() {
            return None;
        }
        let effect = check.map_or(LineEffect::None, |check| check.effect(bytes, object));
        if effect == LineEffect::Redact {
            return None;
        }
        let first = stored.events.len();
        let mut updated = self.detector;
        let filter = self.options.filter;
        let meta = LineMeta::decode(object, filter, &mut updated, &mut stored.events);
        if object.touched_elided() || meta.elements.is_some() {
            stored.events.truncate(first);
            return None;
        }
        let before = std::mem::replace(&mut self.detector, updated);
        if effect == LineEffect::EndsTexts {
            let detector = DetectorStates { before, after: updated };
            stored.endings.push(Ending { line: stored.lines.len(), detector });
        }
        if self.options.objects == Objects::Elided {
            stored.tapes.keep_last();
        }
        Some(StoredLine::Record { meta, event_count: stored.events.len() - first, bytes })
    }

    /// Defers a line, and decodes it to learn the state of the detector behind it.
    fn defer_line<'a>(&mut self, bytes: &'a [u8]) -> StoredLine<'a> {
        let before = self.detector;
        let _ = self.decode_line(bytes, |_| Ok::<(), ()>(()));
        let detector = DetectorStates { before, after: self.detector };
        StoredLine::Deferred { detector, bytes }
    }

    /// Passes the lines of a block to `each`, with their numbers in the block, as if
    /// they had been decoded one by one.
    pub(super) fn replay<E>(
        &mut self,
        decoded: &DecodedBlock,
        redactor: Option<&mut LineRedactor>,
        each: impl FnMut(u64, DecodedLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_valid = self.detector.agrees_with(&decoded.assumed) && !decoded.is_deferred;
        let mut replay = Replay { decoder: self, redactor, each };
        let mut done = 0;
        if is_valid {
            done = decoded
                .cell
                .with_dependent(|_, stored| replay.stored_lines(stored, decoded.end))?;
        }
        let rest = (0..).zip(decoded.cell.borrow_owner().block.lines()).skip(done);
        for (index, content) in rest {
            match content {
                LineContent::TooLong(length) => {
                    (replay.each)(index + 1, DecodedLine::TooLong(length))?;
                }
                LineContent::Bytes(bytes) => replay.decode(index + 1, bytes)?,
            }
        }
        Ok(())
    }
}

/// Passes on the lines of a block in order.
struct Replay<'d, F> {
    decoder: &'d mut Decoder,
    redactor: Option<&'d mut LineRedactor>,
    each: F,
}

impl<F> Replay<'_, F> {
    /// Passes on the decoded lines, and decodes those that were deferred. Returns the number
    /// of lines: all, or up to the first that left the detector in another state than the
    /// worker assumed, because it was redacted.
    fn stored_lines<E>(&mut self, stored: &StoredLines<'_>, end: Detector) -> Result<usize, E>
    where
        F: FnMut(u64, DecodedLine<'_>) -> Result<(), E>,
    {
        let (mut events, mut objects) = (&*stored.events, stored.tapes.kept());
        let mut endings = stored.endings.iter().peekable();
        for (number, (index, line)) in (1..).zip(stored.lines.iter().enumerate()) {
            let (detector, bytes) = match line {
                StoredLine::Record { meta, event_count, bytes } => {
                    let own_events;
                    (own_events, events) = events.split_at(*event_count);
                    let object = objects.next();
                    let ending = endings.next_if(|ending| ending.line == index);
                    let has_open = self.redactor.as_ref().is_some_and(|own| own.has_open_texts());
                    let Some(ending) = ending.filter(|_| has_open) else {
                        let object = object.as_ref().map(TapeView::value);
                        let record = meta.record(own_events, object, bytes, false);
                        (self.each)(number, DecodedLine::Record(record))?;
                        continue;
                    };
                    (&ending.detector, *bytes)
                }
                StoredLine::Deferred { detector, bytes } => (detector, *bytes),
                StoredLine::Blank => {
                    (self.each)(number, DecodedLine::Blank)?;
                    continue;
                }
                StoredLine::TooLong(length) => {
                    (self.each)(number, DecodedLine::TooLong(*length))?;
                    continue;
                }
            };
            self.decoder.detector = detector.before;
            self.decode(number, bytes)?;
            if !self.decoder.detector.agrees_with(&detector.after) {
                return Ok(index + 1);
            }
        }
        self.decoder.detector = end;
        Ok(stored.lines.len())
    }

    fn decode<E>(&mut self, number: u64, bytes: &[u8]) -> Result<(), E>
    where
        F: FnMut(u64, DecodedLine<'_>) -> Result<(), E>,
    {
        let Self { decoder, redactor, each } = self;
        let each = |line: DecodedLine<'_>| each(number, line);
        match redactor {
            Some(redactor) => decoder.decode_redacted(bytes, redactor, each),
            None => decoder.decode_line(bytes, each),
        }
    }
}
