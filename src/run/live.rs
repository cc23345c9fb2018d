//! Text as it is being written.
//!
//! With partial messages a block arrives twice: as deltas, and then complete.
//! [`LiveText`] passes the deltas on at once, and of the complete block only what
//! they lacked. One thread at a time is shown; blocks of other threads wait until
//! its block is complete. Deltas whose complete block can no longer come are ended
//! with [`TextPiece::Abandoned`]. A text that may be the summary of a compaction is held
//! back until the next event tells.

use std::collections::VecDeque;

use super::block_match::find;
use super::held_text::HeldText;
use super::open_messages::{OpenBlock, OpenMessage, OpenMessages, ThreadId};
use super::snapshot::{BlockText, MessageBlocks};
use super::string_pool::StringPool;
use crate::event::{Event, MessagePart};
use crate::harness::Record;
use crate::json::Scratch;

/// What to show next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TextPiece<'a> {
    /// A block of this thread starts; the name of the main thread is empty.
    Block(&'a str),
    /// The last block, which was complete, goes on.
    Continue(&'a str),
    /// More text of the block.
    Text(&'a str),
    /// The block is complete.
    End,
    /// The block ends without having been completed.
    Abandoned,
}

/// Maximum number of open threads, and of open blocks of one thread.
const MAX_OPEN: usize = 1000;

/// Maximum size of the text that waits.
const MAX_WAITING: usize = 16 << 20;

/// Turns records into text as it is being written. Call [`end`](Self::end) after the
/// last record.
#[derive(Debug, Default)]
pub(crate) struct LiveText {
    open: OpenMessages,
    /// The thread whose deltas are shown.
    shown: Option<ThreadId>,
    /// Threads with deltas that are not shown, oldest first.
    queue: VecDeque<ThreadId>,
    /// Blocks that wait until the shown thread has completed its block.
    waiting: Vec<WaitingBlock>,
    waiting_bytes: usize,
    held: HeldText,
    /// Whether some thread has too many blocks.
    has_too_many_blocks: bool,
    message_blocks: MessageBlocks,
    has_snapshots: bool,
    scratch: Scratch,
    pool: StringPool,
    /// Memory of the blocks of a completed message.
    block_memory: Vec<OpenBlock>,
}

#[derive(Debug)]
struct WaitingBlock {
    thread: ThreadId,
    text: String,
    is_abandoned: bool,
}

impl LiveText {
    /// Reads a record and passes what can be shown to `show`.
    pub fn apply<E>(
        &mut self,
        record: &Record<'_>,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.start_line(record);
        record.events.iter().try_for_each(|event| self.event(record, event, show))
    }

    /// Starts a line whose events follow one by one.
    pub fn start_line(&mut self, record: &Record<'_>) {
        self.message_blocks.start_line(record);
    }

    /// Reads an event of the line and passes what can be shown to `show`.
    pub fn event<E>(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let thread = record.parent_id.filter(|id| !id.is_empty());
        if let Some(text) = self.held.release(event) {
            self.show_block(None, &text, show)?;
        }
        match event {
            Event::Text { text, .. } if HeldText::is_needed(record) => self.held.hold(text),
            Event::Text { text, is_part: true, .. } => {
                let mut scratch = std::mem::take(&mut self.scratch);
                self.part_of_block(thread, text.read(&mut scratch), show)?;
                self.scratch = scratch;
            }
            Event::Text { message_id, text, .. } => {
                let mut scratch = std::mem::take(&mut self.scratch);
                self.complete_block(thread, *message_id, text.read(&mut scratch), show)?;
                self.scratch = scratch;
            }
            Event::Message(message) => self.start_message(thread, message.id, show)?,
            Event::Partial { message_id, part } => {
                self.part(thread, *message_id, part, show)?;
            }
            Event::ToolResult(result) if !result.detached => {
                self.end_subagent(result.call.id, show)?;
            }
            Event::ToolEnded { tool_id } => self.end_subagent(*tool_id, show)?,
            Event::Finished(_) => self.end(show)?,
            _ => {}
        }
        if self.exceeds_limits() { self.end(show) } else { Ok(()) }
    }

    /// Prepares for lines that repeat blocks of their message.
    pub fn expect_snapshots(&mut self) {
        self.has_snapshots = true;
    }

    /// Returns whether the last block may be continued: it is a part, or the stream has
    /// repeated or continued a block before.
    pub fn may_continue(&self) -> bool {
        self.has_snapshots || self.has_open_part()
    }

    /// Returns whether the last block is a part that may be continued.
    pub fn has_open_part(&self) -> bool {
        self.message_blocks.has_open_part()
    }

    /// Returns whether more is open than a run ever has. Everything open is then
    /// abandoned, which bounds the memory.
    fn exceeds_limits(&self) -> bool {
        self.has_too_many_blocks || self.open.len() > MAX_OPEN || self.waiting_bytes > MAX_WAITING
    }

    /// Ends the stream: everything open is abandoned.
    pub fn end<E>(
        &mut self,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(text) = self.held.take() {
            self.show_block(None, &text, show)?;
        }
        while let Some(thread) = self.shown.clone() {
            self.abandon(thread.as_deref(), show)?;
        }
        self.open.clear();
        self.queue.clear();
        self.has_too_many_blocks = false;
        Ok(())
    }

    fn part<E>(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        part: &MessagePart<'_>,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match part {
            MessagePart::MessageStart(message) => {
                self.abandon(thread, show)?;
                self.start_message(thread, message.id, show)
            }
            MessagePart::MessageStop { abandoned } => {
                let is_open = self.open.get(thread).is_some_and(|open| !open.blocks.is_empty());
                if *abandoned || !is_open { self.abandon(thread, show) } else { Ok(()) }
            }
            MessagePart::Text { index, text } if !text.is_empty() => {
                self.start_message(thread, message_id, show)?;
                self.append(thread, *index, text, show)
            }
            _ => Ok(()),
        }
    }

    /// Sets the message that a thread writes, if it is known. Blocks of another
    /// message will not be completed any more.
    fn start_message<E>(
        &mut self,
        thread: Option<&str>,
        id: Option<&str>,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(id) = id else {
            return Ok(());
        };
        match self.open.get(thread).and_then(|open| open.message_id.as_deref()) {
            Some(own) if own == id => return Ok(()),
            Some(_) => self.abandon(thread, show)?,
            None => {}
        }
        let id = self.pool.copy(id);
        let blocks = std::mem::take(&mut self.block_memory);
        if let Some(open) = self.open.get_mut(thread) {
            open.message_id = Some(id);
        } else {
            let thread = self.owned(thread);
            self.open.insert(thread, OpenMessage { message_id: Some(id), blocks, completed: None });
        }
        Ok(())
    }

    fn append<E>(
        &mut self,
        thread: Option<&str>,
        index: u64,
        text: &str,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.open.get(thread).is_none() {
            self.open.insert(thread.map(str::to_owned), OpenMessage::default());
        }
        let Some(open) = self.open.get_mut(thread) else { return Ok(()) };
        let is_first = open.blocks.is_empty();
        let is_new = open.blocks.last().is_none_or(|block| block.index != index);
        // A line may show a block that is not complete yet.
        let mut continues = false;
        if is_new {
            let snapshot = open.completed.take_if(|block| block.index == index);
            continues = snapshot.is_some() && is_first && self.shown.is_none();
            let block = snapshot.unwrap_or_else(|| OpenBlock { index, text: self.pool.copy("") });
            open.blocks.push(block);
            self.has_too_many_blocks |= open.blocks.len() > MAX_OPEN;
        }
        if let Some(block) = open.blocks.last_mut() {
            block.text.push_str(text);
        }
        if self.shown.is_none() {
            self.shown = Some(self.owned(thread));
        }
        if self.is_shown(thread) {
            if continues {
                self.has_snapshots = true;
                show(TextPiece::Continue(thread.unwrap_or_default()))?;
            } else if is_new {
                show(TextPiece::Block(thread.unwrap_or_default()))?;
            }
            show(TextPiece::Text(text))?;
        } else if is_first {
            self.queue.push_back(thread.map(str::to_owned));
        }
        Ok(())
    }

    fn is_shown(&self, thread: Option<&str>) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.as_deref() == thread)
    }

    fn owned(&mut self, thread: Option<&str>) -> ThreadId {
        thread.map(|thread| self.pool.copy(thread))
    }

    /// Reads a complete block, whose deltas may have come before.
    fn complete_block<E>(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        text: &str,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.start_message(thread, message_id, show)?;
        let is_shown = self.is_shown(thread);
        let open = self.open.get_mut(thread);
        let blocks = open.map(|open| &mut open.blocks).filter(|blocks| !blocks.is_empty());
        let found = blocks.as_deref().and_then(|blocks| find(blocks, text));
        let added = self.message_blocks.add(thread, message_id, text);
        match (blocks, found) {
            (Some(blocks), Some((at, rest))) => {
                let is_last = at + 1 == blocks.len();
                let block = blocks.remove(at);
                let is_done = blocks.is_empty();
                self.keep_completed(thread, block);
                if !is_shown {
                    self.wait(thread, text.to_owned(), false);
                } else if is_last {
                    show(TextPiece::Text(rest))?;
                    show(TextPiece::End)?;
                }
                if is_done && is_shown { self.show_next(show) } else { Ok(()) }
            }
            // An empty block says nothing about the deltas, and a snapshot may lack the
            // last ones.
            (Some(blocks), None) if !text.is_empty() && added != BlockText::Repeated => {
                if blocks.iter().any(|block| block.text.starts_with(text)) {
                    return Ok(());
                }
                self.abandon(thread, show)?;
                self.show_block(thread, text, show)
            }
            _ => match added {
                BlockText::New(text) => self.show_block(thread, text, show),
                BlockText::Rest(rest) if self.shown.is_none() => {
                    self.has_snapshots = true;
                    show(TextPiece::Continue(thread.unwrap_or_default()))?;
                    show(TextPiece::Text(rest))?;
                    show(TextPiece::End)
                }
                BlockText::Rest(rest) => self.show_block(thread, rest, show),
                BlockText::Repeated => Ok(()),
            },
        }
    }

    /// Reads a part of a block that is never printed as a whole.
    fn part_of_block<E>(
        &mut self,
        thread: Option<&str>,
        text: &str,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.message_blocks.starts_block(thread) || self.shown.is_some() {
            return self.show_block(thread, text, show);
        }
        show(TextPiece::Continue(thread.unwrap_or_default()))?;
        show(TextPiece::Text(text))?;
        show(TextPiece::End)
    }

    /// Keeps the block that was completed last, since deltas may continue it.
    fn keep_completed(&mut self, thread: Option<&str>, block: OpenBlock) {
        let Some(open) = self.open.get_mut(thread) else { return };
        let previous = open.completed.replace(block);
        self.pool.recycle(previous.map(|block| block.text));
    }

    /// Shows a complete block, now or after that of the shown thread.
    fn show_block<E>(
        &mut self,
        thread: Option<&str>,
        text: &str,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.shown.is_some() {
            self.wait(thread, text.to_owned(), false);
            return Ok(());
        }
        show(TextPiece::Block(thread.unwrap_or_default()))?;
        show(TextPiece::Text(text))?;
        show(TextPiece::End)
    }

    fn wait(&mut self, thread: Option<&str>, text: String, is_abandoned: bool) {
        self.waiting_bytes += text.len() + thread.map_or(0, str::len);
        self.waiting.push(WaitingBlock { thread: thread.map(str::to_owned), text, is_abandoned });
    }

    /// Ends the text of a subagent whose call has ended.
    fn end_subagent<E>(
        &mut self,
        tool_id: Option<&str>,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match tool_id {
            Some(_) => self.abandon(tool_id, show),
            None => Ok(()),
        }
    }

    /// Abandons the open blocks of a thread.
    fn abandon<E>(
        &mut self,
        thread: Option<&str>,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((name, mut open)) = self.open.remove(thread) else {
            return Ok(());
        };
        self.pool.recycle(name);
        self.pool.recycle(open.message_id.take());
        self.pool.recycle(open.completed.take().map(|block| block.text));
        if self.is_shown(thread) {
            if !open.blocks.is_empty() {
                show(TextPiece::Abandoned)?;
            }
            open.blocks.clear();
            self.block_memory = open.blocks;
            return self.show_next(show);
        }
        for block in open.blocks.drain(..) {
            self.wait(thread, block.text, true);
        }
        self.block_memory = open.blocks;
        Ok(())
    }

    /// Shows the waiting blocks, then the deltas of the next thread in the queue.
    fn show_next<E>(
        &mut self,
        show: &mut impl FnMut(TextPiece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.pool.recycle(self.shown.take().flatten());
        self.waiting_bytes = 0;
        for WaitingBlock { thread, text, is_abandoned } in self.waiting.drain(..) {
            show(TextPiece::Block(thread.as_deref().unwrap_or_default()))?;
            show(TextPiece::Text(&text))?;
            show(if is_abandoned { TextPiece::Abandoned } else { TextPiece::End })?;
        }
        while let Some(thread) = self.queue.pop_front() {
            let open = self.open.get(thread.as_deref()).filter(|open| !open.blocks.is_empty());
            let Some(open) = open else {
                continue;
            };
            for block in &open.blocks {
                show(TextPiece::Block(thread.as_deref().unwrap_or_default()))?;
                show(TextPiece::Text(&block.text))?;
            }
            self.shown = Some(thread);
            break;
        }
        Ok(())
    }
}
