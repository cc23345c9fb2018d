//! `usage --by`: a table over many files.

mod costs;
mod keys;
mod lines;
pub(super) mod notes;
mod plot;
mod requests;

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{write_all_tokens, write_estimate};
use crate::output::{ObjectWriter, Output, Row, RowLayout, Sink};
use crate::usage::{
    Figures, GroupBy, MergedSession, SessionFacts, UsageItem, UsageRow, UsageTotals, format_time,
};

pub(crate) use plot::{PlotValue, draw_plot};

/// Columns that all tables have.
const COMMON_COLUMNS: [&str; 19] = [
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
    "cached_input_tokens",
    "uncached_input_tokens",
    "sessions_without_cost",
    "undated_tokens",
    "undated_sessions",
];

impl GroupBy {
    /// Returns the member with the key of a row, and those with facts about it.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Session => &["session_id", "harness", "project", "first", "last"],
            Self::Day => &["day"],
            Self::Week => &["week", "week_start"],
            Self::Month => &["month"],
            Self::Block => &[
                "block",
                "block_end",
                "harness",
                "active",
                "minutes_left",
                "tokens_per_minute",
                "cost_per_hour_usd",
                "projected_tokens",
                "projected_cost_usd",
            ],
            Self::Model => &["model"],
            Self::Project => &["project"],
            Self::Harness => &["harness"],
            Self::Request => requests::COLUMNS,
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.columns()[0]
    }
}

/// Which costs a table for people has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CostChoice {
    /// Those that the CLIs report
    Reported,
    /// The estimated cost of all tokens
    Estimated,
    /// Both, in two columns
    Both,
}

/// A table of usage rows.
pub(crate) struct UsageTable<'a> {
    pub(crate) by: &'a [GroupBy],
    pub(crate) rows: TableRows<'a>,
    /// Rows that `--limit` leaves out.
    pub(crate) omitted: usize,
    pub(crate) total: &'a UsageTotals,
    pub(crate) has_total: bool,
    /// Whether people see the models of each row.
    pub(crate) has_breakdown: bool,
    pub(crate) costs: Option<CostChoice>,
    /// The date of the prices, if there is an estimate.
    pub(crate) prices: Option<&'a str>,
    pub(crate) zone: &'a TimeZone,
    pub(crate) now: Timestamp,
}

/// The rows of a table, without the total.
pub(crate) enum TableRows<'a> {
    Groups(&'a [UsageRow]),
    /// Every item with its own figures.
    Requests {
        items: &'a [(UsageItem<'a>, Figures)],
        sessions: &'a [MergedSession<'a>],
    },
}

impl UsageTable<'_> {
    /// Returns the layout of a table with these rows.
    pub fn layout(by: &[GroupBy]) -> RowLayout {
        let mut columns: Vec<&'static str> = Vec::new();
        // The keys come first, and a fact about one key may be another key.
        let keys = by.iter().map(|by| by.name());
        let facts = by.iter().flat_map(|by| by.columns());
        for column in keys.chain(facts.copied()).chain(COMMON_COLUMNS) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        RowLayout { columns: columns.into(), is_array: true, is_dense: true }
    }

    /// Prints the table.
    pub fn print(&self, out: &mut Output) -> io::Result<()> {
        if out.rows.is_human() {
            return lines::print(self, &mut out.sink);
        }
        match self.rows {
            TableRows::Groups(rows) => {
                for row in rows {
                    out.row(&TableRow { table: self, row: Some(row), totals: &row.totals })?;
                }
            }
            TableRows::Requests { items, sessions } => {
                for (item, figures) in items {
                    let session = &sessions[item.session];
                    out.row(&requests::RequestRow { table: self, item, session, figures })?;
                }
            }
        }
        if self.has_total {
            out.row(&TableRow { table: self, row: None, totals: self.total })?;
        }
        out.rows.end_run(&mut out.sink)
    }

    /// Writes the rows of groups as a JSON array, without the total.
    pub(crate) fn write_groups(&self, to: &mut Vec<u8>) {
        let TableRows::Groups(rows) = self.rows else { return };
        to.push(b'[');
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                to.push(b',');
            }
            TableRow { table: self, row: Some(row), totals: &row.totals }.write_json(to);
        }
        to.push(b']');
    }

    /// Formats a time in the zone of the table.
    pub(super) fn time(&self, at: Timestamp) -> String {
        format_time(at, self.zone)
    }

    /// Writes tokens and costs.
    pub(super) fn write_figures(&self, object: &mut ObjectWriter<'_>, figures: &Figures) {
        write_all_tokens(object, &figures.tokens);
        object.cost("cost_usd", figures.cost_usd);
        if let Some(date) = self.prices {
            write_estimate(object, &figures.estimate, date);
            object.cost("cost_with_estimate_usd", figures.combined_cost().usd);
        }
    }
}

