//! Starts the child, and collects how it ended.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use super::child_events::ChildEvents;
use super::clocks::Limits;
use super::command_info::CommandInfo;
use super::environment::Environment;
use super::event_log::EventLog;
use super::process::ProcessExit;
use super::signals::Signals;
use super::stderr::{SharedStderr, StderrReader};
use super::stdin::{StdinContent, StdinPlan};
use super::supervisor::{EndCause, StreamProgress, SupervisionPolicy, Supervisor};
use super::tee::Tee;
use super::{process, status};
use crate::cli::{OnClosedStdout, WrapArgs};
use crate::harness::command::AgentCommand;
use crate::output::Diagnostics;
use crate::projection::ProcessEndFn;
use crate::run::{Heuristics, ProcessEnd, Run};

/// A child that is running.
pub(super) struct StartedChild {
    pub(super) supervisor: Rc<RefCell<Supervisor>>,
    stderr: StderrReader,
}

/// What is started.
pub(super) struct StartRequest<'a> {
    pub(super) args: &'a WrapArgs,
    pub(super) command: &'a AgentCommand,
    pub(super) environment: &'a Environment,
    pub(super) stdin: StdinContent<'a>,
    pub(super) progress: Rc<StreamProgress>,
    pub(super) tee: Option<Tee>,
    /// Returns a signal that came before this run was started.
    pub(super) pending_signal: &'a dyn Fn() -> Option<i32>,
}

/// Why a command was not started.
pub(super) enum StartError {
    /// The program does not exist.
    NotFound,
    /// The program cannot be executed.
    NotExecutable(io::Error),
    /// The system lacks resources.
    Own(io::Error),
    /// A signal came before.
    Signal(i32),
}

impl StartError {
    /// Classifies an error of starting a program.
    fn of_spawn(error: io::Error) -> Self {
        // No memory or processes (EAGAIN), too many open files (ENFILE, EMFILE).
        let is_own = matches!(error.kind(), io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock)
            || matches!(error.raw_os_error(), Some(23 | 24));
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            _ if is_own => Self::Own(error),
            _ => Self::NotExecutable(error),
        }
    }

    /// Returns the message for the user.
    pub(super) fn message(&self, command: &AgentCommand) -> String {
        let program = command.argv.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        let kind = command.harness.adapter().program();
        match self {
            Self::NotFound => format!("{kind} not found: {program}"),
            Self::NotExecutable(error) => format!("{kind} cannot be executed: {program}: {error}"),
            Self::Own(error) => format!("cannot start {program}: {error}"),
            Self::Signal(signal) => format!("{program} is not started: ended by signal {signal}"),
        }
    }

    /// Returns the exit status.
    pub(super) fn status(&self) -> u8 {
        match self {
            Self::NotFound => status::NOT_FOUND,
            Self::NotExecutable(_) => status::NOT_EXECUTABLE,
            Self::Own(_) => status::OWN_FAILURE,
            Self::Signal(signal) => status::of_signal(*signal),
        }
    }

    /// Returns the signal that prevented the start.
    pub(super) fn signal(&self) -> Option<i32> {
        match self {
            Self::Signal(signal) => Some(*signal),
            Self::NotFound | Self::NotExecutable(_) | Self::Own(_) => None,
        }
    }
}

impl StartedChild {
    /// Starts a command.
    pub(super) fn start(
        request: StartRequest<'_>,
        stderr: &SharedStderr,
        diagnostics: Diagnostics,
    ) -> Result<Self, StartError> {
        let StartRequest { args, command, environment, stdin, progress, tee, pending_signal } =
            request;
        let plan = StdinPlan::new(stdin, command);
        // Before the child is started, so that none of its signals is missed.
        let (signals, caught) = Signals::catch().map_err(StartError::Own)?;
        if let Some(signal) = pending_signal() {
            return Err(StartError::Signal(signal));
        }
        let directory = args.surroundings.cwd.as_deref();
        let (process, mut pipes) = process::spawn(command, environment, directory, plan.stdin)
            .map_err(StartError::of_spawn)?;
        let feed = plan.feed(command, pipes.stdin.take());
        let stderr_reader =
            StderrReader::start(pipes.stderr, environment.redactor(), stderr.clone());
        let events = ChildEvents::start(pipes.stdout, caught).map_err(StartError::Own)?;
        let is_kept = args.tee.is_some() || args.record.is_some();
        let default = if is_kept { OnClosedStdout::Continue } else { OnClosedStdout::Kill };
        let non_zero = |limit: Option<Duration>| limit.filter(|limit| !limit.is_zero());
        let policy = SupervisionPolicy {
            limits: Limits {
                timeout: non_zero(args.clocks.timeout),
                idle: non_zero(args.clocks.idle_timeout),
                grace: non_zero(Some(args.clocks.exit_grace)),
                background: non_zero(Some(args.clocks.background_grace)),
            },
            kill_after: args.clocks.kill_after,
            on_closed_stdout: args.on_closed_stdout.unwrap_or(default),
            feed,
        };
        let supervisor =
            Supervisor::start(process, signals, events, progress, policy, diagnostics, tee);
        Ok(Self { supervisor: Rc::new(RefCell::new(supervisor)), stderr: stderr_reader })
    }

    /// Returns a function that ends what is left of the run, and returns how the process
    /// ended.
    pub(super) fn into_process_end(
        self,
        info: CommandInfo,
        run: Rc<RefCell<Run>>,
        event_log: Option<Rc<RefCell<EventLog>>>,
    ) -> ProcessEndFn {
        let cached: RefCell<Option<Rc<ProcessEnd>>> = RefCell::default();
        Rc::new(move || {
            let mut cached = cached.borrow_mut();
            let end = cached.get_or_insert_with(|| {
                let mut supervisor = self.supervisor.borrow_mut();
                let duration = supervisor.elapsed();
                let exit = supervisor.finish();
                let cause = supervisor.cause();
                let has_failed = run.borrow().verdict(Heuristics::Ignore).error.is_some();
                let captured = self.stderr.finish();
                let mut end = info.process_end();
                end.stopped_by = cause.and_then(EndCause::stopped_by);
                end.had_result = supervisor.had_result();
                end.has_failed = has_failed;
                end.was_ended = cause.is_some();
                end.exit_code = status::recorded(exit, cause, end.had_good_result(), has_failed);
                end.exit_description = status::describe(end.exit_code);
                end.was_killed = matches!(exit, Some(ProcessExit::Killed(_))) && !end.was_ended;
                end.duration = duration;
                end.stderr = captured.text;
                end.warnings.extend(info.deprecation_warnings(&captured.deprecations));
                if let Some(event_log) = &event_log {
                    let event_log = event_log.borrow();
                    end.warnings.extend(event_log.warnings());
                    end.flags.extend(event_log.is_full().then_some("stream_events_truncated"));
                }
                Rc::new(end)
            });
            Rc::clone(end)
        })
    }
}
