//! Diagnostics on standard error: `streamj: SOURCE:LINE: what is wrong`.
//!
//! They never contain the content of a line or a secret. At most 20 of a kind are
//! shown, then a count.

use std::io::{self, Write};
use std::sync::LazyLock;

use super::ci_log::{CommandEscaper, is_ci};
use super::columns::plural;
use super::sanitize::{sanitize, single_line};
use crate::redact::Redactor;

/// Returns the system's message without its number, to follow a colon.
pub(crate) fn system_message(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let mut chars = text[..end].chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// Returns the messages of an error and its causes.
pub(crate) fn error_message(error: &anyhow::Error) -> String {
    let text = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref() {
        Some(error) => system_message(error),
        None => cause.to_string(),
    };
    error.chain().map(text).collect::<Vec<_>>().join(": ")
}

/// Removes ` (os error 2)`: the words before it say the same.
fn without_error_numbers(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.parse::<i32>().is_ok() => text.push_str(rest),
            _ => text.extend([" (os error ", part]),
        }
    }
    text
}

/// Diagnostics of one kind that are shown per input.
const MAX_SHOWN: u64 = 20;

/// Kinds of diagnostics of which there can be many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiagnosticKind {
    /// A line is not JSON.
    Malformed,
    /// A line exceeds the limit.
    TooLong,
    /// An answer was abandoned before it was complete.
    Abandoned,
}

impl DiagnosticKind {
    const ALL: [Self; 3] = [Self::Malformed, Self::TooLong, Self::Abandoned];

    fn suppressed(self, count: u64) -> String {
        match self {
            Self::Malformed => plural(count, "more line") + " not JSON",
            Self::TooLong => plural(count, "more line") + " too long",
            Self::Abandoned => plural(count, "more unfinished answer"),
        }
    }
}

/// Detects secrets of the environment.
static ENVIRONMENT: LazyLock<Redactor> =
    LazyLock::new(|| Redactor::of_variables(std::env::vars_os(), &[]));

/// Writes diagnostics and counts them.
pub(crate) struct Diagnostics {
    to: Box<dyn Write>,
    quiet: bool,
    source: String,
    counts: [u64; DiagnosticKind::ALL.len()],
    /// Diagnostics about lines that are held back, if they are.
    held: Option<Vec<String>>,
    /// Whether the current input was described as a whole.
    is_described: bool,
    /// Masks secrets; those of the environment of this process if there is none.
    redactor: Option<Redactor>,
}

impl Diagnostics {
    /// Writes to standard error; `quiet` suppresses everything except errors.
    pub fn stderr(quiet: bool) -> Self {
        Self::new(Box::new(std::io::stderr()), quiet)
    }

    /// Writes to any writer.
    pub fn new(to: Box<dyn Write>, quiet: bool) -> Self {
        let counts = [0; DiagnosticKind::ALL.len()];
        let (source, held, redactor) = (String::new(), None, None);
        Self { to, quiet, source, counts, held, is_described: false, redactor }
    }

    /// Masks what `redactor` detects.
    pub fn with_redactor(self, redactor: Redactor) -> Self {
        Self { redactor: Some(redactor), ..self }
    }

    /// Starts an input and resets the counts.
    pub fn start_input(&mut self, source: &str) {
        // A name must not look like two lines.
        self.source = source.replace('\n', "^J");
        self.counts = [0; DiagnosticKind::ALL.len()];
        self.held = None;
        self.is_described = false;
    }

