//! The page: items and text one below the other, and at most the last line
//! written anew.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::details::Line;
use super::flow::Flow;
use super::log::Harmless;
use super::look::{Look, Mark, Paint, Piece, cut};
use crate::output::{Output, Sanitizer};

/// What was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    Text,
    Item,
}

/// Writes the view.
pub(super) struct Page {
    pub(super) look: Look,
    markdown: bool,
    /// On a terminal that can do more than print.
    terminal: bool,
    last: Last,
    flow: Option<Flow>,
    /// Characters may be cut between pieces of a text.
    sanitizer: Sanitizer,
    log: Harmless,
    /// The call whose line is still open, on a terminal.
    open: Option<(String, usize)>,
    /// The call whose line is the last one.
    last_call: Option<String>,
}

impl Page {
    pub(super) fn new(look: Look, markdown: bool, terminal: bool) -> Self {
        Self {
            look,
            markdown,
            terminal,
            last: Last::Nothing,
            flow: None,
            sanitizer: Sanitizer::default(),
            log: Harmless::default(),
            open: None,
            last_call: None,
        }
    }

    /// A line of its own.
    pub(super) fn item(
        &mut self,
        mark: Mark,
        depth: usize,
        pieces: &[Piece],
        out: &mut Output,
    ) -> io::Result<()> {
        self.before(Last::Item, out)?;
        let line = self.look.line(mark, depth, pieces);
        self.put(&(line + "\n"), out)
    }

    /// A line that may still be written anew: the call `id` is under way.
    pub(super) fn open_item(
        &mut self,
        id: &str,
        mark: Mark,
        depth: usize,
        pieces: &[Piece],
        out: &mut Output,
    ) -> io::Result<()> {
        if !self.terminal || self.look.width.is_none() {
            self.item(mark, depth, pieces, out)?;
            self.last_call = Some(id.to_owned());
            return Ok(());
        }
        self.before(Last::Item, out)?;
        // Not a row more than there is, whatever width was asked for.
        let columns = out.sink.width();
        let narrow = self.look.width.map(|width| width.min(columns.saturating_sub(1)));
        let line = Look { width: narrow, ..self.look }.line(mark, depth, pieces);
        self.open = Some((id.to_owned(), columns));
        self.put(&line, out)
    }

    /// Whether the line of the call is still open.
    pub(super) fn is_open(&self, id: &str, out: &Output) -> bool {
        // After a change of its width nobody knows how many rows it takes.
        self.open.as_ref().is_some_and(|(own, columns)| own == id && *columns == out.sink.width())
    }

    /// Writes the open line anew.
    pub(super) fn rewrite(
        &mut self,
        mark: Mark,
        depth: usize,
        pieces: &[Piece],
        out: &mut Output,
    ) -> io::Result<()> {
        self.open = None;
        let line = self.look.line(mark, depth, pieces);
        self.put(&format!("\r\x1b[2K{line}\n"), out)
    }

    /// Words one behind the other, in as many lines as they need.
    pub(super) fn words(
        &mut self,
        mark: Mark,
        first: &[Piece],
        text: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        self.rows(mark, first, &words, " ", out)
    }

    /// Facts one behind the other, in as many lines as they need.
    pub(super) fn facts(
        &mut self,
        mark: Mark,
        first: &[Piece],
        facts: &[String],
        out: &mut Output,
    ) -> io::Result<()> {
        self.rows(mark, first, facts, self.look.between(), out)
    }

