//! A file that grows: read on when more comes, from the start when it was
//! cut or replaced.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Input;

/// Between two looks at the file.
const LOOK: Duration = Duration::from_millis(50);

/// Follows a file for ever.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    file: File,
    position: u64,
    /// The last byte read ended a line.
    at_line_start: bool,
    /// Whether anybody still wants to know.
    wanted: fn() -> bool,
}

impl Follow {
    /// Opens `path`; reading ends when it is not `wanted` any more.
    ///
    /// # Errors
    ///
    /// The file is missing, unreadable or no file.
    pub fn open(path: &Path, wanted: fn() -> bool) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { path: path.to_owned(), file, position: 0, at_line_start: true, wanted })
    }

    /// Goes back to the start if the file was cut, and to the new file if it
    /// was replaced. True: there is something new to read.
    fn renew(&mut self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        if own.len() < self.position {
            self.file.rewind()?;
            self.position = 0;
            return Ok(true);
        }
        // For a moment there may be no file of that name.
        let Ok(named) = self.path.metadata() else { return Ok(false) };
        if same_file(&own, &named) {
            return Ok(false);
        }
        self.file = File::open(&self.path)?;
        self.position = 0;
        Ok(true)
    }
}

impl Input for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read(buffer) {
                Ok(0) => {}
                Ok(count) => {
                    self.position += count as u64;
                    self.at_line_start = buffer[count - 1] == b'\n';
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if self.renew()? {
                // The rest of a line that will never come.
                if !std::mem::replace(&mut self.at_line_start, true) && !buffer.is_empty() {
                    buffer[0] = b'\n';
                    return Ok(1);
                }
                continue;
            }
            if !(self.wanted)() {
                return Ok(0);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn ready(&self) -> bool {
        self.file.metadata().is_ok_and(|own| own.len() > self.position)
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
