//! `error`: whether the run failed, and why.

use std::borrow::Cow;
use std::io;

use super::{ProcessEndFn, Projection, RunContext};
use crate::event::FailureReason;
use crate::exit::Exit;
use crate::harness::Harness;
use crate::output::{ObjectWriter, Output, Row, Sink};
use crate::reader::DecodedLine;
use crate::run::{FailOn, Failure, Heuristics, Run};

/// Prints the failure of the run, if it failed.
pub(crate) struct ErrorProjection {
    run: Run,
    heuristics: Heuristics,
    /// Present if the category is the exit status: what else counts as a failure.
    sets_status: Option<Vec<FailOn>>,
    process: Option<ProcessEndFn>,
}

impl ErrorProjection {
    pub fn new(
        heuristics: Heuristics,
        sets_status: Option<&[FailOn]>,
        context: &RunContext,
    ) -> Self {
        Self {
            run: Run::new(context.harness, context.written).without_output(),
            heuristics,
            sets_status: sets_status.map(<[FailOn]>::to_vec),
            process: context.process.clone(),
        }
    }
}

impl Projection for ErrorProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, _: &mut Output) -> io::Result<()> {
        self.run.read(line, number);
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let mut verdict = self.run.verdict(self.heuristics);
        if let Some(process) = &self.process {
            verdict = verdict.with_process(&process());
        }
        let Some(failure) = &verdict.failure else {
            let conditions = self.sets_status.as_deref().unwrap_or_default();
            return match FailOn::first_met(conditions, &self.run, &verdict) {
                Some(message) => out.input_error(&message).map(|()| Exit::No),
                None => Ok(Exit::Success),
            };
        };
        out.row(&ErrorRow { harness: self.run.session.harness(), failure })?;
        let by_category = Exit::of_failure(failure);
        Ok(if self.sets_status.is_some() { by_category } else { Exit::Success })
    }
}

struct ErrorRow<'a> {
    harness: Harness,
    failure: &'a Failure,
}

pub(crate) const COLUMNS: &[&str] = &[
    "harness",
    "category",
    "message",
    "status",
    "reason",
    "retryable",
    "subtype",
    "terminal_reason",
    "retry_at",
    "source",
];

impl Row for ErrorRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("error")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        let failure = self.failure;
        let retry_at = failure.retry_at.map(|time| time.to_string());
        ObjectWriter::write(to, |object| {
            object
                .text("harness", self.harness.name())
                .text("category", failure.category.name())
                .text("message", failure.message.as_str())
                .integer("status", failure.status.map(i128::from))
                .text("reason", failure.reason.map(FailureReason::name))
                .flag("retryable", failure.retryable())
                .text("subtype", failure.subtype.as_deref())
                .text("terminal_reason", failure.terminal_reason.as_deref())
                .text("retry_at", retry_at.as_deref())
                .text("source", failure.source.name());
        });
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let failure = self.failure;
        let style = sink.style();
        let message = sink.sanitize(&failure.message).into_owned();
        let label = style.bad(&failure.label());
        sink.print(&format!("{label}: {message}\n"))?;
        let mut facts = Vec::new();
        facts.extend(failure.status.map(|status| format!("status {status}")));
        // Claude Code reports failed requests with the subtype "success".
        let subtype = failure.subtype.as_deref().filter(|word| *word != "success");
        facts.extend(subtype.map(|word| sink.sanitize(word).into_owned()));
        let reason = failure.terminal_reason.as_deref();
        facts.extend(reason.map(|word| sink.sanitize(word).into_owned()));
        facts.extend(failure.retry_at.map(|time| format!("try again at {time}")));
        if facts.is_empty() {
            return Ok(());
        }
        sink.print(&format!("{}\n", style.dim(&facts.join(" · "))))
    }
}
