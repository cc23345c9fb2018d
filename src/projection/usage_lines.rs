//! `usage --by` for people: the table in the width of the terminal.

use std::borrow::Cow;
use std::io;

use jiff::SignedDuration;

use super::short_ids::shorten_ids;
use super::token_columns::TokenColumns;
use super::usage_table::{CostChoice, TableRows, UsageTable};
use crate::output::{Sink, columns, first_fitting, keep_end, plural, thousands};
use crate::usage::{Figures, GroupBy, UsageRow, UsageTotals, dollars};

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

/// Returns the note about rows that are marked as undated.
pub(super) fn undated_note(total: &UsageTotals) -> Option<String> {
    let sessions = total.undated_sessions.len() as u64;
    let what = "no timestamps: dated by its file, or by now if it was piped";
    (sessions > 0).then(|| format!("{UNDATED} {what} ({})", plural(sessions, "session")))
}

/// A line of the table.
struct TableLine<'a> {
    source: LineSource<'a>,
    figures: &'a Figures,
}

/// What a line is about.
enum LineSource<'a> {
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
                lines.push(TableLine { source: LineSource::Row(row), figures });
                if table.has_breakdown && !table.by.contains(&GroupBy::Model) {
                    let models = row.totals.models.iter().filter(|(_, figures)| figures.is_used());
                    let models = models.map(|(name, figures)| TableLine {
                        source: LineSource::Model(name),
                        figures,
                    });
                    lines.extend(models);
                }
            }
        }
        TableRows::Requests { items, .. } => {
            let request = |(index, (_, figures)): (usize, &'a (_, Figures))| TableLine {
                source: LineSource::Request(index),
                figures,
            };
            lines.extend(items.iter().enumerate().map(request));
        }
    }
    if table.has_total {
        lines.push(TableLine { source: LineSource::Total, figures: &table.total.figures });
    }
    lines
}

/// A column before the numbers.
struct KeyColumn {
    heading: &'static str,
    cells: Vec<String>,
    /// Whether the cells are ids.
    has_ids: bool,
    importance: Importance,
}

/// What is left out last on a narrow terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Importance {
    Detail,
    Fact,
    Key,
}

fn key_columns(table: &UsageTable<'_>, lines: &[TableLine<'_>], sink: &Sink) -> Vec<KeyColumn> {
    let mut columns = match &table.rows {
        TableRows::Groups(rows) => group_columns(table, rows, lines),
        TableRows::Requests { .. } => request_columns(table, lines),
    };
    for column in &mut columns {
        for cell in &mut column.cells {
            *cell = sink.sanitize(cell).into_owned();
        }
    }
    for (at, line) in lines.iter().enumerate() {
        match line.source {
            LineSource::Total => "total".clone_into(&mut columns[0].cells[at]),
            LineSource::Model(name) => {
                let name = if name.is_empty() { UNNAMED } else { name };
                columns[0].cells[at] = format!("  {}", sink.sanitize(name));
            }
            LineSource::Row(_) | LineSource::Request(_) => {}
        }
    }
    columns
}

