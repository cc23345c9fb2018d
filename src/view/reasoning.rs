//! The agent's reasoning.

use std::io;

use super::details::DetailLine;
use super::theme::{Marker, Tone};
use super::{Thinking, View};
use crate::event::Event;
use crate::harness::Record;
use crate::output::{Output, one_line, sanitize};
use crate::phrases::MAX_LINE_WIDTH;

impl View {
    /// Shows reasoning that is complete with this event.
    pub(super) fn reasoning(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let mut blocks = std::mem::take(&mut self.reasoning);
        let shown = blocks.apply(record, event, &mut |thread, text| self.block(thread, text, out));
        self.reasoning = blocks;
        shown
    }

    /// Shows reasoning that arrived in parts and is complete before this event.
    pub(super) fn interrupt_reasoning(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let mut blocks = std::mem::take(&mut self.reasoning);
        let shown =
            blocks.interrupt(record, event, &mut |thread, text| self.block(thread, text, out));
        self.reasoning = blocks;
        shown
    }

    /// Shows reasoning that is complete at the end of the stream.
    pub(super) fn end_reasoning(&mut self, out: &mut Output) -> io::Result<()> {
        let mut blocks = std::mem::take(&mut self.reasoning);
        blocks.end(&mut |thread, text| self.block(thread, text, out))
    }

    fn block(&mut self, thread: &str, text: &str, out: &mut Output) -> io::Result<()> {
        let depth = if thread.is_empty() { 0 } else { self.depth_of(thread) };
        let text = sanitize(text.trim()).replace("**", "");
        if text.is_empty() || self.options.thinking == Thinking::Hidden {
            return Ok(());
        }
        let shows_all = self.options.thinking == Thinking::Shown || self.options.is_full;
        let first = if shows_all {
            text.lines().next().unwrap_or_default().to_owned()
        } else {
            one_line(&text, MAX_LINE_WIDTH)
        };
        self.dim_item(Marker::Thinking, depth, first, out)?;
        if shows_all {
            let renderer = Self::renderer(&mut self.renderer, &self.options, out);
            for line in text.lines().skip(1) {
                renderer.detail(depth, &DetailLine::new("", line, Tone::Dim), true, out)?;
            }
        }
        Ok(())
    }
}
