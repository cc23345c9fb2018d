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
        let stdin = io::stdin();
        let over = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        // A socket may be closed in one direction only.
        #[cfg(target_os = "linux")]
        let over = over | PollFlags::RDHUP;
        !happened(&stdin, over)
    }

    pub fn output_is_pipe() -> bool {
        is_pipe(&io::stdout())
    }

    /// Whether the reader of our standard output, a pipe, has gone.
    pub fn output_is_closed() -> bool {
        let stdout = io::stdout();
        let gone = PollFlags::ERR | PollFlags::NVAL;
        let gone =
            if kind(&stdout) == Some(FileType::Socket) { gone | PollFlags::HUP } else { gone };
        happened(&stdout, gone)
    }

    fn is_pipe(end: &impl AsFd) -> bool {
        matches!(kind(end), Some(FileType::Fifo | FileType::Socket))
    }

    fn kind(end: &impl AsFd) -> Option<FileType> {
        fstat(end).ok().map(|stat| FileType::from_raw_mode(stat.st_mode))
    }

    fn happened(end: &impl AsFd, what: PollFlags) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut asked = [PollFd::new(end, what)];
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
}

#[cfg(not(unix))]
pub use elsewhere::{input, input_is_open, output_is_closed, output_is_pipe};
#[cfg(unix)]
pub use unix::{input, input_is_open, output_is_closed, output_is_pipe};
