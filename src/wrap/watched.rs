//! A watched run as the pipeline sees it: where its lines come from, and where
//! ours go.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Instant;

use super::ends;
use super::supervisor::{LOOK, Next, Supervisor};
use crate::input::Input;

/// What a pipe that takes anything takes at once.
const ATOM: usize = 4096;

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
    /// The output, copied to our own as it is if `raw`.
    pub fn new(supervisor: Rc<RefCell<Supervisor>>, raw: bool) -> Self {
        let raw = raw.then(|| StuckProof::new(Rc::clone(&supervisor)));
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
pub struct StuckProof {
    supervisor: Rc<RefCell<Supervisor>>,
    is_pipe: bool,
}

impl StuckProof {
    /// Standard output.
    pub fn new(supervisor: Rc<RefCell<Supervisor>>) -> Self {
        Self { supervisor, is_pipe: ends::output_is_pipe() }
    }

    /// Waits until something can be written. False: it never will.
    fn wait(&self) -> bool {
        let started = Instant::now();
        loop {
            let mut supervisor = self.supervisor.borrow_mut();
            if supervisor.is_unread() {
                return false;
            }
            if ends::output_takes(LOOK) {
                return true;
            }
            supervisor.act();
            if supervisor.has_no_time_for_readers(started.elapsed()) {
                supervisor.nobody_reads();
            }
        }
    }
}

impl Write for StuckProof {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_pipe && !self.wait() {
            return Ok(bytes.len());
        }
        let some = if self.is_pipe { &bytes[..bytes.len().min(ATOM)] } else { bytes };
        match crate::output::stdout().write(some) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.supervisor.borrow_mut().nobody_reads();
                Ok(bytes.len())
            }
            Err(error) => {
                self.supervisor.borrow_mut().output_failed();
                Err(error)
            }
            done => done,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
