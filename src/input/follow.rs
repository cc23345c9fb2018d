//! A file that grows: read on when more comes, from the start when it was
//! cut or replaced.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Input;

/// Between two looks at the file.
const LOOK: Duration = Duration::from_millis(50);

/// So much of its beginning is compared.
const HEAD: usize = 256;

/// Follows a file for ever.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    file: File,
    position: u64,
    /// How the file begins, as far as it has been read.
    head: Vec<u8>,
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
        Ok(Self {
            path: path.to_owned(),
            file,
            position: 0,
            head: Vec::new(),
            at_line_start: true,
            wanted,
        })
    }

    /// Goes back to the start if the file was cut or written anew.
    fn rewound(&mut self) -> io::Result<bool> {
        if self.file.metadata()?.len() >= self.position && self.begins_as_before() {
            return Ok(false);
        }
        self.file.rewind()?;
        self.start_anew();
        Ok(true)
    }

    /// Goes on with the new file if the old one was replaced.
    fn replaced(&mut self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        // For a moment there may be no file of that name.
        let Ok(file) = File::open(&self.path) else { return Ok(false) };
        if same_file(&own, &file.metadata()?) {
            return Ok(false);
        }
        self.file = file;
        self.start_anew();
        Ok(true)
    }

    fn start_anew(&mut self) {
        self.position = 0;
        self.head.clear();
    }

    /// The rest of a line that was being read will never come: its end does.
    fn ends_line(&mut self, buffer: &mut [u8]) -> bool {
        let cut = !std::mem::replace(&mut self.at_line_start, true);
        if let Some(first) = buffer.first_mut().filter(|_| cut) {
            *first = b'\n';
        }
        cut
    }

    /// A file that was written anew begins with something else.
    fn begins_as_before(&self) -> bool {
        let mut now = vec![0; self.head.len()];
        let read = self.file.try_clone().and_then(|mut file| {
            let place = file.stream_position()?;
            file.rewind()?;
            let read = file.read_exact(&mut now);
            file.seek(io::SeekFrom::Start(place))?;
            read
        });
        read.is_err() || now == self.head
    }
}

impl Input for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waited = false;
        loop {
            if self.position > 0 && self.rewound()? && self.ends_line(buffer) {
                return Ok(1);
            }
            match self.file.read(buffer) {
                Ok(0) => {}
                Ok(count) => {
                    self.position += count as u64;
                    let room = HEAD.saturating_sub(self.head.len());
                    self.head.extend_from_slice(&buffer[..count.min(room)]);
                    self.at_line_start = buffer[count - 1] == b'\n';
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if waited && self.replaced()? {
                if self.ends_line(buffer) {
                    return Ok(1);
                }
                continue;
            }
            if waited {
                if !(self.wanted)() {
                    return Ok(0);
                }
                std::thread::sleep(LOOK);
            }
            waited = true;
        }
    }

    fn ready(&self) -> bool {
        // Whoever may have to wait shows first what there is.
        false
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
