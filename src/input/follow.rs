//! Follows a growing file; starts over when it is truncated or replaced.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Input;

/// Interval between two polls of the file.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Length of the prefix that is compared to detect a rewritten file.
const PREFIX_SIZE: usize = 256;

/// A file that is read on as it grows.
pub struct FollowedFile {
    path: PathBuf,
    file: File,
    position: u64,
    /// The first bytes of the file, as far as they have been read.
    prefix: Vec<u8>,
    /// Whether the last byte read was a newline.
    at_line_start: bool,
    /// Returns whether to go on; polled while the file does not grow.
    keep_going: Box<dyn Fn() -> bool + Send>,
    /// Whether it ends when the file is truncated or replaced.
    ends_when_rewritten: bool,
}

impl FollowedFile {
    /// Opens `path`; reading ends when `keep_going` returns false.
    pub fn open(path: &Path, keep_going: impl Fn() -> bool + Send + 'static) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            position: 0,
            prefix: Vec::new(),
            at_line_start: true,
            keep_going: Box::new(keep_going),
            ends_when_rewritten: false,
        })
    }

    /// Ends when the file is truncated or replaced, instead of starting over.
    #[cfg(feature = "serve")]
    pub fn until_rewritten(self) -> Self {
        Self { ends_when_rewritten: true, ..self }
    }

    /// Returns whether the file has more than has been read.
    #[cfg(feature = "serve")]
    pub fn has_more(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.len() > self.position)
    }

    /// Returns to the start if the file was truncated or rewritten.
    fn rewind_if_rewritten(&mut self) -> io::Result<bool> {
        if self.file.metadata()?.len() >= self.position && self.has_same_prefix() {
            return Ok(false);
        }
        self.file.rewind()?;
        self.reset();
        Ok(true)
    }

    /// Continues with the new file if the path now names another one.
    fn reopen_if_replaced(&mut self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        // Between unlink and rename the path does not exist.
        let Ok(file) = File::open(&self.path) else { return Ok(false) };
        if same_file(&own, &file.metadata()?) {
            return Ok(false);
        }
        self.file = file;
        self.reset();
        Ok(true)
    }

    fn reset(&mut self) {
        self.position = 0;
        self.prefix.clear();
    }

    /// Terminates a line whose rest was lost; returns whether there was one.
    fn end_cut_line(&mut self, buffer: &mut [u8]) -> bool {
        let cut = !std::mem::replace(&mut self.at_line_start, true);
        if let Some(first) = buffer.first_mut().filter(|_| cut) {
            *first = b'\n';
        }
        cut
    }

    fn has_same_prefix(&self) -> bool {
        let mut now = vec![0; self.prefix.len()];
        let read = self.file.try_clone().and_then(|mut file| {
            let position = file.stream_position()?;
            file.rewind()?;
            let read = file.read_exact(&mut now);
            file.seek(io::SeekFrom::Start(position))?;
            read
        });
        read.is_err() || now == self.prefix
    }
}

impl Input for FollowedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waited = false;
        loop {
            if self.position > 0 && self.rewind_if_rewritten()? {
                if self.ends_when_rewritten {
                    return Ok(0);
                }
                if self.end_cut_line(buffer) {
                    return Ok(1);
                }
            }
            match self.file.read(buffer) {
                Ok(0) => {}
                Ok(count) => {
                    self.position += count as u64;
                    let room = PREFIX_SIZE.saturating_sub(self.prefix.len());
                    self.prefix.extend_from_slice(&buffer[..count.min(room)]);
                    self.at_line_start = buffer[count - 1] == b'\n';
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if waited && self.reopen_if_replaced()? {
                if self.ends_when_rewritten {
                    return Ok(0);
                }
                if self.end_cut_line(buffer) {
                    return Ok(1);
                }
                continue;
            }
            if waited {
                if !(self.keep_going)() {
                    return Ok(0);
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            waited = true;
        }
    }

    fn ready(&self) -> bool {
        // Output is flushed before every read, since each one may wait.
        false
    }

    fn is_file(&self) -> bool {
        true
    }
}

#[cfg(unix)]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
}
