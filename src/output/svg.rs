//! A picture of a terminal, as SVG.

use std::fmt::Write as _;
use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::screen::without_rewritten;

const COLUMN: f64 = 8.4;
const ROW: usize = 20;
const MARGIN: usize = 16;
const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d7dae0";

/// Collects what is written to a terminal, and writes it as a picture at the end.
pub(crate) struct SvgWriter<W: Write> {
    to: W,
    text: Vec<u8>,
}

impl<W: Write> SvgWriter<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, text: Vec::new() }
    }
}

impl<W: Write> Write for SvgWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> Drop for SvgWriter<W> {
    fn drop(&mut self) {
        let text = without_rewritten(&self.text);
        // A picture that cannot be written is as incomplete as a text.
        let _ = self.to.write_all(picture(&String::from_utf8_lossy(&text)).as_bytes());
    }
}

/// How text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    is_bold: bool,
    is_dim: bool,
    is_italic: bool,
    is_underlined: bool,
    colour: Option<&'static str>,
}

impl Look {
    /// Applies a code of an escape sequence.
    fn apply(&mut self, code: &str) {
        match code {
            "" | "0" => *self = Self::default(),
            "1" => self.is_bold = true,
            "2" => self.is_dim = true,
            "3" => self.is_italic = true,
            "4" => self.is_underlined = true,
            "22" => (self.is_bold, self.is_dim) = (false, false),
            "23" => self.is_italic = false,
            "24" => self.is_underlined = false,
            "31" => self.colour = Some("#f07178"),
            "32" => self.colour = Some("#8fce6f"),
            "33" => self.colour = Some("#e6b455"),
            "35" => self.colour = Some("#c792ea"),
            "36" => self.colour = Some("#5ccfe6"),
            "39" => self.colour = None,
            _ => {}
        }
    }

    fn attributes(self) -> String {
        let mut attributes = String::new();
        let parts = [
            (self.is_bold, " font-weight=\"bold\""),
            (self.is_dim, " opacity=\"0.6\""),
            (self.is_italic, " font-style=\"italic\""),
            (self.is_underlined, " text-decoration=\"underline\""),
        ];
        attributes.extend(parts.into_iter().filter(|(is_set, _)| *is_set).map(|(_, text)| text));
        if let Some(colour) = self.colour {
            let _ = write!(attributes, " fill=\"{colour}\"");
        }
        attributes
    }
}

/// Splits a line into texts with their looks; `look` is kept for the next line.
fn spans(line: &str, look: &mut Look) -> Vec<(String, Look)> {
    let mut parts = line.split('\u{1b}');
    let mut spans = vec![(parts.next().unwrap_or_default().to_owned(), *look)];
    for part in parts {
        let text = match part.strip_prefix('[').and_then(|code| code.split_once('m')) {
            Some((codes, text)) => {
                codes.split(';').for_each(|code| look.apply(code));
                text
            }
            // The end of a link, or the link itself.
            None => part.strip_prefix('\\').unwrap_or_default(),
        };
        spans.push((text.to_owned(), *look));
    }
    spans.retain(|(text, _)| !text.is_empty());
    spans
}

/// Returns the picture of a text with colours.
fn picture(text: &str) -> String {
    let mut look = Look::default();
    let lines: Vec<_> = text.lines().map(|line| spans(line, &mut look)).collect();
    let width = |line: &Vec<(String, Look)>| line.iter().map(|(text, _)| text.width()).sum();
    let columns: usize = lines.iter().map(width).max().unwrap_or(0);
    let (width, height) = (position(columns) + 2.0 * margin(), lines.len() * ROW + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" \
         viewBox=\"0 0 {width:.0} {height}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" \
         fill=\"{BACKGROUND}\"/>\n<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,\
         'DejaVu Sans Mono',monospace\" font-size=\"14\" fill=\"{FOREGROUND}\" \
         xml:space=\"preserve\">\n"
    );
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        let y = MARGIN + row * ROW + ROW * 3 / 4;
        for (text, look) in line {
            let used: usize = text.width();
            if !text.trim().is_empty() {
                let (x, length) = (position(column) + margin(), position(used));
                let _ = writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\"{}>{}</text>",
                    look.attributes(),
                    escape(text)
                );
            }
            column += used;
        }
    }
    svg + "</g>\n</svg>\n"
}

#[allow(clippy::cast_precision_loss)] // columns of a terminal
fn position(columns: usize) -> f64 {
    columns as f64 * COLUMN
}

#[allow(clippy::cast_precision_loss)]
fn margin() -> f64 {
    MARGIN as f64
}

/// Escapes the characters that XML reserves, and omits those that it forbids.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // Several spaces are one in the default mode of viewers.
            ' ' => escaped.push('\u{a0}'),
            c if c.width().is_some() => escaped.push(c),
            _ => {}
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_its_colours_and_positions() {
        let svg = picture("a \u{1b}[1m<b>\u{1b}[0m\n\u{1b}[2m\u{1b}[31mc & d\u{1b}[0m");
        for expected in [
            "<text x=\"16.0\" y=\"31\" textLength=\"16.8\">a\u{a0}</text>",
            "<text x=\"32.8\" y=\"31\" textLength=\"25.2\" font-weight=\"bold\">&lt;b&gt;</text>",
            "y=\"51\" textLength=\"42.0\" opacity=\"0.6\" fill=\"#f07178\">c\u{a0}&amp;\u{a0}d</text>",
        ] {
            assert!(svg.contains(expected), "{expected}: {svg}");
        }
    }
}
