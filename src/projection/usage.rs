//! `usage`: tokens, cost, turns and time.

use std::io;

use std::rc::Rc;

use super::{Projection, all_tokens};
use crate::event::Tokens;
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::{Object, Output, Record, Sink, columns, plural, seconds, thousands, visible};
use crate::prices::{Estimate, Prices};
use crate::run::ledger::Limit;
use crate::run::usage::{Report, Source};
use crate::run::{Ending, Session, Usage};

/// Adds up the run and prints one record.
pub(super) struct UsageOfRun {
    /// To estimate the cost by.
    prices: Option<Rc<Prices>>,
    session: Session,
    usage: Usage,
    ending: Ending,
}

impl UsageOfRun {
    pub(super) fn new(prices: Option<Rc<Prices>>) -> Self {
        Self {
            prices,
            session: Session::default(),
            usage: Usage::default(),
            ending: Ending::default(),
        }
    }
}

impl Projection for UsageOfRun {
    fn read(&mut self, reading: &Reading<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        if let Reading::Packet(packet) = reading {
            self.session.apply(packet);
            self.usage.apply(packet);
            self.ending.apply(packet);
        }
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        if let Some(warning) = self.ending.warning(self.session.harness()) {
            out.note_about_input(warning)?;
        }
        let Self { session, usage, prices, .. } = *self;
        let report = usage.report();
        let model = session.model().unwrap_or_default();
        let estimate = prices.map(|prices| (report.estimate(&prices, model), prices));
        out.record(&Row { session: &session, report, estimate })?;
        Ok(Exit::Done)
    }
}

struct Row<'a> {
    session: &'a Session,
    report: Report,
    estimate: Option<(Estimate, Rc<Prices>)>,
}

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
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
];

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let Self { session, report, estimate } = self;
        object
            .text("harness", session.harness().name())
            .text("session_id", session.id())
            .text("model", session.model())
            .text("source", report.source.name());
        all_tokens(object, &report.tokens);
        object
            .number("cost_usd", report.cost_usd)
            .count("turns", report.turns)
            .count("duration_ms", report.duration_ms);
        if let Some((estimate, prices)) = estimate {
            estimated(object, estimate, &prices.date);
        }
        if let Some(rest) = &report.unattributed {
            object.object("unattributed", |object| all_tokens(object, rest));
        }
        if !report.limits.is_empty() {
            object.list("rate_limits", &report.limits, |to, limit| {
                Object::write(to, |object| {
                    object
                        .text("limit", limit.kind.as_str())
                        .number("used_percent", limit.used_percent)
                        .integer("resets_at", limit.resets_at.map(i128::from));
                });
            });
        }
        if !report.models.is_empty() {
            object.list("models", &report.models, |to, share| {
                Object::write(to, |object| {
                    object.text("model", share.model.as_str());
                    all_tokens(object, &share.tokens);
                    object.number("cost_usd", share.cost_usd);
                });
            });
        }
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let Self { session, report, estimate } = self;
        let style = sink.style();
        let model = sink.fit(session.model().unwrap_or("model unknown")).into_owned();
        let id = sink.fit(session.id().unwrap_or_default()).into_owned();
        let title = format!("{}  {model}  {}", session.harness(), style.dim(&id));
        sink.print(&format!("{}\n", title.trim_end()))?;

        let heading = ["", "input", "output", "cache read", "cache write", "total", "cost"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        let several = report.models.len() > 1;
        for share in report.models.iter().filter(|_| several) {
            rows.push(row(&sink.fit(&share.model), &share.tokens, share.cost_usd));
        }
        if let Some(rest) = &report.unattributed {
            rows.push(row("in no message", rest, None));
        }
        let label = if several { "all" } else { "tokens" };
        rows.push(row(label, &report.tokens, report.cost_usd));
        let right = [false, true, true, true, true, true, true];
        for (at, line) in columns(&rows, &right).iter().enumerate() {
            let line = if at == 0 { style.dim(line) } else { line.clone() };
            sink.print(&format!("{line}\n"))?;
        }

        let mut facts = Vec::new();
        facts.extend(report.turns.map(|turns| plural(turns, "turn")));
        facts.extend(report.duration_ms.map(seconds));
        facts.push(format!("from {}", explain(report)));
        if let Some((estimate, prices)) = estimate {
            facts.push(format!("{} by the prices of {}", estimate.shown(), prices.date));
        }
        facts.extend(report.limits.iter().filter_map(limit));
        sink.print(&format!("{}\n", style.dim(&facts.join(" · "))))
    }
}

/// What something costs by the prices of a day.
pub(crate) fn estimated(object: &mut Object<'_>, estimate: &Estimate, date: &str) {
    object.number("estimated_cost_usd", estimate.usd).text("prices_of", date);
    if !estimate.unpriced.is_empty() {
        object.texts("unpriced_models", estimate.unpriced.iter().map(String::as_str));
    }
}

fn row(label: &str, tokens: &Tokens, cost_usd: Option<f64>) -> Vec<String> {
    let told = |count: Option<u64>| count.map_or("-".to_owned(), thousands);
    vec![
        label.to_owned(),
        thousands(tokens.input),
        thousands(tokens.output),
        told(tokens.cache_read),
        told(tokens.cache_write),
        thousands(tokens.total()),
        cost_usd.map_or("-".to_owned(), |cost| format!("${cost:.4}")),
    ]
}

/// `primary limit 42% used`
fn limit(limit: &Limit) -> Option<String> {
    Some(format!("{} limit {}% used", visible(&limit.kind), limit.used_percent?))
}

fn explain(report: &Report) -> &'static str {
    match report.source {
        Source::Result => "the result",
        Source::Turns => "the turns",
        Source::Messages => "the messages (no result came)",
        Source::CostState => "the CLI's own count",
        Source::None => "nowhere: no usage was reported",
    }
}
