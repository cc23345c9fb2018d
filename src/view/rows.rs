//! Rows below and behind items, wrapped or cut to the width.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::MAX_LINE_WIDTH;
use super::details::DetailLine;
use super::renderer::{MAX_PART, Renderer, parts};
use super::theme::{Marker, Span, Tone, cut};
use crate::output::{Output, Sanitizer, sanitize};

impl Renderer {
    /// Prints words behind a label, wrapped.
    pub(super) fn words(
        &mut self,
        marker: Marker,
        label: &[Span],
        text: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        self.wrapped(marker, label, &words, " ", out)
    }

    /// Prints facts behind a label, wrapped.
    pub(super) fn facts(
        &mut self,
        marker: Marker,
        label: &[Span],
        facts: &[String],
        out: &mut Output,
    ) -> io::Result<()> {
        self.wrapped(marker, label, facts, self.theme.separator(), out)
    }

    fn wrapped(
        &mut self,
        marker: Marker,
        label: &[Span],
        words: &[String],
        separator: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        let width = self.theme.width.unwrap_or(usize::MAX);
        let label_width: usize = label.iter().map(|span| span.0.width()).sum();
        let marker_width = self.theme.marker_width(marker);
        let start = label_width + marker_width;
        let mut rows = vec![String::new()];
        for word in words {
            let row = rows.last().map_or(0, |row| row.width());
            let fits = start + row + separator.width() + word.width() <= width;
            match rows.last_mut() {
                Some(row) if row.is_empty() => row.push_str(word),
                Some(row) if fits => row.extend([separator, word]),
                _ => rows.push(word.clone()),
            }
        }
        for (at, row) in rows.into_iter().enumerate() {
            let label = label.iter().map(|Span(text, tone)| match at {
                0 => Span(text.clone(), *tone),
                _ => Span(" ".repeat(text.width()), Tone::Plain),
            });
            let spans: Vec<Span> = label.chain([Span(row, Tone::Plain)]).collect();
            if at == 0 {
                self.item(marker, 0, &spans, out)?;
            } else {
                let line = self.theme.line(Marker::None, 0, &spans);
                let line = " ".repeat(marker_width) + &line;
                self.put(&(line + "\n"), out)?;
            }
        }
        Ok(())
    }

    /// Prints a line below an item, cut to the width.
    pub(super) fn detail(
        &mut self,
        depth: usize,
        line: &DetailLine<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        self.close(out)?;
        let indent = "  ".repeat(depth + 2);
        let room = self.detail_room(&indent).min(MAX_LINE_WIDTH);
        // An escaped character may need several columns.
        let start = &line.text[..line.text.floor_char_boundary(MAX_PART)];
        let text = self.theme.single_line(&sanitize(&format!("{}{start}", line.prefix)));
        let shown = if text.width() > room {
            cut(&text, room.saturating_sub(self.theme.ellipsis().width())).trim_end()
        } else {
            &text
        };
        let ellipsis = if shown.len() < text.len() { self.theme.ellipsis() } else { "" };
        let shown = self.theme.paint(&format!("{shown}{ellipsis}"), line.tone);
        self.put(&format!("{indent}{shown}\n"), out)
    }

    /// Prints a line below an item, wrapped between words.
    pub(super) fn wrapped_detail(
        &mut self,
        depth: usize,
        line: &DetailLine<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        self.close(out)?;
        let indent = "  ".repeat(depth + 2);
        let room = self.detail_room(&indent);
        let mut sanitizer = Sanitizer::default();
        let (first, rest) = line.text.split_at(line.text.floor_char_boundary(MAX_PART));
        let start = format!("{}{first}", line.prefix);
        // The row that is not complete yet.
        let mut row = String::new();
        self.put(&indent, out)?;
        for part in parts(&start).chain(parts(rest)) {
            row += &self.theme.single_line(&sanitizer.push(part));
            let mut rest = row.as_str();
            while let Some((full, more)) = split_row(rest, room) {
                let full = self.theme.paint(full, line.tone);
                self.put(&format!("{full}\n{indent}"), out)?;
                rest = more;
            }
            if self.theme.width.is_none() {
                self.put(&self.theme.paint(rest, line.tone), out)?;
                rest = "";
            }
            row = rest.to_owned();
        }
        row += &self.theme.single_line(&sanitizer.finish());
        let last = self.theme.paint(&row, line.tone);
        self.put(&(last + "\n"), out)
    }

    /// Returns the columns behind the marker of an item.
    pub(super) fn room_of_item(&self, marker: Marker, depth: usize) -> usize {
        let used = self.theme.marker_width(marker) + 2 * depth;
        self.theme.width.map_or(usize::MAX, |width| width.saturating_sub(used).max(8))
    }

    /// Returns the columns behind the indentation of a detail.
    fn detail_room(&self, indent: &str) -> usize {
        self.theme.width.map_or(usize::MAX, |width| width.saturating_sub(indent.len()).max(8))
    }
}

/// Splits a text that is wider than `room` behind the last word that fits, or inside a word
/// that does not fit. `None` if everything fits.
pub(super) fn split_row(text: &str, room: usize) -> Option<(&str, &str)> {
    let fitting = cut(text, room);
    let rest = &text[fitting.len()..];
    if rest.is_empty() {
        return None;
    }
    if let Some(rest) = rest.strip_prefix(' ') {
        return Some((fitting, rest));
    }
    // White space at the start is indentation.
    let words = fitting.trim_start();
    let at = words.rfind(' ').map(|at| fitting.len() - words.len() + at);
    // A wide character is shown even if it does not fit.
    let first = text.chars().next().map_or(0, char::len_utf8);
    Some(match at {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => text.split_at(fitting.len().max(first)),
    })
}
