//! Splits a stream of bytes into numbered lines.
//!
//! Lines end at `\n` only: raw U+2028, U+2029 and U+0085 occur inside lines.
//! A line over the limit is never held in memory; its bytes are counted and
//! discarded up to the next newline.

use std::io;
use std::ops::Range;

use memchr::{memchr, memrchr};

use super::Input;
use super::line_block::{BYTE_ORDER_MARK, LineBlock, LineContent};

/// Bytes requested from the input with one read.
const READ_SIZE: usize = 64 * 1024;

/// Capacity of the buffer of a block. A longer line is not put into a block:
/// each worker would hold that much memory.
const BLOCK_CAPACITY: usize = 2 * READ_SIZE;

/// Largest buffer that is worth reusing for another block.
pub const MAX_POOLED_BUFFER: usize = 2 * BLOCK_CAPACITY;

/// A buffer that a line has grown beyond this is shrunk once it is empty.
const MAX_RETAINED: usize = 4 << 20;

/// Returns the size to allocate, zeroed, for a buffer of at least `size` bytes. It is rounded
/// up, so that lines that get longer one by one do not need a buffer each. Above 32 MiB
/// glibc always maps memory: what is not used is free, and what is released is returned to
/// the system instead of being kept for the thread.
pub(crate) fn lazy_size(size: usize) -> usize {
    let is_small = size <= MAX_RETAINED / 4;
    if is_small { size.next_power_of_two() } else { size.max((32 << 20) + 1) }
}

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Line number, counted from 1.
    pub number: u64,
    /// The line without its terminator.
    pub content: LineContent<'a>,
}

/// Buffers an input and splits it into lines.
pub struct LineBuffer {
    buffer: Vec<u8>,
    /// Start of the unread bytes; always ≤ `searched`.
    start: usize,
    /// `buffer[start..searched]` has no newline; always ≤ `end`.
    searched: usize,
    /// End of the unread bytes; always ≤ `buffer.len()`.
    end: usize,
    /// Reused memory for the bytes behind the last newline of a block.
    tail: Vec<u8>,
    max_line: usize,
    /// Bytes of the current line that were discarded because it is too long.
    discarded: u64,
    /// Number of the line returned last.
    number: u64,
}

impl LineBuffer {
    /// Creates a buffer for lines of at most `max_line` bytes.
    pub fn new(max_line: usize) -> Self {
        let (buffer, tail) = (Vec::new(), Vec::new());
        Self { buffer, start: 0, searched: 0, end: 0, tail, max_line, discarded: 0, number: 0 }
    }

