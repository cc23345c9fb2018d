//! A watched run as the pipeline sees it: where its lines come from, and where
//! ours go.

use std::cell::RefCell;
use std::io::{self, IoSlice, IsTerminal, Write};
use std::rc::Rc;
use std::time::Instant;

use super::courier::Courier;
use super::supervisor::{LOOK, Next, Supervisor};
use crate::input::Input;
use crate::output::Sanitizer;

/// The output of the child.
pub struct Watched {
    supervisor: Rc<RefCell<Supervisor>>,
    /// What was taken from the child and not yet from us.
    piece: Vec<u8>,
    taken: usize,
    /// Where to copy it as it is.
    raw: Option<Copied>,
}

impl Watched {
    /// The output, copied as it is to `raw`, if that is given.
    pub fn new(supervisor: Rc<RefCell<Supervisor>>, raw: Option<StuckProof>) -> Self {
        Self { supervisor, piece: Vec::new(), taken: 0, raw: raw.map(Copied::new) }
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
                        raw.copy(&piece)?;
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

/// The output of the child on ours: as it is, with control characters made
/// visible on a terminal.
struct Copied {
    to: StuckProof,
    terminal: Option<Sanitizer>,
    /// A character that is not complete.
    rest: Vec<u8>,
}

impl Copied {
    fn new(to: StuckProof) -> Self {
        let terminal = io::stdout().is_terminal().then(Sanitizer::default);
        Self { to, terminal, rest: Vec::new() }
    }

    fn copy(&mut self, piece: &[u8]) -> io::Result<()> {
        match &mut self.terminal {
            None => self.to.write_all(piece)?,
            Some(sanitizer) => {
                self.rest.extend_from_slice(piece);
                let behind = self.rest.split_off(complete(&self.rest));
                let text = sanitizer.visible(&String::from_utf8_lossy(&self.rest));
                self.rest = behind;
                self.to.write_all(text.as_bytes())?;
            }
        }
        self.to.flush()
    }
}

/// Where the last character begins, if it is not complete; else the end.
fn complete(bytes: &[u8]) -> usize {
    let recent = bytes.len().saturating_sub(3);
    let begun = |(at, byte): (usize, &u8)| {
        let length = match byte {
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
            _ => 1,
        };
        at + length > bytes.len()
    };
    let found = bytes.iter().enumerate().skip(recent).find(|place| begun(*place));
    found.map_or(bytes.len(), |(at, _)| at)
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
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.wait_until(Courier::has_room)?;
        let piece = parts.iter().map(|part| &**part).collect::<Vec<_>>().concat();
        let length = piece.len();
        if !self.supervisor.borrow().is_unread() {
            self.courier.put(piece);
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait_until(Courier::is_idle)
    }
}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn a_character_is_waited_for_and_garbage_is_not() {
        let text = "aé世👍".as_bytes();
        let complete_at: Vec<usize> = (0..=text.len()).map(|end| complete(&text[..end])).collect();
        assert_eq!(complete_at, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
        assert_eq!(complete(b"\x80\x80\x80"), 3);
        assert_eq!(complete(b"\xff\x80\x80\x80"), 4);
    }
}
