//! Reads small files at places that an agent can write to.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most `max` bytes. Anything else is an error: a named pipe would
/// block, a device or a sparse file fill the memory.
pub(crate) fn read_limited(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = open_without_waiting(path)?;
    let refused = |message: String| Err(io::Error::new(io::ErrorKind::InvalidData, message));
    if !file.metadata()?.is_file() {
        return refused("not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return refused(format!("larger than {} MiB", max >> 20));
    }
    Ok(bytes)
}

/// Opens a file; a named pipe is opened without waiting for a writer.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

/// Opens a file.
#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}
