//! The bytes by which a file that has grown is recognised: those at its start, and those
//! before the place up to which it was read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::stamp::hash;
use crate::codec::codec_struct;
use crate::input::Input;

/// Bytes at each of the two places.
const SAMPLE_SIZE: usize = 4096;

/// Where reading can continue, and hashes of bytes before that place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) offset: u64,
    head: u64,
    tail: u64,
}

codec_struct!(Sample { offset, head, tail });

/// An input whose first and last bytes are kept.
pub(crate) struct SampledInput<I> {
    input: I,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Number of bytes up to here.
    offset: u64,
}

impl<I: Input> SampledInput<I> {
    /// Starts at the start of an input.
    pub(super) fn new(input: I) -> Self {
        Self { input, head: Vec::new(), tail: Vec::new(), offset: 0 }
    }

    /// Returns the input.
    pub(crate) fn get_ref(&self) -> &I {
        &self.input
    }

    /// Returns hashes of what has been read, if it ends with a line.
    pub(super) fn sample(&self) -> Option<Sample> {
        let Self { head, tail, offset, .. } = self;
        let is_line_end = tail.last() == Some(&b'\n');
        is_line_end.then(|| Sample { offset: *offset, head: hash(head), tail: hash(tail) })
    }
}

impl Sample {
    /// Moves a file to the place where reading continues, and returns a function that
    /// continues the sample with the rest of it. `None` if what is before that place has
    /// changed.
    pub(super) fn resume<I: Input>(
        &self,
        file: &mut File,
    ) -> io::Result<Option<impl FnOnce(I) -> SampledInput<I> + use<I>>> {
        let offset = self.offset;
        let length = usize::try_from(offset).unwrap_or(usize::MAX).min(SAMPLE_SIZE);
        let mut read = |start: u64| {
            let mut bytes = vec![0; length];
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        };
        let head = read(0)?;
        let tail = read(offset - length as u64)?;
        let is_same = hash(&head) == self.head && hash(&tail) == self.tail;
        Ok(is_same.then_some(move |input| SampledInput { input, head, tail, offset }))
    }
}

impl<I: Input> Input for SampledInput<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        let bytes = &buffer[..count];
        let missing = SAMPLE_SIZE - self.head.len();
        self.head.extend_from_slice(&bytes[..missing.min(count)]);
        let last = &bytes[count.saturating_sub(SAMPLE_SIZE)..];
        let kept = self.tail.len().min(SAMPLE_SIZE - last.len());
        self.tail.drain(..self.tail.len() - kept);
        self.tail.extend_from_slice(last);
        self.offset += count as u64;
        Ok(count)
    }

    fn ready(&self) -> bool {
        self.input.ready()
    }

    fn is_file(&self) -> bool {
        self.input.is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadInput;

    fn sampled(bytes: &[u8], chunk: usize) -> SampledInput<ReadInput<&[u8]>> {
        let mut input = SampledInput::new(ReadInput(bytes));
        let mut buffer = vec![0; chunk];
        while input.read(&mut buffer).unwrap() > 0 {}
        input
    }

    #[test]
    fn sample_does_not_depend_on_the_reads() {
        for length in [1, 100, SAMPLE_SIZE, SAMPLE_SIZE + 1, 3 * SAMPLE_SIZE + 7] {
            let mut bytes: Vec<u8> = (0..length).map(|at| (at % 251).to_le_bytes()[0]).collect();
            assert_eq!(sampled(&bytes, 64).sample(), None);
            bytes.push(b'\n');
            let sample = sampled(&bytes, usize::MAX >> 40).sample().unwrap();
            for chunk in [1, 7, 1000, SAMPLE_SIZE - 1, SAMPLE_SIZE, SAMPLE_SIZE + 1] {
                assert_eq!(sampled(&bytes, chunk).sample().unwrap(), sample, "{length} {chunk}");
            }
        }
    }

    #[test]
    fn file_continues_only_where_it_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for length in [10, 10_000] {
            let first = [&vec![b'x'; length][..], b"\n"].concat();
            let sample = sampled(&first, 1000).sample().unwrap();
            let all = [&first[..], b"more\n"].concat();
            let resume = |content: &[u8]| {
                std::fs::write(&path, content).unwrap();
                let mut file = File::open(&path).unwrap();
                let resumed = sample.resume(&mut file).ok().flatten()?;
                let mut input = resumed(ReadInput(file));
                while input.read(&mut [0; 3]).unwrap() > 0 {}
                input.sample()
            };
            assert_eq!(resume(&all), sampled(&all, 99).sample());
            let mut other = all.clone();
            other[0] = b'y';
            assert_eq!(resume(&other), None);
            other = all.clone();
            other[length - 1] = b'y';
            assert_eq!(resume(&other), None);
            assert_eq!(resume(&first[1..]), None);
        }
    }
}
