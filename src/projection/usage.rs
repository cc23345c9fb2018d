//! `usage`: tokens, cost, turns and time.

use std::borrow::Cow;
use std::io;
use std::rc::Rc;

use super::token_columns::TokenColumns;
use super::{Projection, RunContext, note_missing_end, write_all_tokens, write_estimate};
use crate::exit::Exit;
use crate::output::{
    ObjectWriter, Output, Row, Sink, columns, first_fitting, keep_end, plural, sanitize, seconds,
};
use crate::reader::DecodedLine;
use crate::run::{Ending, Session};
use crate::usage::{AccountLimit, Estimate, Prices, UsageCounter, UsageReport, UsageSource};

/// Counts the usage of the run and prints one row.
pub(crate) struct UsageProjection {
    /// Prices for an estimate of the cost.
    prices: Option<Rc<Prices>>,
    session: Session,
    usage: UsageCounter,
    ending: Ending,
    is_supervised: bool,
}

impl UsageProjection {
    pub fn new(prices: Option<Rc<Prices>>, context: &RunContext) -> Self {
        Self {
            prices,
            is_supervised: context.process.is_some(),
            session: Session::default(),
            usage: UsageCounter::default(),
            ending: Ending::default(),
        }
    }
}

impl Projection for UsageProjection {
    fn line(&mut self, line: &DecodedLine<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        if let DecodedLine::Record(record) = line {
            self.session.apply(record);
            self.usage.apply(record);
            self.ending.apply(record);
        }
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let warning = self.ending.warning(self.session.harness());
        note_missing_end(warning, self.is_supervised, out)?;
        let Self { session, usage, prices, ending, .. } = *self;
        let report = usage.report();
        let is_missing = report.source == UsageSource::None && !ending.is_on_disk();
        let adapter = session.harness().adapter();
        if let Some(note) = adapter.describe_missing_tokens().filter(|_| is_missing) {
            out.input_note(&note)?;
        }
        let model = session.model().unwrap_or_default();
        let estimate = prices.map(|prices| (usage.estimate(&prices, model), prices));
        out.row(&UsageRunRow { session: &session, report, estimate })?;
        Ok(Exit::Success)
    }
}

struct UsageRunRow<'a> {
    session: &'a Session,
    report: UsageReport,
    estimate: Option<(Estimate, Rc<Prices>)>,
}

pub(crate) const COLUMNS: &[&str] = &[
    "harness",
    "session_id",
    "model",
    "source",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "total_tokens",
    "cost_usd",
    "turns",
    "duration_ms",
    "cached_input_tokens",
    "uncached_input_tokens",
    "partial_cost_usd",
];

/// Columns of a label that leaves room for numbers.
const SHORT_LABEL: usize = 16;

impl UsageRunRow<'_> {
    fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let Self { session, report, estimate } = self;
        object
            .text("harness", session.harness().name())
            .text("session_id", session.id())
            .text("model", session.model())
            .text("source", report.source.name());
        write_all_tokens(object, &report.tokens);
        object
            .cost("cost_usd", report.cost_usd)
            .cost("partial_cost_usd", report.partial_cost_usd)
            .count("turns", report.turns)
            .count("duration_ms", report.duration_ms);
        if let Some((estimate, prices)) = estimate {
            write_estimate(object, estimate, &prices.date);
        }
        if let Some(rest) = &report.unattributed {
            object.object("unattributed", |object| write_all_tokens(object, rest));
        }
        if !report.limits.is_empty() {
            object.list("rate_limits", &report.limits, |to, limit| {
                ObjectWriter::write(to, |object| {
                    object
                        .text("limit", limit.kind.as_str())
                        .number("used_percent", limit.used_percent)
                        .integer("resets_at", limit.resets_at.map(i128::from));
                });
            });
        }
        if !report.models.is_empty() {
            object.list("models", &report.models, |to, share| {
                ObjectWriter::write(to, |object| {
                    object.text("model", share.model.as_str());
                    write_all_tokens(object, &share.tokens);
                    object.cost("cost_usd", share.cost_usd);
                });
            });
        }
    }
}

