//! Supervises the command on a thread of its own: clocks, signals, its end.
//!
//! It depends neither on how long a line takes nor on the number of processes: it waits
//! for signals, the end of the command and the next clock, and does a bounded amount of
//! work each time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Select, Sender, bounded};

use super::clocks::{Alarm, Clocks, Limits, Pending};
use super::process::{self, LeftProcess, Process, ProcessExit, Signal};
use super::signals::{Caught, Signals};
use super::stderr::SharedStderr;
use super::stdio;
use super::stdout_queue::StdoutActivity;
use super::supervision::{EndCause, KILLED_TIMEOUT, StdoutState, Supervision};
use crate::cli::{OnClosedStdout, duration};
use crate::output::Diagnostics;

/// Polling interval for what the system sends no notification for.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// After the command's end, how long its output may be silent before the processes that
/// hold it open are asked to end.
const SILENCE: Duration = Duration::from_millis(250);

/// After the command's end, how long other processes may write to its output.
const MAX_LATE_OUTPUT: Duration = Duration::from_secs(10);

/// How long the command may be silent before an open standard input is mentioned.
const STDIN_NOTICE_AFTER: Duration = Duration::from_secs(3);

/// Signals that are handled before other things are looked at.
const MAX_SIGNALS: usize = 64;

/// How the command's standard input is fed.
#[derive(Debug)]
pub(super) enum StdinFeed {
    /// Not by anything that stays open.
    Closed,
    /// Directly by our standard input, a pipe.
    Pipe,
    /// By a thread.
    Thread {
        /// Whether the thread is running.
        is_open: Arc<AtomicBool>,
        /// Whether it copies from a pipe.
        is_pipe: bool,
    },
}

/// What to do, and when.
pub(super) struct SupervisionPolicy {
    pub(super) limits: Limits,
    /// Time between asking processes to end and killing them.
    pub(super) kill_after: Duration,
    pub(super) on_closed_stdout: OnClosedStdout,
    pub(super) feed: StdinFeed,
}

/// What is supervised.
pub(super) struct Supervised {
    pub(super) process: Process,
    /// When the process was started.
    pub(super) started: Instant,
    /// Catches signals as long as it exists.
    pub(super) _signals: Signals,
    pub(super) caught: Receiver<Caught>,
    pub(super) stdout: Arc<StdoutActivity>,
    /// Dropped when no more output is waited for.
    pub(super) open: Sender<()>,
}

/// How the processes of a run ended.
#[derive(Clone, Debug, Default)]
pub(super) struct ProcessesEnd {
    pub(super) exit: Option<ProcessExit>,
    /// How long the run took.
    pub(super) duration: Duration,
    /// Processes that could not be ended.
    pub(super) left: Vec<LeftProcess>,
}

/// The supervisor of one run.
pub(super) struct Supervisor {
    supervision: Arc<Supervision>,
    ends: Receiver<ProcessesEnd>,
    end: Option<ProcessesEnd>,
    /// Dropped to end the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Supervisor {
    /// Starts to supervise.
    pub(super) fn start(
        supervised: Supervised,
        supervision: Arc<Supervision>,
        policy: SupervisionPolicy,
        stderr: SharedStderr,
        quiet: bool,
    ) -> io::Result<Self> {
        let (end_sender, ends) = bounded(1);
        let (done, is_done) = bounded(0);
        let shared = Arc::clone(&supervision);
        let thread = std::thread::Builder::new().spawn(move || {
            let diagnostics = stderr.diagnostics(quiet);
            SupervisorThread::new(supervised, shared, policy, diagnostics)
                .run(&end_sender, &is_done);
        })?;
        Ok(Self { supervision, ends, end: None, done: Some(done), thread: Some(thread) })
    }

    /// Waits until everything that is left of the run has been ended.
    pub(super) fn finish(&mut self) -> ProcessesEnd {
        self.supervision.stop_reading();
        let ends = &self.ends;
        self.end.get_or_insert_with(|| ends.recv().unwrap_or_default()).clone()
    }

    /// Returns what the run is known by.
    pub(super) fn supervision(&self) -> &Arc<Supervision> {
        &self.supervision
    }

    /// Ends the supervision: signals get their default effect again.
    pub(super) fn release(&mut self) {
        self.done = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.finish();
        self.release();
    }
}

/// The supervisor's own state.
struct SupervisorThread {
    supervised: Supervised,
    supervision: Arc<Supervision>,
    policy: SupervisionPolicy,
    clocks: Clocks,
    diagnostics: Diagnostics,
    /// Whether the notice about standard input was printed.
    has_noticed: bool,
    stdout_is_pipe: bool,
    forwarded: Vec<Caught>,
    kill_at: Option<Instant>,
    /// When the command ended.
    ended_at: Option<Instant>,
    /// Whether the processes that the command left were asked to end.
    has_asked_leftovers: bool,
}

