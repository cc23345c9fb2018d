//! `usage --by` for people: the table in the width of the terminal.

use std::io;

use super::short_ids::shorten_ids;
use super::token_columns::TokenColumns;
use super::usage_table::UsageTable;
use crate::output::{Sink, columns, first_fitting, keep_end, plural, thousands};
use crate::usage::{GroupBy, UsageRow, dollars};

/// Stands for a model without a name.
const UNNAMED: &str = "an unnamed model";

/// Marks a row with times that are those of files.
pub(super) const UNDATED: &str = "*";

/// Columns that a shortened key keeps at least.
const MIN_KEY: usize = 8;

/// Columns of a key that leaves room for others.
const SHORT_KEY: usize = 24;

/// Prints the table.
pub(super) fn print(table: &UsageTable<'_>, sink: &mut Sink) -> io::Result<()> {
    let style = sink.style();
    let layout = |layout| lines(table, layout, sink);
    // The width matters on a terminal only.
    let lines = if sink.is_terminal() {
        first_fitting(layouts(sink.width()).into_iter().map(layout), sink.width())
    } else {
        layout(TableLayout::FULL)
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
    for note in notes(table) {
        sink.print(&format!("{}\n", style.dim(&sink.sanitize(&note))))?;
    }
    Ok(())
}

/// Returns the note about rows that are marked as undated.
pub(super) fn undated_note(total: &UsageRow) -> Option<String> {
    let sessions = total.undated_sessions.len() as u64;
    let what = "no timestamps: dated by its file, or by now if it was piped";
    (sessions > 0).then(|| format!("{UNDATED} {what} ({})", plural(sessions, "session")))
}

/// What a table shows.
#[derive(Clone, Copy, Debug)]
struct TableLayout {
    /// How many columns a key has at most; ids of sessions are shortened as far as they
    /// differ.
    key: Option<usize>,
    has_project: bool,
    has_start: bool,
    tokens: TokenColumns,
    /// Whether there are columns for the cost, and for its estimate.
    has_cost: bool,
    has_estimate: bool,
    /// Whether the cost is in one column with the estimate of the rest.
    has_one_cost: bool,
}

impl TableLayout {
    const FULL: Self = Self {
        key: None,
        has_project: true,
        has_start: true,
        tokens: TokenColumns::Separate,
        has_cost: true,
        has_estimate: true,
        has_one_cost: false,
    };
}

/// Returns the layouts for a terminal, widest first. Numbers are never shortened: in
/// each layout the columns of tokens add up.
fn layouts(width: usize) -> [TableLayout; 11] {
    let full = TableLayout::FULL;
    let short = TableLayout { key: Some(width), ..full };
    let unestimated = TableLayout { has_estimate: false, ..short };
    let cached = TableLayout { tokens: TokenColumns::Cached, ..unestimated };
    let no_project = TableLayout { has_project: false, key: Some(SHORT_KEY), ..cached };
    let all_input = TableLayout { tokens: TokenColumns::AllInput, ..no_project };
    let one_cost = TableLayout { has_one_cost: true, ..all_input };
    let no_start = TableLayout { has_start: false, ..one_cost };
    let total = TableLayout { tokens: TokenColumns::Total, ..no_start };
    let no_cost = TableLayout { has_cost: false, ..total };
    let least = TableLayout { key: Some(MIN_KEY), ..no_cost };
    [
        full,
        short,
        unestimated,
        cached,
        no_project,
        all_input,
        one_cost,
        no_start,
        total,
        no_cost,
        least,
    ]
}

/// Returns the lines of the table, its heading first.
fn lines(table: &UsageTable<'_>, layout: TableLayout, sink: &Sink) -> Vec<String> {
    let mut heading = vec![table.by.name().replace("_id", "")];
    if table.by == GroupBy::Session {
        heading.extend(layout.has_start.then(|| "began".to_owned()));
        heading.extend(layout.has_project.then(|| "project".to_owned()));
    }
    let numbers = heading.len();
    heading.extend(layout.tokens.headings().iter().map(|heading| (*heading).to_owned()));
    let costs = cost_columns(table, layout);
    heading.extend(costs.iter().map(|column| column.heading().to_owned()));
    let right: Vec<bool> = (0..heading.len()).map(|column| column >= numbers).collect();
    let keys = short_keys(table, layout, sink);
    let rows = table.rows.iter().chain([table.total]).zip(keys);
    let rows = rows.map(|(row, key)| cells(table, row, key, layout, &costs, sink));
    columns(&[heading].into_iter().chain(rows).collect::<Vec<_>>(), &right)
}

fn cells(
    table: &UsageTable<'_>,
    row: &UsageRow,
    key: String,
    layout: TableLayout,
    costs: &[CostColumn],
    sink: &Sink,
) -> Vec<String> {
    let is_marked = row.key.is_some() && !row.undated_sessions.is_empty();
    let mark = if is_marked { UNDATED } else { "" };
    let mut cells = vec![key];
    match table.by {
        GroupBy::Day | GroupBy::Month => cells[0].push_str(mark),
        GroupBy::Session => {
            let facts = row.session.as_ref();
            if layout.has_start {
                let start = facts.map(|facts| facts.first.strftime("%F %H:%M").to_string());
                cells.push(start.unwrap_or_default() + mark);
            } else {
                cells[0].push_str(mark);
            }
            if layout.has_project {
                let project = facts.and_then(|facts| facts.project.as_deref()).unwrap_or_default();
                let folder = project.rsplit('/').next().unwrap_or_default();
                cells.push(sink.sanitize(folder).into_owned());
            }
        }
        // Their keys are not times.
        GroupBy::Model | GroupBy::Project | GroupBy::Harness => {}
    }
    cells.extend(layout.tokens.cells(&row.tokens));
    cells.extend(costs.iter().map(|column| column.cell(row)));
    cells
}

/// A column for a cost.
#[derive(Clone, Copy, Debug)]
enum CostColumn {
    Reported,
    Estimate,
    Together,
}

fn cost_columns(table: &UsageTable<'_>, layout: TableLayout) -> Vec<CostColumn> {
    let mut columns = Vec::new();
    if !layout.has_cost {
        return columns;
    }
    let has_prices = table.prices.is_some();
    if !(has_prices && layout.has_one_cost) {
        columns.push(CostColumn::Reported);
    }
    if has_prices {
        columns.extend(layout.has_estimate.then_some(CostColumn::Estimate));
        columns.push(CostColumn::Together);
    }
    columns
}

impl CostColumn {
    fn heading(self) -> &'static str {
        match self {
            Self::Reported => "cost",
            Self::Estimate => "estimate",
            Self::Together => "together",
        }
    }

    fn cell(self, row: &UsageRow) -> String {
        match self {
            Self::Reported => row.cost_usd.map_or("-".to_owned(), dollars),
            Self::Estimate => row.estimate.format(),
            Self::Together => row.combined_cost().format_exact(row.uncosted.is_empty()),
        }
    }
}

