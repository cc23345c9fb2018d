//! Prints items and text one below the other. Only the last line is ever rewritten.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::calls::{OpenCall, call_spans};
use super::text_flow::TextFlow;
use super::theme::{Marker, Span, Theme, Tone};
use crate::output::{CommandEscaper, Output, Sanitizer, one_line};

/// Maximum number of bytes of a text that are rendered at once.
pub(super) const MAX_PART: usize = 64 << 10;

/// Splits a text, so that a text of megabytes is not copied as a whole.
pub(super) fn parts(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (part, rest) = text.split_at(text.floor_char_boundary(MAX_PART));
        text = rest;
        Some(part).filter(|part| !part.is_empty())
    })
}

/// What was printed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastPrinted {
    Nothing,
    Text,
    Item,
}

/// Prints the view.
pub(super) struct Renderer {
    pub(super) theme: Theme,
    renders_markdown: bool,
    /// Whether the last line can be rewritten.
    can_rewrite: bool,
    last: LastPrinted,
    /// The current block of text, and the one that ended last while its line is open.
    flow: Option<TextFlow>,
    ended_flow: Option<TextFlow>,
    /// State of text that is printed in several parts.
    sanitizer: Sanitizer,
    escaper: CommandEscaper,
    /// The call whose line has no newline yet, and the width of the terminal then.
    open: Option<(String, usize)>,
    /// The call on the last line of a log.
    last_call: Option<String>,
    /// Whether a status is shown behind the cursor.
    has_status: bool,
}

impl Renderer {
    pub(super) fn new(theme: Theme, renders_markdown: bool, can_rewrite: bool) -> Self {
        Self {
            theme,
            renders_markdown,
            can_rewrite,
            last: LastPrinted::Nothing,
            flow: None,
            ended_flow: None,
            sanitizer: Sanitizer::default(),
            escaper: CommandEscaper::default(),
            open: None,
            last_call: None,
            has_status: false,
        }
    }

    /// Prints a command for the CI system that reads the log.
    pub(super) fn command(&mut self, text: &str, out: &mut Output) -> io::Result<()> {
        self.close(out)?;
        self.last_call = None;
        out.sink.command(text)
    }

    /// Prints a line.
    pub(super) fn item(
        &mut self,
        marker: Marker,
        depth: usize,
        spans: &[Span],
        out: &mut Output,
    ) -> io::Result<()> {
        self.before(LastPrinted::Item, out)?;
        let line = self.theme.line(marker, depth, spans);
        self.put(&(line + "\n"), out)
    }

    /// Prints the line of a running call, which may be rewritten.
    pub(super) fn open_item(
        &mut self,
        id: &str,
        marker: Marker,
        depth: usize,
        spans: &[Span],
        out: &mut Output,
    ) -> io::Result<()> {
        if !self.can_rewrite || self.theme.width.is_none() {
            self.item(marker, depth, spans, out)?;
            self.last_call = Some(id.to_owned());
            return Ok(());
        }
        self.before(LastPrinted::Item, out)?;
        let columns = out.sink.width();
        self.open = Some((id.to_owned(), columns));
        self.put(&self.open_line(columns, marker, depth, spans), out)
    }

    /// Returns a line that may be rewritten: limited to the terminal's width, whatever
    /// width was requested.
    fn open_line(&self, columns: usize, marker: Marker, depth: usize, spans: &[Span]) -> String {
        let width = self.theme.width.map(|width| width.min(columns.saturating_sub(1)));
        Theme { width, ..self.theme }.line(marker, depth, spans)
    }

    /// Replaces the line of a running call. If it cannot be rewritten, the line with the
    /// outcome names the call.
    pub(super) fn update_item(
        &mut self,
        id: &str,
        marker: Marker,
        depth: usize,
        spans: &[Span],
        out: &mut Output,
    ) -> io::Result<()> {
        if self.is_open(id, out) {
            let line = self.open_line(out.sink.width(), marker, depth, spans);
            return self.put(&format!("\r\x1b[2K{line}"), out);
        }
        self.last_call.take_if(|last| last == id);
        Ok(())
    }

    /// Returns whether the last line of the output can be rewritten.
    pub(super) fn can_rewrite(&self) -> bool {
        self.can_rewrite && self.theme.width.is_some()
    }

    /// Returns the call whose line can be rewritten.
    pub(super) fn open_id(&self, out: &Output) -> Option<&str> {
        let (id, _) = self.open.as_ref()?;
        self.is_open(id, out).then_some(id)
    }

    /// Returns the name, the summary and the facts of a call. The facts matter more than the
    /// end of a long summary.
    pub(super) fn call_spans(&self, marker: Marker, call: &OpenCall, facts: String) -> Vec<Span> {
        let mut summary = call.summary.clone();
        if let Some(width) = self.theme.width {
            let marker = self.theme.marker_width(marker) + 2 * call.depth;
            let used = facts.width() + call.name.width() + marker + 3;
            summary = one_line(&summary, width.saturating_sub(used).max(8));
        }
        let mut spans = call_spans(&call.name, &summary);
        spans.extend((!facts.is_empty()).then_some(Span(facts, Tone::Dim)));
        spans
    }

