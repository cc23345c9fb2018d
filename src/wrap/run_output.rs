//! Prints a run while it is supervised.

use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::rc::Rc;

use super::child_output::{ChildOutput, NonBlockingStdout, OutputCopy};
use super::clean_copy::CleanCopy;
use super::observer::RunObserver;
use super::plain_output::PlainOutput;
use super::stderr::SharedStderr;
use super::supervisor::{StreamProgress, Supervisor};
use crate::cli::Global;
use crate::output::{Output, Sink, Style};
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

impl RunOutput {
    pub(super) fn new(
        global: &Global,
        read_spec: Option<&ReadSpec<'_>>,
        options: &ReaderOptions,
        supervisor: &Rc<RefCell<Supervisor>>,
        stderr: &SharedStderr,
        progress: &Rc<StreamProgress>,
    ) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let stdout = NonBlockingStdout::new(Rc::clone(supervisor));
        let out = Output {
            sink: Sink::stdout_through(
                Box::new(stdout.clone()),
                Style::from_environment(global.color, is_terminal),
            ),
            diagnostics: stderr.diagnostics(global.quiet),
            rows: read_spec.map(|spec| spec.row_writer(is_terminal)).unwrap_or_default(),
        };
        let plain = read_spec.map(|spec| {
            let (copy, shares_stream) = plain_copy(spec.coverage(), stdout.clone(), stderr);
            let redactor = options.redactor.clone();
            PlainOutput::new(copy, shares_stream, redactor, options.max_line, Rc::clone(progress))
        });
        let copy = match &plain {
            Some(plain) => OutputCopy::Plain(plain.clone()),
            None => OutputCopy::Raw(CleanCopy::new(Box::new(stdout), is_terminal)),
        };
        Self { out, input: ChildOutput::new(Rc::clone(supervisor), copy), plain }
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
