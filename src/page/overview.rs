//! The page about many sessions: a table and what they used.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::catalog::Catalog;
use crate::output::ObjectWriter;
use crate::projection::{ListedSession, TableRows, UsageTable};
use crate::usage::{
    Blocks, Estimate, GroupBy, Grouping, ItemKind, MergedSession, Prices, UsageItem, merge,
};

/// What charts show.
const CHARTS: [(&str, GroupBy); 4] = [
    ("day", GroupBy::Day),
    ("model", GroupBy::Model),
    ("project", GroupBy::Project),
    ("block", GroupBy::Block),
];

/// The sessions of a machine, or those of a report.
pub(crate) struct SessionsOverview<'a> {
    pub(crate) prices: &'a Prices,
    pub(crate) zone: &'a TimeZone,
    pub(crate) now: Timestamp,
}

impl SessionsOverview<'_> {
    /// Writes the overview as a JSON object.
    /// `runs` are the names under which runs can be opened.
    pub(crate) fn write(&self, runs: &[String], catalog: &mut Catalog, to: &mut Vec<u8>) {
        let Catalog { entries, files } = catalog;
        ObjectWriter::write(to, |object| {
            object.texts("runs", runs);
            object.list("sessions", entries, |to, entry| {
                let row = ListedSession { entry, zone: self.zone };
                ObjectWriter::write(to, |object| {
                    row.write_members(object);
                    object.texts("files", &row.entry.files);
                });
            });
            let (sessions, items) = merge(files);
            object.object("usage", |object| {
                for (name, by) in CHARTS {
                    object.raw(name, self.rows(by, &sessions, &items).as_slice());
                }
            });
            object.text("prices_of", self.prices.date.as_str());
        });
    }

    /// Returns the rows of `usage --by`, as a JSON array.
    fn rows(
        &self,
        by: GroupBy,
        sessions: &[MergedSession<'_>],
        items: &[UsageItem<'_>],
    ) -> Vec<u8> {
        let is_block = by == GroupBy::Block;
        let blocks = if is_block { Blocks::new(sessions, items) } else { Blocks::default() };
        let estimate = |item: &UsageItem<'_>| self.estimate(item);
        let by = &[by];
        let grouping = Grouping {
            by,
            order: None,
            zone: self.zone,
            sessions,
            blocks: &blocks,
            estimate: &estimate,
        };
        let (rows, total) = grouping.rows(items);
        let table = UsageTable {
            by,
            rows: TableRows::Groups(&rows),
            omitted: 0,
            total: &total,
            has_total: false,
            has_breakdown: false,
            costs: None,
            prices: Some(&self.prices.date),
            zone: self.zone,
            now: self.now,
        };
        let mut json = Vec::new();
        table.write_groups(&mut json);
        json
    }

    fn estimate(&self, item: &UsageItem<'_>) -> Estimate {
        if item.kind == ItemKind::Request {
            self.prices.estimate_request(item.model, &item.tokens)
        } else {
            self.prices.estimate(item.model, &item.tokens)
        }
    }
}
