//! Groups items into the rows of a table.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::merge::{ItemKind, MergedSession, UsageItem};
use super::{Estimate, ModelShares};
use crate::event::Tokens;

/// What the items of a row have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum GroupBy {
    /// The session, its subagents included
    Session,
    /// The day
    Day,
    /// The month
    Month,
    /// The model
    Model,
    /// The folder the agent worked in
    Project,
    /// The agent CLI
    Harness,
}

/// A row of a usage table.
#[derive(Debug, Default)]
pub(crate) struct UsageRow {
    /// What the items have in common; `None` for the total.
    pub(crate) key: Option<String>,
    /// Facts about the session, if rows are sessions.
    pub(crate) session: Option<SessionFacts>,
    pub(crate) tokens: Tokens,
    pub(crate) models: ModelShares,
    /// The cost that the CLIs report.
    pub(crate) cost_usd: Option<f64>,
    /// The estimated cost of all tokens, and of those without a reported cost.
    pub(crate) estimate: Estimate,
    pub(crate) uncosted: Estimate,
    /// Tokens that are not tied to a message.
    pub(crate) unattributed: Tokens,
    pub(crate) sessions: HashSet<usize>,
    /// Sessions whose cost is missing or partial.
    pub(crate) uncosted_sessions: HashSet<usize>,
    /// Tokens, and sessions, whose time is that of their file.
    pub(crate) undated_tokens: u64,
    pub(crate) undated_sessions: HashSet<usize>,
}

/// Facts about a session.
#[derive(Debug)]
pub(crate) struct SessionFacts {
    pub(crate) harness: &'static str,
    pub(crate) project: Option<String>,
    pub(crate) first: Zoned,
    pub(crate) last: Zoned,
}

/// How items are grouped.
pub(crate) struct Grouping<'a> {
    pub(crate) by: GroupBy,
    pub(crate) zone: TimeZone,
    pub(crate) sessions: &'a [MergedSession<'a>],
    /// Estimates the cost of an item.
    pub(crate) estimate: &'a dyn Fn(&UsageItem<'_>) -> Estimate,
}

impl Grouping<'_> {
    /// Returns the rows in their order, and their total.
    pub fn rows(&self, items: &[UsageItem<'_>]) -> (Vec<UsageRow>, UsageRow) {
        let mut rows: BTreeMap<String, UsageRow> = BTreeMap::new();
        let mut total = UsageRow::default();
        for item in items {
            let key = self.key(item);
            let row = match rows.get_mut(key.as_ref()) {
                Some(row) => row,
                None => rows.entry(key.clone().into_owned()).or_insert_with(|| UsageRow {
                    key: Some(key.into_owned()),
                    ..UsageRow::default()
                }),
            };
            let estimate = (self.estimate)(item);
            row.add(item, &estimate);
            total.add(item, &estimate);
            // The total counts sessions that used nothing, too.
            total.sessions.insert(item.session);
            if self.by == GroupBy::Session {
                self.describe(row, item);
            }
        }
        rows.retain(|_, row| is_used(&row.tokens, row.cost_usd));
        (self.sorted(rows.into_values().collect()), total)
    }

    fn key(&self, item: &UsageItem<'_>) -> Cow<'_, str> {
        let session = &self.sessions[item.session];
        match self.by {
            GroupBy::Session => session.id.into(),
            GroupBy::Project => session.project.unwrap_or("unknown").into(),
            GroupBy::Harness => session.harness.name().into(),
            GroupBy::Model if item.model.is_empty() => "unknown".into(),
            GroupBy::Model => item.model.to_owned().into(),
            GroupBy::Day => self.date(item).strftime("%F").to_string().into(),
            GroupBy::Month => self.date(item).strftime("%Y-%m").to_string().into(),
        }
    }

    fn date(&self, item: &UsageItem<'_>) -> Date {
        self.zone.to_datetime(item.at).date()
    }

    fn describe(&self, row: &mut UsageRow, item: &UsageItem<'_>) {
        let session = &self.sessions[item.session];
        let at = || item.at.to_zoned(self.zone.clone());
        let facts = row.session.get_or_insert_with(|| SessionFacts {
            harness: session.harness.name(),
            project: session.project.map(str::to_owned),
            first: at(),
            last: at(),
        });
        if item.at < facts.first.timestamp() {
            facts.first = at();
        }
        if item.at > facts.last.timestamp() {
            facts.last = at();
        }
    }

    /// Sorts days by date, sessions by their start, and the rest by size.
    fn sorted(&self, mut rows: Vec<UsageRow>) -> Vec<UsageRow> {
        match self.by {
            GroupBy::Day | GroupBy::Month => {}
            GroupBy::Session => {
                rows.sort_by_key(|row| row.session.as_ref().map(|facts| facts.first.timestamp()));
            }
            GroupBy::Model | GroupBy::Project | GroupBy::Harness => {
                rows.sort_by_key(|row| std::cmp::Reverse(row.tokens.total()));
            }
        }
        rows
    }
}

fn is_used(tokens: &Tokens, cost_usd: Option<f64>) -> bool {
    tokens.total() > 0 || cost_usd.is_some_and(|cost| cost != 0.0)
}

impl UsageRow {
    fn add(&mut self, item: &UsageItem<'_>, estimate: &Estimate) {
        self.tokens.add(&item.tokens);
        self.models.add(item.model, &item.tokens, item.cost_usd);
        self.estimate.add(estimate);
        if is_used(&item.tokens, item.cost_usd) {
            self.sessions.insert(item.session);
            if item.is_undated {
                self.undated_sessions.insert(item.session);
                self.undated_tokens = self.undated_tokens.saturating_add(item.tokens.total());
            }
        }
        if !item.has_cost && item.tokens.total() > 0 {
            self.uncosted.add(estimate);
            self.uncosted_sessions.insert(item.session);
        }
        if item.kind == ItemKind::Unattributed {
            self.unattributed.add(&item.tokens);
        }
        if let Some(cost) = item.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }

    /// Returns the reported cost plus an estimate of the rest.
    pub fn combined_cost(&self) -> Estimate {
        let reported = self.cost_usd.map(|usd| usd + self.uncosted.usd.unwrap_or(0.0));
        let usd = reported.or(self.uncosted.usd);
        Estimate { usd, unpriced: self.uncosted.unpriced.clone() }
    }
}
