//! The rows as records, and as a table for people.

use std::io;

use super::group::{About, Row};
use crate::cli::By;
use crate::event::Tokens;
use unicode_width::UnicodeWidthStr;

use crate::output::{Object, Output, Record, Sink, columns, plural, thousands};
use crate::prices::dollars;
use crate::projection::{all_tokens, estimated};

/// The columns of a table whose first is called so.
macro_rules! columns {
    ($first:literal $(, $more:literal)*) => {
        &[
            $first,
            $($more,)*
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "cache_write_5m_tokens",
            "cache_write_1h_tokens",
            "reasoning_tokens",
            "total_tokens",
            "cost_usd",
            "estimated_cost_usd",
            "sessions",
            "prices_of",
            "unpriced_models",
            "cost_with_estimate_usd",
        ]
    };
}

impl By {
    /// The columns of its table, its own name first.
    #[must_use]
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Session => columns!("session_id", "harness", "project", "first", "last"),
            Self::Day => columns!("day"),
            Self::Month => columns!("month"),
            Self::Model => columns!("model"),
            Self::Project => columns!("project"),
            Self::Harness => columns!("harness"),
        }
    }

    fn name(self) -> &'static str {
        self.columns()[0]
    }
}

/// Everything that is printed, whatever the format.
pub(super) struct Table<'a> {
    pub(super) by: By,
    pub(super) rows: &'a [Row],
    pub(super) all: &'a Row,
    /// The date of the prices, where an estimate was asked for.
    pub(super) prices: Option<&'a str>,
}

impl Table<'_> {
    /// Prints it.
    pub(super) fn print(&self, out: &mut Output) -> io::Result<()> {
        if out.records.are_for_people() {
            return self.human(&mut out.sink);
        }
        for row in self.rows.iter().chain([self.all]) {
            out.record(&RowRecord { table: self, row })?;
        }
        out.records.end_run(&mut out.sink)
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let fits = |lines: &Vec<String>| lines.iter().all(|line| line.width() <= sink.width());
        let layouts = [Layout::Full, Layout::Short, Layout::Narrow];
        let mut layouts = layouts.into_iter().map(|layout| self.lines(layout, sink));
        let full = layouts.next().unwrap_or_default();
        // In a pipe nothing is too wide.
        let lines = if !sink.is_terminal() || fits(&full) {
            full
        } else {
            let shorter: Vec<_> = layouts.collect();
            let fitting = shorter.iter().find(|lines| fits(lines));
            fitting.or(shorter.last()).cloned().unwrap_or(full)
        };
        let last = lines.len() - 1;
        for (at, line) in lines.iter().enumerate() {
            let line = match at {
                0 => style.dim(line),
                at if at == last => style.bold(line),
                _ => line.clone(),
            };
            sink.print(&format!("{line}\n"))?;
        }
        for note in self.notes() {
            sink.print(&format!("{}\n", style.dim(&sink.fit(&note))))?;
        }
        Ok(())
    }

    /// The table line by line, its heading first.
    fn lines(&self, layout: Layout, sink: &Sink) -> Vec<String> {
        let mut heading = vec![self.by.name().replace("_id", "")];
        if self.by == By::Session {
            heading.extend(["began", "project"].map(str::to_owned));
        }
        let numbers = heading.len();
        heading.extend(["input", "output"].map(str::to_owned));
        if layout != Layout::Narrow {
            heading.extend(["cache read", "cache write"].map(str::to_owned));
        }
        heading.extend(["total", "cost"].map(str::to_owned));
        if self.prices.is_some() {
            heading.extend((layout != Layout::Narrow).then(|| "estimate".to_owned()));
            heading.push("together".to_owned());
        }
        let right: Vec<bool> = (0..heading.len()).map(|column| column >= numbers).collect();
        let rows = self.rows.iter().chain([self.all]).map(|row| self.cells(row, layout, sink));
        columns(&[heading].into_iter().chain(rows).collect::<Vec<_>>(), &right)
    }

    fn cells(&self, row: &Row, layout: Layout, sink: &Sink) -> Vec<String> {
        let number = |count: u64| match layout {
            Layout::Full => thousands(count),
            Layout::Short | Layout::Narrow => rounded(count),
        };
        let told = |count: Option<u64>| count.map_or("-".to_owned(), number);
        let key = sink.fit(row.key.as_deref().unwrap_or("total")).into_owned();
        let mut cells = Vec::new();
        if self.by == By::Session {
            // The beginning of an id is enough for a person.
            let short = key.get(..8).filter(|_| layout != Layout::Full);
            cells.push(short.unwrap_or(&key).to_owned());
            let about = row.about.as_ref();
            let began = about.map(|about| about.first.replace('T', " ")).unwrap_or_default();
            cells.push(began.get(..16).unwrap_or_default().to_owned());
            let project = about.and_then(|about| about.project.as_deref()).unwrap_or_default();
            let folder = project.rsplit('/').next().unwrap_or_default();
            cells.push(sink.fit(folder).into_owned());
        } else {
            cells.push(key);
        }
        let Tokens { input, output, cache_read, cache_write, .. } = row.tokens;
        cells.extend([number(input), number(output)]);
        if layout != Layout::Narrow {
            cells.extend([told(cache_read), told(cache_write)]);
        }
        cells.push(number(row.tokens.total()));
        cells.push(row.cost_usd.map_or("-".to_owned(), dollars));
        if self.prices.is_some() {
            cells.extend((layout != Layout::Narrow).then(|| row.estimate.shown()));
            cells.push(row.together().shown_beside(row.uncosted.is_nothing()));
        }
        cells
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let all = self.all;
        let mut facts = vec![plural(all.sessions.len() as u64, "session")];
        let rest = all.unattributed.total();
        if rest > 0 {
            facts.push(format!("{} tokens in no message", thousands(rest)));
        }
        if all.cost_usd.is_some() && !all.silent.is_empty() {
            let silent = all.silent.len();
            let s = if silent == 1 { "s" } else { "" };
            facts.push(format!("{silent} of them tell{s} no cost, or not for all of it"));
        }
        notes.push(facts.join(" · "));
        if let Some(date) = self.prices {
            let unpriced = all.estimate.unpriced.iter();
            let names: Vec<_> =
                unpriced.map(|name| if name.is_empty() { UNNAMED } else { name }).collect();
            let unknown = match names.as_slice() {
                [] => String::new(),
                names => format!("; no price is known for {}", names.join(", ")),
            };
            notes.push(format!("~ estimated by the prices of {date}{unknown}"));
        }
        notes
    }
}

