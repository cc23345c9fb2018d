//! A copy of the command's output that is safe to show on a terminal or in a CI log.

use std::io::{self, Write};

use super::partial_text::PartialText;
use crate::output::{CommandEscaper, Sanitizer, is_ci};

/// Copies bytes; on a terminal and in a CI log control characters are made visible.
pub(super) struct CleanCopy {
    to: Box<dyn Write>,
    sanitizer: Option<Sanitizer>,
    /// Escapes commands in the log of a CI system.
    escaper: Option<CommandEscaper>,
    text: PartialText,
    /// Whether the last line is incomplete.
    is_in_line: bool,
}

impl CleanCopy {
    /// Copies to `to`, which is a terminal or not.
    pub(super) fn new(to: Box<dyn Write>, is_terminal: bool) -> Self {
        let is_ci = is_ci();
        let escaper = is_ci.then(CommandEscaper::default);
        Self { escaper, ..Self::raw(to, is_terminal || is_ci) }
    }

    /// Copies the stream itself, which programs read unless `to` is a terminal.
    pub(super) fn raw(to: Box<dyn Write>, is_terminal: bool) -> Self {
        let sanitizer = is_terminal.then(Sanitizer::default);
        Self { to, sanitizer, escaper: None, text: PartialText::default(), is_in_line: false }
    }

    /// Ends the last line, so that a message can follow.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if self.is_in_line { self.write_all(b"\n") } else { Ok(()) }
    }
}

impl Write for CleanCopy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_in_line = bytes.last().map_or(self.is_in_line, |last| *last != b'\n');
        match &mut self.sanitizer {
            None => self.to.write_all(bytes)?,
            Some(sanitizer) => {
                let mut text = sanitizer.push(&self.text.push(bytes));
                if let Some(escaper) = &mut self.escaper {
                    text = escaper.escape(&text);
                }
                self.to.write_all(text.as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
