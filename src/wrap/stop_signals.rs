//! Signals that ask to end, for a command that runs one agent after the other:
//! between two runs no supervisor catches them.

use std::cell::Cell;
use std::io;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::signals::{Caught, Signals};

/// Catches signals as long as it exists.
pub(crate) struct StopSignals {
    signals: Receiver<Caught>,
    received: Cell<Option<i32>>,
    _guard: Signals,
}

impl StopSignals {
    /// Starts to catch signals.
    pub fn catch() -> io::Result<Self> {
        let (guard, signals) = Signals::catch()?;
        Ok(Self { signals, received: Cell::new(None), _guard: guard })
    }

    /// Returns the first signal that asked to end. A stop was meant for the run that
    /// is over.
    pub fn received(&self) -> Option<i32> {
        while let Ok(caught) = self.signals.try_recv() {
            self.receive(caught);
        }
        self.received.get()
    }

    /// Sleeps this long, or until a signal asks to end, and returns that signal.
    pub fn sleep(&self, duration: Duration) -> Option<i32> {
        let started = Instant::now();
        while self.received().is_none() {
            let left = duration.checked_sub(started.elapsed())?;
            if let Ok(caught) = self.signals.recv_timeout(left) {
                self.receive(caught);
                if caught == Caught::Stop {
                    Signals::stop_process();
                }
            }
        }
        self.received.get()
    }

    fn receive(&self, caught: Caught) {
        if caught.is_fatal() && self.received.get().is_none() {
            self.received.set(Some(caught.number()));
        }
    }
}
