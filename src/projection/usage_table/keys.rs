//! The columns of a table before its numbers.

use std::borrow::Cow;

use super::super::short_ids::shorten_ids;
use super::lines::{RowSource, TableLine};
use super::notes::{UNDATED, UNNAMED};
use super::{TableRows, UsageTable};
use crate::output::{Sink, keep_end};
use crate::usage::{GroupBy, UsageRow};

/// Columns that a shortened key keeps at least.
pub(super) const MIN_KEY: usize = 8;

/// A column before the numbers.
pub(super) struct KeyColumn {
    pub(super) heading: &'static str,
    cells: Vec<String>,
    /// Whether the cells are ids.
    has_ids: bool,
    pub(super) importance: Importance,
}

impl KeyColumn {
    /// Returns the cells, shortened if they must fit a width.
    pub(super) fn cells(&self, lines: &[TableLine<'_>], width: Option<usize>) -> Vec<String> {
        let mut cells = self.cells.clone();
        let Some(width) = width else { return cells };
        if self.has_ids {
            let is_id =
                |at: &usize| matches!(lines[*at].source, RowSource::Row(_) | RowSource::Request(_));
            let places: Vec<usize> = (0..cells.len()).filter(is_id).collect();
            let mut ids: Vec<String> = places.iter().map(|at| cells[*at].clone()).collect();
            shorten_ids(&mut ids, MIN_KEY);
            for (at, id) in places.into_iter().zip(ids) {
                cells[at] = id;
            }
        }
        cells.iter().map(|cell| keep_end(cell, width)).collect()
    }
}

/// What is left out last on a narrow terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    Detail,
    Fact,
    Key,
}

/// Returns the columns before the numbers.
pub(super) fn key_columns(
    table: &UsageTable<'_>,
    lines: &[TableLine<'_>],
    sink: &Sink,
) -> Vec<KeyColumn> {
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
            RowSource::Total => "total".clone_into(&mut columns[0].cells[at]),
            RowSource::Model(name) => {
                let name = if name.is_empty() { UNNAMED } else { name };
                columns[0].cells[at] = format!("  {}", sink.sanitize(name));
            }
            RowSource::Row(_) | RowSource::Request(_) => {}
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
                RowSource::Row(row) => cell(row),
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
pub(super) fn has_several_harnesses(rows: &[UsageRow]) -> bool {
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
                RowSource::Request(index) => cell(index).into_owned(),
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
