//! Connects the reader, a projection and the output.

use std::io;

use crate::exit::Exit;
use crate::input::Input;
use crate::origin::OriginTracker;
use crate::output::{DiagnosticKind, Output};
use crate::projection::Projection;
use crate::reader::{self, DecodedLine, LineSink, ReaderOptions, Recognition};

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
/// Problems with lines are reported, and the reading goes on. An input without any event
/// is described by one sentence instead, and the answer is no, unless it was found in a
/// folder: then it is passed over. An error is one of writing.
pub(crate) fn run(
    name: &str,
    is_named: bool,
    input: &mut (impl Input + Send),
    options: &ReaderOptions,
    projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<RunResult> {
    let mut sink = ProjectionSink::start(name, projection, out);
    let read_error = reader::read(input, options, &mut sink)?;
    match read_error {
        None if !is_named && sink.is_unrecognized(input) => {
            sink.out.diagnostics.drop_line_notes();
            return Ok(RunResult { exit: Exit::Success, skipped: 0, read_error: None });
        }
        None => sink.describe_unrecognized(input)?,
        Some(_) => sink.out.diagnostics.release_line_notes(),
    }
    sink.finish(read_error)
}

/// Does the same on the calling thread only, and says nothing about an input without
/// events.
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
    recognition: Recognition,
    /// Where rows come from, if they say so.
    origin: Option<OriginTracker>,
    exit: Exit,
}

impl<'a> ProjectionSink<'a> {
    fn start(name: &str, projection: Box<dyn Projection>, out: &'a mut Output) -> Self {
        out.diagnostics.start_input(name);
        out.diagnostics.hold_line_notes();
        let origin = out.rows.origin_mut().map(|origin| OriginTracker::start(name, origin));
        Self {
            origin,
            reports_bad_lines: projection.reports_bad_lines(),
            projection,
            out,
            recognition: Recognition::default(),
            exit: Exit::Success,
        }
    }

    /// Returns whether nothing was recognised.
    fn is_unrecognized(&self, input: &impl Input) -> bool {
        self.recognition.problem(input.is_file()).is_some()
    }

    /// Describes an input in which nothing was recognised.
    fn describe_unrecognized(&mut self, input: &impl Input) -> io::Result<()> {
        if self.projection.reports_every_line() && !self.recognition.is_empty() {
            return Ok(());
        }
        let Some(problem) = self.recognition.problem(input.is_file()) else { return Ok(()) };
        self.exit = Exit::No;
        self.out.describe_input(&problem)
    }

    fn finish(self, read_error: Option<io::Error>) -> io::Result<RunResult> {
        let Self { projection, out, exit, .. } = self;
        if let Some(origin) = out.rows.origin_mut() {
            // What follows is about the run as a whole.
            origin.line = None;
        }
        let exit = exit.or_worse(projection.end(out)?);
        out.rows.end_run(&mut out.sink)?;
        out.end_input()?;
        Ok(RunResult { exit, skipped: out.diagnostics.skipped(), read_error })
    }

    /// Reports a line that cannot be decoded, unless the projection does.
    fn report(&mut self, kind: DiagnosticKind, number: u64, message: &str) -> io::Result<()> {
        if self.reports_bad_lines {
            return Ok(());
        }
        self.out.line_note(kind, number, message)
    }
}

impl LineSink for ProjectionSink<'_> {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        if self.recognition.apply(line, number) {
            match line {
                // What precedes the first event is text, too.
                DecodedLine::Record(record) if record.harness.adapter().prints_text() => {
                    self.out.diagnostics.drop_line_notes();
                }
                _ => self.out.diagnostics.release_line_notes(),
            }
        }
        if let (Some(tracker), DecodedLine::Record(record)) = (&mut self.origin, line)
            && let Some(origin) = self.out.rows.origin_mut()
        {
            tracker.apply(record, number, origin);
        }
        self.projection.line(line, number, self.out)?;
        match line {
            DecodedLine::Malformed(malformed) => {
                self.report(DiagnosticKind::Malformed, number, &malformed.to_string())
            }
            DecodedLine::TooLong(bytes) => {
                let message = format!("line too long: {bytes} bytes");
                self.report(DiagnosticKind::TooLong, number, &message)
            }
            _ => Ok(()),
        }
    }

    fn before_wait(&mut self) -> io::Result<()> {
        self.projection.before_wait(self.out)?;
        self.out.sink.flush()
    }
}
