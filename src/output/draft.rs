//! Where output is put together: what is short gathers; what is long, and stands in
//! the block that is being read, is written from there when the block ends.

use std::io::{self, IoSlice, Write};
use std::ops::Range;
use std::sync::Arc;

use crate::input::Buffer;

/// Written out when this much has gathered.
const ENOUGH: usize = 64 * 1024;

/// What is shorter is copied faster than it is kept in mind.
const LONG: usize = 1024;

/// So many slices are written with one call.
const AT_ONCE: usize = 64;

/// Something that output is put together in.
pub trait Draft {
    /// What has gathered, to put more behind it.
    fn gathered(&mut self) -> &mut Vec<u8>;

    /// Puts what stands elsewhere behind that.
    fn pass(&mut self, bytes: &[u8]) {
        self.gathered().extend_from_slice(bytes);
    }
}

impl Draft for Vec<u8> {
    fn gathered(&mut self) -> &mut Vec<u8> {
        self
    }
}

/// A draft on its way to a writer.
pub(super) struct Outgoing {
    to: Box<dyn Write>,
    gathered: Vec<u8>,
    /// Long parts of the block, among what has gathered.
    passed: Vec<Passed>,
    block: Option<Buffer>,
}

/// A part of the block.
struct Passed {
    part: Range<usize>,
    gathered_before: usize,
}

impl Outgoing {
    pub(super) fn new(to: Box<dyn Write>) -> Self {
        let (gathered, passed) = (Vec::new(), Vec::new());
        Self { to, gathered, passed, block: None }
    }

    /// What stands in `block` can be written from there, until it ends.
    pub(super) fn begin_block(&mut self, block: &Buffer) {
        debug_assert!(self.passed.is_empty(), "the one before has ended");
        self.block = Some(Arc::clone(block));
    }

    /// The block may change from here on. What has gathered behind its last part
    /// need not be written yet.
    pub(super) fn end_block(&mut self) -> io::Result<()> {
        let up_to = self.passed.last().map_or(0, |last| last.gathered_before);
        let written = self.write_out(up_to);
        self.block = None;
        written
    }

    /// Writes out everything there is.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.write_out(self.gathered.len())?;
        self.to.flush()
    }

    /// Writes everything out if enough has gathered.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if self.gathered.len() >= ENOUGH { self.flush() } else { Ok(()) }
    }

    /// What has an address in the block is a part of it.
    fn part_of_block(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let block = self.block.as_deref()?;
        let start = bytes.as_ptr().addr().checked_sub(block.as_ptr().addr())?;
        let end = start.checked_add(bytes.len())?;
        (end <= block.len()).then_some(start..end)
    }

    /// Writes out all parts of the block, and so much of what has gathered among and
    /// behind them. Whether or not that works, it is gone.
    fn write_out(&mut self, up_to: usize) -> io::Result<()> {
        let block = self.block.as_deref().map(Vec::as_slice).unwrap_or_default();
        let mut before = 0;
        let slices = self.passed.iter().map(Some).chain([None]).flat_map(|passed| {
            let end = passed.map_or(up_to, |passed| passed.gathered_before);
            let gathered = &self.gathered[std::mem::replace(&mut before, end)..end];
            [gathered, passed.map_or(&[][..], |passed| &block[passed.part.clone()])]
        });
        let written = write_all(&mut self.to, slices);
        self.passed.clear();
        self.gathered.drain(..up_to);
        written
    }
}

