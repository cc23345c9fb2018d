//! Text of the agent: created with its first part, completed by others.

use std::io;

use super::change::{ChangeSink, ItemContent, ItemStart, PageChange};
use crate::run::TextPiece;

/// Numbers items in the order in which they start.
#[derive(Debug, Default)]
pub(super) struct ItemCounter(u64);

impl ItemCounter {
    pub(super) fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0 - 1
    }
}

/// The text that was written last.
#[derive(Debug, Default)]
pub(super) struct WrittenText {
    item: u64,
    /// The thread; empty for the main one.
    agent: String,
    text: String,
    /// Bytes that changes contain already.
    sent: usize,
    /// Whether a change has created the item.
    is_started: bool,
    is_open: bool,
}

impl WrittenText {
    /// Adds a piece of text.
    pub(super) fn piece(
        &mut self,
        piece: &TextPiece<'_>,
        start: ItemStart<'_>,
        items: &mut ItemCounter,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        match piece {
            TextPiece::Block(agent) => {
                (*agent).clone_into(&mut self.agent);
                self.text.clear();
                (self.item, self.sent) = (items.next(), 0);
                (self.is_started, self.is_open) = (false, true);
                Ok(())
            }
            TextPiece::Continue(_) => {
                self.is_open = true;
                Ok(())
            }
            TextPiece::Text(text) => {
                self.text.push_str(text);
                Ok(())
            }
            TextPiece::End => self.finish(start, false, sink),
            TextPiece::Abandoned => self.finish(start, true, sink),
        }
    }

    /// Passes on what was added since the last change, if the text is open.
    pub(super) fn send(
        &mut self,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        if !self.is_open || self.text.len() == self.sent {
            return Ok(());
        }
        self.change(None, false, start, sink)
    }

    fn finish(
        &mut self,
        start: ItemStart<'_>,
        is_abandoned: bool,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        self.is_open = false;
        let text = std::mem::take(&mut self.text);
        let shown = self.change(Some(&text), is_abandoned, start, sink);
        self.sent = text.len();
        self.text = text;
        shown
    }

    fn change(
        &mut self,
        whole: Option<&str>,
        is_abandoned: bool,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        let agent = Some(self.agent.as_str()).filter(|agent| !agent.is_empty());
        let is_new = !std::mem::replace(&mut self.is_started, true);
        let text = whole.unwrap_or(&self.text);
        let change = PageChange {
            item: self.item,
            start: is_new.then_some(ItemStart { agent, ..start }),
            content: ItemContent::Text { added: &text[self.sent..], whole, is_abandoned },
        };
        sink.change(&change)?;
        self.sent = text.len();
        Ok(())
    }
}
