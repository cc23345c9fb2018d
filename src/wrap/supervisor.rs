//! Watches the child: its output, its clocks, the signals to us, its end.
//!
//! To the pipeline it is an input like any other. It acts whenever it is
//! asked for more, and while our own output is stuck.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::clocks::{Alarm, Clocks, Limits};
use super::courier::Courier;
use super::ends;
use super::mailbox::{self, Mailbox};
use super::process::{self, Ended, Process, Signal};
use super::signals::{Caught, Signals};
use super::tee::Tee;
use crate::cli::OnClosedStdout;
use crate::output::Notes;

/// How often to look at what tells nobody that it has changed.
pub const LOOK: Duration = Duration::from_millis(100);

/// When the child has ended and somebody holds its output open: how long a
/// silence ends it, and how long even one who goes on talking is heard.
const SILENCE: Duration = Duration::from_millis(250);
const LAST_WORDS: Duration = Duration::from_secs(10);

/// How long to wait for the end of output when all are killed, or for a
/// reader who does not read when the run is over.
const NO_HOPE: Duration = Duration::from_secs(1);

/// How long a child may be silent before an open standard input is
/// suspicious.
const SUSPICIOUS: Duration = Duration::from_secs(3);

/// Why we end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A clock ran out.
    Clock(Alarm),
    /// We were told to end, by this signal.
    Signal(i32),
    /// Nobody reads our output.
    ClosedStdout,
    /// Our output cannot be written.
    OutputFailed,
}

/// What the stream tells about where the run stands.
#[derive(Debug, Default)]
pub struct Progress {
    /// A terminal event has come and nothing has begun since.
    pub ended: Cell<bool>,
    /// Background tasks that are alive.
    pub background: Cell<usize>,
}

/// What the child's standard input is fed from.
#[derive(Debug)]
pub enum Feed {
    /// Nothing that stays open.
    Closed,
    /// Our standard input, a pipe, directly.
    Pipe,
    /// By a thread of ours.
    Copied {
        /// As long as this is true.
        open: Arc<AtomicBool>,
        /// From a pipe.
        pipe: bool,
    },
}

/// What to do, and when.
pub struct Policy {
    /// The clocks.
    pub limits: Limits,
    /// How long between asking and killing.
    pub kill_after: Duration,
    /// What to do when nobody reads our output.
    pub on_closed_stdout: OnClosedStdout,
    /// Where standard input comes from.
    pub feed: Feed,
}

/// What to do next.
pub enum Next {
    /// The child said this.
    Output(Vec<u8>),
    /// Nothing, for so long; then ask again.
    Wait(Arc<Mailbox>, Duration),
    /// Nothing more will come.
    End,
}

/// The supervisor.
pub struct Supervisor {
    process: Process,
    signals: Signals,
    mailbox: Arc<Mailbox>,
    progress: Rc<Progress>,
    policy: Policy,
    clocks: Clocks,
    notes: Notes,
    tee: Option<Tee>,
    /// The child has said something.
    heard: bool,
    /// The user knows that it may be waiting.
    noticed: bool,
    /// Our output is a pipe, and its reader has gone.
    output_is_pipe: bool,
    unread: bool,
    /// Why we end the run, and how far that has come.
    cause: Option<Cause>,
    forwarded: Vec<Caught>,
    kill_at: Option<Instant>,
    killed_at: Option<Instant>,
    /// When the child ended, and whether those it left were asked to.
    ended_at: Option<Instant>,
    asked_leftovers: bool,
    /// All is swept, and how the child ended.
    swept: bool,
    end: Option<Ended>,
}

impl Supervisor {
    /// Starts to watch `process`, reading its standard output.
    pub fn start(
        process: Process,
        signals: Signals,
        mailbox: Arc<Mailbox>,
        stdout: impl Read + Send + 'static,
        progress: Rc<Progress>,
        policy: Policy,
        notes: Notes,
    ) -> Self {
        mailbox::read_output(stdout, Arc::clone(&mailbox));
        Self {
            process,
            signals,
            mailbox,
            progress,
            clocks: Clocks::start(policy.limits, Instant::now()),
            policy,
            notes,
            tee: None,
            heard: false,
            noticed: false,
            output_is_pipe: ends::output_is_pipe(),
            unread: false,
            cause: None,
            forwarded: Vec::new(),
            kill_at: None,
            killed_at: None,
            ended_at: None,
            asked_leftovers: false,
            swept: false,
            end: None,
        }
    }

