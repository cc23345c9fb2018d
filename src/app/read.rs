//! Runs a reading command.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::follow;
use super::pager::Pager;
use super::print;
use super::sessions::sources_of;
use super::usage_table::UsageTableCommand;
use crate::catalog;
use crate::cli::{self, FindingsArgs, Global, ReadCommand};
use crate::exit::Exit;
use crate::findings::response_schema;
use crate::input::{self, Input, ReadInput, STDIN_NAME};
use crate::output::{
    ColorChoice, Diagnostics, IgnoreBrokenPipe, Output, OutputSafety, Sink, Style, SvgWriter,
    error_message, is_dumb, system_message,
};
use crate::pipeline::{self, RunResult};
use crate::program::Streams;
use crate::projection::RunContext;
use crate::read_spec::ReadSpec;
use crate::reader::ReaderOptions;
use crate::sessions::SessionSource;

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
    if spec.follow.is_some() && spec.input.files.len() > 1 {
        return fail("--follow reads one FILE");
    }
    let files = match spec.input.files.as_slice() {
        files @ [] if spec.newest => files,
        [] if spec.follow.is_some() => return fail("--follow needs a FILE, or --latest"),
        [] if streams.stdin_is_terminal() => {
            let usage = cli::usage_of(spec.name);
            diagnostics.error("nothing to read: give a FILE, or pipe a stream in");
            diagnostics.usage(&usage);
            return Ok(Exit::Error);
        }
        [] => &stdin,
        files => files,
    };
    let pager = || streams.height().filter(|_| can_page(&spec, files)).and_then(Pager::new);
    let sink = match pager() {
        _ if spec.draws => {
            let style = Style::from_environment(ColorChoice::Always, true);
            Sink::new(Box::new(SvgWriter::new(streams.stdout())), true, style)
        }
        Some(pager) => Sink::stdout_through(Box::new(pager), style),
        None if spec.stores => {
            Sink::stdout_through(Box::new(IgnoreBrokenPipe(crate::output::stdout())), style)
        }
        None => streams.sink(style),
    };
    let safety = OutputSafety { csv: global.csv_safe, ci: spec.is_ci_safe };
    let mut out = Output::new(sink, diagnostics, spec.row_writer(is_terminal), safety);
    let reading = Reading { spec: &spec, global };
    if spec.newest {
        let exit = follow::follow_newest(&reading, &mut out)?;
        return finish(&mut out, exit);
    }
    let exit = files.iter().try_fold(Exit::Success, |exit, path| {
        // A compressed file is complete.
        let own = if spec.follow.is_some() && !input::is_compressed(path) {
            follow::follow(path, &reading, &mut out)
        } else {
            read_path(path, &reading, &mut streams, &mut out)
        };
        own.map(|own| exit.or_worse(own))
    })?;
    finish(&mut out, exit)
}

/// Returns whether the output of a command that shows recordings may go through a pager.
fn can_page(spec: &ReadSpec<'_>, files: &[PathBuf]) -> bool {
    let is_recording = |path: &PathBuf| path.is_file() || catalog::is_session_name(path);
    spec.pages && spec.follow.is_none() && !is_dumb() && files.iter().all(is_recording)
}

/// A command that reads, with the options of all commands.
pub(super) struct Reading<'a> {
    pub(super) spec: &'a ReadSpec<'a>,
    pub(super) global: &'a Global,
}

impl Reading<'_> {
    /// Returns what is known about a run before its first line.
    pub(super) fn context(
        &self,
        name: impl Into<String>,
        written: SystemTime,
        is_live: bool,
    ) -> RunContext {
        let harness = self.global.harness;
        RunContext { name: name.into(), harness, written, is_live, process: None }
    }
}

/// Reads a file, the sessions of a database, or a session that is named.
fn read_path(
    path: &Path,
    reading: &Reading<'_>,
    streams: &mut Streams,
    out: &mut Output,
) -> io::Result<Exit> {
    let sources = match sources_of(path, reading.spec.input, reading.global) {
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
        read_source(source, reading, streams, out).map(|own| exit.or_worse(own))
    })
}

pub(super) fn report_unreadable(
    name: &str,
    error: &io::Error,
    out: &mut Output,
) -> io::Result<Exit> {
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
    reading: &Reading<'_>,
    streams: &mut Streams,
    out: &mut Output,
) -> io::Result<Exit> {
    let is_stdin = source.path().as_os_str() == "-";
    if let Some(reader) = is_stdin.then(|| streams.take_stdin()).flatten() {
        // Given by the caller of `crate::program::run_with`.
        let context = reading.context(STDIN_NAME, SystemTime::UNIX_EPOCH, false);
        return read_input(&context, &mut ReadInput(reader), reading, out);
    }
    match source.open() {
        Ok(mut input) => {
            let context = reading.context(input.name(), input.modified(), !input.is_file());
            read_input(&context, &mut input, reading, out)
        }
        Err(error) => report_unreadable(&source.name(), &error, out),
    }
}

/// Reads an input to its end.
pub(super) fn read_input(
    context: &RunContext,
    input: &mut (impl Input + Send),
    reading: &Reading<'_>,
    out: &mut Output,
) -> io::Result<Exit> {
    let Reading { spec, global } = reading;
    let options = ReaderOptions {
        decode: spec.decode_options(global.harness, global.described),
        max_line: global.max_line,
        threads: global.threads,
        redactor: global.redactor(),
        ..ReaderOptions::default()
    };
    let projection = spec.projection(context);
    let RunResult { mut exit, skipped, read_error } =
        pipeline::run(&context.name, input, &options, projection, out)?;
    if global.strict && skipped > 0 {
        exit = exit.or_worse(Exit::No);
    }
    if let Some(error) = read_error {
        out.input_error(&format!("cannot read: {}", system_message(&error)))?;
        exit = exit.or_worse(Exit::Error);
    }
    Ok(exit)
}