/// A row as a record.
struct RowRecord<'a> {
    table: &'a Table<'a>,
    row: &'a Row,
}

impl Record for RowRecord<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let Self { table, row } = self;
        object.text(table.by.name(), row.key.as_deref().unwrap_or("total"));
        if let Some(About { harness, project, first, last }) = &row.about {
            object
                .text("harness", *harness)
                .text("project", project.as_deref())
                .text("first", first.as_str())
                .text("last", last.as_str());
        }
        all_tokens(object, &row.tokens);
        object.number("cost_usd", row.cost_usd);
        if let Some(date) = table.prices {
            estimated(object, &row.estimate, date);
            object.number("cost_with_estimate_usd", row.together().usd);
        }
        object.count("sessions", row.sessions.len() as u64);
        let silent = row.silent.len() as u64;
        object.count("sessions_without_cost", Some(silent).filter(|count| *count > 0));
        if row.unattributed.total() > 0 {
            object.object("unattributed", |object| all_tokens(object, &row.unattributed));
        }
        let models = row.models.iter().filter(|share| !share.model.is_empty());
        let models: Vec<_> = models.collect();
        if table.by != By::Model && !models.is_empty() {
            object.list("models", models, |to, share| {
                Object::write(to, |object| {
                    object.text("model", share.model.as_str());
                    all_tokens(object, &share.tokens);
                    object.number("cost_usd", share.cost_usd);
                });
            });
        }
        if row.key.is_none() {
            object.flag("total", true);
        }
    }

    fn human(&self, _: &mut Sink) -> io::Result<()> {
        // The table prints itself.
        Ok(())
    }
}

/// How much room a table takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Every digit.
    Full,
    /// Rounded, and the beginnings of ids.
    Short,
    /// Without what the cache was for, and what all of it would cost.
    Narrow,
}

/// A model that nobody named.
const UNNAMED: &str = "a model that nobody names";

/// `1234567` as `1.2M`.
#[allow(clippy::cast_precision_loss)] // it is rounded anyway
fn rounded(number: u64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let number = number as f64;
    let unit = units.iter().find(|(size, _)| number >= *size * 0.9995);
    unit.map_or(format!("{number}"), |(size, unit)| format!("{:.1}{unit}", number / size))
}
