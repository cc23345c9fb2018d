//! Watches the child: its output, its clocks, the signals to us, its end.
//!
//! To the pipeline it is an input like any other. It acts whenever it is
//! asked for more, and while our own output is stuck.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::clocks::{Alarm, Clocks, Limits};
use super::ends;
use super::mailbox::Mailbox;
use super::process::{Ended, Process, Signal};
use super::signals::{Caught, Signals};
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
    /// Our terminal, by a thread of ours, as long as this is true.
    Terminal(Arc<AtomicBool>),
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

/// A copy of the child's output.
pub struct Tee {
    file: File,
    name: String,
    failed: bool,
}

impl Tee {
    /// A copy into `file`, called `name`.
    pub fn new(file: File, name: String) -> Self {
        Self { file, name, failed: false }
    }

    fn keep(&mut self, piece: &[u8], notes: &mut Notes) {
        if self.failed {
            return;
        }
        if let Err(error) = self.file.write_all(piece) {
            self.failed = true;
            notes.error(&format!("{}: cannot write: {error}", self.name));
        }
    }
}

/// The supervisor.
pub struct Supervisor {
    process: Process,
    _signals: Signals,
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
    /// When the child ended.
    ended_at: Option<Instant>,
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
        read_output(stdout, Arc::clone(&mailbox));
        Self {
            process,
            _signals: signals,
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
            if let Some(tee) = &mut self.tee {
                tee.keep(&piece, &mut self.notes);
            }
            return Next::Output(piece);
        }
        let over = self.mailbox.is_drained() && self.ended_at.is_some();
        let hopeless = self.killed_at.is_some_and(|at| at.elapsed() >= NO_HOPE);
        if over || hopeless {
            return Next::End;
        }
        Next::Wait(Arc::clone(&self.mailbox), self.patience())
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
        self.cause.is_some() && waited > self.policy.kill_after.max(NO_HOPE)
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

    /// The run is over: ends all that is left of it.
    pub fn finish(&mut self) -> Option<Ended> {
        if std::mem::replace(&mut self.swept, true) {
            return self.end;
        }
        let patience = match self.kill_at {
            Some(at) => at.saturating_duration_since(Instant::now()),
            None => self.policy.kill_after,
        };
        self.end = self.process.sweep(patience);
        self.mailbox.close();
        self.end
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
        let ended = self.progress.ended.get() || self.mailbox.is_drained();
        let pending = self.feeds() || self.progress.background.get() > 0;
        self.clocks.set_ended(ended, pending, now);
        if let Some(alarm) = self.clocks.due(now) {
            self.end_run(Cause::Clock(alarm));
        }
        self.press_on(now);
        self.notice(now);
    }

    /// What follows when somebody does not end.
    fn press_on(&mut self, now: Instant) {
        let holds_on = self.ended_at.filter(|_| !self.mailbox.is_drained());
        if let Some(ended) = holds_on.filter(|_| self.kill_at.is_none()) {
            let silent = now >= ended.max(self.clocks.last_output()) + SILENCE;
            if silent || now >= ended + LAST_WORDS {
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
            Caught::Terminate => Signal::Terminate,
            Caught::Hangup => Signal::Hangup,
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
        if self.cause.is_none() && self.ended_at.is_none() {
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
            Feed::Terminal(open) => open.load(Ordering::Relaxed),
        }
    }

    /// Both CLIs wait for the end of an open standard input.
    fn notice(&mut self, now: Instant) {
        let silent = !self.heard && !self.noticed && self.clocks.elapsed(now) >= SUSPICIOUS;
        if silent && matches!(self.policy.feed, Feed::Pipe) && ends::input_is_open() {
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

/// The child's output goes on: read on a thread, so that nothing waits for it.
fn read_output(mut stdout: impl Read + Send + 'static, mailbox: Arc<Mailbox>) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match stdout.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    if !mailbox.put_output(buffer[..count].to_vec()) {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        mailbox.end_output();
    });
}
