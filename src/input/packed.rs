//! Compressed files, read as if they were not: gzip and Zstandard, known by
//! their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// How much is read of a compressed file at once.
const CHUNK: usize = 64 * 1024;

/// A file, and what is in it if it is compressed.
pub(super) enum Content {
    Plain(File),
    Packed(Box<dyn Read + Send>),
}

/// Looks into a regular file.
pub(super) fn open(mut file: File) -> io::Result<Content> {
    let mut magic = Vec::new();
    Read::by_ref(&mut file).take(4).read_to_end(&mut magic)?;
    file.rewind()?;
    let is_gzip = magic.starts_with(GZIP);
    if !is_gzip && !magic.starts_with(ZSTD) {
        return Ok(Content::Plain(file));
    }
    let file = BufReader::with_capacity(CHUNK, file);
    Ok(Content::Packed(if is_gzip {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(Frames::At(file))
    }))
}

/// A Zstandard file is one frame or several.
enum Frames {
    /// Before a frame, or at the end.
    At(BufReader<File>),
    /// In a frame.
    In(Box<StreamingDecoder<BufReader<File>, ruzstd::decoding::FrameDecoder>>),
    /// Behind a frame that is none.
    Broken,
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, Self::Broken) {
                Self::Broken => return Ok(0),
                Self::At(mut file) => {
                    if file.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let frame = StreamingDecoder::new(file).map_err(io::Error::other)?;
                    Self::In(Box::new(frame))
                }
                Self::In(mut frame) => match frame.read(buffer)? {
                    0 => Self::At(frame.into_inner()),
                    count => {
                        *self = Self::In(frame);
                        return Ok(count);
                    }
                },
            };
        }
    }
}
