//! Output of a command that prints no events: passed on, so that it is not lost.
//!
//! Whether a command prints events is known when the first one comes. Until then its
//! output is held back, up to a limit. Beyond that complete lines are passed on, which
//! have turned out to be no events; a line that may become one is held back, too.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use super::clean_copy::CleanCopy;
use super::partial_text::PartialText;
use super::supervision::Supervision;
use crate::redact::{Redactor, TextRedactor};

/// Bytes that are held back of output that does not look like JSON.
const MAX_HELD: usize = 1 << 20;

/// The output before the first event. Shared by the input and the run.
#[derive(Clone)]
pub(super) struct PlainOutput(Rc<RefCell<State>>);

struct State {
    supervision: Arc<Supervision>,
    /// Bytes that have not been passed on. All complete lines of it have been read.
    held: Vec<u8>,
    /// The longest line that can be an event.
    max_line: usize,
    copy: CleanCopy,
    /// Whether messages are written to the same stream as the copy.
    shares_stream: bool,
    redaction: Option<Redaction>,
}

struct Redaction {
    redactor: Redactor,
    text: TextRedactor,
    partial: PartialText,
}

impl PlainOutput {
    /// Creates an output that is passed on to `copy`, masked by `redactor`. If `copy`
    /// `shares_stream` with messages, its last line is ended before them.
    pub(super) fn new(
        copy: CleanCopy,
        shares_stream: bool,
        redactor: Option<Redactor>,
        max_line: usize,
        supervision: Arc<Supervision>,
    ) -> Self {
        let redaction = redactor.map(|redactor| Redaction {
            redactor,
            text: TextRedactor::default(),
            partial: PartialText::default(),
        });
        let held = Vec::new();
        Self(Rc::new(RefCell::new(State {
            supervision,
            held,
            max_line,
            copy,
            shares_stream,
            redaction,
        })))
    }

    /// Adds output of the command. All output before it has been read.
    pub(super) fn add(&self, chunk: &[u8]) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        if state.supervision.progress.has_events() {
            state.held = Vec::new();
            return Ok(());
        }
        let passed = state.passable_length();
        let rest = state.held.split_off(passed);
        let passed = std::mem::replace(&mut state.held, rest);
        state.write(&passed)?;
        state.held.extend_from_slice(chunk);
        Ok(())
    }

    /// Passes on what is left if no event came.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        if state.supervision.progress.has_events() {
            return Ok(());
        }
        let held = std::mem::take(&mut state.held);
        state.write(&held)?;
        let State { copy, shares_stream, redaction, .. } = &mut *state;
        if let Some(Redaction { redactor, text, partial }) = redaction {
            let rest = partial.finish();
            let masked = text.push(&rest, redactor).into_owned() + &text.finish(redactor);
            copy.write_all(masked.as_bytes())?;
        }
        if *shares_stream {
            copy.end_line()?;
        }
        copy.flush()
    }
}

impl State {
    /// Returns how much of what is held can be passed on.
    fn passable_length(&self) -> usize {
        let held = &self.held;
        let limit = |text| if may_be_json(text) { self.max_line.max(MAX_HELD) } else { MAX_HELD };
        if held.len() <= limit(held) {
            return 0;
        }
        let lines = memchr::memrchr(b'\n', held).map_or(0, |last| last + 1);
        let last = &held[lines..];
        if last.len() <= limit(last) { lines } else { held.len() }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.redaction {
            Some(Redaction { redactor, text, partial }) => {
                let part = partial.push(bytes);
                let masked = text.push(&part, redactor);
                self.copy.write_all(masked.as_bytes())?;
            }
            None => self.copy.write_all(bytes)?,
        }
        self.copy.flush()
    }
}

/// Returns whether text starts like a JSON array or object.
fn may_be_json(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), None | Some(b'{' | b'[' | b'\xef'))
}
