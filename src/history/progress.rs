//! A bar on standard error while many files are read, for people who wait.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::output::thousands;

/// Nobody waits before so much time has passed.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the bar changes.
const PACE: Duration = Duration::from_millis(100);

const WIDTH: usize = 24;

pub(super) struct Progress {
    all: usize,
    done: usize,
    /// When it is time to draw; never without a terminal.
    next: Option<Instant>,
    drawn: bool,
}

impl Progress {
    pub(super) fn new(all: usize, quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal();
        Self { all, done: 0, next: shown.then(|| Instant::now() + PATIENCE), drawn: false }
    }

    /// One more file is read.
    pub(super) fn step(&mut self) {
        self.done += 1;
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + PACE);
            self.drawn = true;
            let full = WIDTH * self.done / self.all.max(1);
            let bar = "█".repeat(full) + &"░".repeat(WIDTH - full);
            let [done, all] = [self.done, self.all].map(|count| thousands(count as u64));
            write(&format!("\r{bar} {done} of {all} files"));
        }
    }

    /// All files are read: the bar goes.
    pub(super) fn end(self) {
        if self.drawn {
            write("\r\x1b[K");
        }
    }
}

/// Without standard error nobody looks.
fn write(text: &str) {
    let mut stderr = io::stderr();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