impl SupervisorThread {
    fn new(
        supervised: Supervised,
        supervision: Arc<Supervision>,
        policy: SupervisionPolicy,
        diagnostics: Diagnostics,
    ) -> Self {
        Self {
            clocks: Clocks::start(policy.limits, supervised.started),
            supervised,
            supervision,
            policy,
            diagnostics,
            has_noticed: false,
            stdout_is_pipe: stdio::stdout_is_pipe(),
            forwarded: Vec::new(),
            kill_at: None,
            ended_at: None,
            has_asked_leftovers: false,
        }
    }

    /// Supervises the run to its end, ends what is left, and then handles signals until
    /// the reader of the stream is done.
    fn run(mut self, ends: &Sender<ProcessesEnd>, is_done: &Receiver<()>) {
        let exits = self.supervised.process.exits();
        loop {
            self.act();
            if self.is_over() {
                break;
            }
            self.wait(Some(&exits).filter(|_| self.ended_at.is_none()));
        }
        let duration = self.clocks.elapsed(Instant::now());
        let (open, _) = bounded(0);
        drop(std::mem::replace(&mut self.supervised.open, open));
        let left = self.end_leftovers();
        let exit = self.supervised.process.exit();
        let _ = ends.send(ProcessesEnd { exit, duration, left });
        self.linger(is_done);
    }

    /// Does what is due.
    fn act(&mut self) {
        self.handle_signals();
        let now = Instant::now();
        if self.ended_at.is_none() && self.supervised.process.exit().is_some() {
            self.ended_at = Some(now);
        }
        if self.stdout_is_pipe && stdio::stdout_is_closed() {
            self.supervision.set_stdout(StdoutState::Closed);
        }
        match self.supervision.stdout() {
            StdoutState::Failed => self.end_run(EndCause::OutputFailed),
            StdoutState::Closed if self.policy.on_closed_stdout == OnClosedStdout::Kill => {
                self.end_run(EndCause::ClosedStdout);
            }
            StdoutState::Open | StdoutState::Closed => {}
        }
        self.clocks.output(self.supervised.stdout.last_output(now));
        let pending = if self.is_fed() {
            Pending::Input
        } else if self.supervision.progress.background_tasks().is_empty() {
            Pending::Nothing
        } else {
            Pending::Background
        };
        self.clocks.set_ended(self.supervision.progress.has_ended(), pending, now);
        if let Some(alarm) = self.clocks.due(now) {
            self.note_background_tasks(alarm);
            self.end_run(EndCause::Clock(alarm));
        }
        self.escalate(now);
        self.notice_open_stdin(now);
    }

    /// Returns whether nothing more will come, or is not waited for.
    fn is_over(&self) -> bool {
        let has_output = !self.supervised.stdout.has_ended() && !self.supervision.is_unread();
        let is_over = self.ended_at.is_some() && !has_output;
        is_over || self.supervision.killed_at().is_some_and(|at| at.elapsed() >= KILLED_TIMEOUT)
    }

    /// Waits until something is due, or for a signal or the end of the command.
    fn wait(&self, exits: Option<&Receiver<ProcessExit>>) {
        let mut select = Select::new();
        select.recv(&self.supervised.caught);
        select.recv(self.supervision.woken());
        // A channel without a sender is always ready.
        if let Some(exits) = exits {
            select.recv(exits);
        }
        let _ = select.ready_timeout(self.next_timeout());
        let _ = self.supervision.woken().try_recv();
    }

    /// Handles the signals that have come, a bounded number of them.
    fn handle_signals(&mut self) {
        let caught: Vec<_> = self.supervised.caught.try_iter().take(MAX_SIGNALS).collect();
        if caught.contains(&Caught::Child) {
            self.supervised.process.reap_foreign();
        }
        for caught in caught {
            self.caught(caught);
        }
    }

    /// Asks leftovers to end, and kills what was asked and has not ended.
    fn escalate(&mut self, now: Instant) {
        let held_open = self.ended_at.filter(|_| !self.supervised.stdout.has_ended());
        if let Some(ended) = held_open.filter(|_| !self.has_asked_leftovers) {
            let is_silent = now >= ended.max(self.clocks.last_output()) + SILENCE;
            if is_silent || now >= ended + MAX_LATE_OUTPUT {
                self.has_asked_leftovers = true;
                self.ask_to_end(Signal::Terminate);
            }
        }
        if self.kill_at.is_some_and(|at| now >= at) {
            self.kill(now);
        }
    }

    fn kill(&mut self, now: Instant) {
        if self.supervision.killed_at().is_none() {
            self.supervised.process.signal(Signal::Kill);
            self.supervision.set_killed(now);
        }
    }

