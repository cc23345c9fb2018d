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
use super::supervisor::{Cause, Policy, Progress, Supervisor, Tee};
use super::{process, status, stderr, stdin};
use crate::cli::{OnClosedStdout, WrapArgs};
use crate::harness::Harness;
use crate::output::Notes;
use crate::projection::WatchedProcess;
use crate::run::{ProcessEnd, Run};

/// A child that runs, and who watches it.
pub struct Started {
    /// Who watches it.
    pub supervisor: Rc<RefCell<Supervisor>>,
    stderr: stderr::Listener,
}

/// Why a command could not be started.
pub struct NotStarted(io::Error);

impl NotStarted {
    fn is_missing(&self) -> bool {
        self.0.kind() == io::ErrorKind::NotFound
    }

    /// What to tell the user.
    pub fn message(&self, command: &Command) -> String {
        let program = command.argv.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        let cli = match command.harness {
            Some(Harness::Claude) => "Claude CLI",
            Some(Harness::Codex) => "Codex CLI",
            _ => "command",
        };
        if self.is_missing() {
            format!("{cli} not found: {program}")
        } else {
            format!("{cli} cannot be executed: {program}: {}", self.0)
        }
    }

    /// The exit status that says so.
    pub fn status(&self) -> u8 {
        if self.is_missing() { status::NOT_FOUND } else { status::NOT_EXECUTABLE }
    }
}

impl Started {
    /// Starts a command.
    ///
    /// # Errors
    ///
    /// It is not there, or cannot be executed.
    pub fn start(
        args: &WrapArgs,
        command: &Command,
        environment: &Environment,
        progress: &Rc<Progress>,
        notes: Notes,
        tee: Option<Tee>,
    ) -> Result<Self, NotStarted> {
        let plan = stdin::Plan::of(args.no_stdin, command);
        let mailbox = Arc::new(Mailbox::default());
        // Before there is a child: none of its signals may be missed.
        let signals = Signals::listen(Arc::clone(&mailbox)).map_err(NotStarted)?;
        let (process, mut pipes) =
            process::spawn(command, environment, args.cwd.as_deref(), plan.stdin)
                .map_err(NotStarted)?;
        let feed = plan.feed(command, pipes.stdin.take());
        let stderr = stderr::Listener::start(pipes.stderr, environment.redactor());
        let wanted = args.tee.is_some() || args.record.is_some();
        let default = if wanted { OnClosedStdout::Continue } else { OnClosedStdout::Kill };
        let clock = |limit: Option<Duration>| limit.filter(|limit| !limit.is_zero());
        let policy = Policy {
            limits: Limits {
                timeout: clock(args.timeout),
                idle: clock(args.idle_timeout),
                grace: clock(Some(args.exit_grace)),
            },
            kill_after: args.kill_after,
            on_closed_stdout: args.on_closed_stdout.unwrap_or(default),
            feed,
        };
        let mut supervisor = Supervisor::start(
            process,
            signals,
            mailbox,
            pipes.stdout,
            Rc::clone(progress),
            policy,
            notes,
        );
        supervisor.tee(tee);
        Ok(Self { supervisor: Rc::new(RefCell::new(supervisor)), stderr })
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
                let said = self.stderr.finish();
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
