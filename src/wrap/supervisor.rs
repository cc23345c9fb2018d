//! Supervises the child: its output, the clocks, signals, its end.
//!
//! It acts whenever the reader asks for more output, and while our own output is
//! blocked.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::background_writer::BackgroundWriter;
use super::child_events::ChildEvents;
use super::clocks::{Alarm, Clocks, Limits, Pending};
use super::process::{self, Process, ProcessExit, Signal};
use super::signals::{self, Caught, Signals};
use super::stdio;
use super::tee::Tee;
use crate::cli::{OnClosedStdout, duration};
use crate::output::Diagnostics;
use crate::run::StoppedBy;

/// Polling interval for what the system sends no notification for.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// After the child's end, how long its output may be silent before the processes that
/// hold it open are asked to end.
const SILENCE: Duration = Duration::from_millis(250);

/// After the child's end, how long other processes may write to its output.
const MAX_LATE_OUTPUT: Duration = Duration::from_secs(10);

/// How long to wait for the end of the output after everything was killed, or for a
/// blocked reader of our output at the end of a run.
const KILLED_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the child may be silent before an open standard input is mentioned.
const STDIN_NOTICE_AFTER: Duration = Duration::from_secs(3);

/// Why the run was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndCause {
    /// A clock ran out.
    Clock(Alarm),
    /// This process received a signal.
    Signal(i32),
    /// Our standard output was closed.
    ClosedStdout,
    /// Our standard output cannot be written.
    OutputFailed,
}

impl EndCause {
    /// Returns what ended the run, for the verdict on it.
    pub(super) fn stopped_by(self) -> Option<StoppedBy> {
        match self {
            Self::Clock(Alarm::Timeout | Alarm::Idle) => Some(StoppedBy::Clock),
            Self::Signal(number) => Some(StoppedBy::Signal(signals::name(number))),
            Self::Clock(Alarm::Grace | Alarm::Background)
            | Self::ClosedStdout
            | Self::OutputFailed => None,
        }
    }
}

/// What the stream says about the progress of the run.
#[derive(Debug, Default)]
pub(super) struct StreamProgress {
    /// Whether any event was recognised.
    pub(super) has_events: Cell<bool>,
    /// Whether a terminal event came and nothing has started since.
    pub(super) has_ended: Cell<bool>,
    /// Descriptions of the background tasks that are running.
    pub(super) background_tasks: RefCell<Vec<String>>,
}

/// How the child's standard input is fed.
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

/// What the reader gets.
pub(super) enum SupervisorStep {
    /// The next output of the child.
    Output(Vec<u8>),
    /// Nothing at the moment: wait for an event, at most this long.
    Wait(ChildEvents, Duration),
    /// There will be no more output.
    End,
}

/// Supervises one run.
pub(super) struct Supervisor {
    process: Process,
    signals: Signals,
    events: ChildEvents,
    progress: Rc<StreamProgress>,
    policy: SupervisionPolicy,
    clocks: Clocks,
    diagnostics: Diagnostics,
    tee: Option<Tee>,
    /// Whether the child has printed anything.
    has_output: bool,
    /// Whether the notice about standard input was printed.
    has_noticed: bool,
    stdout_is_pipe: bool,
    is_stdout_closed: bool,
    /// Why the run is being ended.
    cause: Option<EndCause>,
    /// Whether the run had its result when it was ended.
    had_result: bool,
    forwarded: Vec<Caught>,
    kill_at: Option<Instant>,
    killed_at: Option<Instant>,
    /// When the child ended.
    ended_at: Option<Instant>,
    /// Whether the processes that the child left were asked to end.
    has_asked_leftovers: bool,
    is_finished: bool,
    exit: Option<ProcessExit>,
}

impl Supervisor {
    /// Starts to supervise `process`.
    pub(super) fn start(
        process: Process,
        signals: Signals,
        events: ChildEvents,
        progress: Rc<StreamProgress>,
        policy: SupervisionPolicy,
        diagnostics: Diagnostics,
        tee: Option<Tee>,
    ) -> Self {
        Self {
            process,
            signals,
            events,
            progress,
            clocks: Clocks::start(policy.limits, Instant::now()),
            policy,
            diagnostics,
            tee,
            has_output: false,
            has_noticed: false,
            stdout_is_pipe: stdio::stdout_is_pipe(),
            is_stdout_closed: false,
            cause: None,
            had_result: false,
            forwarded: Vec::new(),
            kill_at: None,
            killed_at: None,
            ended_at: None,
            has_asked_leftovers: false,
            is_finished: false,
            exit: None,
        }
    }

