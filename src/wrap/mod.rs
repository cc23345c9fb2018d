//! `wrap`: runs an agent CLI with timeouts, a run record and full cleanup.
//!
//! The command's output is read like a file (`child_output`). Around it are the
//! process and everything it starts (`process`), the clocks and signals on a thread of
//! their own (`supervisor`), its standard error (`stderr`) and the record (`record`). A
//! [`RunSpec`] describes a run, and a [`RunOutcome`] its result.

mod background_writer;
mod child_output;
mod clean_copy;
mod clocks;
mod command_info;
mod command_line;
mod conclusion;
mod environment;
mod event_log;
mod failure_message;
mod observer;
mod partial_text;
mod plain_output;
mod print_mode;
mod process;
mod record;
mod run_output;
mod run_spec;
mod schema_request;
mod signals;
mod start;
pub(crate) mod status;
mod stderr;
mod stdin;
mod stdio;
mod stdout_queue;
#[cfg(feature = "store")]
mod stop_signals;
mod subject;
mod supervised_run;
mod supervision;
mod supervisor;
mod tee;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::{ExitStatus, Global, WrapArgs};
use crate::exit::Exit;
use crate::harness::command::Completion;
use crate::output::{Diagnostics, error_message};
#[cfg(feature = "serve")]
use crate::serve::RunPage;

#[cfg(feature = "store")]
pub(crate) use background_writer::BackgroundWriter;
pub(crate) use print_mode::PrintMode;
pub(crate) use run_spec::RunSpec;
pub(crate) use stdin::StdinContent;
pub(crate) use stdio::stdout_is_closed;
#[cfg(feature = "store")]
pub(crate) use stop_signals::StopSignals;
#[cfg(feature = "store")]
pub(crate) use supervised_run::RunOutcome;

/// Runs the command.
pub(crate) fn run(args: &WrapArgs, global: &Global) -> Exit {
    match wrap(args, global) {
        Ok(status) => Exit::Status(status),
        Err(error) => {
            Diagnostics::stderr(false).error(&error_message(&error));
            Exit::Status(status::OWN_FAILURE)
        }
    }
}

/// Returns what is printed of the stream, and the global options in `--as`. `--tee -` and
/// `--record -` print the stream or the record instead.
fn print_mode(args: &WrapArgs) -> anyhow::Result<(PrintMode, Option<Global>)> {
    let is_stdout = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_stdout);
    let (option, mode) = match (is_stdout(&args.tee), is_stdout(&args.record)) {
        (false, false) => {
            let default = if io::stdout().is_terminal() { "view" } else { "text" };
            return PrintMode::parse(args.show.as_deref().unwrap_or(default));
        }
        (true, true) => anyhow::bail!("--tee - and --record - cannot share standard output"),
        (true, false) => ("--tee -", PrintMode::Raw),
        (false, true) => ("--record -", PrintMode::Nothing),
    };
    let is_free = args.show.is_none();
    anyhow::ensure!(
        is_free,
        "{option}: standard output shows --as; leave that out, or name a file"
    );
    Ok((mode, None))
}

/// Starts the page of the run, if one was requested.
#[cfg(feature = "serve")]
fn run_page(args: &WrapArgs, global: &Global) -> anyhow::Result<Option<RunPage>> {
    let Some(port) = args.serve.filter(|_| !args.dry_run) else { return Ok(None) };
    let tee = args.tee.as_deref();
    anyhow::ensure!(
        !tee.is_some_and(is_stdout),
        "--tee - prints the stream, and --serve reads it from a file: name a file"
    );
    RunPage::of_run(port, tee, global).map(Some)
}

/// Returns whether an option's value means standard output.
fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Runs the command. An error is one of streamj itself, before anything was started.
fn wrap(args: &WrapArgs, global: &Global) -> anyhow::Result<u8> {
    let (mode, own_global) = print_mode(args)?;
    let redacts = global.redacts() || own_global.as_ref().is_some_and(Global::redacts);
    let is_unredacted = redacts && matches!(mode, PrintMode::Raw);
    anyhow::ensure!(!is_unredacted, "--redact masks decoded lines, and --as raw decodes none");
    // The specification may open files.
    let read_spec = if args.dry_run { None } else { mode.read_spec()? };
    let has_unused_model = args.model.is_some() && args.complete != Completion::Full;
    anyhow::ensure!(!has_unused_model, "--model is for --complete full; give the command its own");
    let ignores_conditions = args.exit_status == ExitStatus::Child && !args.fail_on.is_empty();
    anyhow::ensure!(!ignores_conditions, "--fail-on has no effect with --exit-status child");
    let global = &crate::descriptions::resolve(global.refined(own_global.as_ref()))?;
    #[cfg(feature = "serve")]
    let page = run_page(args, global)?;
    #[cfg(feature = "serve")]
    let served =
        page.as_ref().map(|page| WrapArgs { tee: Some(page.path().to_owned()), ..args.clone() });
    #[cfg(feature = "serve")]
    let args = served.as_ref().unwrap_or(args);
    let spec = RunSpec {
        args,
        global,
        read_spec,
        stdin: if args.no_stdin { StdinContent::Empty } else { StdinContent::Inherited },
        context: None,
        is_last: true,
        pending_signal: &|| None,
    };
    if args.dry_run {
        if let Some(note) = supervised_run::uncompleted_note(args, spec.harness()) {
            Diagnostics::stderr(global.quiet).note(&note);
        }
        return command_line::print(&spec.command_line()?).context("cannot write");
    }
    Ok(spec.run()?.exit_status(args.exit_status))
}
