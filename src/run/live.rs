//! Text as it is being written.
//!
//! With partial messages a block arrives twice: in deltas, then whole. This
//! machine lets the deltas through the moment they come, and when the whole
//! block follows only what was not shown of it. At any time one thread
//! speaks; blocks of other threads wait until it has finished its own. Deltas
//! that no whole block can follow any more are given up with
//! [`Piece::Abandoned`].

mod threads;

use std::collections::VecDeque;

use self::threads::{Block, Thread, Threads, Writing};
use super::assign::Spare;
use crate::event::{Event, Packet, Part};
use crate::json::Memory;

/// What to show next.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A block of this thread begins; the main one has no name.
    Block(&'a str),
    /// More text of the block.
    Text(&'a str),
    /// The block is complete.
    End,
    /// The block ends here without having been completed.
    Abandoned,
}

/// The machine. Feed it every packet, and [`end`](Self::end) at the end.
#[derive(Debug, Default)]
pub struct LiveText {
    writing: Threads,
    /// The thread whose blocks are shown as they grow.
    speaker: Option<Thread>,
    /// Threads with hidden blocks, the first to begin first.
    queue: VecDeque<Thread>,
    /// Whole blocks that wait for the speaker to finish.
    waiting: Vec<Waiting>,
    waiting_bytes: usize,
    /// Some thread has too many blocks.
    crowded: bool,
    /// Where whole blocks are read.
    memory: Memory,
    spare: Spare,
    spare_blocks: Vec<Block>,
}

/// So many threads, or blocks of one, can be open; so much text can wait.
const MOST_OPEN: usize = 1000;
const MOST_WAITING: usize = 16 << 20;

#[derive(Debug)]
struct Waiting {
    thread: Thread,
    text: String,
    abandoned: bool,
}

impl LiveText {
    /// Takes in a packet and gives out what can be shown.
    ///
    /// # Errors
    ///
    /// The first error of `show`.
    pub fn apply<E>(
        &mut self,
        packet: &Packet<'_>,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let thread = packet.parent_id.filter(|id| !id.is_empty());
        for event in packet.events {
            match event {
                Event::Text { message_id, text } => {
                    let mut memory = std::mem::take(&mut self.memory);
                    self.whole(thread, *message_id, text.read(&mut memory), show)?;
                    self.memory = memory;
                }
                Event::Message(message) => self.turn_to(thread, message.id, show)?,
                Event::Partial { message_id, part } => {
                    self.part(thread, *message_id, part, show)?;
                }
                Event::ToolResult(result) if !result.detached => {
                    self.call_ended(result.call.id, show)?;
                }
                Event::ToolEnded { tool_id } => self.call_ended(*tool_id, show)?,
                Event::Finished(_) => self.end(show)?,
                _ => {}
            }
            if self.is_too_much() {
                self.end(show)?;
            }
        }
        Ok(())
    }

    /// Whether more waits than a run ever has: what is open is given up then, and
    /// memory is bounded but for the text of a block.
    fn is_too_much(&self) -> bool {
        self.crowded || self.writing.len() > MOST_OPEN || self.waiting_bytes > MOST_WAITING
    }

    /// The stream is over: whatever is open has been abandoned.
    ///
    /// # Errors
    ///
    /// The first error of `show`.
    pub fn end<E>(&mut self, show: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        while let Some(thread) = self.speaker.clone() {
            self.leave(thread.as_deref(), show)?;
        }
        self.writing.clear();
        self.queue.clear();
        self.crowded = false;
        Ok(())
    }

    fn part<E>(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        part: &Part<'_>,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match part {
            Part::MessageStart(message) => {
                self.leave(thread, show)?;
                self.turn_to(thread, message.id, show)
            }
            Part::MessageStop { abandoned } => {
                let open = self.writing.get(thread).is_some_and(|own| !own.blocks.is_empty());
                if *abandoned || !open { self.leave(thread, show) } else { Ok(()) }
            }
            Part::Text { index, text } if !text.is_empty() => {
                self.turn_to(thread, message_id, show)?;
                self.grow(thread, *index, text, show)
            }
            _ => Ok(()),
        }
    }

    /// `thread` goes on with the message `id`, if that is told: blocks of
    /// another message will not come whole any more.
    fn turn_to<E>(
        &mut self,
        thread: Option<&str>,
        id: Option<&str>,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(id) = id else {
            return Ok(());
        };
        match self.writing.get(thread).and_then(|own| own.message_id.as_deref()) {
            Some(own) if own == id => return Ok(()),
            Some(_) => self.leave(thread, show)?,
            None => {}
        }
        let id = self.spare.text(id);
        let blocks = std::mem::take(&mut self.spare_blocks);
        if let Some(own) = self.writing.get_mut(thread) {
            own.message_id = Some(id);
        } else {
            let thread = self.named(thread);
            self.writing.insert(thread, Writing { message_id: Some(id), blocks });
        }
        Ok(())
    }

    fn grow<E>(
        &mut self,
        thread: Option<&str>,
        index: u64,
        text: &str,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.writing.get(thread).is_none() {
            self.writing.insert(thread.map(str::to_owned), Writing::default());
        }
        let Some(own) = self.writing.get_mut(thread) else { return Ok(()) };
        let first = own.blocks.is_empty();
        let new = own.blocks.last().is_none_or(|block| block.index != index);
        if new {
            own.blocks.push(Block { index, text: self.spare.text("") });
            self.crowded |= own.blocks.len() > MOST_OPEN;
        }
        if let Some(block) = own.blocks.last_mut() {
            block.text.push_str(text);
        }
        if self.speaker.is_none() {
            self.speaker = Some(self.named(thread));
        }
        if self.speaks(thread) {
            if new {
                show(Piece::Block(thread.unwrap_or_default()))?;
            }
            show(Piece::Text(text))?;
        } else if first {
            self.queue.push_back(thread.map(str::to_owned));
        }
        Ok(())
    }

    fn speaks(&self, thread: Option<&str>) -> bool {
        self.speaker.as_ref().is_some_and(|speaker| speaker.as_deref() == thread)
    }

    /// A thread, to be kept.
    fn named(&mut self, thread: Option<&str>) -> Thread {
        thread.map(|thread| self.spare.text(thread))
    }

    /// A whole block of text: its deltas, if any, came before.
    fn whole<E>(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        text: &str,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.turn_to(thread, message_id, show)?;
        let speaks = self.speaks(thread);
        let own = self.writing.get_mut(thread);
        let blocks = own.map(|own| &mut own.blocks).filter(|blocks| !blocks.is_empty());
        let found = blocks.as_deref().and_then(|blocks| find(blocks, text));
        match (blocks, found) {
            (Some(blocks), Some((at, rest))) => {
                let last = at + 1 == blocks.len();
                self.spare.give_back(Some(blocks.remove(at).text));
                let done = blocks.is_empty();
                if !speaks {
                    self.wait(thread, text.to_owned(), false);
                } else if last {
                    show(Piece::Text(rest))?;
                    show(Piece::End)?;
                }
                if done && speaks { self.release(show) } else { Ok(()) }
            }
            // An empty block contradicts nothing.
            (Some(_), None) if !text.is_empty() => {
                self.leave(thread, show)?;
                self.say(thread, text, show)
            }
            _ => self.say(thread, text, show),
        }
    }

    /// Shows a whole block, now or when the speaker has finished.
    fn say<E>(
        &mut self,
        thread: Option<&str>,
        text: &str,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.speaker.is_some() {
            self.wait(thread, text.to_owned(), false);
            return Ok(());
        }
        show(Piece::Block(thread.unwrap_or_default()))?;
        show(Piece::Text(text))?;
        show(Piece::End)
    }

    fn wait(&mut self, thread: Option<&str>, text: String, abandoned: bool) {
        self.waiting_bytes += text.len() + thread.map_or(0, str::len);
        self.waiting.push(Waiting { thread: thread.map(str::to_owned), text, abandoned });
    }

    /// A subagent whose call has ended says no more.
    fn call_ended<E>(
        &mut self,
        tool_id: Option<&str>,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match tool_id {
            Some(_) => self.leave(tool_id, show),
            None => Ok(()),
        }
    }

    /// Gives up what `thread` has open.
    fn leave<E>(
        &mut self,
        thread: Option<&str>,
        show: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((name, mut own)) = self.writing.remove(thread) else {
            return Ok(());
        };
        self.spare.give_back(name);
        self.spare.give_back(own.message_id.take());
        if self.speaks(thread) {
            if !own.blocks.is_empty() {
                show(Piece::Abandoned)?;
            }
            own.blocks.clear();
            self.spare_blocks = own.blocks;
            return self.release(show);
        }
        for block in own.blocks.drain(..) {
            self.wait(thread, block.text, true);
        }
        self.spare_blocks = own.blocks;
        Ok(())
    }

    /// The speaker has finished: now what waited, then the next in the queue.
    fn release<E>(&mut self, show: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        self.spare.give_back(self.speaker.take().flatten());
        self.waiting_bytes = 0;
        for Waiting { thread, text, abandoned } in self.waiting.drain(..) {
            show(Piece::Block(thread.as_deref().unwrap_or_default()))?;
            show(Piece::Text(&text))?;
            show(if abandoned { Piece::Abandoned } else { Piece::End })?;
        }
        while let Some(thread) = self.queue.pop_front() {
            let own = self.writing.get(thread.as_deref()).filter(|own| !own.blocks.is_empty());
            let Some(own) = own else {
                continue;
            };
            for block in &own.blocks {
                show(Piece::Block(thread.as_deref().unwrap_or_default()))?;
                show(Piece::Text(&block.text))?;
            }
            self.speaker = Some(thread);
            break;
        }
        Ok(())
    }
}