    /// Shows a status behind the cursor, until something else is printed.
    pub(super) fn show_status(&mut self, text: &str, out: &mut Output) -> io::Result<()> {
        let flow = self.flow.as_ref().or(self.ended_flow.as_ref());
        let column = flow.map_or(Some(0), TextFlow::cursor);
        let text = self.theme.single_line(text);
        let gap = if column == Some(0) { "" } else { "  " };
        let width = gap.width() + text.width();
        let room = out.sink.width().saturating_sub(1);
        if self.open.is_some() || column.is_none_or(|column| column + width > room) {
            return Ok(());
        }
        let text = self.theme.paint(&text, Tone::Dim);
        self.put(&format!("{gap}{text}\x1b[{width}D"), out)?;
        self.has_status = true;
        Ok(())
    }

    /// Returns whether the line of the call can be rewritten.
    pub(super) fn is_open(&self, id: &str, out: &Output) -> bool {
        // After a resize the line may take several rows.
        self.open.as_ref().is_some_and(|(own, columns)| own == id && *columns == out.sink.width())
    }

    /// Rewrites the open line.
    pub(super) fn rewrite(
        &mut self,
        marker: Marker,
        depth: usize,
        spans: &[Span],
        out: &mut Output,
    ) -> io::Result<()> {
        self.open = None;
        let line = self.theme.line(marker, depth, spans);
        self.put(&format!("\r\x1b[2K{line}\n"), out)
    }

    /// Returns whether the line of the call is the last one of the log.
    pub(super) fn is_last(&self, id: &str) -> bool {
        self.last_call.as_deref() == Some(id)
    }

    /// Prints a line behind a blank line.
    pub(super) fn separate(&mut self, line: &str, out: &mut Output) -> io::Result<()> {
        if self.last == LastPrinted::Item {
            self.last = LastPrinted::Text;
        }
        self.before(LastPrinted::Item, out)?;
        self.put(&format!("{line}\n"), out)
    }

    /// Starts a block of text.
    pub(super) fn start_text(&mut self, depth: usize, out: &mut Output) -> io::Result<()> {
        self.close_text(out)?;
        // A blank line separates blocks.
        if self.last == LastPrinted::Text {
            self.last = LastPrinted::Item;
        }
        self.before(LastPrinted::Text, out)?;
        self.flow = Some(TextFlow::new(self.renders_markdown && self.theme.is_terminal, depth));
        Ok(())
    }

    /// Continues the block that ended last, on the same line if that is still open.
    pub(super) fn continue_text(&mut self, depth: usize, out: &mut Output) -> io::Result<()> {
        self.flow = self.ended_flow.take();
        if self.flow.is_some() { Ok(()) } else { self.start_text(depth, out) }
    }

    /// Adds to the block.
    pub(super) fn text(&mut self, text: &str, out: &mut Output) -> io::Result<()> {
        for part in parts(text) {
            let Some(flow) = &mut self.flow else { return Ok(()) };
            let shown = flow.push(&self.sanitizer.push(part), &self.theme);
            self.put(&shown, out)?;
        }
        Ok(())
    }

    /// Ends the block, but not its line.
    pub(super) fn end_text(&mut self, out: &mut Output) -> io::Result<()> {
        let Some(mut flow) = self.flow.take() else { return Ok(()) };
        let rest = flow.push(&self.sanitizer.finish(), &self.theme);
        let shown = rest + &flow.flush(&self.theme);
        self.ended_flow = Some(flow);
        self.put(&shown, out)
    }

    /// Ends the block and its line.
    fn close_text(&mut self, out: &mut Output) -> io::Result<()> {
        self.end_text(out)?;
        self.close_ended_text(out)
    }

    /// Ends the line of a block that has ended.
    pub(super) fn close_ended_text(&mut self, out: &mut Output) -> io::Result<()> {
        let Some(mut flow) = self.ended_flow.take() else { return Ok(()) };
        let shown = flow.finish(&self.theme);
        self.put(&shown, out)
    }

    /// Ends the current line.
    pub(super) fn close(&mut self, out: &mut Output) -> io::Result<()> {
        self.put("", out)?;
        self.close_text(out)?;
        if self.open.take().is_some() {
            self.put("\n", out)?;
        }
        Ok(())
    }

    /// Writes to the terminal or to the log.
    pub(super) fn put(&mut self, text: &str, out: &mut Output) -> io::Result<()> {
        if std::mem::take(&mut self.has_status) {
            out.sink.print("\x1b[K")?;
        }
        if self.theme.is_terminal {
            out.sink.print(text)
        } else {
            out.sink.print(&self.escaper.escape(text))
        }
    }

    /// Ends the current line, and separates different kinds of output.
    fn before(&mut self, next: LastPrinted, out: &mut Output) -> io::Result<()> {
        self.close(out)?;
        self.last_call = None;
        let is_other = self.last != LastPrinted::Nothing && self.last != next;
        if is_other && self.theme.is_terminal {
            self.put("\n", out)?;
        }
        self.last = next;
        Ok(())
    }
}