/// Writes slices one behind the other, many with one call.
fn write_all<'a>(to: &mut dyn Write, slices: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
    // An empty one would look like a writer that takes nothing.
    let mut slices = slices.filter(|slice| !slice.is_empty()).map(IoSlice::new);
    loop {
        let mut some = [IoSlice::new(&[]); AT_ONCE];
        let places = some.iter_mut().zip(&mut slices);
        let count = places.map(|(place, slice)| *place = slice).count();
        let mut rest = &mut some[..count];
        if rest.is_empty() {
            return Ok(());
        }
        while !rest.is_empty() {
            match to.write_vectored(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => IoSlice::advance_slices(&mut rest, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Draft for Outgoing {
    fn gathered(&mut self) -> &mut Vec<u8> {
        &mut self.gathered
    }

    fn pass(&mut self, bytes: &[u8]) {
        match self.part_of_block(bytes).filter(|_| bytes.len() >= LONG) {
            Some(part) => self.passed.push(Passed { part, gathered_before: self.gathered.len() }),
            None => self.gathered.extend_from_slice(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// Remembers what was written, and where it stood.
    #[derive(Clone, Default)]
    struct Written {
        calls: Rc<RefCell<Vec<Vec<usize>>>>,
        bytes: Rc<RefCell<Vec<u8>>>,
        /// So much at a time.
        at_most: Option<usize>,
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            let mut left = self.at_most.unwrap_or(usize::MAX);
            for slice in slices {
                let some = &slice[..slice.len().min(left)];
                left -= some.len();
                self.bytes.borrow_mut().extend_from_slice(some);
            }
            let all = slices.iter().map(|slice| slice.len()).sum::<usize>();
            let addresses = slices.iter().map(|slice| slice.as_ptr().addr());
            self.calls.borrow_mut().push(addresses.collect());
            Ok(all.min(self.at_most.unwrap_or(usize::MAX)))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn draft(to: &Written) -> Outgoing {
        Outgoing::new(Box::new(to.clone()))
    }

    #[test]
    fn a_long_part_of_the_block_is_written_from_where_it_stands() {
        let written = Written::default();
        let mut draft = draft(&written);
        let block = Buffer::new(vec![b'x'; 3 * LONG]);
        draft.begin_block(&block);
        draft.gathered().extend_from_slice(b"before ");
        draft.pass(&block[LONG..2 * LONG]);
        draft.gathered().extend_from_slice(b" behind");
        draft.settle().unwrap();
        assert!(written.calls.borrow().is_empty(), "the rest may gather");
        draft.end_block().unwrap();
        assert_eq!(Arc::strong_count(&block), 1, "somebody else can use it");
        assert_eq!(written.bytes.borrow().len(), "before ".len() + LONG, "the rest can wait");
        draft.flush().unwrap();
        let expected = [b"before ", &block[..LONG], b" behind"].concat();
        assert_eq!(*written.bytes.borrow(), expected);
        let calls = written.calls.borrow();
        assert_eq!(calls[0][1], block[LONG..].as_ptr().addr());
    }

    #[test]
    fn what_is_short_or_stands_elsewhere_is_copied() {
        let written = Written::default();
        let mut draft = draft(&written);
        let block = Buffer::new(vec![b'x'; 3 * LONG]);
        draft.begin_block(&block);
        draft.pass(&block[..LONG - 1]);
        draft.pass(&vec![b'y'; 2 * LONG]);
        draft.end_block().unwrap();
        assert!(written.calls.borrow().is_empty());
        draft.flush().unwrap();
        assert_eq!(written.calls.borrow().len(), 1);
        assert_eq!(written.bytes.borrow().len(), 3 * LONG - 1);
    }

    #[test]
    fn any_number_of_parts_is_written_in_order_whatever_is_taken_at_once() {
        for at_most in [None, Some(1), Some(700), Some(5000)] {
            let written = Written { at_most, ..Written::default() };
            let mut draft = draft(&written);
            let parts = (0..200).map(|number| [number; LONG]);
            let block = Buffer::new(parts.collect::<Vec<_>>().concat());
            let mut expected = Vec::new();
            draft.begin_block(&block);
            for (number, part) in block.chunks(LONG).enumerate() {
                // Also with nothing between them.
                let between = "-".repeat(number % 3);
                draft.gathered().extend_from_slice(between.as_bytes());
                draft.pass(part);
                expected.extend_from_slice(between.as_bytes());
                expected.extend_from_slice(part);
            }
            draft.end_block().unwrap();
            assert!(*written.bytes.borrow() == expected, "{at_most:?}");
        }
    }

    #[test]
    fn a_failure_is_told_once_and_nothing_is_written_behind_it() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut draft = Outgoing::new(Box::new(Full));
        let block = Buffer::new(vec![b'x'; LONG]);
        draft.begin_block(&block);
        draft.pass(&block);
        assert_eq!(draft.end_block().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(draft.flush().is_ok(), "there is nothing more");
        assert_eq!(Arc::strong_count(&block), 1);
    }
}
