//! Reads gzip and Zstandard files, recognised by their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Bytes 1 to 3 of a skippable Zstandard frame.
const SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// Bytes of the compressed file read at once.
const READ_SIZE: usize = 64 * 1024;

/// A regular file, or a decoder for its content.
pub(super) enum Opened {
    Plain(File),
    Compressed(Box<dyn Read + Send>),
}

/// Detects the compression of a regular file at its current position.
pub(super) fn open(mut file: File) -> io::Result<Opened> {
    let start = file.stream_position()?;
    let mut magic = Vec::new();
    // A read error is reported by the first real read.
    let _ = Read::by_ref(&mut file).take(4).read_to_end(&mut magic);
    file.seek(SeekFrom::Start(start))?;
    let is_gzip = magic.starts_with(GZIP);
    if !is_gzip && !magic.starts_with(ZSTD) && !is_skippable(&magic) {
        return Ok(Opened::Plain(file));
    }
    let file = BufReader::with_capacity(READ_SIZE, file);
    Ok(Opened::Compressed(if is_gzip {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(ZstdFrames::Between(file))
    }))
}

fn is_skippable(magic: &[u8]) -> bool {
    matches!(magic, [0x50..=0x5f, rest @ ..] if rest.starts_with(SKIPPABLE))
}

type ZstdFrame = StreamingDecoder<BufReader<File>, FrameDecoder>;

/// Decodes the frames of a Zstandard file one after the other.
enum ZstdFrames {
    /// Before a frame, or at the end of the file.
    Between(BufReader<File>),
    Inside(Box<ZstdFrame>),
    /// After an error.
    Failed,
}

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, Self::Failed) {
                Self::Failed => return Ok(0),
                Self::Between(mut file) => {
                    if !next_frame(&mut file)? {
                        return Ok(0);
                    }
                    Self::Inside(Box::new(StreamingDecoder::new(file).map_err(damaged)?))
                }
                Self::Inside(mut frame) => match frame.read(buffer).map_err(damaged)? {
                    0 => Self::Between(checked(*frame)?),
                    count => {
                        *self = Self::Inside(frame);
                        return Ok(count);
                    }
                },
            };
        }
    }
}

/// Skips skippable frames and returns whether another frame follows.
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

/// Verifies the checksum of a finished frame and returns the rest of the file.
fn checked(frame: ZstdFrame) -> io::Result<BufReader<File>> {
    let (file, decoder) = frame.into_parts();
    match decoder.get_checksum_from_data() {
        Some(stored) if decoder.get_calculated_checksum() != Some(stored) => Err(damaged("")),
        _ => Ok(file),
    }
}

/// Replaces the decoder's internal error by one message.
fn damaged<E>(_: E) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged Zstandard data")
}
