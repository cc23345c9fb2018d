//! A progress bar on standard error while many files are read.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::output::thousands;

/// Time before the bar appears.
const DELAY: Duration = Duration::from_millis(500);

/// Time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);

const WIDTH: usize = 24;

pub(super) struct Progress {
    total: usize,
    done: usize,
    /// Time of the next update; `None` without a terminal.
    next: Option<Instant>,
    is_visible: bool,
}

impl Progress {
    pub(super) fn new(total: usize, quiet: bool) -> Self {
        let is_shown = !quiet && io::stderr().is_terminal();
        let next = is_shown.then(|| Instant::now() + DELAY);
        Self { total, done: 0, next, is_visible: false }
    }

    /// Counts a file.
    pub(super) fn step(&mut self) {
        self.done += 1;
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + INTERVAL);
            self.is_visible = true;
            let full = WIDTH * self.done / self.total.max(1);
            let bar = "█".repeat(full) + &"░".repeat(WIDTH - full);
            let [done, total] = [self.done, self.total].map(|count| thousands(count as u64));
            write(&format!("\r{bar} {done} of {total} files"));
        }
    }

    /// Removes the bar.
    pub(super) fn finish(self) {
        if self.is_visible {
            write("\r\x1b[K");
        }
    }
}

/// Writes to standard error and ignores errors.
fn write(text: &str) {
    let mut stderr = io::stderr();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
