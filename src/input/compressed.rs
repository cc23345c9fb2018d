//! Reads gzip and Zstandard files, recognised by their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Bytes 1 to 3 of a skippable Zstandard frame.
const SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// Bytes that a compressed file may yield for each of its own. Sessions reach 10 to 100.
const MAX_RATIO: u64 = 500;

/// Bytes that every compressed file may yield.
const ALWAYS_ALLOWED: u64 = 1 << 30;

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
    let allowed = file.metadata()?.len().saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
    let file = BufReader::with_capacity(READ_SIZE, file);
    let content: Box<dyn Read + Send> = if is_gzip {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(ZstdFrames::Between(file))
    };
    Ok(Opened::Compressed(Box::new(Limited { content, allowed })))
}

/// Ends content that expands to more than any log does.
struct Limited<R> {
    content: R,
    /// Bytes that may still be read.
    allowed: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.allowed = self.allowed.checked_sub(count as u64).ok_or_else(|| {
            let message = format!(
                "expands to more than {MAX_RATIO} times its size; the rest is not read \
                 (to read it: decompress it, and pipe it in)"
            );
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        Ok(count)
    }
}

/// Returns whether a path names a compressed regular file.
pub(crate) fn is_compressed(path: &Path) -> bool {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let opened = is_file.then(|| File::open(path).and_then(open));
    matches!(opened, Some(Ok(Opened::Compressed(_))))
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
                    Self::Inside(Box::new(
                        StreamingDecoder::new(file).map_err(|error| refused(&error))?,
                    ))
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

/// Names a frame that needs too much memory; any other error is damage.
fn refused(error: &FrameDecoderError) -> io::Error {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            let [window, limit] = [requested, max].map(|bytes| bytes >> 20);
            let message = format!(
                "a Zstandard window of {window} MiB, over the limit of {limit} MiB \
                 (compress without --ultra and --long)"
            );
            io::Error::new(io::ErrorKind::InvalidData, message)
        }
        _ => damaged(error),
    }
}

/// Replaces the decoder's internal error by one message.
fn damaged<E>(_: E) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged Zstandard data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_that_expands_too_much_is_an_error_behind_what_is_allowed() {
        let mut content = Limited { content: io::repeat(b'x'), allowed: 1000 };
        let mut buffer = [0; 300];
        for _ in 0..3 {
            assert_eq!(content.read(&mut buffer).unwrap(), 300);
        }
        let error = content.read(&mut buffer).unwrap_err().to_string();
        assert!(error.starts_with("expands to more than 500 times its size"), "{error}");
    }
}