/// Returns the keys of the rows and of the total, shortened as the layout demands.
fn short_keys(table: &UsageTable<'_>, layout: TableLayout, sink: &Sink) -> Vec<String> {
    let keys = table.rows.iter().filter_map(|row| row.key.as_deref());
    let mut keys: Vec<String> = keys.map(|key| sink.sanitize(key).into_owned()).collect();
    if let Some(width) = layout.key {
        if table.by == GroupBy::Session {
            shorten_ids(&mut keys, MIN_KEY);
        }
        for key in &mut keys {
            *key = keep_end(key, width);
        }
    }
    keys.push("total".to_owned());
    keys
}

fn notes(table: &UsageTable<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let total = table.total;
    let mut facts = vec![plural(total.sessions.len() as u64, "session")];
    let rest = total.unattributed.total();
    if rest > 0 {
        facts.push(format!("{} tokens not tied to a message", thousands(rest)));
    }
    if total.cost_usd.is_some() && !total.uncosted_sessions.is_empty() {
        let sessions = plural(total.uncosted_sessions.len() as u64, "session");
        let hint = if table.prices.is_some() { "" } else { " (try --estimate)" };
        facts.push(format!("cost missing or partial for {sessions}{hint}"));
    }
    notes.push(facts.join(" · "));
    if let Some(date) = table.prices {
        let unpriced = total.estimate.unpriced.iter();
        let names: Vec<_> =
            unpriced.map(|name| if name.is_empty() { UNNAMED } else { name }).collect();
        let unknown = match names.as_slice() {
            [] => String::new(),
            names => format!("; no price is known for {}", names.join(", ")),
        };
        notes.push(format!("~ estimated by the prices of {date}{unknown}"));
    }
    if matches!(table.by, GroupBy::Day | GroupBy::Month | GroupBy::Session) {
        notes.extend(undated_note(total));
    }
    notes
}
