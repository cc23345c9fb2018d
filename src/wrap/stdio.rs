//! The state of our own standard input and output.

/// What our standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StdinKind {
    Terminal,
    /// A pipe or a socket, which may stay open for long.
    Pipe,
    /// A file or nothing, which has an end.
    File,
}

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal};
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, fstat};

    use super::StdinKind;

    pub(in super::super) fn stdin_kind() -> StdinKind {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            StdinKind::Terminal
        } else if is_pipe(&stdin) {
            StdinKind::Pipe
        } else {
            StdinKind::File
        }
    }

    /// Returns whether more may be written to our standard input.
    pub(in super::super) fn stdin_is_open() -> bool {
        let stdin = io::stdin();
        let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        // A socket may be closed in one direction only.
        #[cfg(target_os = "linux")]
        let closed = closed | PollFlags::RDHUP;
        !has_event(&stdin, closed)
    }

    pub(in super::super) fn stdout_is_pipe() -> bool {
        is_pipe(&io::stdout())
    }

    /// Returns whether the other end of our standard output, a pipe, is closed.
    pub(crate) fn stdout_is_closed() -> bool {
        let stdout = io::stdout();
        let closed = PollFlags::ERR | PollFlags::NVAL;
        let is_socket = file_type(&stdout) == Some(FileType::Socket);
        let closed = if is_socket { closed | PollFlags::HUP } else { closed };
        has_event(&stdout, closed)
    }

    fn is_pipe(end: &impl AsFd) -> bool {
        matches!(file_type(end), Some(FileType::Fifo | FileType::Socket))
    }

    fn file_type(end: &impl AsFd) -> Option<FileType> {
        fstat(end).ok().map(|stat| FileType::from_raw_mode(stat.st_mode))
    }

    fn has_event(end: &impl AsFd, events: PollFlags) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut polled = [PollFd::new(end, events)];
        matches!(poll(&mut polled, Some(&now)), Ok(1..)) && polled[0].revents().intersects(events)
    }
}

#[cfg(not(unix))]
mod fallback {
    use std::io::{self, IsTerminal};

    use super::StdinKind;

    pub(in super::super) fn stdin_kind() -> StdinKind {
        if io::stdin().is_terminal() { StdinKind::Terminal } else { StdinKind::File }
    }

    pub(in super::super) fn stdin_is_open() -> bool {
        false
    }

    pub(in super::super) fn stdout_is_pipe() -> bool {
        false
    }

    pub(crate) fn stdout_is_closed() -> bool {
        false
    }
}

#[cfg(not(unix))]
pub(crate) use fallback::stdout_is_closed;
#[cfg(not(unix))]
pub(super) use fallback::{stdin_is_open, stdin_kind, stdout_is_pipe};
#[cfg(unix)]
pub(crate) use unix::stdout_is_closed;
#[cfg(unix)]
pub(super) use unix::{stdin_is_open, stdin_kind, stdout_is_pipe};