/// The block that `text` is the whole of, and what of it is new: one with the
/// same text, else the last if it is a beginning.
fn find<'a>(blocks: &[Block], text: &'a str) -> Option<(usize, &'a str)> {
    let same = blocks.iter().position(|block| block.text == text);
    same.map(|at| (at, "")).or_else(|| {
        let last = blocks.last()?;
        Some((blocks.len() - 1, rest_of(text, &last.text)?))
    })
}

/// What a character becomes that was cut in two between deltas.
const CUT: char = char::REPLACEMENT_CHARACTER;

/// What follows in `text` after `shown`, if it begins with that.
fn rest_of<'a>(text: &'a str, shown: &str) -> Option<&'a str> {
    if let Some(rest) = text.strip_prefix(shown) {
        return Some(rest);
    }
    // The CLI may trim what it streamed.
    if text.trim() == shown.trim() {
        return Some("");
    }
    let mut rest = text.chars();
    let mut shown = shown.chars().peekable();
    let mut cut = false;
    while let Some(c) = shown.next() {
        if c == CUT {
            while shown.next_if_eq(&CUT).is_some() {}
            cut = true;
            rest.next()?;
        } else if rest.next()? != c {
            return None;
        }
    }
    cut.then_some(rest.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_block_continues_what_was_shown_of_it() {
        assert_eq!(rest_of("Hello", "Hel"), Some("lo"));
        assert_eq!(rest_of("Hello", "Help"), None);
        assert_eq!(rest_of("Hello", " Hello \n"), Some(""));
        assert_eq!(rest_of("a😀bc", "a\u{fffd}\u{fffd}b"), Some("c"));
        assert_eq!(rest_of("a😀bc", "a\u{fffd}\u{fffd}x"), None);
        assert_eq!(rest_of("", "a"), None);
    }
}
