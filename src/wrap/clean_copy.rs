//! A copy of the command's output that is safe to show on a terminal.

use std::io::{self, Write};

use super::partial_text::PartialText;
use crate::output::Sanitizer;

/// Copies bytes; on a terminal control characters are made visible.
pub(super) struct CleanCopy {
    to: Box<dyn Write>,
    sanitizer: Option<Sanitizer>,
    text: PartialText,
    /// Whether the last line is incomplete.
    is_in_line: bool,
}

impl CleanCopy {
    /// Copies to `to`, which is a terminal or not.
    pub(super) fn new(to: Box<dyn Write>, is_terminal: bool) -> Self {
        let sanitizer = is_terminal.then(Sanitizer::default);
        Self { to, sanitizer, text: PartialText::default(), is_in_line: false }
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
                let text = sanitizer.push(&self.text.push(bytes));
                self.to.write_all(text.as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
