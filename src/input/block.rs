//! What is on a line, and blocks of whole lines, which can be read on any thread.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

/// Memory that lines stand in, shared with those who have yet to write some of
/// them; nobody changes it meanwhile.
pub type Buffer = Arc<Vec<u8>>;

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is on a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Its bytes, without the line's end.
    Bytes(&'a [u8]),
    /// More than the limit: only the length is known.
    TooLong(u64),
}

/// What is on a line; the `first` may begin with a byte-order mark.
pub(super) fn content(line: &[u8], first: bool, max_line: usize) -> Content<'_> {
    let bytes = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| first).unwrap_or(line);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.len() > max_line { Content::TooLong(line.len() as u64) } else { Content::Bytes(bytes) }
}

/// Complete lines, to be read on any thread.
#[derive(Debug, Default)]
pub struct Block {
    pub(super) buffer: Buffer,
    /// Where in it they stand.
    pub(super) lines: Range<usize>,
    /// It is the beginning of the stream.
    pub(super) first: bool,
    pub(super) max_line: usize,
}

impl Block {
    /// How much there is.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// About how many lines there are, by its beginning.
    #[must_use]
    pub fn about_lines(&self) -> usize {
        let all = &self.buffer[self.lines.clone()];
        let sample = &all[..all.len().min(4096)];
        let lines = memchr::memchr_iter(b'\n', sample).count() + 1;
        lines * all.len().div_ceil(sample.len().max(1))
    }

    /// How many lines there are.
    #[must_use]
    pub fn count_lines(&self) -> usize {
        memchr::memchr_iter(b'\n', &self.buffer[self.lines.clone()]).count()
    }

    /// What is on its lines.
    pub fn lines(&self) -> impl Iterator<Item = Content<'_>> {
        let mut rest = &self.buffer[self.lines.clone()];
        let mut first = self.first;
        std::iter::from_fn(move || {
            let newline = memchr(b'\n', rest)?;
            let line = content(&rest[..newline], std::mem::take(&mut first), self.max_line);
            rest = &rest[newline + 1..];
            Some(line)
        })
    }

    /// What the lines stand in.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The same, to be used again.
    #[must_use]
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }
}