    /// Also keeps the output in a file.
    pub fn tee(&mut self, tee: Option<Tee>) {
        self.tee = tee;
    }

    /// Looks after the run and tells what comes next.
    pub fn next(&mut self) -> Next {
        self.act();
        if let Some(piece) = self.mailbox.take_output() {
            self.heard = true;
            self.clocks.heard(Instant::now());
            self.copy(&piece);
            return Next::Output(piece);
        }
        let over = self.mailbox.is_drained() && self.ended_at.is_some();
        let hopeless = self.killed_at.is_some_and(|at| at.elapsed() >= NO_HOPE);
        if over || hopeless {
            self.wait_for_tee(Courier::is_idle);
            return Next::End;
        }
        Next::Wait(Arc::clone(&self.mailbox), self.patience())
    }

    fn copy(&mut self, piece: &[u8]) {
        self.wait_for_tee(Courier::has_room);
        if let Some(tee) = self.tee.as_ref().filter(|tee| !tee.failed) {
            tee.courier.put(piece.to_vec());
        }
    }

    /// Looks after the run until the copy is `done`, or never will be.
    fn wait_for_tee(&mut self, done: impl Fn(&Courier) -> bool) {
        let Some(mut tee) = self.tee.take() else { return };
        let started = Instant::now();
        while !tee.failed && !done(&tee.courier) {
            self.act();
            if self.has_no_time_for_readers(started.elapsed()) {
                tee.fail("nobody reads it", &mut self.notes);
            }
            tee.courier.wait(LOOK);
        }
        if let Some(error) = tee.courier.take_error().filter(|_| !tee.failed) {
            tee.fail(&error.to_string(), &mut self.notes);
        }
        self.tee = Some(tee);
    }

    /// Whether the child has said something that was not taken.
    pub fn has_output(&self) -> bool {
        self.mailbox.has_output()
    }

    /// Whether nobody reads our output.
    pub fn is_unread(&self) -> bool {
        self.unread
    }

    /// The reader of our output has gone.
    pub fn nobody_reads(&mut self) {
        self.unread = true;
    }

    /// Our output cannot be written: that is the end of the run.
    pub fn output_failed(&mut self) {
        self.end_run(Cause::OutputFailed);
    }

    /// Whether a reader who has not read for so long is not waited for any
    /// more, because the run is being ended.
    pub fn has_no_time_for_readers(&self, waited: Duration) -> bool {
        let killed = self.killed_at.is_some_and(|at| at.elapsed() > NO_HOPE);
        killed || self.cause.is_some() && waited > self.policy.kill_after.max(NO_HOPE)
    }

    /// Why the run was ended by us, if it was.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// Whether the copy in a file is not whole.
    pub fn tee_failed(&self) -> bool {
        self.tee.as_ref().is_some_and(|tee| tee.failed)
    }

    /// How long the run has taken.
    pub fn elapsed(&self) -> Duration {
        self.clocks.elapsed(Instant::now())
    }

    /// The run is over: ends all that is left of it, kindly for a while.
    pub fn finish(&mut self) -> Option<Ended> {
        if std::mem::replace(&mut self.swept, true) {
            return self.end;
        }
        let mut now = Instant::now();
        let deadline = *self.kill_at.get_or_insert(now + self.policy.kill_after);
        self.process.ask();
        while now < deadline && self.killed_at.is_none() && self.process.is_left() {
            std::thread::sleep(process::LOOK);
            while let Some(caught) = self.mailbox.take_signal() {
                self.caught(caught);
            }
            self.process.ask();
            now = Instant::now();
        }
        self.end = self.process.end();
        self.mailbox.close();
        self.end
    }

    /// Nothing is left to be looked after: signals may end us.
    pub fn retire(&self) {
        self.signals.surrender();
    }

