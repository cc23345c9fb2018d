//! Compressed files, read as if they were not: gzip and Zstandard, known by
//! their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// A frame that is to be skipped begins with one of sixteen bytes and these.
const SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// How much is read of a compressed file at once.
const CHUNK: usize = 64 * 1024;

/// A file, and what is in it if it is compressed.
pub(super) enum Content {
    Plain(File),
    Packed(Box<dyn Read + Send>),
}

/// Looks into a regular file, from where it is to be read.
pub(super) fn open(mut file: File) -> io::Result<Content> {
    let start = file.stream_position()?;
    let mut magic = Vec::new();
    // What cannot be read is told when it is read.
    let _ = Read::by_ref(&mut file).take(4).read_to_end(&mut magic);
    file.seek(SeekFrom::Start(start))?;
    let is_gzip = magic.starts_with(GZIP);
    if !is_gzip && !magic.starts_with(ZSTD) && !is_skippable(&magic) {
        return Ok(Content::Plain(file));
    }
    let file = BufReader::with_capacity(CHUNK, file);
    Ok(Content::Packed(if is_gzip {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(Frames::At(file))
    }))
}

fn is_skippable(magic: &[u8]) -> bool {
    matches!(magic, [0x50..=0x5f, rest @ ..] if rest.starts_with(SKIPPABLE))
}

type Frame = StreamingDecoder<BufReader<File>, FrameDecoder>;

/// A Zstandard file is one frame or several.
enum Frames {
    /// Before a frame, or at the end.
    At(BufReader<File>),
    /// In a frame.
    In(Box<Frame>),
    /// Behind what is no frame.
    Broken,
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, Self::Broken) {
                Self::Broken => return Ok(0),
                Self::At(mut file) => {
                    if !next_frame(&mut file)? {
                        return Ok(0);
                    }
                    Self::In(Box::new(StreamingDecoder::new(file).map_err(damaged)?))
                }
                Self::In(mut frame) => match frame.read(buffer).map_err(damaged)? {
                    0 => Self::At(checked(*frame)?),
                    count => {
                        *self = Self::In(frame);
                        return Ok(count);
                    }
                },
            };
        }
    }
}

/// Whether a frame follows; frames to be skipped are.
fn next_frame(file: &mut BufReader<File>) -> io::Result<bool> {
    loop {
        let ahead = file.fill_buf()?;
        if !is_skippable(ahead.get(..4).unwrap_or_default()) {
            return Ok(!ahead.is_empty());
        }
        let mut header = [0; 8];
        file.read_exact(&mut header)?;
        let [.., a, b, c, d] = header;
        file.seek_relative(i64::from(u32::from_le_bytes([a, b, c, d])))?;
    }
}

/// What follows a frame, if that is what it says to be.
fn checked(frame: Frame) -> io::Result<BufReader<File>> {
    let (file, decoder) = frame.into_parts();
    match decoder.get_checksum_from_data() {
        Some(told) if decoder.get_calculated_checksum() != Some(told) => Err(damaged("")),
        _ => Ok(file),
    }
}

/// What exactly is wrong helps nobody.
fn damaged<E>(_: E) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged Zstandard data")
}
