//! Prints a run while it is supervised.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use super::child_output::{ChildOutput, NonBlockingStdout, OutputCopy};
use super::clean_copy::CleanCopy;
use super::observer::RunObserver;
use super::plain_output::PlainOutput;
use super::stderr::SharedStderr;
use super::stdout_queue::StdoutQueue;
use super::supervision::Supervision;
use super::tee::Tee;
use crate::cli::Global;
use crate::output::{Output, OutputSafety, Sink, Style, is_ci};
use crate::pipeline::{self, RunResult};
use crate::read_spec::{Coverage, ReadSpec};
use crate::reader::ReaderOptions;

/// The output of a run, and its source.
pub(super) struct RunOutput {
    pub(super) out: Output,
    input: ChildOutput,
    /// Output before the first event; `None` if the stream itself is printed.
    plain: Option<PlainOutput>,
}

/// Where the stream of a run comes from, and where it goes.
pub(super) struct RunSource {
    pub(super) queue: StdoutQueue,
    pub(super) supervision: Arc<Supervision>,
    pub(super) stdout: NonBlockingStdout,
    pub(super) tee: Option<Tee>,
}

impl RunOutput {
    pub(super) fn new(
        global: &Global,
        read_spec: Option<&ReadSpec<'_>>,
        options: &ReaderOptions,
        stderr: &SharedStderr,
        source: RunSource,
    ) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let RunSource { queue, supervision, stdout, tee } = source;
        let style = Style::from_environment(global.color, is_terminal);
        let shows_text =
            |spec: &ReadSpec<'_>| matches!(spec.coverage(), Coverage::Text | Coverage::All);
        let is_text = read_spec.is_some_and(shows_text);
        let asks_for_ci = read_spec.is_some_and(|spec| spec.is_ci_safe);
        let ci = asks_for_ci || is_text && is_ci();
        let out = Output::new(
            Sink::stdout_through(Box::new(stdout.clone()), style),
            stderr.diagnostics(global.quiet),
            read_spec.map(|spec| spec.row_writer(is_terminal)).unwrap_or_default(),
            OutputSafety { csv: global.csv_safe, ci },
        );
        let plain = read_spec.map(|spec| {
            let (copy, shares_stream) = plain_copy(spec.coverage(), stdout.clone(), stderr);
            let redactor = options.redactor.clone();
            let supervision = Arc::clone(&supervision);
            PlainOutput::new(copy, shares_stream, redactor, options.max_line, supervision)
        });
        let copy = match &plain {
            Some(plain) => OutputCopy::Plain(plain.clone()),
            None => OutputCopy::Raw(CleanCopy::raw(Box::new(stdout), is_terminal)),
        };
        Self { out, input: ChildOutput::new(queue, supervision, copy, tee), plain }
    }

    /// Returns whether the copy of the stream is incomplete.
    pub(super) fn has_tee_failed(&self) -> bool {
        self.input.has_tee_failed()
    }

    /// Reads the stream of the command called `name` to its end, and prints it.
    pub(super) fn print(
        &mut self,
        name: &str,
        options: &ReaderOptions,
        observer: RunObserver,
    ) -> io::Result<RunResult> {
        let Self { out, input, plain } = self;
        let result = pipeline::run_serial(name, input, options, Box::new(observer), out)?;
        if let Some(plain) = plain {
            plain.finish()?;
        }
        out.rows.end(&mut out.sink)?;
        out.sink.flush()?;
        Ok(result)
    }
}

/// Returns where output goes that contains no events: beside the answer it might be, else
/// to standard error; and whether messages appear there, too.
fn plain_copy(
    coverage: Coverage,
    stdout: NonBlockingStdout,
    stderr: &SharedStderr,
) -> (CleanCopy, bool) {
    match coverage {
        Coverage::Text | Coverage::All => {
            let is_terminal = io::stdout().is_terminal();
            (CleanCopy::new(Box::new(stdout), is_terminal), is_terminal)
        }
        Coverage::Failure | Coverage::Document | Coverage::Other => {
            (CleanCopy::new(Box::new(stderr.clone()), io::stderr().is_terminal()), true)
        }
    }
}
