//! A child is started, and told about when it has ended.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::about::About;
use super::clocks::{Alarm, Limits};
use super::completion::Command;
use super::environment::Environment;
use super::kept_events::KeptEvents;
use super::mailbox::Mailbox;
use super::signals::Signals;
use super::stderr::{Listener, OurStderr};
use super::stdin::Given;
use super::supervisor::{Cause, Policy, Progress, Supervisor};
use super::tee::Tee;
use super::{process, status, stdin};
use crate::cli::{OnClosedStdout, WrapArgs};
use crate::harness::Harness;
use crate::output::Notes;
use crate::projection::WatchedProcess;
use crate::run::{ProcessEnd, Run};

/// A child that runs, and who watches it.
pub struct Started {
    /// Who watches it.
    pub supervisor: Rc<RefCell<Supervisor>>,
    listener: Listener,
}

/// What is started, and with what.
pub struct Setup<'a> {
    /// What the user says.
    pub args: &'a WrapArgs,
    /// The command.
    pub command: &'a Command,
    /// Its environment.
    pub environment: &'a Environment,
    /// What it gets to read.
    pub given: Given<'a>,
    /// Where its stream stands.
    pub progress: Rc<Progress>,
    /// The copy of its stream.
    pub tee: Option<Tee>,
    /// The signal that asked us to end before anybody listened for this run.
    pub asked_to_end: &'a dyn Fn() -> Option<i32>,
}

/// Why a command could not be started.
pub enum NotStarted {
    /// It is not there.
    Missing,
    /// It cannot be executed.
    Unfit(io::Error),
    /// It is not its fault.
    Ours(io::Error),
    /// We were asked to end before, by this signal.
    Ended(i32),
}

impl NotStarted {
    /// What the system says about starting a program.
    fn of(error: io::Error) -> Self {
        // Too many files or processes, no memory.
        let ours = |error: &io::Error| {
            matches!(error.kind(), io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock)
                || matches!(error.raw_os_error(), Some(23 | 24))
        };
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ if ours(&error) => Self::Ours(error),
            _ => Self::Unfit(error),
        }
    }

    /// What to tell the user.
    pub fn message(&self, command: &Command) -> String {
        let program = command.argv.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        let cli = match command.harness {
            Some(Harness::Claude) => "Claude CLI",
            Some(Harness::Codex) => "Codex CLI",
            _ => "command",
        };
        match self {
            Self::Missing => format!("{cli} not found: {program}"),
            Self::Unfit(error) => format!("{cli} cannot be executed: {program}: {error}"),
            Self::Ours(error) => format!("cannot start {program}: {error}"),
            Self::Ended(signal) => format!("{program} is not started: ended by signal {signal}"),
        }
    }

    /// The exit status that says so.
    pub fn status(&self) -> u8 {
        match self {
            Self::Missing => status::NOT_FOUND,
            Self::Unfit(_) => status::NOT_EXECUTABLE,
            Self::Ours(_) => status::OWN_FAILURE,
            Self::Ended(signal) => status::of_signal(*signal),
        }
    }

    /// The signal to us that kept it from being started.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Self::Ended(signal) => Some(*signal),
            Self::Missing | Self::Unfit(_) | Self::Ours(_) => None,
        }
    }
}

impl Started {
    /// Starts a command.
    ///
    /// # Errors
    ///
    /// It is not there, or cannot be executed, or we were asked to end.
    pub fn start(setup: Setup<'_>, stderr: &OurStderr, notes: Notes) -> Result<Self, NotStarted> {
        let Setup { args, command, environment, given, progress, tee, asked_to_end } = setup;
        let plan = stdin::Plan::of(given, command);
        let mailbox = Arc::new(Mailbox::default());
        // Before there is a child: none of its signals may be missed.
        let signals = Signals::listen(Arc::clone(&mailbox)).map_err(NotStarted::Ours)?;
        if let Some(signal) = asked_to_end() {
            return Err(NotStarted::Ended(signal));
        }
        let (process, mut pipes) =
            process::spawn(command, environment, args.surroundings.cwd.as_deref(), plan.stdin)
                .map_err(NotStarted::of)?;
        let feed = plan.feed(command, pipes.stdin.take());
        let listener = Listener::start(pipes.stderr, environment.redactor(), stderr.clone());
        let wanted = args.tee.is_some() || args.record.is_some();
        let default = if wanted { OnClosedStdout::Continue } else { OnClosedStdout::Kill };
        let clock = |limit: Option<Duration>| limit.filter(|limit| !limit.is_zero());
        let policy = Policy {
            limits: Limits {
                timeout: clock(args.clocks.timeout),
                idle: clock(args.clocks.idle_timeout),
                grace: clock(Some(args.clocks.exit_grace)),
            },
            kill_after: args.clocks.kill_after,
            on_closed_stdout: args.on_closed_stdout.unwrap_or(default),
            feed,
        };
        let mut supervisor =
            Supervisor::start(process, signals, mailbox, pipes.stdout, progress, policy, notes);
        supervisor.tee(tee);
        Ok(Self { supervisor: Rc::new(RefCell::new(supervisor)), listener })
    }

    /// Tells how it ended, once: the run is swept, standard error read to its
    /// end, the last message looked up.
    pub fn end_teller(
        self,
        about: About,
        run: Rc<RefCell<Run>>,
        kept: Option<Rc<RefCell<KeptEvents>>>,
    ) -> WatchedProcess {
        let told: RefCell<Option<Rc<ProcessEnd>>> = RefCell::default();
        Rc::new(move || {
            let mut told = told.borrow_mut();
            let end = told.get_or_insert_with(|| {
                let mut supervisor = self.supervisor.borrow_mut();
                let duration = supervisor.elapsed();
                let ended = supervisor.finish();
                let cause = supervisor.cause();
                let failed = run.borrow().verdict(false).error.is_some();
                let said = self.listener.finish();
                let mut end = about.end();
                end.exit_code = status::recorded(ended, cause, failed);
                end.timed_out = matches!(cause, Some(Cause::Clock(Alarm::Timeout | Alarm::Idle)));
                end.duration = duration;
                end.stderr = said.text;
                end.warnings.extend(about.deprecations(&said.deprecations));
                end.warnings.extend(
                    kept.iter().flat_map(|kept| kept.borrow().warnings().collect::<Vec<_>>()),
                );
                if kept.as_ref().is_some_and(|kept| kept.borrow().is_full()) {
                    end.flags.push("stream_events_truncated");
                }
                Rc::new(end)
            });
            Rc::clone(end)
        })
    }
}
