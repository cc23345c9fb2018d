//! Everything that is printed.
//!
//! Covers standard output (buffered, flushed before the program waits), the
//! diagnostics on standard error, the colour decision, the output formats, and
//! the sanitising of control characters. Knows nothing about harnesses.

mod ci_log;
mod columns;
mod diagnostics;
mod format;
mod json_layout;
mod object;
mod origin;
pub(crate) mod private;
mod row;
mod sanitize;
mod sink;
mod style;
mod transcript;

use std::io;

pub(crate) use ci_log::{CommandEscaper, is_ci};
pub(crate) use columns::{columns, first_fitting, keep_end, one_line, plural, seconds, thousands};
pub(crate) use diagnostics::{DiagnosticKind, Diagnostics, error_message, system_message};
pub(crate) use format::Format;
pub(crate) use object::ObjectWriter;
pub(crate) use origin::{ORIGIN_MEMBERS, RowOrigin};
pub(crate) use row::{Row, RowLayout, RowWriter};
pub(crate) use sanitize::{Sanitizer, sanitize, single_line};
pub(crate) use sink::{IgnoreBrokenPipe, Sink, stdout};
pub(crate) use style::{ColorChoice, Style};
pub(crate) use transcript::RecordingSettings;

/// Everything a projection can write to.
pub(crate) struct Output {
    /// Standard output.
    pub(crate) sink: Sink,
    /// Standard error.
    pub(crate) diagnostics: Diagnostics,
    /// Writes rows in the selected format.
    pub(crate) rows: RowWriter,
}

/// Protection of other programs that read the output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutputSafety {
    /// Whether cells of CSV tables must not be formulas.
    pub(crate) csv: bool,
    /// Whether text is shown in the log of a CI system. Human rows are if the environment
    /// is one.
    pub(crate) ci: bool,
}

impl Output {
    /// Creates an output that is safe for the programs that read it.
    pub(crate) fn new(
        mut sink: Sink,
        diagnostics: Diagnostics,
        mut rows: RowWriter,
        safety: OutputSafety,
    ) -> Self {
        if safety.ci || rows.is_human() && is_ci() {
            sink.protect_ci_log();
        }
        if safety.csv {
            rows.guard_formulas();
        }
        Self { sink, diagnostics, rows }
    }

    /// Writes a row in the selected format.
    pub(crate) fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        self.rows.write(row, &mut self.sink)
    }

    /// Reports a problem with a line of the current input. Like every diagnostic it
    /// appears after the output so far, if both go to the same place.
    pub(crate) fn line_note(
        &mut self,
        kind: DiagnosticKind,
        line: u64,
        message: &str,
    ) -> io::Result<()> {
        if self.diagnostics.would_show(kind) {
            self.sink.flush()?;
        }
        self.diagnostics.line_note(kind, line, message);
        Ok(())
    }

    /// Reports something about the current input.
    pub(crate) fn input_note(&mut self, message: &str) -> io::Result<()> {
        self.sink.flush()?;
        self.diagnostics.input_note(message);
        Ok(())
    }

    /// Describes the current input, which is no stream, in place of its lines.
    pub(crate) fn describe_input(&mut self, problem: &str) -> io::Result<()> {
        self.sink.flush()?;
        self.diagnostics.describe_input(problem);
        Ok(())
    }

    /// Reports an error with the current input.
    pub(crate) fn input_error(&mut self, message: &str) -> io::Result<()> {
        self.sink.flush()?;
        self.diagnostics.input_error(message);
        Ok(())
    }

    /// Reports how many diagnostics about the current input were suppressed.
    pub(crate) fn end_input(&mut self) -> io::Result<()> {
        if self.diagnostics.has_suppressed() {
            self.sink.flush()?;
            self.diagnostics.end_input();
        }
        Ok(())
    }
}
