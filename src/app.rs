//! From the command line to the exit status.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cli::{self, Cli, Command, FindingsArgs, Global, ReadCommand, UsageArgs};
use crate::exit::Exit;
use crate::findings;
use crate::history;
use crate::input::{Follow, Source};
use crate::manual;
use crate::output::{self, ColorChoice, IgnoringClosedPipe, Notes, Output, Sink, Style, visible};
use crate::pipeline::{self, Options};
use crate::projection::{Plan, Setting};
use crate::prompt;
use crate::redact::Redactor;
use crate::wrap;

/// Does what the arguments ask for.
#[must_use]
pub fn run(arguments: impl Iterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.collect();
    let done = match Cli::parse_from(&arguments) {
        Ok(Cli { command, global }) => match command {
            Command::Read(command) => read(&command, &global),
            Command::Wrap(args) => return wrap::run(&args, &global),
            #[cfg(feature = "store")]
            Command::Escalate(args) => return crate::escalate::run(&args, &global),
            #[cfg(feature = "store")]
            Command::Memories(args) => match crate::memories::run(&args, &global) {
                Ok(printed) => printed,
                Err(error) => return trouble(&format!("{error:#}")),
            },
            Command::Prompt(args) => prompt::run(&args, &mut output::stdout()),
            Command::Man(args) => match manual::page(args.command.as_deref()) {
                Ok(page) => print(&page),
                Err(error) => return trouble(&format!("{error:#}")),
            },
            Command::Completions(args) => print(&manual::completions(args.shell)),
        },
        Err(message) => match explain(&message, &arguments) {
            Ok(Exit::Trouble)
                if ["wrap", "escalate"].iter().any(|name| cli::asks_for(name, &arguments)) =>
            {
                return Exit::Status(wrap::status::OWN_FAILURE);
            }
            done => done,
        },
    };
    match done {
        Ok(exit) => exit,
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => trouble(&format!("cannot write: {}", plainly(&error))),
    }
}

/// A reading command: every file is a run. The error is one of writing.
fn read(command: &ReadCommand, global: &Global) -> io::Result<Exit> {
    if let ReadCommand::Findings(FindingsArgs { print_schema: true, .. }) = command {
        return print(findings::response::SCHEMA.as_bytes());
    }
    if let ReadCommand::Usage(args) = command {
        match history::Plan::of(args) {
            Ok(None) => {}
            Ok(Some(plan)) => return table(&plan, args, global),
            Err(error) => return Ok(trouble(&format!("{error:#}"))),
        }
    }
    let plan = match Plan::of(command) {
        Ok(plan) => plan,
        Err(error) => return Ok(trouble(&format!("{error:#}"))),
    };
    let stdin = [PathBuf::from("-")];
    let files = match plan.files {
        [] if io::stdin().is_terminal() => {
            let usage = cli::usage_of(plan.name);
            return Ok(trouble(&format!(
                "nothing to read: give a FILE, or pipe a stream in\n{usage}"
            )));
        }
        [] => &stdin,
        files => files,
    };
    if plan.follows && files.len() > 1 {
        return Ok(trouble("--follow reads one FILE"));
    }
    let terminal = io::stdout().is_terminal();
    let style = style(global.color, terminal);
    let sink = if plan.stores {
        Sink::stdout_through(Box::new(IgnoringClosedPipe(output::stdout())), style)
    } else {
        Sink::stdout(style)
    };
    let mut out =
        Output { sink, notes: Notes::stderr(global.quiet), records: plan.records(terminal) };
    let exit = files.iter().try_fold(Exit::Done, |exit, path| {
        run_of_file(path, &plan, global, &mut out).map(|own| exit.or_worse(own))
    })?;
    finish(&mut out, exit)
}

