//! Framing: a stream of bytes becomes numbered lines.
//!
//! Split on `\n` only (raw U+2028, U+2029 and U+0085 do occur inside lines),
//! one trailing `\r` dropped, a UTF-8 byte-order mark at the very start
//! dropped. A line longer than the limit is never held in memory: its bytes
//! are counted and thrown away up to the next newline.

use std::io;
use std::sync::Arc;

use memchr::memchr;

use super::Input;
use super::block::{BYTE_ORDER_MARK, Block, Buffer, Content, content};

/// How much is asked of the input at once.
const CHUNK: usize = 64 * 1024;

/// A buffer for a block of lines is of this size. A line that is longer is none for
/// a block: it would take much memory on every thread, and long lines cost one
/// thread hardly more than reading them.
const ROOM: usize = 2 * CHUNK;

/// What the buffer of a block grows to when a line is nearly too long.
pub const LARGEST_BLOCK: usize = 2 * ROOM;

/// A buffer that a huge line has made larger than this is not kept so.
const KEPT: usize = 4 << 20;

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its number, counted from 1.
    pub number: u64,
    /// What is on it.
    pub content: Content<'a>,
}

/// Cuts what it is filled with into lines.
pub struct Lines {
    buffer: Buffer,
    /// The unread bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Memory for what is unread when a block is taken.
    carry: Buffer,
    /// There is no newline in `buffer[start..searched]`.
    searched: usize,
    max_line: usize,
    /// Bytes of the current line already thrown away for being too many.
    dropped: u64,
    number: u64,
}

impl Lines {
    /// Lines of at most `max_line` bytes.
    #[must_use]
    pub fn new(max_line: usize) -> Self {
        let (buffer, carry) = (Buffer::default(), Buffer::default());
        Self { buffer, start: 0, end: 0, carry, searched: 0, max_line, dropped: 0, number: 0 }
    }

