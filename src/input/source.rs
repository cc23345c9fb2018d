//! Where the bytes come from: a file, compressed or not, or standard input.

use std::fs::File;
use std::io::{self, Stdin};
use std::path::Path;
use std::time::SystemTime;

use super::packed::{self, Content};
use crate::pipes::Throughput;

/// How standard input is called in messages.
pub const STDIN_NAME: &str = "<stdin>";

/// Something lines can be read from.
pub trait Input {
    /// Reads what is there, waiting for the first byte if need be. Zero is
    /// the end.
    ///
    /// # Errors
    ///
    /// Whatever reading fails with; interruptions are not errors.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Whether a read would return at once. Whoever has something to write
    /// writes it before a read that would not.
    fn ready(&self) -> bool;
}

/// A file or standard input, open for reading.
pub struct Source {
    name: String,
    handle: Handle,
    /// Reads from a regular file never wait.
    regular: bool,
    written: Option<SystemTime>,
    through: Throughput,
}

enum Handle {
    File(File),
    Packed(Box<dyn io::Read + Send>),
    Stdin(Stdin),
}

impl Handle {
    /// A regular file, compressed or not.
    fn of(file: File) -> io::Result<Self> {
        Ok(match packed::open(file)? {
            Content::Plain(file) => Self::File(file),
            Content::Packed(content) => Self::Packed(content),
        })
    }
}

impl Source {
    /// Opens `path`; `-` is standard input.
    ///
    /// # Errors
    ///
    /// The file is missing, unreadable or a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::stdin());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let regular = metadata.is_file();
        let handle = if regular { Handle::of(file)? } else { Handle::File(file) };
        Ok(Self {
            name: path.to_string_lossy().into_owned(),
            handle,
            regular,
            written: metadata.modified().ok().filter(|_| regular),
            through: Throughput::default(),
        })
    }

    /// Standard input.
    #[must_use]
    pub fn stdin() -> Self {
        let written = platform::stdin_file_time();
        let file = written.and_then(|_| platform::stdin_file()).map(Handle::of);
        Self {
            name: STDIN_NAME.to_owned(),
            handle: file.and_then(Result::ok).unwrap_or_else(|| Handle::Stdin(io::stdin())),
            regular: written.is_some(),
            written,
            through: Throughput::default(),
        }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When what is read now was written: the file's time, or now.
    #[must_use]
    pub fn written(&self) -> SystemTime {
        self.written.unwrap_or_else(SystemTime::now)
    }
}

impl Input for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match &mut self.handle {
                Handle::File(file) => io::Read::read(file, buffer),
                Handle::Packed(content) => content.read(buffer),
                Handle::Stdin(stdin) => platform::read_stdin(stdin, buffer),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A neighbour in the pipeline made the pipe non-blocking.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    platform::wait(&self.handle)?;
                }
                Err(error) => return Err(error),
                Ok(count) => {
                    match &self.handle {
                        Handle::File(file) => self.through.count(count, file),
                        Handle::Stdin(stdin) => self.through.count(count, stdin),
                        Handle::Packed(_) => {}
                    }
                    return Ok(count);
                }
            }
        }
    }

    fn ready(&self) -> bool {
        self.regular || platform::ready(&self.handle)
    }
}

#[cfg(unix)]
mod platform {
    use std::io::{self, Stdin};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::time::SystemTime;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::Handle;

    /// What can be waited for; nobody waits for what is compressed in a file.
    fn descriptor(handle: &Handle) -> Option<BorrowedFd<'_>> {
        match handle {
            Handle::File(file) => Some(file.as_fd()),
            Handle::Stdin(stdin) => Some(stdin.as_fd()),
            Handle::Packed(_) => None,
        }
    }

    /// Past the standard library's buffer: what is there, at once.
    pub(super) fn read_stdin(stdin: &Stdin, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(stdin, buffer)?)
    }

    pub(super) fn ready(handle: &Handle) -> bool {
        let Some(descriptor) = descriptor(handle) else {
            return true;
        };
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut asked = [PollFd::new(&descriptor, PollFlags::IN)];
        matches!(poll(&mut asked, Some(&now)), Ok(1..))
    }

    pub(super) fn wait(handle: &Handle) -> io::Result<()> {
        let Some(descriptor) = descriptor(handle) else {
            return Ok(());
        };
        match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The file behind standard input; where it is read from is shared.
    pub(super) fn stdin_file() -> Option<std::fs::File> {
        io::stdin().as_fd().try_clone_to_owned().ok().map(Into::into)
    }

    /// When the regular file behind standard input was written.
    pub(super) fn stdin_file_time() -> Option<SystemTime> {
        use rustix::fs::{FileType, fstat};
        let stat = fstat(io::stdin()).ok()?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return None;
        }
        let seconds = u64::try_from(stat.st_mtime).ok()?;
        Some(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io::{self, Read, Stdin};
    use std::time::SystemTime;

    use super::Handle;

    pub(super) fn read_stdin(stdin: &mut Stdin, buffer: &mut [u8]) -> io::Result<usize> {
        stdin.read(buffer)
    }

    /// Not known: so everything is written before every read.
    pub(super) fn ready(_: &Handle) -> bool {
        false
    }

    pub(super) fn wait(_: &Handle) -> io::Result<()> {
        std::thread::yield_now();
        Ok(())
    }

    pub(super) fn stdin_file() -> Option<std::fs::File> {
        None
    }

    pub(super) fn stdin_file_time() -> Option<SystemTime> {
        None
    }
}
