//! The state that the reader of the stream and the supervisor share.
//!
//! They run on threads of their own, so that neither a long line nor a blocked reader of
//! our output can hold up clocks and signals.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::clocks::Alarm;
use super::signals;
use crate::run::StoppedBy;

/// How long to wait for the end of the output after everything was killed, or for a
/// blocked reader of our output at the end of a run.
pub(super) const KILLED_TIMEOUT: Duration = Duration::from_secs(1);

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
    has_events: AtomicBool,
    has_ended: AtomicBool,
    background_tasks: Mutex<Vec<String>>,
}

impl StreamProgress {
    /// Returns whether any event was recognised.
    pub(super) fn has_events(&self) -> bool {
        self.has_events.load(Ordering::Relaxed)
    }

    /// Records that an event was recognised.
    pub(super) fn set_has_events(&self) {
        self.has_events.store(true, Ordering::Relaxed);
    }

    /// Returns whether a terminal event came and nothing has started since.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Records whether a terminal event came and nothing has started since.
    pub(super) fn set_has_ended(&self, has_ended: bool) {
        self.has_ended.store(has_ended, Ordering::Relaxed);
    }

    /// Returns the descriptions of the background tasks that are running.
    pub(super) fn background_tasks(&self) -> MutexGuard<'_, Vec<String>> {
        self.background_tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of our standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StdoutState {
    #[default]
    Open,
    /// Its reader is gone, or is not waited for any more.
    Closed,
    /// It cannot be written.
    Failed,
}

/// What both threads know about a run.
pub(super) struct Supervision {
    pub(super) progress: StreamProgress,
    state: Mutex<State>,
    /// Wakes the supervisor.
    wake: Sender<()>,
    woken: Receiver<()>,
    /// Time between asking processes to end and killing them.
    kill_after: Duration,
}

#[derive(Debug, Default)]
struct State {
    stdout: StdoutState,
    /// Whether the stream is not read any more.
    is_unread: bool,
    cause: Option<EndCause>,
    /// Whether the run had its result when it was ended.
    had_result: bool,
    killed_at: Option<Instant>,
    /// Whether signals have their default effect.
    are_signals_released: bool,
}

impl Supervision {
    pub(super) fn new(kill_after: Duration) -> Self {
        let (wake, woken) = bounded(1);
        let (progress, state) = (StreamProgress::default(), Mutex::default());
        Self { progress, state, wake, woken, kill_after }
    }

    /// Returns a channel that is ready when the supervisor has to act.
    pub(super) fn woken(&self) -> &Receiver<()> {
        &self.woken
    }

    /// Returns why the run was ended, if it did not end by itself.
    pub(super) fn cause(&self) -> Option<EndCause> {
        self.lock().cause
    }

    /// Returns whether the run had its result when it was ended.
    pub(super) fn had_result(&self) -> bool {
        self.lock().had_result
    }

    /// Records why the run is ended, unless there is a reason already.
    pub(super) fn set_cause(&self, cause: EndCause) {
        let had_result = self.progress.has_ended();
        let mut state = self.lock();
        if state.cause.is_none() {
            state.cause = Some(cause);
            state.had_result = had_result;
        }
    }

    /// Lets signals have their default effect from now on.
    pub(super) fn release_signals(&self) {
        self.lock().are_signals_released = true;
    }

    /// Returns whether signals have their default effect.
    pub(super) fn are_signals_released(&self) -> bool {
        self.lock().are_signals_released
    }

    /// Returns when all processes were killed.
    pub(super) fn killed_at(&self) -> Option<Instant> {
        self.lock().killed_at
    }

    /// Records that all processes were killed.
    pub(super) fn set_killed(&self, now: Instant) {
        self.lock().killed_at.get_or_insert(now);
    }

    /// Records that the stream is not read any more.
    pub(super) fn stop_reading(&self) {
        self.lock().is_unread = true;
        let _ = self.wake.try_send(());
    }

    /// Returns whether the stream is not read any more.
    pub(super) fn is_unread(&self) -> bool {
        self.lock().is_unread
    }

    /// Returns the state of our standard output.
    pub(super) fn stdout(&self) -> StdoutState {
        self.lock().stdout
    }

    /// Records that our standard output is closed or failed.
    pub(super) fn set_stdout(&self, stdout: StdoutState) {
        let mut state = self.lock();
        if state.stdout == StdoutState::Open {
            state.stdout = stdout;
            let _ = self.wake.try_send(());
        }
    }

    /// Returns whether a reader that has blocked for this long is not waited for any
    /// more, since the run is being ended.
    pub(super) fn should_stop_waiting(&self, waited: Duration) -> bool {
        let state = self.lock();
        let is_killed = state.killed_at.is_some_and(|at| at.elapsed() > KILLED_TIMEOUT);
        is_killed || state.cause.is_some() && waited > self.kill_after.max(KILLED_TIMEOUT)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
