//! Text as it is being written.
//!
//! With partial messages a block arrives twice: in deltas, then whole. This
//! machine lets the deltas through the moment they come and holds back what
//! has been shown when the whole block follows. At any time one block is
//! shown; blocks of other threads wait until it is complete. Deltas that no
//! complete block follows are given up with [`Piece::Abandoned`].

use std::collections::HashMap;

use crate::event::{Event, Packet, Part};

/// What to show next.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A block begins.
    Block,
    /// More text of the block.
    Text(&'a str),
    /// The block ends here without having been completed.
    Abandoned,
}

type Thread = Option<String>;

/// The machine. Feed it every packet, and [`end`](Self::end) at the end.
#[derive(Debug, Default)]
pub struct LiveText {
    /// Blocks with deltas that are not yet complete, oldest first. The first
    /// `shown` of them are out: one that grows, and before it blocks of the
    /// same message that only wait for their confirmation.
    open: Vec<Block>,
    shown: usize,
    /// Text that waits for the shown block.
    waiting: Vec<Waiting>,
    /// The message each thread is writing.
    writing: HashMap<Thread, String>,
}

#[derive(Debug)]
struct Block {
    thread: Thread,
    message_id: Option<String>,
    index: u64,
    text: String,
}

#[derive(Debug)]
struct Waiting {
    text: String,
    abandoned: bool,
}

impl Block {
    fn is_in(&self, thread: Option<&str>) -> bool {
        self.thread.as_deref() == thread
    }

    fn is_of(&self, message_id: Option<&str>) -> bool {
        match (self.message_id.as_deref(), message_id) {
            (Some(own), Some(id)) => own == id,
            _ => true,
        }
    }
}

impl LiveText {
    /// Takes in a packet and gives out what can be shown.
    pub fn apply(&mut self, packet: &Packet<'_>, show: &mut impl FnMut(Piece<'_>)) {
        let thread = packet.parent_id;
        for event in packet.events {
            match event {
                Event::Text { message_id, text } => self.complete(thread, *message_id, text, show),
                Event::Message(message) => {
                    self.abandon(show, |block| {
                        block.is_in(thread) && !block.is_of(message.id)
                    });
                }
                Event::Finished(_) => self.abandon(show, |block| block.is_in(thread)),
                Event::Partial { message_id, part } => match part {
                    Part::MessageStart(message) => {
                        self.abandon(show, |block| block.is_in(thread));
                        let thread = thread.map(str::to_owned);
                        self.writing.remove(&thread);
                        self.writing
                            .extend(message.id.map(|id| (thread, id.to_owned())));
                    }
                    Part::MessageStop { abandoned: true } => {
                        self.abandon(show, |block| {
                            block.is_in(thread) && block.is_of(*message_id)
                        });
                    }
                    Part::Text { index, text } if !text.is_empty() => {
                        let at = self.block(thread, *message_id, *index);
                        self.grow(at, text, show);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// The stream is over: whatever is open has been abandoned.
    pub fn end(&mut self, show: &mut impl FnMut(Piece<'_>)) {
        self.abandon(show, |_| true);
    }

    /// The open block a delta belongs to; a new one if there is none.
    fn block(&mut self, thread: Option<&str>, message_id: Option<&str>, index: u64) -> usize {
        // Of the shown blocks only the last can grow.
        let first = self.shown.saturating_sub(1);
        let found = self.open[first..].iter().position(|block| {
            block.is_in(thread) && block.index == index && block.is_of(message_id)
        });
        if let Some(found) = found {
            return first + found;
        }
        let thread = thread.map(str::to_owned);
        let written = || self.writing.get(&thread).cloned();
        self.open.push(Block {
            message_id: message_id.map(str::to_owned).or_else(written),
            thread,
            index,
            text: String::new(),
        });
        self.open.len() - 1
    }

    fn grow(&mut self, at: usize, text: &str, show: &mut impl FnMut(Piece<'_>)) {
        self.open[at].text.push_str(text);
        if at == self.shown && self.may_show(at) {
            self.shown += 1;
            show(Piece::Block);
        }
        if at + 1 == self.shown {
            show(Piece::Text(text));
        }
    }

    /// A new block is shown when nothing else is, or right after blocks of
    /// its own message.
    fn may_show(&self, at: usize) -> bool {
        let new = &self.open[at];
        self.open[..at]
            .iter()
            .all(|block| block.thread == new.thread && block.is_of(new.message_id.as_deref()))
    }

    /// A complete block of text: its deltas, if any, came before.
    fn complete(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        text: &str,
        show: &mut impl FnMut(Piece<'_>),
    ) {
        let own = |block: &Block| block.is_in(thread) && block.is_of(message_id);
        let same = |block: &Block| own(block) && block.text == text;
        let begins = |(at, block): (usize, &Block)| {
            at + 1 >= self.shown && own(block) && text.starts_with(&block.text)
        };
        let exact = self.open.iter().position(same);
        match exact.or_else(|| self.open.iter().enumerate().position(begins)) {
            Some(at) if at < self.shown => {
                let block = self.open.remove(at);
                let rest = &text[block.text.len()..];
                if !rest.is_empty() {
                    show(Piece::Text(rest));
                }
                self.shown -= 1;
                self.release(show);
            }
            found => {
                match found {
                    Some(at) => drop(self.open.remove(at)),
                    None => self.abandon(show, |block| block.is_in(thread)),
                }
                self.waiting.push(Waiting {
                    text: text.to_owned(),
                    abandoned: false,
                });
                self.release(show);
            }
        }
    }

    /// Gives up the blocks that no complete one can follow any more.
    fn abandon(&mut self, show: &mut impl FnMut(Piece<'_>), given_up: impl Fn(&Block) -> bool) {
        let hidden = self.open.split_off(self.shown);
        for block in hidden {
            if given_up(&block) {
                self.waiting.push(Waiting {
                    text: block.text,
                    abandoned: true,
                });
            } else {
                self.open.push(block);
            }
        }
        let (mut at, shown) = (0, self.shown);
        self.open.retain(|block| {
            at += 1;
            at > shown || !given_up(block) || {
                self.shown -= 1;
                false
            }
        });
        if self.shown < shown {
            show(Piece::Abandoned);
        }
        self.release(show);
    }

    /// Once nothing is shown: what waited, then the oldest open block.
    fn release(&mut self, show: &mut impl FnMut(Piece<'_>)) {
        if self.shown > 0 {
            return;
        }
        for Waiting { text, abandoned } in self.waiting.drain(..) {
            show(Piece::Block);
            show(Piece::Text(&text));
            if abandoned {
                show(Piece::Abandoned);
            }
        }
        if let Some(block) = self.open.first() {
            self.shown = 1;
            show(Piece::Block);
            show(Piece::Text(&block.text));
        }
    }
}