    /// Does what has to be done by now.
    pub fn act(&mut self) {
        while let Some(caught) = self.mailbox.take_signal() {
            self.caught(caught);
        }
        let now = Instant::now();
        if self.ended_at.is_none() && self.process.ended().is_some() {
            self.ended_at = Some(now);
        }
        self.unread |= self.output_is_pipe && ends::output_is_closed();
        if self.unread && self.policy.on_closed_stdout == OnClosedStdout::Kill {
            self.end_run(Cause::ClosedStdout);
        }
        // What was said and not taken is our reader's fault, not its silence.
        if self.mailbox.has_output() {
            self.clocks.heard(now);
        }
        let pending = self.feeds() || self.progress.background.get() > 0;
        self.clocks.set_ended(self.progress.ended.get(), pending, now);
        if let Some(alarm) = self.clocks.due(now) {
            self.end_run(Cause::Clock(alarm));
        }
        self.press_on(now);
        self.notice(now);
    }

    /// What follows when somebody does not end.
    fn press_on(&mut self, now: Instant) {
        let holds_on = self.ended_at.filter(|_| !self.mailbox.is_drained());
        if let Some(ended) = holds_on.filter(|_| !self.asked_leftovers) {
            let silent = now >= ended.max(self.clocks.last_output()) + SILENCE;
            if silent || now >= ended + LAST_WORDS {
                self.asked_leftovers = true;
                self.ask_to_end(Signal::Terminate);
            }
        }
        if self.kill_at.is_some_and(|at| now >= at) && self.killed_at.is_none() {
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
            // The second Ctrl-C means it.
            if caught == Caught::Interrupt && self.killed_at.is_none() {
                self.process.signal(Signal::Kill);
                self.killed_at = Some(Instant::now());
            }
            return;
        }
        self.forwarded.push(caught);
        self.cause.get_or_insert(Cause::Signal(caught.number()));
        self.ask_to_end(signal);
    }

    /// Ctrl-Z: all of the run stops, then we do; `fg` brings us back here.
    fn stop(&mut self) {
        let before = Instant::now();
        self.process.signal(Signal::Stop);
        Signals::stop_ourselves();
        self.process.signal(Signal::Continue);
        self.clocks.skip(before.elapsed());
    }

    fn end_run(&mut self, cause: Cause) {
        // A clock runs on as long as somebody holds the output.
        let over = self.ended_at.is_some()
            && (self.mailbox.is_drained() || !matches!(cause, Cause::Clock(_)));
        if self.cause.is_none() && !over {
            self.cause = Some(cause);
            self.ask_to_end(Signal::Terminate);
        }
    }

    fn ask_to_end(&mut self, signal: Signal) {
        self.process.signal(signal);
        // Who is stopped cannot hear.
        self.process.signal(Signal::Continue);
        self.kill_at.get_or_insert(Instant::now() + self.policy.kill_after);
    }

    /// Whether our standard input is still being handed on.
    fn feeds(&self) -> bool {
        match &self.policy.feed {
            Feed::Closed => false,
            Feed::Pipe => ends::input_is_open(),
            Feed::Copied { open, .. } => open.load(Ordering::Relaxed),
        }
    }

    /// Both CLIs wait for the end of an open standard input.
    fn notice(&mut self, now: Instant) {
        let silent = !self.heard && !self.noticed && self.clocks.elapsed(now) >= SUSPICIOUS;
        let from_pipe = matches!(self.policy.feed, Feed::Pipe | Feed::Copied { pipe: true, .. });
        if silent && from_pipe && self.feeds() {
            self.noticed = true;
            self.notes.remark(
                "nothing said yet, and standard input is open: the command may be waiting for its end (--no-stdin gives it none)",
            );
        }
    }

    /// How long until something has to be done.
    fn patience(&self) -> Duration {
        let now = Instant::now();
        let alarm = self.clocks.next().map(|(at, _)| at);
        let next = [alarm, self.kill_at].into_iter().flatten().filter(|at| *at > now).min();
        next.map_or(LOOK, |at| at.saturating_duration_since(now).min(LOOK))
    }
}
