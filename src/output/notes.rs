//! Notes on standard error: `streamj: SOURCE:LINE: what is wrong`.
//!
//! Never with the content of a line, and whatever they repeat is no secret; at
//! most so many of a kind, then a count.

use std::io::Write;

use super::layout::plural;
use super::sanitize::visible;
use crate::redact::Redactor;
use crate::schema::Violations;

/// How many notes of one kind are shown per input.
const LIMIT: u64 = 20;

/// Kinds of notes that can come in masses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line that is not JSON.
    Malformed,
    /// A line over the limit.
    TooLong,
    /// Deltas that no complete block followed.
    Abandoned,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Malformed, Self::TooLong, Self::Abandoned];

    fn so_many_more(self, count: u64) -> String {
        match self {
            Self::Malformed => plural(count, "more line") + " not JSON",
            Self::TooLong => plural(count, "more line") + " too long",
            Self::Abandoned => plural(count, "more unfinished answer"),
        }
    }
}

/// Writes notes, and remembers how many there were.
pub struct Notes {
    to: Box<dyn Write>,
    quiet: bool,
    source: String,
    counts: [u64; Kind::ALL.len()],
}

impl Notes {
    /// Notes on standard error; `quiet` silences all but errors.
    #[must_use]
    pub fn stderr(quiet: bool) -> Self {
        Self::new(Box::new(std::io::stderr()), quiet)
    }

    /// Notes to any writer.
    #[must_use]
    pub fn new(to: Box<dyn Write>, quiet: bool) -> Self {
        Self { to, quiet, source: String::new(), counts: [0; Kind::ALL.len()] }
    }

    /// From here on, notes are about this input.
    pub fn begin(&mut self, source: &str) {
        // A name must not look like two lines.
        self.source = source.replace('\n', "^J");
        self.counts = [0; Kind::ALL.len()];
    }

    /// Whether there were more notes of a kind than are shown.
    #[must_use]
    pub fn has_held_back(&self) -> bool {
        !self.quiet && self.counts.iter().any(|count| *count > LIMIT)
    }

    /// The input has ended: tells how many notes were held back.
    pub fn end(&mut self) {
        for kind in Kind::ALL {
            let count = self.counts[kind as usize];
            if count > LIMIT {
                self.about_input(&kind.so_many_more(count - LIMIT));
            }
        }
    }

    /// Whether the next note of this kind will be shown.
    #[must_use]
    pub fn would_show(&self, kind: Kind) -> bool {
        !self.quiet && self.counts[kind as usize] < LIMIT
    }

    /// Something about a line of the current input.
    pub fn about_line(&mut self, kind: Kind, line: u64, message: &str) {
        if self.would_show(kind) {
            self.write(&format!("{}:{line}: {message}", self.source));
        }
        self.counts[kind as usize] += 1;
    }

    /// Something about a line of the current input, once.
    pub fn about_input_line(&mut self, line: u64, message: &str) {
        if !self.quiet {
            self.write(&format!("{}:{line}: {message}", self.source));
        }
    }

    /// Something about the current input as a whole.
    pub fn about_input(&mut self, message: &str) {
        if !self.quiet {
            self.write(&format!("{}: {message}", self.source));
        }
    }

    /// Something about no input in particular.
    pub fn remark(&mut self, message: &str) {
        if !self.quiet {
            self.write(message);
        }
    }

    /// An error: not even `quiet` silences it.
    pub fn error(&mut self, message: &str) {
        self.write(message);
    }

    /// An error with the current input.
    pub fn error_about_input(&mut self, message: &str) {
        self.write(&format!("{}: {message}", self.source));
    }

    /// What a document has wrong: so many, and then a count.
    pub fn violations(&mut self, violations: &Violations) {
        for violation in &violations.first {
            self.error(&format!("structured: {violation}"));
        }
        if violations.more > 0 {
            self.error(&format!("structured: {} more", violations.more));
        }
    }

    /// How many lines of the current input were skipped.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.counts[Kind::Malformed as usize] + self.counts[Kind::TooLong as usize]
    }

    fn write(&mut self, message: &str) {
        // One write per note, so that notes of neighbours do not mix. When
        // even standard error is gone there is nobody left to tell.
        let message = Redactor::default().mask(message);
        let line = format!("streamj: {}\n", visible(&message));
        let _ = self.to.write_all(line.as_bytes());
    }
}
