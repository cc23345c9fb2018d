//! `summary`: the whole run as one object.

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;

use super::{ProcessEndFn, Projection, RunContext, note_missing_end};
use crate::event::{Category, FailureReason};
use crate::exit::Exit;
use crate::output::{ObjectWriter, Output, Row, Sink, plural, seconds, thousands};
use crate::reader::DecodedLine;
use crate::run::{Failure, Heuristics, ProcessEnd, Run, Verdict, milliseconds};

/// Prints the run.
pub(crate) struct SummaryProjection {
    run: Run,
    heuristics: Heuristics,
    process: Option<ProcessEndFn>,
}

impl SummaryProjection {
    pub fn new(heuristics: Heuristics, context: &RunContext) -> Self {
        Self {
            run: Run::new(context.harness, context.written),
            heuristics,
            process: context.process.clone(),
        }
    }
}

impl Projection for SummaryProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, _: &mut Output) -> io::Result<()> {
        self.run.read(line, number);
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        note_missing_end(self.run.missing_end(), self.process.is_some(), out)?;
        let process = self.process.as_ref().map(|process| process());
        out.row(&SummaryRow::new(&self.run, self.heuristics, process.as_deref()))?;
        Ok(Exit::Success)
    }
}

/// The whole run as a row.
pub(crate) struct SummaryRow<'a> {
    run: &'a Run,
    verdict: Verdict,
    process: Option<&'a ProcessEnd>,
    output: &'a str,
    document: Option<&'a [u8]>,
}

impl<'a> SummaryRow<'a> {
    pub fn new(run: &'a Run, heuristics: Heuristics, process: Option<&'a ProcessEnd>) -> Self {
        let mut row = Self {
            run,
            verdict: run.verdict(heuristics),
            process,
            output: run.output(),
            document: run.structured.output(),
        };
        if let Some(process) = process {
            row.verdict = row.verdict.with_process(process);
            // The last message is a document only if the run was asked for one.
            if process.requests_document {
                row.document = run.structured.document();
            }
            let last_message = process.last_message.as_deref();
            if let Some(text) = last_message.filter(|_| !run.answer.has_message()) {
                row.output = text;
                let warning = "last-message-empty: the text is from the last-message file only";
                row.verdict.warnings.push(warning.to_owned());
            }
        }
        row
    }

    /// Returns when the run started. The lines of a supervised run may not say so.
    fn started_at(&self) -> Option<Timestamp> {
        let start = || Timestamp::try_from(self.run.written()).ok();
        self.run.started_at().or_else(|| self.process.and_then(|_| start()))
    }

    /// Writes the members.
    pub fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let Self { run, verdict, process, output, document } = self;
        let tokens = run.tokens();
        let description = run.session.description();
        let api_key_source = description.and_then(|info| info.api_key_source.as_deref());
        let reason = verdict.failure.as_ref().and_then(|failure| failure.reason);
        let tools = run.tool_counts();
        object
            .text("harness", run.session.harness().name())
            .text_or_null("session_id", run.session.id())
            .text_or_null("model", run.session.model())
            .text("output", *output)
            .text_or_null("error", verdict.error.as_ref().map(|error| error.message.as_str()))
            .text_or_null("error_category", verdict.category.map(Category::name))
            .text("reason", reason.map(FailureReason::name))
            .flag("retryable", verdict.failure.as_ref().and_then(Failure::retryable))
            .count("input_tokens", tokens.input)
            .count("output_tokens", tokens.output)
            .count("cache_read_tokens", tokens.cache_read)
            .count("cache_write_tokens", tokens.cache_write)
            .text_or_null("api_key_source", api_key_source)
            .texts("warnings", &verdict.warnings)
            .flag("succeeded_cleanly", verdict.succeeded_cleanly)
            .flag("complete", verdict.complete)
            .integer("num_turns", run.num_turns.map(i128::from))
            .text("started_at", self.started_at().map(|time| time.to_string()).as_deref())
            .count("duration_ms", run.duration().map(milliseconds))
            .cost("cost_usd", run.usage().cost_usd)
            .raw("structured_output", *document)
            .object("tools", |object| {
                object
                    .count("calls", tools.calls)
                    .count("failed", tools.failed)
                    .count("denied", tools.denied);
            })
            .list("permission_denials", run.denied_calls(), |to, call| {
                ObjectWriter::write(to, |object| {
                    object.text("name", call.name.as_deref()).text("id", call.id.as_deref());
                });
            })
            .object("harness_metadata", |object| write_metadata(object, run, *process))
            .object("lines", |object| {
                object
                    .count("total", run.lines.total)
                    .count("events", run.lines.events)
                    .count("malformed", run.lines.malformed)
                    .count("ignored", run.lines.ignored);
            });
        if let Some(process) = process {
            object
                .integer("exit_code", Some(process.exit_code.into()))
                .seconds("duration_seconds", process.duration)
                .text("stderr", process.stderr.as_str())
                .texts("command", &process.command);
        }
    }
}

