//! `summary`: the whole run as one object.

use std::io;

use super::{Projection, Setting, WatchedProcess};
use crate::cli::SummaryArgs;
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::{Object, Output, Record, Sink, plural, seconds, thousands};
use crate::run::{Category, ProcessEnd, Run, Verdict};

/// Folds the run and prints it.
pub(super) struct Summary {
    run: Run,
    heuristics: bool,
    process: Option<WatchedProcess>,
}

impl Summary {
    pub(super) fn new(args: &SummaryArgs, setting: &Setting) -> Self {
        Self {
            run: Run::new(setting.harness, setting.written),
            heuristics: !args.no_heuristics,
            process: setting.process.clone(),
        }
    }
}

impl Projection for Summary {
    fn read(&mut self, reading: &Reading<'_>, line: u64, _: &mut Output) -> io::Result<()> {
        self.run.read(reading, line);
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        if let Some(warning) = self.run.missing_end() {
            out.note_about_input(warning)?;
        }
        let process = self.process.as_ref().map(|process| process());
        out.record(&Row::new(&self.run, self.heuristics, process.as_deref()))?;
        Ok(Exit::Done)
    }
}

/// The whole run as a record.
pub(crate) struct Row<'a> {
    run: &'a Run,
    verdict: Verdict,
    process: Option<&'a ProcessEnd>,
    output: &'a str,
}

impl<'a> Row<'a> {
    pub(crate) fn new(run: &'a Run, heuristics: bool, process: Option<&'a ProcessEnd>) -> Self {
        let mut row = Self { run, verdict: run.verdict(heuristics), process, output: run.output() };
        if let Some(process) = process {
            row.verdict = row.verdict.with_process(process);
            if let Some(text) = process.last_message.as_deref().filter(|_| !run.answer.spoke()) {
                row.output = text;
                let warning = "last-message-empty: the text is from the last-message file only";
                row.verdict.warnings.push(warning.to_owned());
            }
        }
        row
    }
}

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
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
];

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let Self { run, verdict, process, output } = self;
        let tokens = run.tokens();
        let described = run.session.description();
        let api_key_source = described.and_then(|told| told.api_key_source.as_deref());
        object
            .text("harness", run.session.harness().name())
            .text_or_null("session_id", run.session.id())
            .text_or_null("model", run.session.model())
            .text("output", *output)
            .text_or_null("error", verdict.error.as_ref().map(|error| error.message.as_str()))
            .text_or_null("error_category", verdict.category.map(Category::name))
            .count("input_tokens", tokens.input)
            .count("output_tokens", tokens.output)
            .text_or_null("api_key_source", api_key_source)
            .texts("warnings", &verdict.warnings)
            .flag("succeeded_cleanly", verdict.succeeded_cleanly)
            .flag("complete", verdict.complete)
            .integer("num_turns", run.num_turns.map(i128::from))
            .count("duration_ms", run.duration_ms)
            .number("cost_usd", run.usage.report().cost_usd)
            .raw("structured_output", run.structured.told())
            .object("harness_metadata", |object| metadata(object, run, *process))
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
                .number("duration_seconds", process.duration.as_secs_f64())
                .text("stderr", process.stderr.as_str())
                .texts("command", &process.command);
        }
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let Self { run, verdict, output, .. } = self;
        let style = sink.style();
        let outcome = match &verdict.failure {
            None => style.good("succeeded"),
            Some(failure) => style.bad(failure.category.name()),
        };
        let model = sink.fit(run.session.model().unwrap_or_default()).into_owned();
        let id = sink.fit(run.session.id().unwrap_or_default()).into_owned();
        let title = format!("{outcome}  {}  {model}  {}", run.session.harness(), style.dim(&id));
        sink.print(&format!("{}\n", title.trim_end()))?;
        if let Some(failure) = &verdict.failure {
            let message = sink.fit(&failure.message).into_owned();
            sink.print(&format!("{}\n", style.bad(&message)))?;
        }
        let report = run.usage.report();
        let mut facts = vec![format!("{} tokens", thousands(report.tokens.total()))];
        facts.extend(report.cost_usd.map(|cost| format!("${cost:.4}")));
        facts.extend(report.turns.map(|turns| plural(turns, "turn")));
        facts.extend(report.duration_ms.map(seconds));
        facts.push(plural(run.lines.total, "line"));
        if run.lines.malformed > 0 {
            facts.push(format!("{} malformed", run.lines.malformed));
        }
        sink.print(&format!("{}\n", style.dim(&facts.join(" · "))))?;
        for warning in &verdict.warnings {
            let warning = sink.fit(warning).into_owned();
            sink.print(&format!("{} {warning}\n", style.odd("warning:")))?;
        }
        // A failed request is told in the output, too.
        let said = verdict.failure.as_ref().is_none_or(|failure| failure.message != *output);
        if said && !output.is_empty() {
            sink.print("\n")?;
            sink.show(output.as_bytes())?;
            sink.print("\n")?;
        }
        Ok(())
    }
}

/// The contract's metadata of a thread; keys without a value are left out.
fn metadata(object: &mut Object<'_>, run: &Run, process: Option<&ProcessEnd>) {
    for (name, value) in process.iter().flat_map(|process| &process.metadata) {
        object.text(name, value.as_str());
    }
    for name in process.iter().flat_map(|process| &process.flags) {
        object.flag(name, true);
    }
    if !run.session.harness().rules().thread_metadata {
        return;
    }
    // Once a turn has ended even a zero means something.
    let told = run.usage.thread_tokens();
    let dropped = Some(run.dropped_events).filter(|count| *count > 0);
    object
        .count("turn_count", run.usage.turns_started())
        .text("thread_id", run.session.id())
        .count("cached_input_tokens", told.map(|tokens| tokens.cache_read.unwrap_or(0)))
        .count("reasoning_output_tokens", told.map(|tokens| tokens.reasoning.unwrap_or(0)))
        .count("dropped_events_count", dropped);
}
