//! A table for people, in the width of the terminal.

use std::io;

use super::costs::{CostColumn, cost_columns};
use super::keys::{Importance, KeyColumn, MIN_KEY, key_columns};
use super::notes::notes;
use super::{TableRows, UsageTable};
use crate::output::{Sink, columns, first_fitting};
use crate::projection::token_columns::TokenColumns;
use crate::usage::{Figures, GroupBy, UsageRow};

/// Columns of a key that leaves room for others.
const SHORT_KEY: usize = 24;

/// Prints the table.
pub(super) fn print(table: &UsageTable<'_>, sink: &mut Sink) -> io::Result<()> {
    let style = sink.style();
    let lines = table_lines(table);
    let keys = key_columns(table, &lines, sink);
    let layout = |layout| format_lines(&keys, &lines, &cost_columns(table), layout);
    // The width matters on a terminal only.
    let text = if sink.is_terminal() {
        first_fitting(layouts(sink.width()).into_iter().map(layout), sink.width())
    } else {
        layout(TableLayout::FULL)
    };
    let last = if table.has_total { text.len() - 1 } else { usize::MAX };
    for (at, line) in text.iter().enumerate() {
        let line = match at {
            0 => style.dim(line),
            at if at == last => style.bold(line),
            _ => line.clone(),
        };
        sink.print(&format!("{line}\n"))?;
    }
    for note in notes(table) {
        sink.print(&format!("{}\n", style.dim(&sink.sanitize(&note))))?;
    }
    Ok(())
}

/// A line of the table.
pub(super) struct TableLine<'a> {
    pub(super) source: RowSource<'a>,
    figures: &'a Figures,
}

/// What a line is about.
pub(super) enum RowSource<'a> {
    Row(&'a UsageRow),
    /// The index of a request.
    Request(usize),
    /// A model of the row before it.
    Model(&'a str),
    Total,
}

fn table_lines<'a>(table: &UsageTable<'a>) -> Vec<TableLine<'a>> {
    let mut lines = Vec::new();
    match table.rows {
        TableRows::Groups(rows) => {
            for row in rows {
                let figures = &row.totals.figures;
                lines.push(TableLine { source: RowSource::Row(row), figures });
                if table.has_breakdown && !table.by.contains(&GroupBy::Model) {
                    let models = row.totals.models.iter().filter(|(_, figures)| figures.is_used());
                    let models = models.map(|(name, figures)| TableLine {
                        source: RowSource::Model(name),
                        figures,
                    });
                    lines.extend(models);
                }
            }
        }
        TableRows::Requests { items, .. } => {
            let request = |(index, (_, figures)): (usize, &'a (_, Figures))| TableLine {
                source: RowSource::Request(index),
                figures,
            };
            lines.extend(items.iter().enumerate().map(request));
        }
    }
    if table.has_total {
        lines.push(TableLine { source: RowSource::Total, figures: &table.total.figures });
    }
    lines
}

/// What a table shows.
#[derive(Clone, Copy, Debug)]
struct TableLayout {
    /// How many columns a key has at most; ids of sessions are shortened as far as they
    /// differ.
    key: Option<usize>,
    importance: Importance,
    tokens: TokenColumns,
    has_cost: bool,
}

impl TableLayout {
    const FULL: Self = Self {
        key: None,
        importance: Importance::Detail,
        tokens: TokenColumns::Separate,
        has_cost: true,
    };
}

/// Returns the layouts for a terminal, widest first. Numbers are never shortened: in
/// each layout the columns of tokens add up.
fn layouts(width: usize) -> [TableLayout; 10] {
    let full = TableLayout::FULL;
    let short = TableLayout { key: Some(width), ..full };
    let cached = TableLayout { tokens: TokenColumns::Cached, ..short };
    let no_details = TableLayout { importance: Importance::Fact, key: Some(SHORT_KEY), ..cached };
    let all_input = TableLayout { tokens: TokenColumns::AllInput, ..no_details };
    let no_facts = TableLayout { importance: Importance::Key, ..all_input };
    let total = TableLayout { tokens: TokenColumns::Total, ..no_facts };
    let narrow = TableLayout { key: Some(2 * MIN_KEY), ..total };
    let no_cost = TableLayout { has_cost: false, ..narrow };
    let least = TableLayout { key: Some(MIN_KEY), ..no_cost };
    [full, short, cached, no_details, all_input, no_facts, total, narrow, no_cost, least]
}

/// Returns the lines of the table, its heading first.
fn format_lines(
    keys: &[KeyColumn],
    lines: &[TableLine<'_>],
    costs: &[CostColumn],
    layout: TableLayout,
) -> Vec<String> {
    let keys = keys.iter().filter(|column| column.importance >= layout.importance);
    let keys: Vec<_> =
        keys.map(|column| (column.heading, column.cells(lines, layout.key))).collect();
    let costs = if layout.has_cost { costs } else { &[] };
    let mut heading: Vec<String> = keys.iter().map(|(heading, _)| (*heading).to_owned()).collect();
    heading.extend(layout.tokens.headings().iter().map(|heading| (*heading).to_owned()));
    heading.extend(costs.iter().map(|column| column.heading().to_owned()));
    let right: Vec<bool> = (0..heading.len()).map(|column| column >= keys.len()).collect();
    let cells = lines.iter().enumerate().map(|(at, line)| {
        let mut cells: Vec<String> = keys.iter().map(|(_, cells)| cells[at].clone()).collect();
        cells.extend(layout.tokens.cells(&line.figures.tokens));
        cells.extend(costs.iter().map(|column| column.cell(line.figures)));
        cells
    });
    columns(&[heading].into_iter().chain(cells).collect::<Vec<_>>(), &right)
}