pub(crate) const COLUMNS: &[&str] = &[
    "harness",
    "session_id",
    "model",
    "succeeded_cleanly",
    "complete",
    "error_category",
    "error",
    "input_tokens",
    "output_tokens",
    "num_turns",
    "duration_ms",
    "cost_usd",
    "output",
    "started_at",
];

impl Row for SummaryRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("summary")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.write_members(object));
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let Self { run, verdict, output, .. } = self;
        let style = sink.style();
        let outcome = match &verdict.failure {
            None => style.good("succeeded"),
            Some(failure) => style.bad(failure.category.name()),
        };
        let mut title = vec![outcome, run.session.harness().to_string()];
        title.extend(run.session.model().map(|model| sink.sanitize(model).into_owned()));
        title.extend(run.session.id().map(|id| style.dim(&sink.sanitize(id))));
        sink.print(&format!("{}\n", title.join("  ")))?;
        if let Some(failure) = &verdict.failure {
            let message = sink.sanitize(&failure.message).into_owned();
            sink.print(&format!("{}\n", style.bad(&message)))?;
        }
        let usage = run.usage();
        let mut facts = vec![format!("{} tokens", thousands(usage.tokens.total()))];
        facts.extend(usage.cost_usd.map(|cost| format!("${cost:.4}")));
        facts.extend(usage.turns.map(|turns| plural(turns, "turn")));
        facts.extend(usage.duration_ms.map(seconds));
        facts.push(plural(run.lines.total, "line"));
        if run.lines.malformed > 0 {
            facts.push(format!("{} malformed", run.lines.malformed));
        }
        sink.print(&format!("{}\n", style.dim(&facts.join(" · "))))?;
        for warning in &verdict.warnings {
            let warning = sink.sanitize(warning).into_owned();
            sink.print(&format!("{} {warning}\n", style.warning("warning:")))?;
        }
        // The message of a failed request is also the output.
        let is_new = verdict.failure.as_ref().is_none_or(|failure| failure.message != *output);
        if is_new && !output.is_empty() {
            sink.print("\n")?;
            sink.print_input(output.as_bytes())?;
            sink.print("\n")?;
        }
        Ok(())
    }
}

/// Writes the contract's metadata; members without a value are omitted.
fn write_metadata(object: &mut ObjectWriter<'_>, run: &Run, process: Option<&ProcessEnd>) {
    for (name, value) in process.iter().flat_map(|process| &process.metadata) {
        object.text(name, value.as_str());
    }
    for name in process.iter().flat_map(|process| &process.flags) {
        object.flag(name, true);
    }
    if !run.session.harness().rules().has_thread_metadata {
        return;
    }
    // After the end of a turn a zero is a value, too.
    let thread = run.usage.thread_tokens();
    let dropped = Some(run.dropped_events).filter(|count| *count > 0);
    object
        .count("turn_count", run.usage.turns_started())
        .text("thread_id", run.session.id())
        .count("cached_input_tokens", thread.map(|tokens| tokens.cache_read.unwrap_or(0)))
        .count("reasoning_output_tokens", thread.map(|tokens| tokens.reasoning.unwrap_or(0)))
        .count("dropped_events_count", dropped);
}
