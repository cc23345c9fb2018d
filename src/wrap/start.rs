//! Starts the child, and collects how it ended.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;

use super::child_output::NonBlockingStdout;
use super::clocks::Limits;
use super::command_info::CommandInfo;
use super::environment::Environment;
use super::event_log::EventLog;
use super::process::{LeftProcess, ProcessExit};
use super::signals::CaughtSignals;
use super::stderr::{SharedStderr, StderrReader};
use super::stdin::{StdinContent, StdinPlan};
use super::stdout_queue::StdoutQueue;
use super::supervision::{EndCause, Supervision};
use super::supervisor::{ProcessesEnd, StdinFeed, Supervised, SupervisionPolicy, Supervisor};
use super::{process, status};
use crate::cli::{OnClosedStdout, WrapArgs};
use crate::harness::command::AgentCommand;
use crate::output::system_message;
use crate::projection::ProcessEndFn;
use crate::run::{Heuristics, ProcessEnd, Run};

/// A command that is running.
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
    pub(super) signals: CaughtSignals,
    pub(super) supervision: Arc<Supervision>,
    /// Returns a signal that came before this run was started.
    pub(super) pending_signal: &'a dyn Fn() -> Option<i32>,
    pub(super) quiet: bool,
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
        let kind = command.harness.adapter().program.title;
        match self {
            Self::NotFound => format!("{kind} not found: {program}"),
            Self::NotExecutable(error) => {
                format!("{kind} cannot be executed: {program}: {}", system_message(error))
            }
            Self::Own(error) => format!("cannot start {program}: {}", system_message(error)),
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
    /// Starts a command, and returns its output with where that is printed.
    pub(super) fn start(
        request: StartRequest<'_>,
        stderr: &SharedStderr,
    ) -> Result<(Self, StdoutQueue, NonBlockingStdout), StartError> {
        let StartRequest { args, command, environment, stdin, supervision, .. } = request;
        let plan = StdinPlan::new(stdin, command);
        let stdout = NonBlockingStdout::new(Arc::clone(&supervision)).map_err(StartError::Own)?;
        let signals = request.signals;
        if let Some(signal) = (request.pending_signal)().or_else(|| signals.fatal()) {
            return Err(StartError::Signal(signal));
        }
        let directory = args.surroundings.cwd.as_deref();
        let started = Instant::now();
        let (process, mut pipes) = process::spawn(command, environment, directory, plan.stdin)
            .map_err(StartError::of_spawn)?;
        // From here on an error ends the command, as the process is dropped.
        let start = || {
            let feed = plan.feed(command, pipes.stdin.take())?;
            let stderr_reader = StderrReader::start(pipes.stderr, stderr.clone())?;
            let (open, over) = bounded(0);
            let queue = StdoutQueue::start(pipes.stdout, over)?;
            let CaughtSignals { signals, caught } = signals;
            let stdout = queue.activity();
            let supervised =
                Supervised { process, started, _signals: signals, caught, stdout, open };
            let policy = policy(args, feed);
            let (stderr, quiet) = (stderr.clone(), request.quiet);
            let supervisor = Supervisor::start(supervised, supervision, policy, stderr, quiet)?;
            io::Result::Ok((supervisor, stderr_reader, queue))
        };
        let (supervisor, stderr, queue) = start().map_err(StartError::Own)?;
        Ok((Self { supervisor: Rc::new(RefCell::new(supervisor)), stderr }, queue, stdout))
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
                let ProcessesEnd { exit, duration, left } = supervisor.finish();
                let cause = supervisor.supervision().cause();
                let has_failed = run.borrow().verdict(Heuristics::Ignore).error.is_some();
                let captured = self.stderr.finish();
                let mut end = info.process_end();
                end.stopped_by = cause.and_then(EndCause::stopped_by);
                end.had_result = supervisor.supervision().had_result();
                end.has_failed = has_failed;
                end.was_ended = cause.is_some();
                end.exit_code = status::recorded(exit, cause, end.had_good_result(), has_failed);
                end.exit_description = status::describe(exit, end.exit_code);
                let is_signal = matches!(exit, Some(ProcessExit::Killed(_)));
                end.was_killed = is_signal && !end.was_ended;
                end.duration = duration;
                end.stderr = captured.text;
                if !is_signal {
                    end.explanation = info.explain_exit(end.exit_code, &end.stderr);
                }
                end.warnings.extend(info.deprecation_warnings(&captured.deprecations));
                end.warnings
                    .extend(describe_left(&left).map(|text| format!("processes-left: {text}")));
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

/// Returns what to do, and when.
fn policy(args: &WrapArgs, feed: StdinFeed) -> SupervisionPolicy {
    let is_kept = args.tee.is_some() || args.record.is_some();
    let default = if is_kept { OnClosedStdout::Continue } else { OnClosedStdout::Kill };
    let non_zero = |limit: Option<Duration>| limit.filter(|limit| !limit.is_zero());
    SupervisionPolicy {
        limits: Limits {
            timeout: non_zero(args.clocks.timeout),
            idle: non_zero(args.clocks.idle_timeout),
            grace: non_zero(Some(args.clocks.exit_grace)),
            background: non_zero(Some(args.clocks.background_grace())),
        },
        kill_after: args.clocks.kill_after,
        on_closed_stdout: args.on_closed_stdout.unwrap_or(default),
        feed,
    }
}

/// Processes that are named in a message.
const MAX_NAMED: usize = 10;

/// Describes processes that could not be ended: `2 processes: 17 (sleep), 18 (sh)`.
pub(super) fn describe_left(left: &[LeftProcess]) -> Option<String> {
    let named = left.iter().take(MAX_NAMED);
    let mut named: Vec<_> =
        named.map(|process| format!("{} ({})", process.pid, process.name)).collect();
    if left.len() > MAX_NAMED {
        named.push("…".to_owned());
    }
    let count = match left.len() {
        0 => return None,
        1 => "1 process".to_owned(),
        count => format!("{count} processes"),
    };
    Some(format!("{count}: {}", named.join(", ")))
}
