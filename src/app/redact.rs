//! `redact`: copies streams and sessions without their secrets.

use std::io;
use std::path::{Path, PathBuf};

use memchr::memchr;

use super::sessions::sources_of;
use crate::catalog;
use crate::cli::{Global, RedactArgs, usage_of};
use crate::exit::Exit;
use crate::harness::Harness;
use crate::input::{Input, InputSource, ReadInput, STDIN_NAME};
use crate::output::{
    ColorChoice, DiagnosticKind, Diagnostics, Sink, Style, plural, system_message,
};
use crate::program::Streams;
use crate::redact::{CopyRedactor, Redactor};
use crate::sessions::SessionInput;

/// Bytes requested from the input with one read.
const READ_SIZE: usize = 64 << 10;

/// Copies the files, and reports the number of secrets by rule. An error is one of
/// writing.
pub(super) fn run(args: &RedactArgs, global: &Global, mut streams: Streams) -> io::Result<Exit> {
    let redactor = Redactor::of_variables(std::env::vars_os(), &global.own_patterns());
    let mut diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let stdin = [PathBuf::from("-")];
    let files = match args.files.files.as_slice() {
        [] if streams.stdin_is_terminal() => {
            let usage = usage_of("redact");
            diagnostics.error("nothing to read: give a FILE, or pipe a stream in");
            diagnostics.usage(&usage);
            return Ok(Exit::Error);
        }
        [] => &stdin,
        files => files,
    };
    let sink = streams.sink(Style::from_environment(ColorChoice::Never, false));
    let mut copy = Copy {
        sink,
        diagnostics,
        max_line: global.max_line,
        redactor,
        described: global.described,
    };
    let mut exit = Exit::Success;
    for path in files {
        let given = if path.as_os_str() == "-" { streams.take_stdin() } else { None };
        let own = match given {
            Some(reader) => copy.input(STDIN_NAME, &mut ReadInput(reader))?,
            None => copy.path(path, args, global)?,
        };
        exit = exit.or_worse(own);
    }
    copy.sink.flush()?;
    for (rule, count) in copy.redactor.counts() {
        copy.diagnostics.note(&format!("{rule}: {}", plural(count, "secret")));
    }
    Ok(exit)
}

/// Copies inputs to one output.
struct Copy {
    sink: Sink,
    diagnostics: Diagnostics,
    max_line: usize,
    redactor: Redactor,
    described: &'static [Harness],
}

impl Copy {
    /// Copies a file as it is, and a session that is named or in a database as its lines.
    fn path(&mut self, path: &Path, args: &RedactArgs, global: &Global) -> io::Result<Exit> {
        let found = match sources_of(path, &args.files, global) {
            Ok(found) => found,
            Err(error) => match error.downcast::<io::Error>() {
                Ok(error) => return self.fail(&path.to_string_lossy(), &error),
                Err(error) => {
                    self.sink.flush()?;
                    self.diagnostics.failure(&error);
                    return Ok(Exit::Error);
                }
            },
        };
        let is_name = catalog::is_session_name(path);
        let mut exit = Exit::Success;
        for (path, error) in &found.unreadable {
            exit = exit.or_worse(self.fail(&path.to_string_lossy(), error)?);
        }
        for source in found.sources {
            let opened = if is_name || source.is_in_database() {
                source.open()
            } else {
                InputSource::open(source.path()).map(SessionInput::from)
            };
            exit = exit.or_worse(match opened {
                Ok(mut input) => {
                    let name = input.name().to_owned();
                    self.input(&name, &mut input)?
                }
                Err(error) => self.fail(&source.name(), &error)?,
            });
        }
        Ok(exit)
    }

    fn fail(&mut self, name: &str, error: &io::Error) -> io::Result<Exit> {
        self.sink.flush()?;
        self.diagnostics.start_input(name);
        self.diagnostics.input_error(&system_message(error));
        Ok(Exit::Error)
    }

    /// Copies an input. A line over the limit cannot be examined and is left out.
    fn input(&mut self, name: &str, input: &mut impl Input) -> io::Result<Exit> {
        self.diagnostics.start_input(name);
        let mut lines = CopyRedactor::new(self.redactor.clone()).with_described(self.described);
        let mut buffer = Vec::new();
        let (mut number, mut discarded, mut exit) = (1, 0, Exit::Success);
        loop {
            if !input.ready() {
                self.sink.flush()?;
            }
            let start = buffer.len();
            buffer.resize(start + READ_SIZE, 0);
            let read = input.read(&mut buffer[start..]);
            buffer.truncate(start + read.as_ref().copied().unwrap_or(0));
            let is_end = !matches!(read, Ok(1..));
            let mut at = 0;
            let mut searched = start;
            while let Some(end) = memchr(b'\n', &buffer[searched..])
                .map(|end| searched + end + 1)
                .or_else(|| (is_end && at < buffer.len()).then_some(buffer.len()))
            {
                let line = &buffer[at..end];
                if discarded > 0 || line.len() > self.max_line {
                    self.too_long(number, discarded + line.len() as u64);
                    (discarded, exit) = (0, Exit::No);
                } else {
                    lines.line(line, |line| self.sink.print_input(line))?;
                }
                number += 1;
                (at, searched) = (end, end);
            }
            buffer.drain(..at);
            if buffer.len() > self.max_line {
                discarded += buffer.len() as u64;
                buffer.clear();
            }
            if is_end {
                if discarded > 0 {
                    self.too_long(number, discarded);
                    exit = Exit::No;
                }
                lines.finish(|line| self.sink.print_input(line))?;
                self.diagnostics.end_input();
                return match read {
                    Ok(_) => Ok(exit),
                    Err(error) => self.fail(name, &error),
                };
            }
        }
    }

    fn too_long(&mut self, number: u64, length: u64) {
        let message = format!("line too long, not copied: {length} bytes (see --max-line)");
        self.diagnostics.line_note(DiagnosticKind::TooLong, number, &message);
    }
}
