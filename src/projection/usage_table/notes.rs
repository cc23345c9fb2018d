//! What is said below a table.

use jiff::SignedDuration;

use super::keys::has_several_harnesses;
use super::{CostChoice, TableRows, UsageTable};
use crate::output::{plural, thousands};
use crate::usage::{Estimate, GroupBy, UsageRow, UsageTotals};

/// Stands for a model without a name.
pub(super) const UNNAMED: &str = "an unnamed model";

/// Marks a row with times that are those of files.
pub(in crate::projection) const UNDATED: &str = "*";

/// Returns the lines below a table.
pub(super) fn notes(table: &UsageTable<'_>) -> Vec<String> {
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
                let scaled = Estimate { usd: Some(usd), ..cost.clone() };
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

/// Returns the note about rows that are marked as undated.
pub(super) fn undated_note(total: &UsageTotals) -> Option<String> {
    let sessions = total.undated_sessions.len() as u64;
    let what = "no timestamps: dated by its file, or by now if it was piped";
    (sessions > 0).then(|| format!("{UNDATED} {what} ({})", plural(sessions, "session")))
}