impl Row for UsageRunRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("usage")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.write_members(object));
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let Self { session, report, estimate } = self;
        let style = sink.style();
        let model = sink.sanitize(session.model().unwrap_or("model unknown")).into_owned();
        let id = sink.sanitize(session.id().unwrap_or_default()).into_owned();
        let title = format!("{}  {model}  {}", session.harness(), style.dim(&id));
        sink.print(&format!("{}\n", title.trim_end()))?;

        for (at, line) in lines(report, sink).iter().enumerate() {
            let line = if at == 0 { style.dim(line) } else { line.clone() };
            sink.print(&format!("{line}\n"))?;
        }

        let mut facts = Vec::new();
        facts.extend(report.turns.map(|turns| plural(turns, "turn")));
        facts.extend(report.duration_ms.map(seconds));
        facts.push(format!("from {}", describe_source(report.source)));
        if let Some((estimate, prices)) = estimate {
            facts.push(format!("{} by the prices of {}", estimate.format(), prices.date));
        }
        facts.extend(report.limits.iter().filter_map(describe_limit));
        sink.print(&format!("{}\n", style.dim(&facts.join(" · "))))
    }
}

/// Returns the lines of the table, its heading first.
fn lines(report: &UsageReport, sink: &Sink) -> Vec<String> {
    let dollars = |cost: f64| format!("${cost:.4}");
    let cost = |cost: Option<f64>| cost.map_or("-".to_owned(), dollars);
    let mut rows = Vec::new();
    let has_several = report.models.len() > 1;
    for share in report.models.iter().filter(|_| has_several) {
        let model = sink.sanitize(&share.model).into_owned();
        rows.push((model, &share.tokens, cost(share.cost_usd)));
    }
    if let Some(rest) = &report.unattributed {
        rows.push(("not tied to a message".to_owned(), rest, cost(None)));
    }
    let label = if has_several { "all" } else { "tokens" };
    let partial = report.partial_cost_usd.map(|cost| format!("{} + unknown", dollars(cost)));
    let total = partial.unwrap_or_else(|| cost(report.cost_usd));
    rows.push((label.to_owned(), &report.tokens, total));
    let layout = |tokens: TokenColumns, label_width: usize| {
        let headings = [""].iter().chain(tokens.headings()).chain(&["cost"]);
        let headings: Vec<String> = headings.map(|heading| (*heading).to_owned()).collect();
        let right: Vec<bool> = (0..headings.len()).map(|column| column > 0).collect();
        let cells = rows.iter().map(|(label, counts, cost)| {
            let mut cells = vec![keep_end(label, label_width)];
            cells.extend(tokens.cells(counts));
            cells.push(cost.clone());
            cells
        });
        columns(&[headings].into_iter().chain(cells).collect::<Vec<_>>(), &right)
    };
    // The width matters on a terminal only.
    if !sink.is_terminal() {
        return layout(TokenColumns::Separate, usize::MAX);
    }
    let labels = TokenColumns::ALL.map(|tokens| (tokens, usize::MAX));
    let layouts = labels.into_iter().chain([(TokenColumns::Total, SHORT_LABEL)]);
    first_fitting(layouts.map(|(tokens, width)| layout(tokens, width)), sink.width())
}

/// Describes a limit: `primary limit 42% used`.
fn describe_limit(limit: &AccountLimit) -> Option<String> {
    Some(format!("{} limit {}% used", sanitize(&limit.kind), limit.used_percent?))
}

fn describe_source(source: UsageSource) -> &'static str {
    match source {
        UsageSource::Result => "the result",
        UsageSource::Turns => "the turns",
        UsageSource::Messages => "the messages (no result came)",
        UsageSource::Snapshot(_) => "the CLI's own count",
        UsageSource::None => "nowhere: no usage was reported",
    }
}
