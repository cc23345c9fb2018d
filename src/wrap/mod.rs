//! `wrap`: runs the agent CLI, keeps what it said, leaves nothing behind.
//!
//! The child's output takes the very way a file's bytes take; around it are
//! the command line (`completion`), the process and all that come from it
//! (`process`), the clocks and signals (`supervisor`), its standard error
//! (`stderr`) and the record (`record`). A run is an [`Order`], and what comes of
//! it is [`Told`].

mod about;
mod attended;
mod clocks;
mod completion;
mod courier;
pub(crate) mod duration;
#[cfg(feature = "store")]
mod end_requests;
mod ends;
mod environment;
mod kept_events;
mod mailbox;
mod order;
mod process;
mod record;
mod schema;
mod shell;
mod shown;
mod signals;
mod start;
pub(crate) mod status;
mod stderr;
mod stdin;
mod subject;
mod supervisor;
mod tee;
mod watch;
mod watched;

use std::io::{self, IsTerminal};

use anyhow::Context;

use crate::cli::{Complete, Global, WrapArgs};
use crate::exit::Exit;
use crate::output::Notes;

pub use attended::Told;
pub use completion::harness_of;
#[cfg(feature = "store")]
pub(crate) use courier::Courier;
#[cfg(feature = "store")]
pub(crate) use end_requests::EndRequests;
pub(crate) use ends::output_is_closed;
pub use order::Order;
pub use stdin::Given;

use shown::Shown;

/// Runs the command.
#[must_use]
pub fn run(args: &WrapArgs, global: &Global) -> Exit {
    match wrap(args, global) {
        Ok(status) => Exit::Status(status),
        Err(error) => {
            Notes::stderr(false).error(&format!("{error:#}"));
            Exit::Status(status::OWN_FAILURE)
        }
    }
}

/// The order of things. An error is our own, before anything was started.
fn wrap(args: &WrapArgs, global: &Global) -> anyhow::Result<u8> {
    let default = if io::stdout().is_terminal() { "view" } else { "text" };
    let (shown, own) = Shown::of(args.show.as_deref().unwrap_or(default))?;
    let raw = matches!(shown, Shown::Raw)
        && (global.redact || own.as_ref().is_some_and(|own| own.redact));
    anyhow::ensure!(!raw, "--redact masks what is read, and --as raw reads nothing");
    // A plan may open files.
    let plan = if args.dry_run { None } else { shown.plan()? };
    let needless = args.model.is_some() && args.complete != Complete::Full;
    anyhow::ensure!(!needless, "--model is for --complete full; give the command its own");
    let global = &global.refined(own.as_ref());
    let given = if args.no_stdin { Given::Nothing } else { Given::Ours };
    let order =
        Order { args, global, plan, given, context: None, last: true, asked_to_end: &|| None };
    if args.dry_run {
        return shell::print(&order.command_line()?).context("cannot write");
    }
    Ok(order.carry_out()?.exit_status(args.exit_status))
}
