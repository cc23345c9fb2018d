//! The rows as records, and as a table for people.

use std::io;

use super::group::{About, Row};
use crate::cli::By;
use crate::event::Tokens;
use crate::output::{Object, Output, Record, Sink, columns, plural, thousands};
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
        let tokens = ["input", "output", "cache read", "cache write", "total"];
        let mut heading = vec![self.by.name().replace("_id", "")];
        heading.extend(tokens.map(str::to_owned));
        heading.push("cost".to_owned());
        heading.extend(self.prices.map(|_| "estimate".to_owned()));
        let mut right = vec![true; heading.len()];
        right[0] = false;
        if self.by == By::Session {
            heading.splice(1..1, ["began".to_owned(), "project".to_owned()]);
            right.splice(1..1, [false, false]);
        }
        let mut rows = vec![heading];
        rows.extend(self.rows.iter().chain([self.all]).map(|row| self.cells(row, sink)));
        let last = rows.len() - 1;
        for (at, line) in columns(&rows, &right).iter().enumerate() {
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

    fn cells(&self, row: &Row, sink: &Sink) -> Vec<String> {
        let count = |count: Option<u64>| count.map_or("-".to_owned(), thousands);
        let key = row.key.as_deref().unwrap_or("total");
        let mut cells = vec![sink.fit(key).into_owned()];
        if self.by == By::Session {
            let about = row.about.as_ref();
            let began = about.map(|about| about.first.replace('T', " ")).unwrap_or_default();
            cells.push(began.get(..16).unwrap_or_default().to_owned());
            let project = about.and_then(|about| about.project.as_deref()).unwrap_or_default();
            let folder = project.rsplit('/').next().unwrap_or_default();
            cells.push(sink.fit(folder).into_owned());
        }
        let Tokens { input, output, cache_read, cache_write, .. } = row.tokens;
        cells.extend([thousands(input), thousands(output), count(cache_read), count(cache_write)]);
        cells.push(thousands(row.tokens.total()));
        cells.push(row.cost_usd.map_or("-".to_owned(), dollars));
        if self.prices.is_some() {
            cells.push(row.estimate.shown());
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
        let costed = all.costed.len();
        if costed > 0 && costed < all.sessions.len() {
            facts.push(format!("cost as {costed} of them tell it"));
        }
        notes.push(facts.join(" · "));
        if let Some(date) = self.prices {
            let unpriced = all.estimate.unpriced.iter();
            let names: Vec<_> =
                unpriced.map(|name| if name.is_empty() { "no name" } else { name }).collect();
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
        }
        object.count("sessions", row.sessions.len() as u64);
        let silent = row.sessions.len() - row.costed.len();
        object.count("sessions_without_cost", (silent > 0).then_some(silent as u64));
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

fn dollars(usd: f64) -> String {
    format!("${usd:.2}")
}
