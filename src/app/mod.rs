//! From the command line to the exit status.

mod grep;
mod harness;
#[cfg(feature = "store")]
mod memories;
mod progress;
mod prompt;
mod read;
mod redact;
mod report;
mod schemas;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
mod usage_table;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use crate::cli::{self, Cli, Command, Global, manual};
use crate::descriptions;
use crate::exit::Exit;
use crate::output::{
    self, ColorChoice, Diagnostics, Style, error_message, sanitize, system_message,
};
use crate::program::Streams;
use crate::wrap;

/// Runs the command that the arguments name.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>, streams: Streams) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let done = match Cli::parse_from(&arguments) {
        Ok(Cli { command, global }) => match command {
            Command::Read(command) => with_descriptions(global, streams, |global, streams| {
                read::run(&command, global, streams)
            }),
            Command::Grep(args) => with_descriptions(global, streams, |global, streams| {
                grep::run(&args, global, streams)
            }),
            Command::Sessions(args) => with_descriptions(global, streams, |global, streams| {
                sessions::run(&args, global, streams)
            }),
            Command::Redact(args) => with_descriptions(global, streams, |global, streams| {
                redact::run(&args, global, streams)
            }),
            Command::Report(args) => with_descriptions(global, streams, |global, streams| {
                report::run(&args, global, streams)
            }),
            #[cfg(feature = "serve")]
            Command::Serve(args) => with_descriptions(global, streams, |global, streams| {
                serve::run(&args, global, streams)
            }),
            Command::Wrap(args) => return wrap::run(&args, &global),
            #[cfg(feature = "store")]
            Command::Escalate(args) => return crate::escalate::run(&args, &global),
            #[cfg(feature = "store")]
            Command::Memories(args) => match memories::run(&args, &global) {
                Ok(printed) => printed,
                Err(error) => return fail(&error_message(&error)),
            },
            Command::Harness(args) => match harness::run(&args) {
                Ok(text) => print(text.as_bytes()),
                Err(error) => return fail(&format!("{error:#}")),
            },
            Command::Prompt(args) => prompt::run(&args, &mut output::stdout()),
            Command::Man(args) => match manual::page(args.command.as_deref()) {
                Ok(page) => print(&page),
                Err(error) => return fail(&error_message(&error)),
            },
            Command::Completions(args) => print(&manual::completions(args.shell)),
            Command::Schema(args) => print(schemas::text(args.name).as_bytes()),
        },
        Err(message) => match print_usage(&message, &arguments) {
            Ok(Exit::Error)
                if ["wrap", "escalate"].iter().any(|name| cli::is_command(name, &arguments)) =>
            {
                return Exit::Status(wrap::status::OWN_FAILURE);
            }
            done => done,
        },
    };
    match done {
        Ok(exit) => exit,
        // The reader of the output needs no more of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(error) => fail(&format!("cannot write: {}", system_message(&error))),
    }
}

/// Runs a command that reads streams, after the descriptions of CLIs that are not built in
/// have been read.
fn with_descriptions(
    global: Global,
    mut streams: Streams,
    run: impl FnOnce(&Global, Streams) -> io::Result<Exit>,
) -> io::Result<Exit> {
    match descriptions::resolve(global) {
        Ok(global) => run(&global, streams),
        Err(error) => {
            Diagnostics::new(streams.stderr(), false).error(&error_message(&error));
            Ok(Exit::Error)
        }
    }
}

/// Prints help to standard output, and usage errors to standard error.
fn print_usage(message: &clap::Error, arguments: &[OsString]) -> io::Result<Exit> {
    // A usage error repeats arguments, so its colours are kept only if these are
    // harmless.
    let is_harmless = |word: &OsString| sanitize(&word.to_string_lossy()) == word.to_string_lossy();
    let are_harmless = arguments.iter().all(is_harmless);
    let text = |is_terminal: bool| {
        let text = message.render();
        if are_harmless && Style::from_environment(ColorChoice::Auto, is_terminal).is_coloured() {
            text.ansi().to_string()
        } else {
            sanitize(&text.to_string()).into_owned()
        }
    };
    if message.use_stderr() {
        let text = text(io::stderr().is_terminal());
        // An error on standard error cannot be reported anywhere.
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(Exit::Error);
    }
    print(text(io::stdout().is_terminal()).as_bytes())
}
fn print(bytes: &[u8]) -> io::Result<Exit> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(Exit::Success)
}

fn fail(message: &str) -> Exit {
    Diagnostics::stderr(false).error(message);
    Exit::Error
}