    /// Returns the next complete line in memory.
    #[allow(clippy::should_implement_trait)] // the line borrows from the buffer
    pub fn next(&mut self) -> Option<Line<'_>> {
        let newline = memchr(b'\n', &self.buffer[self.searched..self.end]);
        let searched = std::mem::replace(&mut self.searched, self.end);
        let newline = searched + newline?;
        let line = self.start..newline;
        self.start = newline + 1;
        self.searched = self.start;
        Some(self.line(line))
    }

    /// Returns the rest of an input that ended without a newline.
    pub fn last(&mut self) -> Option<Line<'_>> {
        let line = self.start..self.end;
        self.start = self.end;
        self.searched = self.end;
        if line.is_empty() && self.discarded == 0 {
            return None;
        }
        Some(self.line(line))
    }

    /// Reads once from `input` and returns the number of bytes; zero at the end.
    pub fn fill(&mut self, input: &mut impl Input) -> io::Result<usize> {
        self.shrink();
        self.reserve();
        // A reused buffer may be larger than a block; only a long line uses all of it.
        let limit = self.start + BLOCK_CAPACITY.max(2 * self.unread());
        let free = self.end..limit.min(self.buffer.len());
        let count = input.read(&mut self.buffer[free])?;
        self.end += count;
        Ok(count)
    }

    /// Ensures that `READ_SIZE` bytes are free behind the unread bytes.
    fn reserve(&mut self) {
        let unread = self.unread();
        if unread > self.max_line.saturating_add(BYTE_ORDER_MARK.len() + 1) {
            self.discarded += unread as u64;
            self.start = self.end;
            self.searched = self.end;
        }
        if self.buffer.len() - self.end >= READ_SIZE {
            return;
        }
        let unread = self.start..self.end;
        let needed = unread.len() + READ_SIZE;
        if self.buffer.len() < needed {
            let max = self.max_line.saturating_add(READ_SIZE).max(needed);
            let doubled = lazy_size(self.buffer.len().saturating_mul(2));
            self.move_to(vec![0; doubled.clamp(needed, max)]);
        } else {
            self.buffer.copy_within(unread, 0);
            self.rewind();
        }
    }

    /// Releases memory that a long line has left behind.
    fn shrink(&mut self) {
        if self.buffer.len() > MAX_RETAINED && self.unread() < MAX_RETAINED / 4 {
            self.move_to(vec![0; (self.unread() + READ_SIZE).max(BLOCK_CAPACITY)]);
        }
    }

    /// Moves the unread bytes to `buffer` and returns the previous buffer.
    fn move_to(&mut self, mut buffer: Vec<u8>) -> Vec<u8> {
        let unread = self.start..self.end;
        buffer[..unread.len()].copy_from_slice(&self.buffer[unread]);
        self.rewind();
        std::mem::replace(&mut self.buffer, buffer)
    }

    /// Adjusts the positions after the unread bytes were moved to the front.
    fn rewind(&mut self) {
        self.end -= self.start;
        self.searched -= self.start;
        self.start = 0;
    }

    fn line(&mut self, range: Range<usize>) -> Line<'_> {
        self.number += 1;
        let number = self.number;
        let discarded = std::mem::take(&mut self.discarded);
        let bytes = &self.buffer[range];
        let content = if discarded > 0 {
            LineContent::TooLong(discarded + bytes.len() as u64)
        } else {
            LineContent::new(bytes, number == 1, self.max_line)
        };
        Line { number, content }
    }

    /// Returns whether the current line is too long for a block, or is being
    /// discarded.
    pub fn is_long(&self) -> bool {
        self.discarded > 0 || self.searched - self.start >= BLOCK_CAPACITY
    }

    /// Returns the limit for a line in bytes.
    pub fn max_line(&self) -> usize {
        self.max_line
    }

    /// Returns the number of unread bytes.
    pub fn unread(&self) -> usize {
        self.end - self.start
    }

    /// Takes all complete lines out, together with the buffer.
    ///
    /// A line that [is long](Self::is_long) is not part of a block; read it with
    /// [`next`](Self::next). The caller counts the lines of the block and passes
    /// the result to [`set_number`](Self::set_number).
    pub fn take_block(&mut self) -> Option<LineBlock> {
        if self.discarded > 0 {
            return None;
        }
        let newline = memrchr(b'\n', &self.buffer[self.searched..self.end]);
        let searched = std::mem::replace(&mut self.searched, self.end);
        let rest = searched + newline? + 1..self.end;
        let mut tail = std::mem::take(&mut self.tail);
        tail.clear();
        tail.extend_from_slice(&self.buffer[rest.clone()]);
        let block = LineBlock {
            range: self.start..rest.start,
            buffer: std::mem::replace(&mut self.buffer, tail),
            is_first: self.number == 0,
            max_line: self.max_line,
        };
        (self.start, self.searched, self.end) = (0, rest.len(), rest.len());
        self.number = self.number.max(1);
        Some(block)
    }

    /// Returns whether the buffer is large enough for a block.
    pub fn has_block_capacity(&self) -> bool {
        self.buffer.len() >= BLOCK_CAPACITY
    }

    /// Continues in `buffer`, which is replaced if it is too small.
    pub fn replace_buffer(&mut self, mut buffer: Vec<u8>) {
        let needed = (self.unread() + READ_SIZE).max(BLOCK_CAPACITY);
        if buffer.len() < needed {
            buffer = vec![0; needed];
        }
        self.tail = self.move_to(buffer);
    }

    /// Returns whether no line has begun.
    pub fn is_empty(&self) -> bool {
        self.unread() == 0 && self.discarded == 0
    }

    /// Returns the number of the line read last.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Sets the number of the line read last.
    pub fn set_number(&mut self, number: u64) {
        self.number = number;
    }
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    /// Returns its bytes in chunks of the given size.
    struct Chunks<'a> {
        bytes: &'a [u8],
        size: usize,
    }

    impl Input for Chunks<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.size.min(buffer.len()).min(self.bytes.len());
            buffer[..count].copy_from_slice(&self.bytes[..count]);
            self.bytes = &self.bytes[count..];
            Ok(count)
        }

        fn ready(&self) -> bool {
            true
        }
    }

    fn lines(bytes: &[u8], size: usize, max_line: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut count = 0;
        let mut owned = |line: Line<'_>| {
            count += 1;
            assert_eq!(line.number, count);
            match line.content {
                LineContent::Bytes(bytes) => Ok(bytes.to_vec()),
                LineContent::TooLong(length) => Err(length),
            }
        };
        let mut buffer = LineBuffer::new(max_line);
        let mut input = Chunks { bytes, size };
        let mut lines = Vec::new();
        loop {
            while let Some(line) = buffer.next() {
                lines.push(owned(line));
            }
            if buffer.fill(&mut input).unwrap() == 0 {
                break;
            }
        }
        lines.extend(buffer.last().map(&mut owned));
        lines
    }

    #[test]
    fn line_ends_at_newline_only_and_loses_one_carriage_return() {
        let bytes = "a\r\nb\r\r\n\nc\u{2028}\u{85}d\n".as_bytes();
        for size in 1..=bytes.len() {
            let expected = ["a", "b\r", "", "c\u{2028}\u{85}d"];
            let expected = expected.map(|line| Ok(line.as_bytes().to_vec()));
            assert_eq!(lines(bytes, size, 100), expected);
        }
    }

    #[test]
    fn last_line_needs_no_newline() {
        assert_eq!(lines(b"a\nb", 1, 9), [Ok(b"a".to_vec()), Ok(b"b".to_vec())]);
        assert_eq!(lines(b"", 1, 9), []);
    }

    #[test]
    fn byte_order_mark_is_dropped_at_the_start_only() {
        let lines = lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", 2, 9);
        assert_eq!(lines, [Ok(b"a".to_vec()), Ok(b"\xef\xbb\xbfb".to_vec())]);
    }

    #[test]
    fn line_over_the_limit_is_counted_and_skipped() {
        let bytes =
            [b"ok\n".as_slice(), &[b'x'; 50], b"\r\nok\n", &[b'y'; 11], b"\n1234567890\n"].concat();
        for size in [1, 2, 3, 7, 1000] {
            let expected = [
                Ok(b"ok".to_vec()),
                Err(51),
                Ok(b"ok".to_vec()),
                Err(11),
                Ok(b"1234567890".to_vec()),
            ];
            assert_eq!(lines(&bytes, size, 10), expected);
        }
    }

    #[test]
    fn line_over_the_limit_is_never_held_whole() {
        let line = vec![b'x'; 10_000_000];
        let mut buffer = LineBuffer::new(1000);
        let mut input = Chunks { bytes: &line, size: usize::MAX };
        while buffer.fill(&mut input).unwrap() > 0 {
            assert!(buffer.next().is_none());
        }
        let content = buffer.last().map(|line| line.content);
        assert_eq!(content, Some(LineContent::TooLong(10_000_000)));
        assert!(buffer.buffer.len() <= 1000 + 2 * READ_SIZE, "{}", buffer.buffer.len());
    }

    #[test]
    fn buffer_shrinks_after_a_huge_line() {
        let bytes = [vec![b'x'; 5 << 20], b"\nshort\nrest".to_vec()].concat();
        let mut buffer = LineBuffer::new(64 << 20);
        let mut input = Chunks { bytes: &bytes, size: usize::MAX };
        while buffer.fill(&mut input).unwrap() > 0 {}
        let block = buffer.take_block().unwrap();
        assert_eq!(block.lines().count(), 2);
        assert_eq!(buffer.buffer, b"rest");
        buffer.replace_buffer(Vec::new());
        assert_eq!(buffer.buffer.len(), BLOCK_CAPACITY);
        assert_eq!(buffer.last().unwrap().content, LineContent::Bytes(b"rest".as_bstr()));
    }
}