    fn caught(&mut self, caught: Caught) {
        let signal = match caught {
            Caught::Interrupt => Signal::Interrupt,
            Caught::Terminate | Caught::Fatal(_) => Signal::Terminate,
            Caught::Hangup => Signal::Hangup,
            Caught::Quit => Signal::Quit,
            Caught::Stop => return self.stop(),
            Caught::Continue => return self.supervised.process.signal(Signal::Continue),
            Caught::Child => return,
        };
        if self.forwarded.contains(&caught) {
            // The second Ctrl-C kills.
            if caught == Caught::Interrupt {
                self.kill(Instant::now());
            }
            return;
        }
        self.forwarded.push(caught);
        self.supervision.set_cause(EndCause::Signal(caught.number()));
        self.ask_to_end(signal);
    }

    /// Handles Ctrl-Z: stops the run, then this process; `fg` continues here.
    fn stop(&mut self) {
        let before = Instant::now();
        self.supervised.process.signal(Signal::Stop);
        Signals::stop_process();
        self.supervised.process.signal(Signal::Continue);
        self.clocks.skip(before.elapsed());
    }

    fn end_run(&mut self, cause: EndCause) {
        // A clock also ends processes that hold the output open.
        let is_over = self.ended_at.is_some()
            && (self.supervised.stdout.has_ended() || !matches!(cause, EndCause::Clock(_)));
        if self.supervision.cause().is_none() && !is_over {
            self.supervision.set_cause(cause);
            self.ask_to_end(Signal::Terminate);
        }
    }

    fn ask_to_end(&mut self, signal: Signal) {
        self.supervised.process.signal(signal);
        // A stopped process does not receive signals.
        self.supervised.process.signal(Signal::Continue);
        self.kill_at.get_or_insert(Instant::now() + self.policy.kill_after);
    }

    /// Ends everything that is left of the run: asks first, then kills. Returns what
    /// could not be ended.
    fn end_leftovers(&mut self) -> Vec<LeftProcess> {
        let mut now = Instant::now();
        let deadline = *self.kill_at.get_or_insert(now + self.policy.kill_after);
        while now < deadline
            && self.supervision.killed_at().is_none()
            && self.supervised.process.is_running()
        {
            self.supervised.process.ask_to_end();
            std::thread::sleep(process::POLL_INTERVAL);
            self.handle_signals();
            now = Instant::now();
        }
        self.supervised.process.kill_all()
    }

    /// Handles signals while the end of the stream is processed: the first one is the
    /// cause of the end, the second one, or one after the release, has its default effect.
    fn linger(&mut self, is_done: &Receiver<()>) {
        let mut has_cause = matches!(self.supervision.cause(), Some(EndCause::Signal(_)));
        loop {
            let mut select = Select::new();
            select.recv(&self.supervised.caught);
            let done = select.recv(is_done);
            if select.ready() == done {
                return;
            }
            let fatal = self.supervised.caught.try_iter().find(|caught| caught.is_fatal());
            let has_effect = has_cause || self.supervision.are_signals_released();
            match fatal {
                Some(caught) if has_effect => Signals::apply_default(caught),
                Some(caught) => {
                    has_cause = true;
                    self.supervision.set_cause(EndCause::Signal(caught.number()));
                }
                None => {}
            }
        }
    }

    /// Notes which background tasks are still running when their time is over.
    fn note_background_tasks(&mut self, alarm: Alarm) {
        if alarm == Alarm::Background && self.supervision.cause().is_none() {
            let tasks = self.supervision.progress.background_tasks().join(", ");
            let limit = duration::format(self.policy.limits.background.unwrap_or_default());
            self.diagnostics.note(&format!(
                "ended {limit} after its result (--background-grace), still running: {tasks}"
            ));
        }
    }

    /// Returns whether our standard input is still being passed on.
    fn is_fed(&self) -> bool {
        match &self.policy.feed {
            StdinFeed::Closed => false,
            StdinFeed::Pipe => stdio::stdin_is_open(),
            StdinFeed::Thread { is_open, .. } => is_open.load(Ordering::Relaxed),
        }
    }

    /// Notes that the command may be waiting for the end of an open standard input.
    fn notice_open_stdin(&mut self, now: Instant) {
        let is_silent = !self.supervised.stdout.has_any()
            && !self.has_noticed
            && self.clocks.elapsed(now) >= STDIN_NOTICE_AFTER;
        let is_pipe =
            matches!(self.policy.feed, StdinFeed::Pipe | StdinFeed::Thread { is_pipe: true, .. });
        if is_silent && is_pipe && self.is_fed() {
            self.has_noticed = true;
            self.diagnostics.note(
                "no output yet, and standard input is open: the command may be waiting for its end (--no-stdin closes it)",
            );
        }
    }

    /// Returns the time until something is due.
    fn next_timeout(&self) -> Duration {
        let now = Instant::now();
        let alarm = self.clocks.next().map(|(at, _)| at);
        let next = [alarm, self.kill_at].into_iter().flatten().filter(|at| *at > now).min();
        let until = |at: Instant| at.saturating_duration_since(now).min(POLL_INTERVAL);
        next.map_or(POLL_INTERVAL, until)
    }
}
