//! The command-line program, to be run from another program.
//!
//! ```
//! use streamj::program::{Streams, run_with};
//!
//! let stream = br#"{"type":"item.completed","item":{"type":"agent_message","text":"Hi."}}"#;
//! let streams = Streams::new(stream.as_slice(), std::io::sink(), std::io::sink());
//! assert_eq!(run_with(["streamj", "text"], streams), 0);
//! ```

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use crate::app;
use crate::output::{Sink, Style, stdout, terminal_height};

/// Runs the program with the standard streams of this process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    app::run(arguments, Streams::default()).into()
}

/// Runs a command that reads (`text`, `view`, …) with other streams, and returns its
/// exit status. Commands that run an agent always use the streams of this process.
pub fn run_with<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>, streams: Streams) -> u8 {
    app::run(arguments.into_iter().map(Into::into), streams).code()
}

/// The standard streams of a program.
#[derive(Default)]
pub struct Streams {
    stdin: Option<Box<dyn Read + Send>>,
    stdout: Option<Box<dyn Write>>,
    stderr: Option<Box<dyn Write>>,
    is_terminal: bool,
    is_own: bool,
}

impl Streams {
    /// Uses these streams instead of those of the process.
    pub fn new(
        stdin: impl Read + Send + 'static,
        stdout: impl Write + 'static,
        stderr: impl Write + 'static,
    ) -> Self {
        Self {
            stdin: Some(Box::new(stdin)),
            stdout: Some(Box::new(stdout)),
            stderr: Some(Box::new(stderr)),
            is_terminal: false,
            is_own: true,
        }
    }

    /// Treats standard output as a terminal of 80 columns.
    #[must_use]
    pub fn as_terminal(self) -> Self {
        Self { is_terminal: true, ..self }
    }

    /// Returns whether standard output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        if self.is_own { self.is_terminal } else { io::stdout().is_terminal() }
    }

    /// Returns whether standard input is a terminal.
    pub(crate) fn stdin_is_terminal(&self) -> bool {
        !self.is_own && io::stdin().is_terminal()
    }

    /// Returns the lines of the terminal that standard output is.
    pub(crate) fn height(&self) -> Option<usize> {
        if self.is_own { None } else { terminal_height() }
    }

    /// Returns the given standard input, once.
    pub(crate) fn take_stdin(&mut self) -> Option<Box<dyn Read + Send>> {
        self.stdin.take()
    }

    /// Returns a sink for standard output.
    pub(crate) fn sink(&mut self, style: Style) -> Sink {
        match self.stdout.take() {
            Some(stdout) => Sink::new(stdout, self.is_terminal, style),
            None => Sink::stdout(style),
        }
    }

    /// Returns the writer for standard output.
    pub(crate) fn stdout(&mut self) -> Box<dyn Write> {
        self.stdout.take().unwrap_or_else(|| Box::new(stdout()))
    }

    /// Returns the writer for diagnostics.
    pub(crate) fn stderr(&mut self) -> Box<dyn Write> {
        self.stderr.take().unwrap_or_else(|| Box::new(io::stderr()))
    }
}
