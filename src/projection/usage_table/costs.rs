//! Costs for people.

use super::{CostChoice, UsageTable};
use crate::usage::{Figures, dollars};

/// A column for a cost.
#[derive(Clone, Copy, Debug)]
pub(super) enum CostColumn {
    /// What the CLIs report, and an estimate of the rest.
    Combined,
    Reported,
    Estimated,
}

/// Returns the columns for the costs that are requested.
pub(super) fn cost_columns(table: &UsageTable<'_>) -> Vec<CostColumn> {
    match table.costs {
        None => vec![CostColumn::Combined],
        Some(CostChoice::Reported) => vec![CostColumn::Reported],
        Some(CostChoice::Estimated) => vec![CostColumn::Estimated],
        Some(CostChoice::Both) => vec![CostColumn::Reported, CostColumn::Estimated],
    }
}

impl CostColumn {
    /// Returns the heading.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Combined => "cost",
            Self::Reported => "reported",
            Self::Estimated => "estimated",
        }
    }

    /// Returns the cell of a row.
    pub(super) fn cell(self, figures: &Figures) -> String {
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
