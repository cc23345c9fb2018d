//! Runs a reading command.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::print;
use super::sessions::sources_of;
use super::usage_table::UsageTableCommand;
use crate::cli::{self, FindingsArgs, Global, ReadCommand};
use crate::exit::Exit;
use crate::findings::response_schema;
use crate::input::{self, FollowedFile, ReadInput, STDIN_NAME};
use crate::output::{
    Diagnostics, IgnoreBrokenPipe, Output, OutputSafety, Sink, Style, error_message, system_message,
};
use crate::pipeline::{self, RunResult};
use crate::program::Streams;
use crate::projection::{Projection, RunContext};
use crate::read_spec::ReadSpec;
use crate::reader::ReaderOptions;
use crate::sessions::{SessionInput, SessionSource};
use crate::wrap;

/// Runs a reading command; every file is a run. An error is one of writing.
pub(super) fn run(
    command: &ReadCommand,
    global: &Global,
    mut streams: Streams,
) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let mut fail = |message: &str| {
        diagnostics.error(message);
        Ok(Exit::Error)
    };
    if let ReadCommand::Findings(FindingsArgs { print_schema: true, .. }) = command {
        return print(response_schema::SCHEMA.as_bytes());
    }
    let is_terminal = streams.is_terminal();
    let style = Style::from_environment(global.color, is_terminal);
    if let ReadCommand::Usage(args) = command {
        match UsageTableCommand::new(args) {
            Ok(None) => {}
            Ok(Some(table)) => {
                let sink = streams.sink(style);
                let rows = args.rows.writer(table.layout(), is_terminal);
                let safety = OutputSafety { csv: global.csv_safe, ci: false };
                return table.run(global, Output::new(sink, diagnostics, rows, safety));
            }
            Err(error) => return fail(&error_message(&error)),
        }
    }
    let spec = match ReadSpec::new(command) {
        Ok(spec) => spec,
        Err(error) => return fail(&error_message(&error)),
    };
    let stdin = [PathBuf::from("-")];
    let files = match spec.input.files.as_slice() {
        [] if streams.stdin_is_terminal() => {
            let usage = cli::usage_of(spec.name);
            diagnostics.error("nothing to read: give a FILE, or pipe a stream in");
            diagnostics.usage(&usage);
            return Ok(Exit::Error);
        }
        [] => &stdin,
        files => files,
    };
    if spec.follows && files.len() > 1 {
        return fail("--follow reads one FILE");
    }
    let sink = if spec.stores {
        Sink::stdout_through(Box::new(IgnoreBrokenPipe(crate::output::stdout())), style)
    } else {
        streams.sink(style)
    };
    let safety = OutputSafety { csv: global.csv_safe, ci: spec.is_ci_safe };
    let mut out = Output::new(sink, diagnostics, spec.row_writer(is_terminal), safety);
    let exit = files.iter().try_fold(Exit::Success, |exit, path| {
        read_path(path, &spec, global, &mut streams, &mut out).map(|own| exit.or_worse(own))
    })?;
    finish(&mut out, exit)
}

/// Reads a file, the sessions of a database, or a session that is named.
fn read_path(
    path: &Path,
    spec: &ReadSpec<'_>,
    global: &Global,
    streams: &mut Streams,
    out: &mut Output,
) -> io::Result<Exit> {
    let sources = match sources_of(path, spec.input, global) {
        Ok(sources) => sources,
        Err(error) => match error.downcast::<io::Error>() {
            Ok(error) => return report_unreadable(&path.to_string_lossy(), &error, out),
            Err(error) => {
                out.sink.flush()?;
                out.diagnostics.failure(&error);
                return Ok(Exit::Error);
            }
        },
    };
    sources.iter().try_fold(Exit::Success, |exit, source| {
        read_source(source, spec, global, streams, out).map(|own| exit.or_worse(own))
    })
}

fn report_unreadable(name: &str, error: &io::Error, out: &mut Output) -> io::Result<Exit> {
    out.diagnostics.start_input(name);
    out.input_error(&system_message(error))?;
    Ok(Exit::Error)
}

/// Ends the output, and reports a member that no row has.
pub(super) fn finish(out: &mut Output, exit: Exit) -> io::Result<Exit> {
    out.rows.end(&mut out.sink)?;
    out.sink.flush()?;
    match out.rows.missing_member() {
        Some(pointer) => {
            out.diagnostics.note(&format!("no record has {pointer}"));
            Ok(exit.or_worse(Exit::No))
        }
        None => Ok(exit),
    }
}

fn read_source(
    source: &SessionSource,
    spec: &ReadSpec<'_>,
    global: &Global,
    streams: &mut Streams,
    out: &mut Output,
) -> io::Result<Exit> {
    let mut opened = match OpenInput::open(source, spec.follows, streams) {
        Ok(opened) => opened,
        Err(error) => return report_unreadable(&source.name(), &error, out),
    };
    let (name, written) = opened.name_and_time(source.path());
    let context =
        RunContext { name: name.clone(), harness: global.harness, written, process: None };
    let options = ReaderOptions {
        decode: spec.decode_options(global.harness, global.described),
        max_line: global.max_line,
        threads: global.threads,
        redactor: global.redactor(),
        ..ReaderOptions::default()
    };
    let projection = spec.projection(&context);
    let RunResult { mut exit, skipped, read_error } =
        opened.run(&name, &options, projection, out)?;
    if global.strict && skipped > 0 {
        exit = exit.or_worse(Exit::No);
    }
    if let Some(error) = read_error {
        out.input_error(&format!("cannot read: {}", system_message(&error)))?;
        exit = exit.or_worse(Exit::Error);
    }
    Ok(exit)
}

/// An open input.
pub(super) enum OpenInput {
    Session(Box<SessionInput>),
    Followed(FollowedFile),
    /// Standard input given by the caller of [`crate::program::run_with`].
    Reader(ReadInput<Box<dyn io::Read + Send>>),
}

impl OpenInput {
    pub(super) fn open(
        source: &SessionSource,
        follows: bool,
        streams: &mut Streams,
    ) -> io::Result<Self> {
        let path = source.path();
        // A compressed file is complete.
        if follows && !input::is_compressed(path) {
            let keep_going = || !wrap::stdout_is_closed();
            return FollowedFile::open(path, keep_going).map(Self::Followed);
        }
        let stdin = if path.as_os_str() == "-" { streams.take_stdin() } else { None };
        match stdin {
            Some(reader) => Ok(Self::Reader(ReadInput(reader))),
            None => source.open().map(|input| Self::Session(Box::new(input))),
        }
    }

    /// Reads it to its end and prints the projection of it.
    pub(super) fn run(
        &mut self,
        name: &str,
        options: &ReaderOptions,
        projection: Box<dyn Projection>,
        out: &mut Output,
    ) -> io::Result<RunResult> {
        match self {
            Self::Session(input) => pipeline::run(name, &mut **input, options, projection, out),
            Self::Followed(file) => pipeline::run(name, file, options, projection, out),
            Self::Reader(reader) => pipeline::run(name, reader, options, projection, out),
        }
    }

    /// Returns the name for messages, and when the lines were written.
    pub(super) fn name_and_time(&self, path: &Path) -> (String, SystemTime) {
        match self {
            Self::Session(input) => (input.name().to_owned(), input.modified()),
            Self::Followed(_) => (path.to_string_lossy().into_owned(), SystemTime::now()),
            Self::Reader(_) => (STDIN_NAME.to_owned(), SystemTime::UNIX_EPOCH),
        }
    }
}
