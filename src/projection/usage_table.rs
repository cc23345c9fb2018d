//! `usage --by`: a table over many files.

use std::borrow::Cow;
use std::io;

use super::{usage_lines, write_all_tokens, write_estimate, zoned_time};
use crate::output::{ObjectWriter, Output, Row, RowLayout, Sink};
use crate::usage::{GroupBy, SessionFacts, UsageRow};

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
            "cached_input_tokens",
            "uncached_input_tokens",
            "sessions_without_cost",
            "undated_tokens",
            "undated_sessions",
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

    pub(super) fn name(self) -> &'static str {
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
            return usage_lines::print(self, &mut out.sink);
        }
        for row in self.rows.iter().chain([self.total]) {
            out.row(&TableRow { table: self, row })?;
        }
        out.rows.end_run(&mut out.sink)
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
                .text("first", zoned_time(first).as_str())
                .text("last", zoned_time(last).as_str());
        }
        write_all_tokens(object, &row.tokens);
        object.cost("cost_usd", row.cost_usd);
        if let Some(date) = table.prices {
            write_estimate(object, &row.estimate, date);
            object.cost("cost_with_estimate_usd", row.combined_cost().usd);
        }
        object.count("sessions", row.sessions.len() as u64);
        let uncosted = row.uncosted_sessions.len() as u64;
        object.count("sessions_without_cost", Some(uncosted).filter(|count| *count > 0));
        if !row.undated_sessions.is_empty() {
            object
                .count("undated_tokens", row.undated_tokens)
                .count("undated_sessions", row.undated_sessions.len() as u64);
        }
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
                    object.cost("cost_usd", share.cost_usd);
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