fn group_columns(
    table: &UsageTable<'_>,
    rows: &[UsageRow],
    lines: &[TableLine<'_>],
) -> Vec<KeyColumn> {
    let column = |heading, importance, cell: &dyn Fn(&UsageRow) -> String| KeyColumn {
        heading,
        cells: lines
            .iter()
            .map(|line| match line.source {
                LineSource::Row(row) => cell(row),
                _ => String::new(),
            })
            .collect(),
        has_ids: heading == "session",
        importance,
    };
    let mark = |row: &UsageRow| if row.totals.undated_sessions.is_empty() { "" } else { UNDATED };
    let mut columns = Vec::new();
    for (at, by) in table.by.iter().enumerate() {
        let heading = if *by == GroupBy::Session { "session" } else { by.name() };
        columns.push(column(heading, Importance::Key, &|row| match (by, &row.block) {
            (GroupBy::Block, Some(block)) => {
                let start = block.start.to_zoned(table.zone.clone()).strftime("%F %H:%M");
                let active = if block.left(table.now).is_some() { " active" } else { "" };
                format!("{start}{active}{}", mark(row))
            }
            (GroupBy::Day | GroupBy::Week | GroupBy::Month, _) => row.keys[at].clone() + mark(row),
            _ => row.keys[at].clone(),
        }));
    }
    if table.by.contains(&GroupBy::Session) {
        columns.push(column("began", Importance::Fact, &|row| {
            let first = row.span.map(|(first, _)| first.to_zoned(table.zone.clone()));
            let start = first.map(|first| first.strftime("%F %H:%M").to_string());
            start.unwrap_or_default() + mark(row)
        }));
        if !table.by.contains(&GroupBy::Project) {
            columns.push(column("project", Importance::Detail, &|row| {
                let project = row.session.as_ref().and_then(|facts| facts.project.as_deref());
                project
                    .and_then(|project| project.rsplit('/').next())
                    .unwrap_or_default()
                    .to_owned()
            }));
        }
    }
    if has_several_harnesses(rows) && !table.by.contains(&GroupBy::Harness) {
        let cell = |row: &UsageRow| {
            row.block.map_or_else(String::new, |block| block.harness.name().to_owned())
        };
        columns.push(column("harness", Importance::Fact, &cell));
    }
    columns
}

/// Returns whether windows of several CLIs are shown.
fn has_several_harnesses(rows: &[UsageRow]) -> bool {
    let mut harnesses = rows.iter().filter_map(|row| Some(row.block?.harness));
    let first = harnesses.next();
    harnesses.any(|harness| Some(harness) != first)
}

fn request_columns(table: &UsageTable<'_>, lines: &[TableLine<'_>]) -> Vec<KeyColumn> {
    let TableRows::Requests { items, sessions } = table.rows else { return Vec::new() };
    let column = |heading, importance, cell: &dyn Fn(usize) -> Cow<'static, str>| KeyColumn {
        heading,
        cells: lines
            .iter()
            .map(|line| match line.source {
                LineSource::Request(index) => cell(index).into_owned(),
                _ => String::new(),
            })
            .collect(),
        has_ids: heading == "session",
        importance,
    };
    vec![
        column("time", Importance::Key, &|index| {
            let (item, _) = &items[index];
            let mark = if item.is_undated { UNDATED } else { "" };
            let at = item.at.to_zoned(table.zone.clone());
            format!("{}{mark}", at.strftime("%F %T")).into()
        }),
        column("harness", Importance::Detail, &|index| {
            sessions[items[index].0.session].harness.name().into()
        }),
        column("model", Importance::Fact, &|index| items[index].0.model.to_owned().into()),
        column("session", Importance::Detail, &|index| {
            items[index].0.own_session().to_owned().into()
        }),
    ]
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
        keys.map(|column| (column.heading, short_cells(column, lines, layout))).collect();
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

/// Returns the cells of a column, shortened as the layout demands.
fn short_cells(column: &KeyColumn, lines: &[TableLine<'_>], layout: TableLayout) -> Vec<String> {
    let mut cells = column.cells.clone();
    let Some(width) = layout.key else { return cells };
    if column.has_ids {
        let is_id =
            |at: &usize| matches!(lines[*at].source, LineSource::Row(_) | LineSource::Request(_));
        let places: Vec<usize> = (0..cells.len()).filter(is_id).collect();
        let mut ids: Vec<String> = places.iter().map(|at| cells[*at].clone()).collect();
        shorten_ids(&mut ids, MIN_KEY);
        for (at, id) in places.into_iter().zip(ids) {
            cells[at] = id;
        }
    }
    cells.iter().map(|cell| keep_end(cell, width)).collect()
}

/// A column for a cost.
#[derive(Clone, Copy, Debug)]
enum CostColumn {
    /// What the CLIs report, and an estimate of the rest.
    Combined,
    Reported,
    Estimated,
}

fn cost_columns(table: &UsageTable<'_>) -> Vec<CostColumn> {
    match table.costs {
        None => vec![CostColumn::Combined],
        Some(CostChoice::Reported) => vec![CostColumn::Reported],
        Some(CostChoice::Estimated) => vec![CostColumn::Estimated],
        Some(CostChoice::Both) => vec![CostColumn::Reported, CostColumn::Estimated],
    }
}

impl CostColumn {
    fn heading(self) -> &'static str {
        match self {
            Self::Combined => "cost",
            Self::Reported => "reported",
            Self::Estimated => "estimated",
        }
    }

    fn cell(self, figures: &Figures) -> String {
        match self {
            Self::Combined => cost(figures),
            Self::Reported => reported_cost(figures),
            Self::Estimated => figures.estimate.format(),
        }
    }
}

