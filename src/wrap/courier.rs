//! Writes on a thread of its own: a reader who does not read keeps nobody but
//! that thread.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many pieces may wait before whoever brings more should.
const ROOM: usize = 8;

/// More than this is thrown away: it only gathers where nobody ever reads.
const TOO_MANY: usize = 4096;

/// Takes pieces to a writer; its thread ends when nobody can bring more.
#[derive(Clone)]
pub struct Courier(Arc<Sender>);

/// Who brings pieces.
struct Sender(Arc<Shared>);

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.bag().closed = true;
        self.0.changed.notify_all();
    }
}

#[derive(Default)]
struct Shared {
    bag: Mutex<Bag>,
    changed: Condvar,
}

#[derive(Default)]
struct Bag {
    waiting: VecDeque<Vec<u8>>,
    under_way: bool,
    /// Nobody brings more.
    closed: bool,
    error: Option<io::Error>,
}

impl Courier {
    /// Starts to write to `to`.
    pub fn start(mut to: impl Write + Send + 'static) -> Self {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        std::thread::spawn(move || {
            while let Some(piece) = own.next() {
                let written = to.write_all(&piece).and_then(|()| to.flush());
                own.delivered(written);
            }
        });
        Self(Arc::new(Sender(shared)))
    }

    /// Leaves a piece and waits for nothing.
    pub fn put(&self, piece: Vec<u8>) {
        let mut bag = self.bag();
        if bag.waiting.len() < TOO_MANY {
            bag.waiting.push_back(piece);
        }
        self.shared().changed.notify_all();
    }

    /// Whether another piece is welcome.
    pub fn has_room(&self) -> bool {
        self.bag().waiting.len() < ROOM
    }

    /// Whether everything has been written.
    pub fn is_idle(&self) -> bool {
        let bag = self.bag();
        bag.waiting.is_empty() && !bag.under_way
    }

    /// Waits for a change, for a while at most.
    pub fn wait(&self, longest: Duration) {
        let bag = self.bag();
        if !bag.waiting.is_empty() || bag.under_way {
            let _ = self.shared().changed.wait_timeout(bag, longest);
        }
    }

    /// Waits until everything has been written, for a while at most.
    pub fn drain(&self, longest: Duration) {
        let started = Instant::now();
        while !self.is_idle() && started.elapsed() < longest {
            self.wait(longest.saturating_sub(started.elapsed()));
        }
    }

    /// What went wrong since the last time.
    pub fn take_error(&self) -> Option<io::Error> {
        self.bag().error.take()
    }

    fn bag(&self) -> MutexGuard<'_, Bag> {
        self.shared().bag()
    }

    fn shared(&self) -> &Shared {
        &self.0.0
    }
}

impl Shared {
    /// The next piece; none when no more will come.
    fn next(&self) -> Option<Vec<u8>> {
        let mut bag = self.bag();
        loop {
            if let Some(piece) = bag.waiting.pop_front() {
                bag.under_way = true;
                return Some(piece);
            }
            if bag.closed {
                return None;
            }
            bag = self.changed.wait(bag).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn delivered(&self, written: io::Result<()>) {
        let mut bag = self.bag();
        bag.under_way = false;
        if let Err(error) = written {
            // What follows would have a hole before it.
            bag.waiting.clear();
            bag.error = Some(error);
        }
        self.changed.notify_all();
    }

    fn bag(&self) -> MutexGuard<'_, Bag> {
        self.bag.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Tells of every piece; an empty one is refused.
    struct Teller(Sender<Vec<u8>>);

    impl Write for Teller {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if bytes == b"bad" {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let _ = self.0.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn pieces_arrive_in_order_and_errors_are_told() {
        let (sender, arrived) = channel();
        let courier = Courier::start(Teller(sender));
        for piece in ["one", "two", "bad"] {
            courier.put(piece.into());
        }
        courier.drain(Duration::from_mins(1));
        assert!(courier.is_idle());
        assert_eq!(courier.take_error().unwrap().kind(), io::ErrorKind::StorageFull);
        assert!(courier.take_error().is_none());
        assert_eq!(arrived.try_iter().collect::<Vec<_>>(), [b"one", b"two"]);
    }

    #[test]
    fn what_was_brought_arrives_after_the_last_handle_and_then_the_thread_ends() {
        let (sender, arrived) = channel();
        let courier = Courier::start(Teller(sender));
        for _ in 0..100 {
            courier.clone().put(b"x".to_vec());
        }
        drop(courier);
        assert_eq!(arrived.iter().count(), 100, "the channel ends with the thread");
    }

    #[test]
    fn who_waits_for_a_stuck_reader_does_so_as_long_as_it_wants() {
        struct Stuck;
        impl Write for Stuck {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                loop {
                    std::thread::park();
                }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let courier = Courier::start(Stuck);
        for _ in 0..2 * TOO_MANY {
            courier.put(vec![0]);
        }
        courier.drain(Duration::from_millis(5));
        assert!(!courier.is_idle() && !courier.has_room());
        assert!(courier.bag().waiting.len() <= TOO_MANY);
    }
}