    /// Holds back what follows about single lines: an input that is no stream at all is
    /// better described by one sentence.
    pub fn hold_line_notes(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Writes what was held back.
    pub fn release_line_notes(&mut self) {
        for message in self.held.take().unwrap_or_default() {
            self.write(&message);
        }
    }

    /// Drops what was held back, and does not count the lines.
    pub fn drop_line_notes(&mut self) {
        self.held = None;
        self.counts = [0; DiagnosticKind::ALL.len()];
    }

    /// Describes the current input in place of what was held back. The lines stay counted
    /// as skipped.
    pub fn describe_input(&mut self, problem: &str) {
        self.held = Some(Vec::new());
        self.is_described = true;
        self.input_note(problem);
    }

    /// Returns whether the current input was described, so that nothing more is to say.
    pub fn is_described(&self) -> bool {
        self.is_described
    }

    /// Returns whether diagnostics of the current input were suppressed.
    pub fn has_suppressed(&self) -> bool {
        !self.quiet && self.held.is_none() && self.counts.iter().any(|count| *count > MAX_SHOWN)
    }

    /// Reports how many diagnostics of the current input were suppressed.
    pub fn end_input(&mut self) {
        for kind in DiagnosticKind::ALL {
            let count = self.counts[kind as usize];
            if count > MAX_SHOWN {
                self.input_note(&kind.suppressed(count - MAX_SHOWN));
            }
        }
    }

    /// Returns whether the next diagnostic of this kind will be shown.
    pub fn would_show(&self, kind: DiagnosticKind) -> bool {
        !self.quiet && self.counts[kind as usize] < MAX_SHOWN
    }

    /// Reports a problem with a line of the current input.
    pub fn line_note(&mut self, kind: DiagnosticKind, line: u64, message: &str) {
        if self.would_show(kind) {
            let message = format!("{}:{line}: {message}", self.source);
            match &mut self.held {
                Some(held) => held.push(message),
                None => self.write(&message),
            }
        }
        self.counts[kind as usize] += 1;
    }

    /// Reports a problem with a line of the current input without counting it.
    pub fn single_line_note(&mut self, line: u64, message: &str) {
        if !self.quiet {
            self.write(&format!("{}:{line}: {message}", self.source));
        }
    }

    /// Reports something about the current input.
    pub fn input_note(&mut self, message: &str) {
        if !self.quiet {
            self.write(&format!("{}: {message}", self.source));
        }
    }

    /// Reports something about the program as a whole.
    pub fn note(&mut self, message: &str) {
        if !self.quiet {
            self.write(message);
        }
    }

    /// Reports an error, also if `quiet` is set.
    pub fn error(&mut self, message: &str) {
        self.write(message);
    }

    /// Reports an error with its causes, each line of it as a message.
    pub fn failure(&mut self, error: &anyhow::Error) {
        error_message(error).lines().for_each(|line| self.write(line));
    }

    /// Prints how the command is used.
    pub fn usage(&mut self, text: &str) {
        let _ = self.to.write_all(format!("{}\n", text.trim_end()).as_bytes());
    }

    /// Reports an error with the current input.
    pub fn input_error(&mut self, message: &str) {
        self.write(&format!("{}: {message}", self.source));
    }

    /// Writes what other diagnostics have written.
    pub(super) fn write_recorded(&mut self, messages: &[u8]) {
        let _ = self.to.write_all(messages);
    }

    /// Returns how many lines of the current input were skipped.
    pub fn skipped(&self) -> u64 {
        self.counts[DiagnosticKind::Malformed as usize]
            + self.counts[DiagnosticKind::TooLong as usize]
    }

    fn write(&mut self, message: &str) {
        // One write per message, so that messages of other processes do not mix
        // with it. An error on standard error cannot be reported anywhere.
        let message = self.redactor.as_ref().unwrap_or(&ENVIRONMENT).mask(message);
        let message = without_error_numbers(&message);
        let line = format!("streamj: {}\n", sanitize(&single_line(&message)));
        let line = if is_ci() { CommandEscaper::default().escape(&line) } else { line };
        let _ = self.to.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_system_errors_are_left_out() {
        let error = io::Error::from_raw_os_error(2).to_string();
        assert!(error.ends_with(" (os error 2)"), "{error}");
        let message = without_error_numbers(&format!("a: {error}; b: {error}"));
        assert!(!message.contains("os error"), "{message}");
        for other in ["a (os error x) b", "(os error", "an (os error "] {
            assert_eq!(without_error_numbers(other), other);
        }
    }
}
