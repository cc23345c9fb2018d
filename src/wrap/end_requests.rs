//! Signals that ask us to end, for somebody who runs one agent after the other:
//! between two runs there is nobody else to hear them.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::mailbox::Mailbox;
use super::signals::{Caught, Signals};

/// Listens as long as it lives.
pub struct EndRequests {
    mailbox: Arc<Mailbox>,
    asked: Cell<Option<i32>>,
    _signals: Signals,
}

impl EndRequests {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// The system does not let us.
    pub fn listen() -> io::Result<Self> {
        let mailbox = Arc::new(Mailbox::default());
        let signals = Signals::listen(Arc::clone(&mailbox))?;
        Ok(Self { mailbox, asked: Cell::new(None), _signals: signals })
    }

    /// The first signal that asked us to end, if one did. A stop was meant for the
    /// run that is over.
    pub fn asked(&self) -> Option<i32> {
        while let Some(caught) = self.mailbox.take_signal() {
            self.take(caught);
        }
        self.asked.get()
    }

    /// Waits so long, or until a signal asks us to end: that one.
    pub fn sleep(&self, duration: Duration) -> Option<i32> {
        let started = Instant::now();
        while self.asked().is_none() {
            let left = duration.checked_sub(started.elapsed())?;
            self.mailbox.wait(left);
            if let Some(caught) = self.mailbox.take_signal() {
                self.take(caught);
                if caught == Caught::Stop {
                    Signals::stop_ourselves();
                }
            }
        }
        self.asked.get()
    }

    fn take(&self, caught: Caught) {
        let ends = !matches!(caught, Caught::Stop | Caught::Continue | Caught::Child);
        if ends && self.asked.get().is_none() {
            self.asked.set(Some(caught.number()));
        }
    }
}
