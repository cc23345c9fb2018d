//! Runs a reading command.

use std::io;
use std::path::PathBuf;

use super::inputs::Inputs;
use super::print;
use super::usage_table::UsageTableCommand;
use crate::cli::{self, FindingsArgs, Global, ReadCommand};
use crate::exit::Exit;
use crate::findings::response;
use crate::output::{
    Diagnostics, IgnoreBrokenPipe, Output, OutputSafety, Sink, Style, error_message,
};
use crate::program::Streams;
use crate::read_spec::ReadSpec;

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
        return print(response::SCHEMA.as_bytes());
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
    let inputs = Inputs { command, spec: &spec, global };
    let exit = inputs.read(files, &mut streams, &mut out)?;
    finish(&mut out, exit)
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
