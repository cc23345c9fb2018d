//! The two ends of us: is anybody still writing to our standard input, is
//! anybody still reading our standard output?

/// What our standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A terminal.
    Terminal,
    /// A pipe or a socket: it may stay open for long.
    Pipe,
    /// A file, or nothing: it has an end.
    File,
}

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal};
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, fstat};

    use super::Input;

    pub fn input() -> Input {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            Input::Terminal
        } else if is_pipe(&stdin) {
            Input::Pipe
        } else {
            Input::File
        }
    }

    /// Whether somebody may still write to our standard input.
    pub fn input_is_open() -> bool {
        !happened(&io::stdin(), PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
    }

    pub fn output_is_pipe() -> bool {
        is_pipe(&io::stdout())
    }

    /// Whether the reader of our standard output, a pipe, has gone.
    pub fn output_is_closed() -> bool {
        happened(&io::stdout(), PollFlags::ERR | PollFlags::NVAL)
    }

    /// Waits until our standard output takes something, for a while at most.
    pub fn output_takes(longest: std::time::Duration) -> bool {
        let wait = Timespec {
            tv_sec: longest.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: longest.subsec_nanos().into(),
        };
        let stdout = io::stdout();
        let mut asked = [PollFd::new(&stdout, PollFlags::OUT)];
        matches!(poll(&mut asked, Some(&wait)), Ok(1..))
    }

    fn is_pipe(end: &impl AsFd) -> bool {
        let kind = fstat(end).map(|stat| FileType::from_raw_mode(stat.st_mode));
        matches!(kind, Ok(FileType::Fifo | FileType::Socket))
    }

    fn happened(end: &impl AsFd, what: PollFlags) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut asked = [PollFd::new(end, PollFlags::empty())];
        matches!(poll(&mut asked, Some(&now)), Ok(1..)) && asked[0].revents().intersects(what)
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io::{self, IsTerminal};

    use super::Input;

    pub fn input() -> Input {
        if io::stdin().is_terminal() { Input::Terminal } else { Input::File }
    }

    pub fn input_is_open() -> bool {
        false
    }

    pub fn output_is_pipe() -> bool {
        false
    }

    pub fn output_is_closed() -> bool {
        false
    }

    pub fn output_takes(_: std::time::Duration) -> bool {
        true
    }
}

#[cfg(not(unix))]
pub use elsewhere::{input, input_is_open, output_is_closed, output_is_pipe, output_takes};
#[cfg(unix)]
pub use unix::{input, input_is_open, output_is_closed, output_is_pipe, output_takes};
