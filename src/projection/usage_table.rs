//! `usage --by`: a table over many files.

use std::borrow::Cow;
use std::io;

use unicode_width::UnicodeWidthStr;

use super::{write_all_tokens, write_estimate};
use crate::event::Tokens;
use crate::output::{ObjectWriter, Output, Row, RowLayout, Sink, columns, plural, thousands};
use crate::usage::{GroupBy, SessionFacts, UsageRow, dollars};

/// The columns of a table, its own columns first.
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

impl GroupBy {
    fn columns(self) -> &'static [&'static str] {
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

/// A table of usage rows.
pub(crate) struct UsageTable<'a> {
    pub(crate) by: GroupBy,
    pub(crate) rows: &'a [UsageRow],
    pub(crate) total: &'a UsageRow,
    /// The date of the prices, if an estimate was requested.
    pub(crate) prices: Option<&'a str>,
}

impl UsageTable<'_> {
    /// Returns the layout of a table with these rows.
    pub fn layout(by: GroupBy) -> RowLayout {
        RowLayout { columns: by.columns(), is_array: true, is_dense: true }
    }

    /// Prints the table.
    pub fn print(&self, out: &mut Output) -> io::Result<()> {
        if out.rows.is_human() {
            return self.print_human(&mut out.sink);
        }
        for row in self.rows.iter().chain([self.total]) {
            out.row(&TableRow { table: self, row })?;
        }
        out.rows.end_run(&mut out.sink)
    }

    fn print_human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let fits = |lines: &Vec<String>| lines.iter().all(|line| line.width() <= sink.width());
        let widths = [TableWidth::Full, TableWidth::Short, TableWidth::Narrow];
        let mut layouts = widths.into_iter().map(|width| self.lines(width, sink));
        let full = layouts.next().unwrap_or_default();
        // The width matters on a terminal only.
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
            sink.print(&format!("{}\n", style.dim(&sink.sanitize(&note))))?;
        }
        Ok(())
    }

    /// Returns the lines of the table, its heading first.
    fn lines(&self, width: TableWidth, sink: &Sink) -> Vec<String> {
        let mut heading = vec![self.by.name().replace("_id", "")];
        if self.by == GroupBy::Session {
            heading.extend(["began", "project"].map(str::to_owned));
        }
        let numbers = heading.len();
        heading.extend(["input", "output"].map(str::to_owned));
        if width != TableWidth::Narrow {
            heading.extend(["cache read", "cache write"].map(str::to_owned));
        }
        heading.extend(["total", "cost"].map(str::to_owned));
        if self.prices.is_some() {
            heading.extend((width != TableWidth::Narrow).then(|| "estimate".to_owned()));
            heading.push("together".to_owned());
        }
        let right: Vec<bool> = (0..heading.len()).map(|column| column >= numbers).collect();
        let rows = self.rows.iter().chain([self.total]).map(|row| self.cells(row, width, sink));
        columns(&[heading].into_iter().chain(rows).collect::<Vec<_>>(), &right)
    }

    fn cells(&self, row: &UsageRow, width: TableWidth, sink: &Sink) -> Vec<String> {
        let number = |count: u64| match width {
            TableWidth::Full => thousands(count),
            TableWidth::Short | TableWidth::Narrow => rounded(count),
        };
        let or_dash = |count: Option<u64>| count.map_or("-".to_owned(), number);
        let key = sink.sanitize(row.key.as_deref().unwrap_or("total")).into_owned();
        let mut cells = Vec::new();
        if self.by == GroupBy::Session {
            // The start of an id is enough to recognise it.
            let short = key.get(..8).filter(|_| width != TableWidth::Full);
            cells.push(short.unwrap_or(&key).to_owned());
            let facts = row.session.as_ref();
            let start = facts.map(|facts| facts.first.replace('T', " ")).unwrap_or_default();
            cells.push(start.get(..16).unwrap_or_default().to_owned());
            let project = facts.and_then(|facts| facts.project.as_deref()).unwrap_or_default();
            let folder = project.rsplit('/').next().unwrap_or_default();
            cells.push(sink.sanitize(folder).into_owned());
        } else {
            cells.push(key);
        }
        let Tokens { input, output, cache_read, cache_write, .. } = row.tokens;
        cells.extend([number(input), number(output)]);
        if width != TableWidth::Narrow {
            cells.extend([or_dash(cache_read), or_dash(cache_write)]);
        }
        cells.push(number(row.tokens.total()));
        cells.push(row.cost_usd.map_or("-".to_owned(), dollars));
        if self.prices.is_some() {
            cells.extend((width != TableWidth::Narrow).then(|| row.estimate.format()));
            cells.push(row.combined_cost().format_exact(row.uncosted.is_empty()));
        }
        cells
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let total = self.total;
        let mut facts = vec![plural(total.sessions.len() as u64, "session")];
        let rest = total.unattributed.total();
        if rest > 0 {
            facts.push(format!("{} tokens not tied to a message", thousands(rest)));
        }
        if total.cost_usd.is_some() && !total.uncosted_sessions.is_empty() {
            let sessions = plural(total.uncosted_sessions.len() as u64, "session");
            let hint = if self.prices.is_some() { "" } else { " (try --estimate)" };
            facts.push(format!("cost missing or partial for {sessions}{hint}"));
        }
        notes.push(facts.join(" · "));
        if let Some(date) = self.prices {
            let unpriced = total.estimate.unpriced.iter();
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

struct TableRow<'a> {
    table: &'a UsageTable<'a>,
    row: &'a UsageRow,
}

impl TableRow<'_> {
    fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let Self { table, row } = self;
        object.text(table.by.name(), row.key.as_deref().unwrap_or("total"));
        if let Some(SessionFacts { harness, project, first, last }) = &row.session {
            object
                .text("harness", *harness)
                .text("project", project.as_deref())
                .text("first", first.as_str())
                .text("last", last.as_str());
        }
        write_all_tokens(object, &row.tokens);
        object.number("cost_usd", row.cost_usd);
        if let Some(date) = table.prices {
            write_estimate(object, &row.estimate, date);
            object.number("cost_with_estimate_usd", row.combined_cost().usd);
        }
        object.count("sessions", row.sessions.len() as u64);
        let uncosted = row.uncosted_sessions.len() as u64;
        object.count("sessions_without_cost", Some(uncosted).filter(|count| *count > 0));
        if row.unattributed.total() > 0 {
            object.object("unattributed", |object| write_all_tokens(object, &row.unattributed));
        }
        let models = row.models.iter().filter(|share| !share.model.is_empty());
        let models: Vec<_> = models.collect();
        if table.by != GroupBy::Model && !models.is_empty() {
            object.list("models", models, |to, share| {
                ObjectWriter::write(to, |object| {
                    object.text("model", share.model.as_str());
                    write_all_tokens(object, &share.tokens);
                    object.number("cost_usd", share.cost_usd);
                });
            });
        }
        if row.key.is_none() {
            object.flag("total", true);
        }
    }
}

impl Row for TableRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("usage")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.write_members(object));
    }

    /// The table is printed as a whole.
    fn write_human(&self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }
}

/// How wide a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableWidth {
    /// Every digit.
    Full,
    /// Rounded numbers and the start of ids.
    Short,
    /// Without the columns of the cache and the estimate.
    Narrow,
}

/// Stands for a model without a name.
const UNNAMED: &str = "an unnamed model";

/// Formats `1234567` as `1.2M`.
#[allow(clippy::cast_precision_loss)] // rounded anyway
fn rounded(number: u64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let number = number as f64;
    let unit = units.iter().find(|(size, _)| number >= *size * 0.9995);
    unit.map_or(format!("{number}"), |(size, unit)| format!("{:.1}{unit}", number / size))
}