    /// Acts, and returns what the reader gets next.
    pub(super) fn next(&mut self) -> SupervisorStep {
        self.act();
        if let Some(chunk) = self.events.next_output() {
            self.has_output = true;
            self.clocks.output(Instant::now());
            self.copy_to_tee(&chunk);
            return SupervisorStep::Output(chunk);
        }
        let is_over = self.events.is_drained() && self.ended_at.is_some();
        let gave_up = self.killed_at.is_some_and(|at| at.elapsed() >= KILLED_TIMEOUT);
        if is_over || gave_up {
            self.wait_for_tee(BackgroundWriter::is_idle);
            return SupervisorStep::End;
        }
        SupervisorStep::Wait(self.events.clone(), self.next_timeout())
    }

    fn copy_to_tee(&mut self, chunk: &[u8]) {
        self.wait_for_tee(BackgroundWriter::has_room);
        if let Some(tee) = self.tee.as_ref().filter(|tee| !tee.has_failed) {
            tee.writer.put(chunk.to_vec());
        }
    }

    /// Acts until the copy is `done`, or can never be.
    fn wait_for_tee(&mut self, done: impl Fn(&BackgroundWriter) -> bool) {
        let Some(mut tee) = self.tee.take() else { return };
        let started = Instant::now();
        while !tee.has_failed && !done(&tee.writer) {
            self.act();
            if self.should_stop_waiting(started.elapsed()) {
                tee.fail("it is not read", &mut self.diagnostics);
            }
            tee.writer.wait(POLL_INTERVAL);
        }
        if let Some(error) = tee.writer.take_error().filter(|_| !tee.has_failed) {
            tee.fail(&error.to_string(), &mut self.diagnostics);
        }
        self.tee = Some(tee);
    }

    /// Returns whether output of the child is waiting.
    pub(super) fn has_waiting_output(&self) -> bool {
        self.events.has_output()
    }

    /// Returns whether our standard output is closed.
    pub(super) fn is_stdout_closed(&self) -> bool {
        self.is_stdout_closed
    }

    /// Records that our standard output is closed.
    pub(super) fn stdout_closed(&mut self) {
        self.is_stdout_closed = true;
    }

    /// Ends the run, since our standard output cannot be written.
    pub(super) fn output_failed(&mut self) {
        self.end_run(EndCause::OutputFailed);
    }

    /// Returns whether a reader that has blocked for this long is not waited for any
    /// more, since the run is being ended.
    pub(super) fn should_stop_waiting(&self, waited: Duration) -> bool {
        let is_killed = self.killed_at.is_some_and(|at| at.elapsed() > KILLED_TIMEOUT);
        is_killed || self.cause.is_some() && waited > self.policy.kill_after.max(KILLED_TIMEOUT)
    }

    /// Returns why the run was ended, if it did not end by itself.
    pub(super) fn cause(&self) -> Option<EndCause> {
        self.cause
    }

    /// Returns whether the run had its result when it was ended.
    pub(super) fn had_result(&self) -> bool {
        self.had_result
    }

    /// Returns whether the copy in a file is incomplete.
    pub(super) fn has_tee_failed(&self) -> bool {
        self.tee.as_ref().is_some_and(|tee| tee.has_failed)
    }

