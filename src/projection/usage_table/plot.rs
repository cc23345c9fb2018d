//! `usage --plot`: a bar for each row of a table.

use std::collections::BTreeSet;
use std::io;

use jiff::ToSpan;
use jiff::civil::Date;
use unicode_width::UnicodeWidthStr;

use super::costs::cost;
use super::notes::{UNDATED, undated_note};
use crate::output::{Sink, keep_end, thousands};
use crate::usage::{GroupBy, UsageRow, UsageTotals, dollars};

/// What the bars show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PlotValue {
    /// Tokens
    Tokens,
    /// The reported cost, or its estimate
    Cost,
}

/// Eighths of a column, from none to seven.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Labels take at most this fraction of the width.
const LABEL_FRACTION: usize = 3;

/// Draws the rows as bars that fill the width of the terminal.
pub(crate) fn draw_plot(
    plotted: PlotValue,
    by: &[GroupBy],
    rows: &[UsageRow],
    total: &UsageTotals,
    sink: &mut Sink,
) -> io::Result<()> {
    let style = sink.style();
    let width = sink.width();
    let is_linear = by == [GroupBy::Day] && is_ascending(rows);
    let idle = if is_linear { idle_days(rows) } else { Vec::new() };
    let mut rows: Vec<&UsageRow> = rows.iter().chain(&idle).collect();
    if is_linear {
        rows.sort_by(|one, other| one.keys.cmp(&other.keys));
    }
    let shows_time = by.iter().any(|by| by.is_time() && *by != GroupBy::Session);
    let bars: Vec<(String, f64, String)> = rows
        .iter()
        .map(|row| {
            let label = sink.sanitize(&row.keys.join(" ")).into_owned();
            let (value, text) = value(plotted, row);
            let mut label = keep_end(&label, (width / LABEL_FRACTION).max(10));
            if shows_time && !row.totals.undated_sessions.is_empty() {
                label.push_str(UNDATED);
            }
            (label, value, text)
        })
        .collect();
    let widest = |width: fn(&(String, f64, String)) -> usize| bars.iter().map(width).max();
    let label_width = widest(|(label, ..)| label.width()).unwrap_or(0);
    let value_width = widest(|(_, _, text)| text.width()).unwrap_or(0);
    let room = width.saturating_sub(label_width + value_width + 4).max(1);
    let largest = bars.iter().map(|(_, value, _)| *value).fold(0.0, f64::max);
    for (label, value, text) in &bars {
        let label = format!("{label}{}", " ".repeat(label_width - label.width()));
        let bar = bar(*value, largest, room);
        let space = " ".repeat(value_width - text.width());
        sink.print(&format!("{}  {space}{text}  {}\n", style.dim(&label), style.good(&bar)))?;
    }
    if let Some(note) = undated_note(total).filter(|_| shows_time) {
        sink.print(&format!("{}\n", style.dim(&note)))?;
    }
    Ok(())
}

/// Returns empty rows for the days between the first and the last on which nothing
/// was used, so that the axis is linear; none if that is more than a year.
fn idle_days(rows: &[UsageRow]) -> Vec<UsageRow> {
    const MAX_DAYS: usize = 400;
    let days = rows.iter().filter_map(|row| row.keys.first()?.parse::<Date>().ok());
    let days: BTreeSet<Date> = days.collect();
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Vec::new();
    };
    let all: Vec<Date> =
        first.series(1.day()).take_while(|day| day <= last).take(MAX_DAYS).collect();
    if all.len() == MAX_DAYS {
        return Vec::new();
    }
    let idle = all.iter().filter(|day| !days.contains(day));
    idle.map(|day| UsageRow { keys: vec![day.to_string()], ..UsageRow::default() }).collect()
}

#[allow(clippy::cast_precision_loss)] // a bar has eight steps per column
fn value(plotted: PlotValue, row: &UsageRow) -> (f64, String) {
    let figures = &row.totals.figures;
    match plotted {
        PlotValue::Tokens => (figures.tokens.total() as f64, thousands(figures.tokens.total())),
        PlotValue::Cost if row.totals.sessions.is_empty() => (0.0, dollars(0.0)),
        PlotValue::Cost => (figures.combined_cost().usd.unwrap_or(0.0), cost(figures)),
    }
}

/// Returns whether rows of days are from the oldest to the newest.
fn is_ascending(rows: &[UsageRow]) -> bool {
    rows.is_sorted_by(|one, other| one.keys <= other.keys)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn bar(value: f64, largest: f64, room: usize) -> String {
    if largest <= 0.0 || value <= 0.0 {
        return String::new();
    }
    // A value above zero is always visible.
    let eighths = ((value / largest) * (room * 8) as f64).round().max(1.0) as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_proportional_and_never_invisible() {
        assert_eq!(bar(8.0, 8.0, 4), "████");
        assert_eq!(bar(4.0, 8.0, 4), "██");
        assert_eq!(bar(1.0, 8.0, 4), "▌");
        assert_eq!(bar(0.001, 8.0, 4), "▏");
        assert_eq!(bar(0.0, 8.0, 4), "");
        assert_eq!(bar(0.0, 0.0, 4), "");
    }
}
