//! Standard output: written in large blocks, and whole lines appear the
//! moment the program would otherwise wait.

use std::borrow::Cow;
use std::io::{self, IoSlice, Write};

use super::draft::{Draft, Outgoing};
use super::sanitize::{Sanitizer, visible};
use super::style::Style;
use crate::input::Buffer;

/// Where the output goes.
pub struct Sink {
    draft: Outgoing,
    terminal: bool,
    /// What was shown last, where it matters for what follows.
    sanitizer: Sanitizer,
    /// It is the terminal, and has a width.
    measured: bool,
    /// A line can be written anew.
    rewrites: bool,
    style: Style,
}

impl Sink {
    /// Standard output, a terminal or not.
    #[must_use]
    pub fn stdout(style: Style) -> Self {
        Self::stdout_through(Box::new(stdout()), style)
    }

    /// Standard output, written by somebody who takes care of it.
    #[must_use]
    pub fn stdout_through(to: Box<dyn Write>, style: Style) -> Self {
        let terminal = io::IsTerminal::is_terminal(&io::stdout());
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        Self { measured: terminal, rewrites: terminal && !dumb, ..Self::new(to, terminal, style) }
    }

    /// Any writer.
    #[must_use]
    pub fn new(to: Box<dyn Write>, terminal: bool, style: Style) -> Self {
        Self {
            draft: Outgoing::new(to),
            terminal,
            sanitizer: Sanitizer::default(),
            measured: false,
            rewrites: terminal,
            style,
        }
    }

    /// Whether a person is looking.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether a line can be written anew.
    #[must_use]
    pub fn rewrites(&self) -> bool {
        self.rewrites
    }

    /// The columns of the terminal now; 80 if they are not known.
    #[must_use]
    pub fn width(&self) -> usize {
        self.measured.then(platform::width).flatten().unwrap_or(80)
    }

    /// How words can be marked.
    #[must_use]
    pub fn style(&self) -> Style {
        self.style
    }

    /// Text from the input, fit for where it goes: as it is in a pipe, with
    /// control characters made visible on a terminal.
    #[must_use]
    pub fn fit<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.terminal { visible(text) } else { Cow::Borrowed(text) }
    }

    /// Writes text of the program's own.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        if self.terminal {
            let kept = self.sanitizer.end();
            self.write(kept.as_bytes())?;
        }
        self.write(text.as_bytes())
    }

    /// Writes bytes from the input; what follows may go on with them.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.terminal {
            let text = self.sanitizer.visible(&String::from_utf8_lossy(bytes));
            self.write(text.as_bytes())
        } else {
            self.write(bytes)
        }
    }

    /// Lets `compose` put bytes from the input straight to where they are written
    /// from; for a terminal they have to be looked at first.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn compose(&mut self, compose: impl FnOnce(&mut dyn Draft)) -> io::Result<()> {
        if self.terminal {
            let mut bytes = Vec::new();
            compose(&mut bytes);
            return self.show(&bytes);
        }
        compose(&mut self.draft);
        self.draft.settle()
    }

    /// What is written next stands in `block`, most of it: that need not be copied.
    pub fn begin_block(&mut self, block: &Buffer) {
        self.draft.begin_block(block);
    }

    /// Nothing more comes out of the block, which may be used for something else.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn end_block(&mut self) -> io::Result<()> {
        self.draft.end_block()
    }

    /// Writes out everything that has gathered.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.draft.pass(bytes);
        self.draft.settle()
    }
}

/// For a program that goes on after its reader has left: a closed pipe is no error.
pub struct IgnoringClosedPipe<W>(pub W);

impl<W: Write> Write for IgnoringClosedPipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            done => done,
        }
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.0.write_vectored(parts) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Ok(parts.iter().map(|part| part.len()).sum())
            }
            done => done,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard output itself, unbuffered.
#[must_use]
pub fn stdout() -> impl Write {
    platform::Stdout::default()
}

#[cfg(unix)]
mod platform {
    use std::io::{self, IoSlice, Write};

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    use crate::pipes::Throughput;

    /// Standard output past the standard library's line buffer.
    #[derive(Default)]
    pub(super) struct Stdout {
        through: Throughput,
    }

    impl Write for Stdout {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
            loop {
                match rustix::io::writev(io::stdout(), parts) {
                    // A neighbour in the pipeline made the pipe non-blocking.
                    Err(Errno::AGAIN) => {
                        let _ = poll(&mut [PollFd::new(&io::stdout(), PollFlags::OUT)], None);
                    }
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                    Ok(count) => {
                        self.through.count(count, &io::stdout());
                        return Ok(count);
                    }
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(super) fn width() -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_col > 0).then_some(size.ws_col.into())
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io::{self, Write};

    #[derive(Default)]
    pub(super) struct Stdout {}

    impl Write for Stdout {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            io::stdout().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            io::stdout().flush()
        }
    }

    pub(super) fn width() -> Option<usize> {
        None
    }
}
