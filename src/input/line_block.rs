//! A block of complete lines, owned, so that any thread can decode it.

use std::ops::Range;

use bstr::{BStr, ByteSlice};
use memchr::{memchr, memchr_iter};

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The content of one line.
#[derive(Debug, PartialEq, Eq)]
pub enum LineContent<'a> {
    /// The bytes without the line terminator.
    Bytes(&'a BStr),
    /// The line exceeds the limit; only its length in bytes is known.
    TooLong(u64),
}

impl<'a> LineContent<'a> {
    /// Strips the terminator from `line`, and the byte-order mark from the
    /// first line of an input, and applies the limit.
    pub(super) fn new(line: &'a [u8], is_first: bool, max_line: usize) -> Self {
        let bytes = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() > max_line {
            Self::TooLong(line.len() as u64)
        } else {
            Self::Bytes(bytes.as_bstr())
        }
    }
}

/// Complete lines of one input.
#[derive(Debug, Default)]
pub struct LineBlock {
    pub(super) buffer: Vec<u8>,
    /// Range of `buffer` that holds the lines; ends behind a newline.
    pub(super) range: Range<usize>,
    /// Whether the block starts with the first line of the input.
    pub(super) is_first: bool,
    pub(super) max_line: usize,
}

impl LineBlock {
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }

    /// Returns the number of bytes, newlines included.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Estimates the number of lines from the start of the block.
    pub fn estimate_lines(&self) -> usize {
        let bytes = self.bytes();
        let sample = &bytes[..bytes.len().min(4096)];
        let lines = memchr_iter(b'\n', sample).count() + 1;
        lines * bytes.len().div_ceil(sample.len().max(1))
    }

    /// Counts the lines.
    pub fn count_lines(&self) -> usize {
        memchr_iter(b'\n', self.bytes()).count()
    }

    /// Iterates over the lines.
    pub fn lines(&self) -> impl Iterator<Item = LineContent<'_>> {
        let mut rest = self.bytes();
        let mut is_first = self.is_first;
        std::iter::from_fn(move || {
            let newline = memchr(b'\n', rest)?;
            let is_first = std::mem::take(&mut is_first);
            let line = LineContent::new(&rest[..newline], is_first, self.max_line);
            rest = &rest[newline + 1..];
            Some(line)
        })
    }

    /// Returns the buffer for reuse.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}
