//! A watched run as the pipeline sees it: where its lines come from, and where
//! ours go.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Instant;

use super::courier::Courier;
use super::supervisor::{LOOK, Next, Supervisor};
use crate::input::Input;

/// The output of the child.
pub struct Watched {
    supervisor: Rc<RefCell<Supervisor>>,
    /// What was taken from the child and not yet from us.
    piece: Vec<u8>,
    taken: usize,
    /// Where to copy it as it is.
    raw: Option<StuckProof>,
}

impl Watched {
    /// The output, copied as it is to `raw`, if that is given.
    pub fn new(supervisor: Rc<RefCell<Supervisor>>, raw: Option<StuckProof>) -> Self {
        Self { supervisor, piece: Vec::new(), taken: 0, raw }
    }
}

impl Input for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = &self.piece[self.taken..];
            if !rest.is_empty() {
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                self.taken += count;
                return Ok(count);
            }
            let next = self.supervisor.borrow_mut().next();
            match next {
                Next::Output(piece) => {
                    if let Some(raw) = &mut self.raw {
                        raw.write_all(&piece)?;
                        raw.flush()?;
                    }
                    (self.piece, self.taken) = (piece, 0);
                }
                Next::Wait(mailbox, patience) => mailbox.wait(patience),
                Next::End => return Ok(0),
            }
        }
    }

    fn ready(&self) -> bool {
        self.taken < self.piece.len() || self.supervisor.borrow().has_output()
    }
}

/// Our standard output, while a child is watched: a reader that does not read
/// keeps us from nothing but writing, and one that is gone is no error.
#[derive(Clone)]
pub struct StuckProof {
    supervisor: Rc<RefCell<Supervisor>>,
    courier: Courier,
}

impl StuckProof {
    /// Standard output.
    pub fn stdout(supervisor: Rc<RefCell<Supervisor>>) -> Self {
        Self { supervisor, courier: Courier::start(crate::output::stdout()) }
    }

    /// Looks after the run until `done`, or until nobody will ever read.
    fn wait_until(&self, done: impl Fn(&Courier) -> bool) -> io::Result<()> {
        let started = Instant::now();
        while !done(&self.courier) {
            let mut supervisor = self.supervisor.borrow_mut();
            supervisor.act();
            if supervisor.has_no_time_for_readers(started.elapsed()) {
                supervisor.nobody_reads();
            }
            if supervisor.is_unread() {
                break;
            }
            drop(supervisor);
            self.courier.wait(LOOK);
        }
        match self.courier.take_error() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.supervisor.borrow_mut().nobody_reads();
                Ok(())
            }
            Some(error) => {
                self.supervisor.borrow_mut().output_failed();
                Err(error)
            }
            None => Ok(()),
        }
    }
}

impl Write for StuckProof {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait_until(Courier::has_room)?;
        if !self.supervisor.borrow().is_unread() {
            self.courier.put(bytes.to_vec());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_until(Courier::is_idle)
    }
}
