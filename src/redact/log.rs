//! Masks lines that are no JSON: a log, or the standard error of a command.

use std::borrow::Cow;

use super::key_block::KeyBlock;
use super::line::masked_json;
use super::{REDACTED, REDACTED_LINE, Redactor, escape_sequence};

/// Masks the lines of one log.
#[derive(Debug)]
pub(crate) struct LogRedactor {
    redactor: Redactor,
    /// A private key that the last line belongs to.
    block: Option<KeyBlock>,
}

/// What a line belongs to.
enum Part {
    /// A private key, all of it.
    Key,
    /// A private key that ends in it, at this byte of the line without escape sequences.
    KeyUpTo(usize),
    /// No private key, or the first line of one.
    Other,
}

impl LogRedactor {
    /// Masks what `redactor` detects.
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { redactor, block: None }
    }

    /// Masks the secrets in a line, and replaces one that must not be printed at all.
    pub(crate) fn strict<'l>(&mut self, line: &'l str) -> Cow<'l, str> {
        let is_key = !matches!(self.part(line), Part::Other);
        if is_key || self.redactor.leaks(line.as_bytes()) {
            return Cow::Borrowed(REDACTED_LINE);
        }
        self.masked(line)
    }

    /// Masks the secrets in a line.
    pub(crate) fn line<'l>(&mut self, line: &'l str) -> Cow<'l, str> {
        match self.part(line) {
            Part::Key => Cow::Borrowed(REDACTED),
            Part::KeyUpTo(end) => {
                let plain = escape_sequence::strip(line.as_bytes());
                let rest = String::from_utf8_lossy(&plain[end..]).into_owned();
                Cow::Owned(REDACTED.to_owned() + &self.masked(&rest))
            }
            Part::Other => self.masked(line),
        }
    }

    fn masked<'l>(&self, line: &'l str) -> Cow<'l, str> {
        if line.trim_start().starts_with(['{', '[']) {
            let json = masked_json(line.as_bytes(), &self.redactor);
            if let Cow::Owned(bytes) = json {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                return Cow::Owned(self.redactor.mask(&text).into_owned());
            }
        }
        self.redactor.mask(line)
    }

    /// Returns what a line belongs to, and remembers what the next one may belong to.
    fn part(&mut self, line: &str) -> Part {
        let plain = escape_sequence::strip(line.as_bytes());
        if let Some(mut block) = self.block.take() {
            // A blank line may be followed by more of the key.
            let extent = block.extend(&[b"\n", &*plain].concat(), true);
            if !extent.is_complete {
                self.block = Some(block);
                return Part::Key;
            }
            if extent.length > 1 {
                return Part::KeyUpTo(extent.length - 1);
            }
        }
        let block = self.redactor.open_block(&plain);
        self.block = block.and_then(|(mut block, lines)| {
            (!block.extend(&plain[lines..], true).is_complete).then_some(block)
        });
        Part::Other
    }
}
