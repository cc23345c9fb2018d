//! Standard output: written in large blocks, flushed before the program waits.

use std::borrow::Cow;
use std::io::{self, Write};

use super::ci_log::CommandEscaper;
use super::sanitize::{Sanitizer, sanitize, single_line};
use super::style::Style;

/// Bytes that are buffered before they are written.
const BUFFER_SIZE: usize = 64 * 1024;

/// Writes output and sanitises it for a terminal.
pub(crate) struct Sink {
    writer: Box<dyn Write>,
    buffer: Vec<u8>,
    is_terminal: bool,
    /// Whether control characters of the input are made visible.
    is_sanitized: bool,
    /// State of text that is written in several parts.
    sanitizer: Sanitizer,
    /// Escapes commands in the log of a CI system, if it is written there.
    escaper: Option<CommandEscaper>,
    /// Whether the width of the terminal can be queried.
    has_width: bool,
    can_rewrite: bool,
    style: Style,
}

/// What a sink does with its output, beside writing it.
#[derive(Clone, Copy)]
pub(super) struct SinkSettings {
    is_terminal: bool,
    is_sanitized: bool,
    escapes_commands: bool,
    has_width: bool,
    style: Style,
}

impl Sink {
    /// Creates a sink for standard output.
    pub fn stdout(style: Style) -> Self {
        Self::stdout_through(Box::new(stdout()), style)
    }

    /// Creates a sink for standard output that writes through `writer`.
    pub fn stdout_through(writer: Box<dyn Write>, style: Style) -> Self {
        let is_terminal = io::IsTerminal::is_terminal(&io::stdout());
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        Self {
            has_width: is_terminal,
            can_rewrite: is_terminal && !is_dumb,
            ..Self::new(writer, is_terminal, style)
        }
    }

    /// Creates a sink for any writer.
    pub fn new(writer: Box<dyn Write>, is_terminal: bool, style: Style) -> Self {
        Self {
            writer,
            buffer: Vec::new(),
            is_terminal,
            is_sanitized: is_terminal,
            sanitizer: Sanitizer::default(),
            escaper: None,
            has_width: false,
            can_rewrite: is_terminal,
            style,
        }
    }

    /// Returns the settings.
    pub(super) fn settings(&self) -> SinkSettings {
        SinkSettings {
            is_terminal: self.is_terminal,
            is_sanitized: self.is_sanitized,
            escapes_commands: self.escaper.is_some(),
            has_width: self.has_width,
            style: self.style,
        }
    }

    /// Creates a sink with the settings of another one. Lines cannot be overwritten.
    pub(super) fn with_settings(writer: Box<dyn Write>, settings: SinkSettings) -> Self {
        Self {
            is_sanitized: settings.is_sanitized,
            escaper: settings.escapes_commands.then(CommandEscaper::default),
            has_width: settings.has_width,
            can_rewrite: false,
            ..Self::new(writer, settings.is_terminal, settings.style)
        }
    }

    /// Writes what another sink with the same settings has written.
    pub(super) fn write_recorded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.flush_if_full()
    }

    /// Makes the output safe for the log of a CI system: commands are escaped, control
    /// characters of the input made visible.
    pub fn protect_ci_log(&mut self) {
        self.is_sanitized = true;
        self.escaper.get_or_insert_default();
    }

    /// Returns whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Returns whether the current line can be overwritten.
    pub fn can_rewrite(&self) -> bool {
        self.can_rewrite
    }

    /// Returns the current width of the terminal in columns; 80 if unknown.
    pub fn width(&self) -> usize {
        self.has_width.then(platform::width).flatten().unwrap_or(80)
    }

    /// Returns the style.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Returns text from the input as a part of one line, sanitised for a terminal.
    pub fn sanitize<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match single_line(text) {
            line if !self.is_sanitized => line,
            Cow::Borrowed(line) => sanitize(line),
            Cow::Owned(line) => Cow::Owned(sanitize(&line).into_owned()),
        }
    }

    /// Writes text of the program itself.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        if self.is_sanitized {
            let held = self.sanitizer.finish();
            self.write(held.as_bytes())?;
        }
        self.write(text.as_bytes())
    }

    /// Writes bytes from the input, which may continue those written before.
    pub fn print_input(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_sanitized {
            let text = self.sanitizer.push(&String::from_utf8_lossy(bytes));
            self.write(text.as_bytes())
        } else {
            self.write(bytes)
        }
    }

    /// Lets `compose` append bytes from the input to the output buffer. For a
    /// terminal they are sanitised first.
    pub fn compose(&mut self, compose: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        if self.is_sanitized {
            let mut bytes = Vec::new();
            compose(&mut bytes);
            return self.print_input(&bytes);
        }
        compose(&mut self.buffer);
        self.flush_if_full()
    }

    /// Writes everything that is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        let written = self.writer.write_all(&self.buffer);
        // After an error the rest is not written a second time.
        self.buffer.clear();
        written.and_then(|()| self.writer.flush())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.escaper {
            Some(escaper) => escaper.escape_bytes(bytes, &mut self.buffer),
            // A large text is not copied.
            None if bytes.len() >= BUFFER_SIZE => {
                self.flush()?;
                return self.writer.write_all(bytes);
            }
            None => self.buffer.extend_from_slice(bytes),
        }
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER_SIZE { self.flush() } else { Ok(()) }
    }
}

/// A writer that ignores a closed pipe, for a program that has more to do than to
/// print.
pub(crate) struct IgnoreBrokenPipe<W>(pub W);

impl<W: Write> Write for IgnoreBrokenPipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            done => done,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns standard output without a buffer.
pub(crate) fn stdout() -> impl Write {
    platform::Stdout::default()
}

#[cfg(unix)]
mod platform {
    use std::io::{self, Write};

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    use crate::input::pipe::Throughput;

    /// Standard output without the standard library's line buffer.
    #[derive(Default)]
    pub(super) struct Stdout {
        throughput: Throughput,
    }

    impl Write for Stdout {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            loop {
                match rustix::io::write(io::stdout(), bytes) {
                    // Another process may have made a shared pipe non-blocking.
                    Err(Errno::AGAIN) => {
                        let _ = poll(&mut [PollFd::new(&io::stdout(), PollFlags::OUT)], None);
                    }
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                    Ok(count) => {
                        self.throughput.count(count, &io::stdout());
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
