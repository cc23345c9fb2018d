//! Connects the reader, a projection and the output.

use std::io;

use crate::exit::Exit;
use crate::harness::Harness;
use crate::input::Input;
use crate::output::{DiagnosticKind, Output};
use crate::projection::Projection;
use crate::reader::{self, DecodedLine, LineSink, ReaderOptions};

/// The result of reading a run.
#[derive(Debug)]
pub(crate) struct RunResult {
    /// The exit status of the projection.
    pub(crate) exit: Exit,
    /// Number of lines that were skipped.
    pub(crate) skipped: u64,
    /// Why reading stopped before the end.
    pub(crate) read_error: Option<io::Error>,
}

/// Reads `input`, called `name`, to its end and prints the projection of it.
///
/// Problems with lines are reported, and the reading goes on. An error is one of
/// writing.
pub(crate) fn run(
    name: &str,
    input: &mut (impl Input + Send),
    options: &ReaderOptions,
    projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<RunResult> {
    let mut sink = ProjectionSink::start(name, projection, out);
    let read_error = reader::read(input, options, &mut sink)?;
    sink.finish(read_error)
}

/// Does the same on the calling thread only.
pub(crate) fn run_serial(
    name: &str,
    input: &mut impl Input,
    options: &ReaderOptions,
    projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<RunResult> {
    let mut sink = ProjectionSink::start(name, projection, out);
    let read_error = reader::read_serial(input, options, &mut sink)?;
    sink.finish(read_error)
}

/// Passes lines to a projection, and reports those that cannot be decoded.
struct ProjectionSink<'a> {
    projection: Box<dyn Projection>,
    out: &'a mut Output,
    reports_bad_lines: bool,
    /// Number of records, and of those whose harness is known.
    records: u64,
    known: u64,
}

impl<'a> ProjectionSink<'a> {
    fn start(name: &str, projection: Box<dyn Projection>, out: &'a mut Output) -> Self {
        out.diagnostics.start_input(name);
        let reports_bad_lines = projection.reports_bad_lines();
        Self { projection, out, reports_bad_lines, records: 0, known: 0 }
    }

    fn finish(self, read_error: Option<io::Error>) -> io::Result<RunResult> {
        let Self { projection, out, reports_bad_lines, records, known } = self;
        if records > 0 && known == 0 && !reports_bad_lines {
            let known = Harness::names();
            let note = format!("no event of a known agent CLI (--harness selects one of: {known})");
            out.input_note(&note)?;
        }
        let exit = projection.end(out)?;
        out.rows.end_run(&mut out.sink)?;
        out.end_input()?;
        Ok(RunResult { exit, skipped: out.diagnostics.skipped(), read_error })
    }
}

impl LineSink for ProjectionSink<'_> {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        match line {
            DecodedLine::Record(record) => {
                self.records += 1;
                self.known += u64::from(record.harness != Harness::Unknown);
            }
            DecodedLine::Malformed(malformed) if !self.reports_bad_lines => {
                let message = malformed.to_string();
                self.out.line_note(DiagnosticKind::Malformed, number, &message)?;
            }
            DecodedLine::TooLong(bytes) if !self.reports_bad_lines => {
                let message = format!("line too long: {bytes} bytes");
                self.out.line_note(DiagnosticKind::TooLong, number, &message)?;
            }
            _ => {}
        }
        self.projection.line(line, number, self.out)
    }

    fn before_wait(&mut self) -> io::Result<()> {
        self.out.sink.flush()
    }
}
