//! Opens files and standard input.

use std::fs::File;
use std::io::{self, Read, Stdin};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::compressed::{self, Opened};
use super::pipe::Throughput;

/// The name of standard input in messages.
pub const STDIN_NAME: &str = "<stdin>";

/// A source of bytes.
pub trait Input {
    /// Reads the available bytes, waiting for the first one; zero at the end.
    /// Interruptions are retried.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns whether a read would return at once. Output is flushed before
    /// every read that would not.
    fn ready(&self) -> bool;

    /// Waits until a read would return at once, or for this time; returns whether it would. An
    /// input that cannot tell says so, and the read waits.
    fn wait(&self, _limit: Duration) -> bool {
        true
    }

    /// Returns whether it is a regular file, which is expected to have content.
    fn is_file(&self) -> bool {
        false
    }
}

impl<I: Input> Input for &mut I {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read(buffer)
    }

    fn ready(&self) -> bool {
        (**self).ready()
    }

    fn wait(&self, limit: Duration) -> bool {
        (**self).wait(limit)
    }

    fn is_file(&self) -> bool {
        (**self).is_file()
    }
}

/// Any reader as an input. There is no output to flush before a read.
pub struct ReadInput<R>(pub R);

impl<R: Read> Input for ReadInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn ready(&self) -> bool {
        true
    }
}

/// A file or standard input, open for reading.
pub struct InputSource {
    name: String,
    handle: Handle,
    /// Whether it is a regular file: reads never wait.
    is_regular: bool,
    modified: Option<SystemTime>,
    throughput: Throughput,
}

enum Handle {
    File(File),
    Compressed(Box<dyn Read + Send>),
    Stdin(Stdin),
}

impl Handle {
    /// Opens a regular file, compressed or not.
    fn of_regular(file: File) -> io::Result<Self> {
        Ok(match compressed::open(file)? {
            Opened::Plain(file) => Self::File(file),
            Opened::Compressed(content) => Self::Compressed(content),
        })
    }
}

impl InputSource {
    /// Opens `path`; `-` is standard input.
    pub fn open(path: &Path) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::stdin());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let is_regular = metadata.is_file();
        Ok(Self {
            name: path.to_string_lossy().into_owned(),
            handle: if is_regular { Handle::of_regular(file)? } else { Handle::File(file) },
            is_regular,
            modified: metadata.modified().ok().filter(|_| is_regular),
            throughput: Throughput::default(),
        })
    }

    /// Continues a regular file at its position.
    pub fn of_regular(path: &Path, file: File) -> Self {
        Self {
            name: path.to_string_lossy().into_owned(),
            modified: file.metadata().and_then(|metadata| metadata.modified()).ok(),
            handle: Handle::File(file),
            is_regular: true,
            throughput: Throughput::default(),
        }
    }

    /// Returns whether its bytes are those of a regular file, which is not compressed.
    pub fn is_plain(&self) -> bool {
        self.is_regular && matches!(self.handle, Handle::File(_))
    }

    fn stdin() -> Self {
        let modified = platform::stdin_modified();
        let file = modified.and_then(|_| platform::stdin_file()).map(Handle::of_regular);
        Self {
            name: STDIN_NAME.to_owned(),
            handle: file.and_then(Result::ok).unwrap_or_else(|| Handle::Stdin(io::stdin())),
            is_regular: modified.is_some(),
            modified,
            throughput: Throughput::default(),
        }
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns when the lines were written: the file's modification time, or
    /// the current time for a stream.
    pub fn modified(&self) -> SystemTime {
        self.modified.unwrap_or_else(SystemTime::now)
    }
}

impl Input for InputSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match &mut self.handle {
                Handle::File(file) => file.read(buffer),
                Handle::Compressed(content) => content.read(buffer),
                Handle::Stdin(stdin) => platform::read_stdin(stdin, buffer),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Another process may have made a shared pipe non-blocking.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    platform::wait(&self.handle)?;
                }
                Err(error) => return Err(error),
                Ok(count) => {
                    match &self.handle {
                        Handle::File(file) => self.throughput.count(count, file),
                        Handle::Stdin(stdin) => self.throughput.count(count, stdin),
                        Handle::Compressed(_) => {}
                    }
                    return Ok(count);
                }
            }
        }
    }

    fn ready(&self) -> bool {
        self.is_regular || platform::ready(&self.handle)
    }

    fn wait(&self, limit: Duration) -> bool {
        self.is_regular || platform::wait_at_most(&self.handle, limit)
    }

    fn is_file(&self) -> bool {
        self.is_regular
    }
}

#[cfg(unix)]
mod platform {
    use std::io::{self, Stdin};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::time::{Duration, SystemTime};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::Handle;

    /// Returns what to poll; a compressed file is always ready.
    fn descriptor(handle: &Handle) -> Option<BorrowedFd<'_>> {
        match handle {
            Handle::File(file) => Some(file.as_fd()),
            Handle::Stdin(stdin) => Some(stdin.as_fd()),
            Handle::Compressed(_) => None,
        }
    }

    /// Reads without the standard library's buffer, which would hide what `poll` sees.
    pub(super) fn read_stdin(stdin: &Stdin, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(stdin, buffer)?)
    }

    pub(super) fn ready(handle: &Handle) -> bool {
        wait_at_most(handle, Duration::ZERO)
    }

    /// Returns whether it is ready within this time.
    pub(super) fn wait_at_most(handle: &Handle, limit: Duration) -> bool {
        let Some(descriptor) = descriptor(handle) else {
            return true;
        };
        let limit = Timespec::try_from(limit).ok();
        let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
        matches!(poll(&mut polled, limit.as_ref()), Ok(1..))
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

    /// Returns the file behind standard input; the read position is shared.
    pub(super) fn stdin_file() -> Option<std::fs::File> {
        io::stdin().as_fd().try_clone_to_owned().ok().map(Into::into)
    }

    /// Returns the modification time if standard input is a regular file.
    pub(super) fn stdin_modified() -> Option<SystemTime> {
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
    use std::time::{Duration, SystemTime};

    use super::Handle;

    pub(super) fn read_stdin(stdin: &mut Stdin, buffer: &mut [u8]) -> io::Result<usize> {
        stdin.read(buffer)
    }

    /// Unknown here: output is flushed before every read.
    pub(super) fn ready(_: &Handle) -> bool {
        false
    }

    /// Unknown here: the read waits.
    pub(super) fn wait_at_most(_: &Handle, _: Duration) -> bool {
        true
    }

    pub(super) fn wait(_: &Handle) -> io::Result<()> {
        std::thread::yield_now();
        Ok(())
    }

    pub(super) fn stdin_file() -> Option<std::fs::File> {
        None
    }

    pub(super) fn stdin_modified() -> Option<SystemTime> {
        None
    }
}
