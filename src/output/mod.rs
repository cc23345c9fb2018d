//! The one place that writes.
//!
//! Owns standard output (buffered in large blocks, flushed when somebody must
//! wait), the notes on standard error, the decision about colour, the record
//! formats, and the making visible of control characters. Knows no harness.

mod draft;
mod layout;
mod notes;
mod object;
mod pretty;
mod records;
mod sanitize;
mod sink;
mod style;

use std::io;

pub use draft::Draft;
pub use layout::{columns, plural, seconds, thousands};
pub use notes::{Kind, Notes};
pub use object::Object;
pub use records::{Format, Record, Records, Shape};
pub use sanitize::{Sanitizer, visible};
pub use sink::{IgnoringClosedPipe, Sink, stdout};
pub use style::{ColorChoice, Style};

/// Everything a projection can write to.
pub struct Output {
    /// Standard output.
    pub sink: Sink,
    /// Standard error.
    pub notes: Notes,
    /// How records are written.
    pub records: Records,
}

impl Output {
    /// Writes a record in the format asked for.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn record(&mut self, record: &impl Record) -> io::Result<()> {
        self.records.put(&mut self.sink, record)
    }

    /// Notes something about a line of the current input. Like every note it comes
    /// after what has been printed so far, where both go to the same place.
    ///
    /// # Errors
    ///
    /// Writing what has been printed so far fails.
    pub fn note(&mut self, kind: Kind, line: u64, message: &str) -> io::Result<()> {
        if self.notes.would_show(kind) {
            self.sink.flush()?;
        }
        self.notes.about_line(kind, line, message);
        Ok(())
    }

    /// Notes something about the current input as a whole.
    ///
    /// # Errors
    ///
    /// Writing what has been printed so far fails.
    pub fn note_about_input(&mut self, message: &str) -> io::Result<()> {
        self.sink.flush()?;
        self.notes.about_input(message);
        Ok(())
    }

    /// Tells of an error with the current input.
    ///
    /// # Errors
    ///
    /// Writing what has been printed so far fails.
    pub fn error_about_input(&mut self, message: &str) -> io::Result<()> {
        self.sink.flush()?;
        self.notes.error_about_input(message);
        Ok(())
    }

    /// The current input has ended: tells what was held back about it.
    ///
    /// # Errors
    ///
    /// Writing what has been printed so far fails.
    pub fn end_notes(&mut self) -> io::Result<()> {
        if self.notes.has_held_back() {
            self.sink.flush()?;
            self.notes.end();
        }
        Ok(())
    }
}