/// A row, or the total.
struct TableRow<'a> {
    table: &'a UsageTable<'a>,
    row: Option<&'a UsageRow>,
    totals: &'a UsageTotals,
}

impl TableRow<'_> {
    fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let Self { table, row, totals } = self;
        match row {
            Some(row) => self.write_keys(row, object),
            None => _ = object.text(table.by[0].name(), "total"),
        }
        table.write_figures(object, &totals.figures);
        object.count("sessions", totals.sessions.len() as u64);
        let uncosted = totals.uncosted_sessions.len() as u64;
        object.count("sessions_without_cost", Some(uncosted).filter(|count| *count > 0));
        if !totals.undated_sessions.is_empty() {
            object
                .count("undated_tokens", totals.undated_tokens)
                .count("undated_sessions", totals.undated_sessions.len() as u64);
        }
        if totals.unattributed.total() > 0 {
            object.object("unattributed", |object| write_all_tokens(object, &totals.unattributed));
        }
        let models: Vec<_> = totals.models.iter().filter(|(name, _)| !name.is_empty()).collect();
        if !table.by.contains(&GroupBy::Model) && !models.is_empty() {
            object.list("models", models, |to, (name, figures)| {
                ObjectWriter::write(to, |object| {
                    object.text("model", name.as_str());
                    write_all_tokens(object, &figures.tokens);
                    object.cost("cost_usd", figures.cost_usd);
                    if table.prices.is_some() {
                        object.cost("estimated_cost_usd", figures.estimate.usd);
                    }
                });
            });
        }
        if row.is_none() {
            object.flag("total", true);
            object.count("omitted_rows", Some(table.omitted as u64).filter(|count| *count > 0));
        }
    }

    fn write_keys(&self, row: &UsageRow, object: &mut ObjectWriter<'_>) {
        let by = self.table.by;
        for (by, key) in by.iter().zip(&row.keys) {
            object.text(by.name(), key.as_str());
        }
        if let Some(start) = row.week_start {
            object.text("week_start", start.to_string().as_str());
        }
        if let Some(SessionFacts { harness, project }) = &row.session {
            if !by.contains(&GroupBy::Harness) {
                object.text("harness", *harness);
            }
            if !by.contains(&GroupBy::Project) {
                object.text("project", project.as_deref());
            }
            if let Some((first, last)) = row.span {
                object
                    .text("first", self.table.time(first).as_str())
                    .text("last", self.table.time(last).as_str());
            }
        }
        self.write_block(row, object);
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn write_block(&self, row: &UsageRow, object: &mut ObjectWriter<'_>) {
        let Self { table, totals, .. } = self;
        let Some(block) = &row.block else { return };
        object.text("block_end", table.time(block.end()).as_str());
        if row.session.is_none() && !table.by.contains(&GroupBy::Harness) {
            object.text("harness", block.harness.name());
        }
        let pace = row.span.and_then(|(first, _)| block.pace(first, table.now));
        object.flag("active", pace.is_some());
        let Some(pace) = pace else { return };
        let tokens = totals.figures.tokens.total() as f64;
        let cost = totals.figures.combined_cost().usd;
        object
            .count("minutes_left", pace.left.as_mins().unsigned_abs())
            .number("tokens_per_minute", (pace.per_minute(tokens) * 10.0).round() / 10.0)
            .cost("cost_per_hour_usd", cost.map(|cost| pace.per_minute(cost) * 60.0))
            .count("projected_tokens", pace.projected(tokens).round() as u64)
            .cost("projected_cost_usd", cost.map(|cost| pace.projected(cost)));
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