    fn rows(
        &mut self,
        mark: Mark,
        first: &[Piece],
        facts: &[String],
        between: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        let most = self.look.width.unwrap_or(usize::MAX);
        let label: usize = first.iter().map(|piece| piece.0.width()).sum();
        let sign = self.look.sign_width(mark);
        let start = label + sign;
        let mut rows = vec![String::new()];
        for fact in facts {
            let row = rows.last().map_or(0, |row| row.width());
            let fits = start + row + between.width() + fact.width() <= most;
            match rows.last_mut() {
                Some(row) if row.is_empty() => row.push_str(fact),
                Some(row) if fits => row.extend([between, fact]),
                _ => rows.push(fact.clone()),
            }
        }
        for (at, row) in rows.into_iter().enumerate() {
            let label = first.iter().map(|Piece(text, paint)| match at {
                0 => Piece(text.clone(), *paint),
                _ => Piece(" ".repeat(text.width()), Paint::Plain),
            });
            let pieces: Vec<Piece> = label.chain([Piece(row, Paint::Plain)]).collect();
            if at == 0 {
                self.item(mark, 0, &pieces, out)?;
            } else {
                let line = " ".repeat(sign) + &self.look.line(Mark::Plain, 0, &pieces);
                self.put(&(line + "\n"), out)?;
            }
        }
        Ok(())
    }

    /// Whether the line of the call is the last one.
    pub(super) fn is_last(&self, id: Option<&str>) -> bool {
        self.last_call.is_some() && self.last_call.as_deref() == id
    }

    /// Lines below an item, cut to the width or broken there.
    pub(super) fn below(
        &mut self,
        depth: usize,
        lines: &[Line],
        whole: bool,
        out: &mut Output,
    ) -> io::Result<()> {
        self.close(out)?;
        let indent = "  ".repeat(depth + 2);
        let room =
            self.look.width.map_or(usize::MAX, |width| width.saturating_sub(indent.len()).max(8));
        for (line, paint) in lines {
            let line = self.look.plain(line);
            let mut rest = line.as_str();
            loop {
                let (row, more) = rest.split_at(cut(rest, room).len());
                self.put(&format!("{indent}{}\n", self.look.paint(row, *paint)), out)?;
                rest = more;
                if rest.is_empty() || row.is_empty() || !whole {
                    break;
                }
            }
        }
        Ok(())
    }

    /// A line as it is, set apart from what came before.
    pub(super) fn raw(&mut self, line: &str, out: &mut Output) -> io::Result<()> {
        if self.last == Last::Item {
            self.last = Last::Text;
        }
        self.before(Last::Item, out)?;
        self.put(&format!("{line}\n"), out)
    }

    /// A block of text begins.
    pub(super) fn begin_text(&mut self, depth: usize, out: &mut Output) -> io::Result<()> {
        self.end_text(out)?;
        // A blank line sets blocks apart.
        if self.last == Last::Text {
            self.last = Last::Item;
        }
        self.before(Last::Text, out)?;
        self.flow = Some(Flow::new(self.markdown && self.look.pretty, depth));
        Ok(())
    }

    /// More of it.
    pub(super) fn text(&mut self, text: &str, out: &mut Output) -> io::Result<()> {
        let Some(flow) = &mut self.flow else { return Ok(()) };
        let shown = flow.push(&self.sanitizer.visible(text), &self.look);
        self.put(&shown, out)
    }

    /// The block is complete.
    pub(super) fn end_text(&mut self, out: &mut Output) -> io::Result<()> {
        let Some(mut flow) = self.flow.take() else { return Ok(()) };
        let rest = flow.push(&self.sanitizer.end(), &self.look);
        let shown = rest + &flow.end(&self.look);
        self.put(&shown, out)
    }

    /// Everything is written.
    pub(super) fn close(&mut self, out: &mut Output) -> io::Result<()> {
        self.end_text(out)?;
        if self.open.take().is_some() {
            self.put("\n", out)?;
        }
        Ok(())
    }

    /// Writes to the terminal, or to the log.
    fn put(&mut self, text: &str, out: &mut Output) -> io::Result<()> {
        if self.look.pretty { out.sink.print(text) } else { out.sink.print(&self.log.pass(text)) }
    }

    /// Makes room for what comes next.
    fn before(&mut self, next: Last, out: &mut Output) -> io::Result<()> {
        self.close(out)?;
        self.last_call = None;
        let apart = self.last != Last::Nothing && self.last != next;
        if apart && self.look.pretty {
            self.put("\n", out)?;
        }
        self.last = next;
        Ok(())
    }
}