    /// The next line that is complete in memory.
    #[allow(clippy::should_implement_trait)] // it lends from the buffer
    pub fn next(&mut self) -> Option<Frame<'_>> {
        let newline = memchr(b'\n', &self.buffer[self.searched..self.end]);
        let from = std::mem::replace(&mut self.searched, self.end);
        let newline = from + newline?;
        let line = self.start..newline;
        self.start = newline + 1;
        self.searched = self.start;
        Some(self.frame(line))
    }

    /// The last line, if the input ended without a newline.
    pub fn last(&mut self) -> Option<Frame<'_>> {
        let line = self.start..self.end;
        self.start = self.end;
        self.searched = self.end;
        if line.is_empty() && self.dropped == 0 {
            return None;
        }
        Some(self.frame(line))
    }

    /// Reads once from `input`. Zero means that it has ended.
    ///
    /// # Errors
    ///
    /// Whatever reading fails with.
    pub fn fill(&mut self, input: &mut impl Input) -> io::Result<usize> {
        self.make_room();
        // A buffer may be larger than a block, and a long line wants more of it.
        let most = self.start + ROOM.max(2 * self.unread());
        let free = self.end..most.min(self.buffer.len());
        let count = input.read(&mut Arc::make_mut(&mut self.buffer)[free])?;
        self.end += count;
        Ok(count)
    }

    /// Makes sure that there is room for a chunk behind the unread bytes.
    fn make_room(&mut self) {
        let unread = self.end - self.start;
        if unread > self.max_line.saturating_add(BYTE_ORDER_MARK.len() + 1) {
            self.dropped += unread as u64;
            self.start = self.end;
            self.searched = self.end;
        }
        if self.buffer.len() - self.end >= CHUNK {
            return;
        }
        let unread = self.start..self.end;
        let enough = unread.len() + CHUNK;
        if self.buffer.len() < enough {
            let most = self.max_line.saturating_add(CHUNK).max(enough);
            let doubled = self.buffer.len().saturating_mul(2);
            self.move_to(Arc::new(vec![0; doubled.clamp(enough, most)]));
        } else if unread.is_empty() && self.buffer.len() > KEPT {
            // A huge line has come and gone.
            self.move_to(Arc::new(vec![0; enough]));
        } else {
            Arc::make_mut(&mut self.buffer).copy_within(unread, 0);
            self.rewind();
        }
    }

    /// Goes on in another buffer, with what is unread; the one before.
    fn move_to(&mut self, mut buffer: Buffer) -> Buffer {
        let unread = self.start..self.end;
        Arc::make_mut(&mut buffer)[..unread.len()].copy_from_slice(&self.buffer[unread]);
        self.rewind();
        std::mem::replace(&mut self.buffer, buffer)
    }

    /// What is unread stands at the beginning now.
    fn rewind(&mut self) {
        self.end -= self.start;
        self.searched -= self.start;
        self.start = 0;
    }

    fn frame(&mut self, line: std::ops::Range<usize>) -> Frame<'_> {
        self.number += 1;
        let number = self.number;
        let dropped = std::mem::take(&mut self.dropped);
        let bytes = &self.buffer[line];
        let content = if dropped > 0 {
            Content::TooLong(dropped + bytes.len() as u64)
        } else {
            content(bytes, number == 1, self.max_line)
        };
        Frame { number, content }
    }

    /// Whether the current line is too long for a block, or being thrown away for
    /// its length.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.dropped > 0 || self.searched - self.start >= ROOM
    }

    /// The longest line.
    #[must_use]
    pub fn max_line(&self) -> usize {
        self.max_line
    }

    /// How much of what was read is unread.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.end - self.start
    }

    /// Takes all complete lines out at once, with the buffer they are in; what
    /// follows gets room when it is read, or is [given](Self::adopt) some. A line
    /// that [is long](Self::is_long) must be taken by [`Self::next`].
    pub fn take_block(&mut self) -> Option<Block> {
        if self.dropped > 0 {
            return None;
        }
        let newline = memchr::memrchr(b'\n', &self.buffer[self.searched..self.end]);
        let from = std::mem::replace(&mut self.searched, self.end);
        let rest = from + newline? + 1..self.end;
        let mut carry = std::mem::take(&mut self.carry);
        let unread = Arc::make_mut(&mut carry);
        unread.clear();
        unread.extend_from_slice(&self.buffer[rest.clone()]);
        let block = Block {
            lines: self.start..rest.start,
            buffer: std::mem::replace(&mut self.buffer, carry),
            first: self.number == 0,
            max_line: self.max_line,
        };
        (self.start, self.end, self.searched) = (0, rest.len(), rest.len());
        // Who folds the block counts its lines.
        self.number = self.number.max(1);
        Some(block)
    }

    /// Whether a block can be read without more memory.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.buffer.len() >= ROOM
    }

    /// Goes on in a buffer that was used before, with what is unread.
    pub fn adopt(&mut self, mut buffer: Buffer) {
        let enough = (self.unread() + CHUNK).max(ROOM);
        if buffer.len() < enough {
            buffer = Arc::new(vec![0; enough]);
        }
        self.carry = self.move_to(buffer);
    }

    /// What the lines stand in.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Lines have been taken up to this number.
    pub fn set_number(&mut self, number: u64) {
        self.number = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces of the given sizes.
    struct Pieces<'a> {
        bytes: &'a [u8],
        size: usize,
    }

    impl Input for Pieces<'_> {
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

    fn frames(bytes: &[u8], size: usize, max_line: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut count = 0;
        let mut owned = |frame: Frame<'_>| {
            count += 1;
            assert_eq!(frame.number, count);
            match frame.content {
                Content::Bytes(bytes) => Ok(bytes.to_vec()),
                Content::TooLong(length) => Err(length),
            }
        };
        let mut lines = Lines::new(max_line);
        let mut input = Pieces { bytes, size };
        let mut frames = Vec::new();
        loop {
            while let Some(frame) = lines.next() {
                frames.push(owned(frame));
            }
            if lines.fill(&mut input).unwrap() == 0 {
                break;
            }
        }
        frames.extend(lines.last().map(&mut owned));
        frames
    }

    #[test]
    fn a_line_ends_at_newline_only_and_loses_one_carriage_return() {
        let bytes = "a\r\nb\r\r\n\nc\u{2028}\u{85}d\n".as_bytes();
        for size in 1..=bytes.len() {
            let lines = frames(bytes, size, 100);
            let expected = ["a", "b\r", "", "c\u{2028}\u{85}d"];
            assert_eq!(lines, expected.map(|line| Ok(line.as_bytes().to_vec())));
        }
    }

    #[test]
    fn the_last_line_needs_no_newline() {
        assert_eq!(frames(b"a\nb", 1, 9), [Ok(b"a".to_vec()), Ok(b"b".to_vec())]);
        assert_eq!(frames(b"", 1, 9), []);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_of_the_stream_only() {
        let lines = frames(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", 2, 9);
        assert_eq!(lines, [Ok(b"a".to_vec()), Ok(b"\xef\xbb\xbfb".to_vec())]);
    }

    #[test]
    fn a_line_over_the_limit_is_counted_and_skipped_to_the_next_newline() {
        let long =
            [b"ok\n".as_slice(), &[b'x'; 50], b"\r\nok\n", &[b'y'; 11], b"\n1234567890\n"].concat();
        for size in [1, 2, 3, 7, 1000] {
            let lines = frames(&long, size, 10);
            assert_eq!(lines[0], Ok(b"ok".to_vec()));
            assert_eq!(lines[1], Err(51));
            assert_eq!(lines[2], Ok(b"ok".to_vec()));
            assert_eq!(lines[3], Err(11));
            assert_eq!(lines[4], Ok(b"1234567890".to_vec()));
            assert_eq!(lines.len(), 5);
        }
    }

    #[test]
    fn a_line_over_the_limit_is_never_held_whole() {
        let line = vec![b'x'; 10_000_000];
        let mut lines = Lines::new(1000);
        let mut input = Pieces { bytes: &line, size: usize::MAX };
        while lines.fill(&mut input).unwrap() > 0 {
            assert!(lines.next().is_none());
        }
        let content = lines.last().map(|frame| frame.content);
        assert_eq!(content, Some(Content::TooLong(10_000_000)));
        assert!(lines.buffer.len() <= 1000 + 2 * CHUNK, "{}", lines.buffer.len());
    }

    #[test]
    fn the_buffer_behind_a_huge_line_is_small_again() {
        let bytes = [vec![b'x'; 5 << 20], b"\nshort\nrest".to_vec()].concat();
        let mut lines = Lines::new(64 << 20);
        let mut input = Pieces { bytes: &bytes, size: usize::MAX };
        while lines.fill(&mut input).unwrap() > 0 {}
        let block = lines.take_block().unwrap();
        assert_eq!(block.lines().count(), 2);
        assert_eq!(**lines.buffer(), b"rest");
        lines.adopt(Buffer::default());
        assert_eq!(lines.buffer.len(), ROOM);
        assert_eq!(lines.last().unwrap().content, Content::Bytes(b"rest"));
    }
}
