//! From the parsed command line to the exit status.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::{self, Cli, Command, Global};
use crate::exit::Exit;
use crate::input::Source;
use crate::output::{Notes, Output, Sink, Style};
use crate::pipeline::{self, Options};
use crate::projection::{Plan, Setting};

/// Does what the command line asks for.
#[must_use]
pub fn run(cli: Cli) -> Exit {
    let mut notes = Notes::stderr(cli.global.quiet);
    let done = match cli.command {
        Command::Man(args) => print_man(args.command.as_deref()),
        Command::Completions(args) => print_completions(args.shell),
        command => read(&command, &cli.global),
    };
    match done {
        Ok(exit) => exit,
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            notes.error(&format!("{error:#}"));
            Exit::Trouble
        }
    }
}

/// A reading command: every file is a run.
fn read(command: &Command, global: &Global) -> anyhow::Result<Exit> {
    let plan = Plan::of(command).context("not a reading command")?;
    let mut notes = Notes::stderr(global.quiet);
    let stdin = [PathBuf::from("-")];
    let files = match plan.files {
        [] if io::stdin().is_terminal() => {
            notes.error("nothing to read: give a FILE, or pipe a stream in");
            notes.error(&cli::usage_of(plan.name));
            return Ok(Exit::Trouble);
        }
        [] => &stdin,
        files => files,
    };
    let terminal = io::stdout().is_terminal();
    let style = Style::decide(global.color, terminal, |name| std::env::var(name).ok());
    let mut out = Output {
        sink: Sink::stdout(style),
        notes,
        records: plan.records(terminal),
    };
    let exit = files.iter().try_fold(Exit::Done, |exit, path| {
        run_of_file(path, &plan, global, &mut out).map(|own| exit.or_worse(own))
    });
    let exit = exit
        .and_then(|exit| out.sink.flush().map(|()| exit))
        .context("cannot write")?;
    let get_failed = out.records.get_failed();
    Ok(if get_failed {
        exit.or_worse(Exit::No)
    } else {
        exit
    })
}

fn run_of_file(
    path: &Path,
    plan: &Plan<'_>,
    global: &Global,
    out: &mut Output,
) -> io::Result<Exit> {
    let mut source = match Source::open(path) {
        Ok(source) => source,
        Err(error) => {
            out.notes
                .error(&format!("{}: {}", path.display(), plainly(&error)));
            return Ok(Exit::Trouble);
        }
    };
    let mut projection = plan.projection(&Setting {
        harness: global.harness,
        written: source.written(),
    });
    out.notes.begin(source.name());
    let options = Options {
        harness: global.harness,
        max_line: global.max_line,
    };
    let failed = pipeline::stream(&mut source, options, projection.as_mut(), out)?;
    let mut exit = projection.end(out)?;
    out.records.end_run(&mut out.sink)?;
    out.notes.end();
    if global.strict && out.notes.skipped() > 0 {
        exit = exit.or_worse(Exit::No);
    }
    if let Some(error) = failed {
        out.notes.error(&format!(
            "{}: cannot read: {}",
            source.name(),
            plainly(&error)
        ));
        exit = exit.or_worse(Exit::Trouble);
    }
    Ok(exit)
}

fn print_man(name: Option<&str>) -> anyhow::Result<Exit> {
    let page = crate::manual::page(name)?;
    print(&page)
}

fn print_completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    print(&crate::manual::completions(shell))
}

fn print(bytes: &[u8]) -> anyhow::Result<Exit> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.context("cannot write")?;
    Ok(Exit::Done)
}

/// The operating system's message, without its number.
fn plainly(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let mut chars = text[..end].chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let error = cause.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