/// Formats the reported cost and an estimate of the rest: `$1.20`, `~$1.20`,
/// `~$1.20 + unknown`.
pub(super) fn cost(figures: &Figures) -> String {
    let cost = figures.combined_cost();
    cost.format_exact(figures.uncosted.usd.is_none())
}

/// Formats the reported cost.
fn reported_cost(figures: &Figures) -> String {
    match figures.cost_usd {
        Some(usd) if figures.lacks_cost => format!("{} + unknown", dollars(usd)),
        Some(usd) => dollars(usd),
        None => "-".to_owned(),
    }
}

fn notes(table: &UsageTable<'_>) -> Vec<String> {
    let mut notes = active_notes(table);
    let total = table.total;
    let mut facts = vec![plural(total.sessions.len() as u64, "session")];
    if table.omitted > 0 {
        facts.push(format!("{} not shown", plural(table.omitted as u64, "row")));
    }
    let rest = total.unattributed.total();
    if rest > 0 {
        facts.push(format!("{} tokens not tied to a message", thousands(rest)));
    }
    if total.figures.cost_usd.is_some() && total.figures.lacks_cost {
        let sessions = plural(total.uncosted_sessions.len() as u64, "session");
        facts.push(format!("reported cost missing or partial for {sessions}"));
    }
    notes.push(facts.join(" · "));
    let estimate = match table.costs {
        None => &total.figures.uncosted,
        Some(CostChoice::Reported) => return notes,
        Some(CostChoice::Estimated | CostChoice::Both) => &total.figures.estimate,
    };
    if let Some(date) = table.prices.filter(|_| !estimate.is_empty()) {
        let names: Vec<_> = estimate
            .unpriced
            .iter()
            .map(|name| if name.is_empty() { UNNAMED } else { name })
            .collect();
        let unknown = match names.as_slice() {
            [] => String::new(),
            names => format!("; no price is known for {}", names.join(", ")),
        };
        notes.push(format!("~ estimated by the prices of {date}{unknown}"));
    }
    if table.by.iter().any(|by| by.is_time()) {
        notes.extend(undated_note(total));
    }
    notes
}

/// Describes how the active windows continue.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn active_notes(table: &UsageTable<'_>) -> Vec<String> {
    let TableRows::Groups(rows) = table.rows else { return Vec::new() };
    let is_mixed = has_several_harnesses(rows);
    let note = |row: &UsageRow| {
        let (block, (first, _)) = (row.block?, row.span?);
        let pace = block.pace(first, table.now)?;
        let end = block.end().to_zoned(table.zone.clone()).strftime("%H:%M");
        let figures = &row.totals.figures;
        let tokens = figures.tokens.total() as f64;
        let rate = thousands(pace.per_minute(tokens).round() as u64);
        let projected = thousands(pace.projected(tokens).round() as u64);
        let (mut per_hour, mut at_end) = (String::new(), String::new());
        let cost = figures.combined_cost();
        if let Some(usd) = cost.usd {
            let scaled = |usd: f64| {
                let scaled = crate::usage::Estimate { usd: Some(usd), ..cost.clone() };
                scaled.format_exact(figures.uncosted.usd.is_none())
            };
            per_hour = format!(" · {} per hour", scaled(pace.per_minute(usd) * 60.0));
            at_end = format!(", {}", scaled(pace.projected(usd)));
        }
        let left = duration(pace.left);
        let whose = if is_mixed { format!("{}: ", block.harness) } else { String::new() };
        Some(format!(
            "{whose}active until {end} ({left} left): {rate} tokens per minute{per_hour} · \
             at this rate {projected} tokens{at_end}"
        ))
    };
    // Of a window that is divided into several rows, no row shows how it continues.
    let is_whole = table.by == [GroupBy::Block];
    rows.iter().filter(|_| is_whole).filter_map(note).collect()
}

/// Formats a duration in hours and minutes.
fn duration(left: SignedDuration) -> String {
    let minutes = left.as_mins();
    if minutes < 60 {
        format!("{minutes} min")
    } else {
        format!("{} h {} min", minutes / 60, minutes % 60)
    }
}
