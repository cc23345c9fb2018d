//! Where the reading thread and the signals leave what the supervisor works
//! on. Bounded: a child that is not listened to has to wait.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::signals::Caught;

/// How many pieces of output may wait.
const ROOM: usize = 8;

/// Shared by everyone who watches a run.
#[derive(Default)]
pub struct Mailbox {
    contents: Mutex<Contents>,
    changed: Condvar,
}

#[derive(Default)]
struct Contents {
    output: VecDeque<Vec<u8>>,
    output_ended: bool,
    caught: VecDeque<Caught>,
    closed: bool,
}

impl Mailbox {
    /// Leaves a piece of output, waiting for room. False: nobody takes it.
    pub fn put_output(&self, piece: Vec<u8>) -> bool {
        let mut contents = self.lock();
        while contents.output.len() >= ROOM && !contents.closed {
            contents = self.changed.wait(contents).unwrap_or_else(PoisonError::into_inner);
        }
        contents.output.push_back(piece);
        self.changed.notify_all();
        !contents.closed
    }

    /// There will be no more output.
    pub fn end_output(&self) {
        self.lock().output_ended = true;
        self.changed.notify_all();
    }

    /// Leaves a signal.
    pub fn put_signal(&self, caught: Caught) {
        self.lock().caught.push_back(caught);
        self.changed.notify_all();
    }

    /// The next piece of output.
    pub fn take_output(&self) -> Option<Vec<u8>> {
        let piece = self.lock().output.pop_front();
        if piece.is_some() {
            self.changed.notify_all();
        }
        piece
    }

    /// The next signal.
    pub fn take_signal(&self) -> Option<Caught> {
        self.lock().caught.pop_front()
    }

    /// Whether there is output.
    pub fn has_output(&self) -> bool {
        !self.lock().output.is_empty()
    }

    /// Whether all output has been taken and no more will come.
    pub fn is_drained(&self) -> bool {
        let contents = self.lock();
        contents.output_ended && contents.output.is_empty()
    }

    /// Waits until there is something, for a while at most.
    pub fn wait(&self, longest: Duration) {
        let contents = self.lock();
        if contents.output.is_empty() && contents.caught.is_empty() {
            let _ = self.changed.wait_timeout(contents, longest);
        }
    }

    /// Nobody takes anything any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The child's output goes on: read on a thread, so that nothing waits for it.
pub fn read_output(mut stdout: impl Read + Send + 'static, mailbox: Arc<Mailbox>) {
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
