//! `error`: did it fail, and why?

use std::io;

use super::{Projection, Setting, WatchedProcess};
use crate::cli::ErrorArgs;
use crate::exit::Exit;
use crate::harness::{Harness, Reading};
use crate::output::{Object, Output, Record, Sink};
use crate::run::{Failure, Run};

/// Judges the run and prints its failure, if it is one.
pub(super) struct ErrorOfRun {
    run: Run,
    heuristics: bool,
    exit_status: bool,
    process: Option<WatchedProcess>,
}

impl ErrorOfRun {
    pub(super) fn new(args: &ErrorArgs, setting: &Setting) -> Self {
        Self {
            run: Run::new(setting.harness, setting.written).without_output(),
            heuristics: !args.no_heuristics,
            exit_status: args.exit_status,
            process: setting.process.clone(),
        }
    }
}

impl Projection for ErrorOfRun {
    fn read(&mut self, reading: &Reading<'_>, line: u64, _: &mut Output) -> io::Result<()> {
        self.run.read(reading, line);
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let mut verdict = self.run.verdict(self.heuristics);
        if let Some(process) = &self.process {
            verdict = verdict.with_process(&process());
        }
        let Some(failure) = verdict.failure else {
            return Ok(Exit::Done);
        };
        out.record(&Row { harness: self.run.session.harness(), failure: &failure })?;
        Ok(if self.exit_status { Exit::Failed(failure.category) } else { Exit::Done })
    }
}

struct Row<'a> {
    harness: Harness,
    failure: &'a Failure,
}

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
    "harness",
    "category",
    "message",
    "status",
    "subtype",
    "terminal_reason",
    "retry_at",
    "source",
];

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let failure = self.failure;
        let retry_at = failure.retry_at.map(|moment| moment.to_string());
        object
            .text("harness", self.harness.name())
            .text("category", failure.category.name())
            .text("message", failure.message.as_str())
            .integer("status", failure.status.map(i128::from))
            .text("subtype", failure.subtype.as_deref())
            .text("terminal_reason", failure.terminal_reason.as_deref())
            .text("retry_at", retry_at.as_deref())
            .text("source", failure.source.name());
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let failure = self.failure;
        let style = sink.style();
        let message = sink.fit(&failure.message).into_owned();
        let category = style.bad(failure.category.name());
        sink.print(&format!("{category}: {message}\n"))?;
        let mut facts = Vec::new();
        facts.extend(failure.status.map(|status| format!("status {status}")));
        // Every failed request is called a "success" there.
        let subtype = failure.subtype.as_deref().filter(|word| *word != "success");
        facts.extend(subtype.map(|word| sink.fit(word).into_owned()));
        facts.extend(failure.terminal_reason.as_deref().map(|word| sink.fit(word).into_owned()));
        facts.extend(failure.retry_at.map(|moment| format!("try again at {moment}")));
        if facts.is_empty() {
            return Ok(());
        }
        sink.print(&format!("{}\n", style.dim(&facts.join(" · "))))
    }
}