/// A table over many files.
fn table(plan: &history::Plan<'_>, args: &UsageArgs, global: &Global) -> io::Result<Exit> {
    let terminal = io::stdout().is_terminal();
    let mut out = Output {
        sink: Sink::stdout(style(global.color, terminal)),
        notes: Notes::stderr(global.quiet),
        records: args.records.records(plan.shape(), terminal),
    };
    let exit = plan.carry_out(global, &mut out)?;
    finish(&mut out, exit)
}

/// Everything is printed: the end of the records, and what none of them had.
fn finish(out: &mut Output, exit: Exit) -> io::Result<Exit> {
    out.records.end(&mut out.sink)?;
    out.sink.flush()?;
    match out.records.missed() {
        Some(pointer) => {
            out.notes.remark(&format!("no record has {pointer}"));
            Ok(exit.or_worse(Exit::No))
        }
        None => Ok(exit),
    }
}

fn run_of_file(
    path: &Path,
    plan: &Plan<'_>,
    global: &Global,
    out: &mut Output,
) -> io::Result<Exit> {
    let opened = if plan.follows {
        let wanted = || !wrap::output_is_closed();
        Follow::open(path, wanted).map(Opened::Growing)
    } else {
        Source::open(path).map(Opened::Whole)
    };
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            out.notes.begin(&path.to_string_lossy());
            out.error_about_input(&plainly(&error))?;
            return Ok(Exit::Trouble);
        }
    };
    let (name, written) = match &opened {
        Opened::Whole(source) => (source.name().to_owned(), source.written()),
        Opened::Growing(_) => (path.to_string_lossy().into_owned(), SystemTime::now()),
    };
    let setting = Setting { name: name.clone(), harness: global.harness, written, process: None };
    let options = Options {
        harness: global.harness,
        max_line: global.max_line,
        threads: global.threads,
        redactor: global.redact.then(|| Redactor::of_variables(std::env::vars_os())),
        manner: plan.manner,
    };
    let projection = plan.projection(&setting);
    let outcome = match opened {
        Opened::Whole(mut source) => pipeline::run(&name, &mut source, options, projection, out)?,
        Opened::Growing(mut file) => pipeline::run(&name, &mut file, options, projection, out)?,
    };
    let mut exit = outcome.exit;
    if global.strict && outcome.skipped > 0 {
        exit = exit.or_worse(Exit::No);
    }
    if let Some(error) = outcome.read_error {
        out.error_about_input(&format!("cannot read: {}", plainly(&error)))?;
        exit = exit.or_worse(Exit::Trouble);
    }
    Ok(exit)
}

/// What a run is read from.
enum Opened {
    /// Something with an end.
    Whole(Source),
    /// A file that may grow.
    Growing(Follow),
}

/// Help goes to standard output, complaints to standard error.
fn explain(message: &clap::Error, arguments: &[OsString]) -> io::Result<Exit> {
    // A complaint repeats what the user wrote, between its own colours.
    let harmless = |word: &OsString| visible(&word.to_string_lossy()) == word.to_string_lossy();
    let harmless = arguments.iter().all(harmless);
    let text = |terminal: bool| {
        let text = message.render();
        if harmless && style(ColorChoice::Auto, terminal) != Style::default() {
            text.ansi().to_string()
        } else {
            visible(&text.to_string()).into_owned()
        }
    };
    if message.use_stderr() {
        let text = text(io::stderr().is_terminal());
        // Without standard error there is nobody left to tell.
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(Exit::Trouble);
    }
    print(text(io::stdout().is_terminal()).as_bytes())
}

pub(crate) fn style(choice: ColorChoice, terminal: bool) -> Style {
    Style::decide(choice, terminal, |name| std::env::var(name).ok())
}

fn print(bytes: &[u8]) -> io::Result<Exit> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(Exit::Done)
}

fn trouble(message: &str) -> Exit {
    Notes::stderr(false).error(message);
    Exit::Trouble
}

/// The operating system's message, without its number.
pub(crate) fn plainly(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let mut chars = text[..end].chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}