    /// Returns how long the run has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.clocks.elapsed(Instant::now())
    }

    /// Ends everything that is left of the run: asks first, then kills.
    pub(super) fn finish(&mut self) -> Option<ProcessExit> {
        if std::mem::replace(&mut self.is_finished, true) {
            return self.exit;
        }
        let mut now = Instant::now();
        let deadline = *self.kill_at.get_or_insert(now + self.policy.kill_after);
        self.process.ask_to_end();
        while now < deadline && self.killed_at.is_none() && self.process.is_running() {
            std::thread::sleep(process::POLL_INTERVAL);
            self.handle_signals();
            self.process.ask_to_end();
            now = Instant::now();
        }
        self.exit = self.process.kill_all();
        self.exit
    }

    /// Restores the default effect of signals, after the run.
    pub(super) fn release_signals(&self) {
        self.signals.release();
    }

    /// Does what is due.
    pub(super) fn act(&mut self) {
        self.handle_signals();
        let now = Instant::now();
        if self.ended_at.is_none() && self.process.exit().is_some() {
            self.ended_at = Some(now);
        }
        self.is_stdout_closed |= self.stdout_is_pipe && stdio::stdout_is_closed();
        if self.is_stdout_closed && self.policy.on_closed_stdout == OnClosedStdout::Kill {
            self.end_run(EndCause::ClosedStdout);
        }
        // Output that waits for our reader is not silence of the child.
        if self.events.has_output() {
            self.clocks.output(now);
        }
        let pending = match self.is_fed() {
            true => Pending::Input,
            false if self.progress.background_tasks.borrow().is_empty() => Pending::Nothing,
            false => Pending::Background,
        };
        self.clocks.set_ended(self.progress.has_ended.get(), pending, now);
        if let Some(alarm) = self.clocks.due(now) {
            self.note_background_tasks(alarm);
            self.end_run(EndCause::Clock(alarm));
        }
        self.escalate(now);
        self.notice_open_stdin(now);
    }

    fn handle_signals(&mut self) {
        while let Some(caught) = self.events.next_signal() {
            self.caught(caught);
        }
    }

    /// Asks leftovers to end, and kills what was asked and has not ended.
    fn escalate(&mut self, now: Instant) {
        let held_open = self.ended_at.filter(|_| !self.events.is_drained());
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
        if self.killed_at.is_none() {
            self.process.signal(Signal::Kill);
            self.killed_at = Some(now);
        }
    }

    fn caught(&mut self, caught: Caught) {
        let signal = match caught {
            Caught::Interrupt => Signal::Interrupt,
            Caught::Terminate | Caught::Fatal(_) => Signal::Terminate,
            Caught::Hangup => Signal::Hangup,
            Caught::Quit => Signal::Quit,
            Caught::Stop => return self.stop(),
            Caught::Continue => return self.process.signal(Signal::Continue),
            Caught::Child => return self.process.reap_orphans(),
        };
        if self.forwarded.contains(&caught) {
            // The second Ctrl-C kills.
            if caught == Caught::Interrupt {
                self.kill(Instant::now());
            }
            return;
        }
        self.forwarded.push(caught);
        self.set_cause(EndCause::Signal(caught.number()));
        self.ask_to_end(signal);
    }

    /// Handles Ctrl-Z: stops the run, then this process; `fg` continues here.
    fn stop(&mut self) {
        let before = Instant::now();
        self.process.signal(Signal::Stop);
        Signals::stop_process();
        self.process.signal(Signal::Continue);
        self.clocks.skip(before.elapsed());
    }

    fn end_run(&mut self, cause: EndCause) {
        // A clock also ends processes that hold the output open.
        let is_over = self.ended_at.is_some()
            && (self.events.is_drained() || !matches!(cause, EndCause::Clock(_)));
        if self.cause.is_none() && !is_over {
            self.set_cause(cause);
            self.ask_to_end(Signal::Terminate);
        }
    }

    fn set_cause(&mut self, cause: EndCause) {
        if self.cause.is_none() {
            self.cause = Some(cause);
            self.had_result = self.progress.has_ended.get();
        }
    }

    fn ask_to_end(&mut self, signal: Signal) {
        self.process.signal(signal);
        // A stopped process does not receive signals.
        self.process.signal(Signal::Continue);
        self.kill_at.get_or_insert(Instant::now() + self.policy.kill_after);
    }

    /// Notes which background tasks are still running when their time is over.
    fn note_background_tasks(&mut self, alarm: Alarm) {
        if alarm == Alarm::Background && self.cause.is_none() {
            let tasks = self.progress.background_tasks.borrow().join(", ");
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

    /// Notes that the child may be waiting for the end of an open standard input.
    fn notice_open_stdin(&mut self, now: Instant) {
        let is_silent =
            !self.has_output && !self.has_noticed && self.clocks.elapsed(now) >= STDIN_NOTICE_AFTER;
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
