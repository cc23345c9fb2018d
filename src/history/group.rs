//! What was used, put into rows: by day, by model, by whatever was asked for.

use std::collections::{BTreeMap, HashSet};

use jiff::tz::TimeZone;

use super::merge::{Kind, Session, Spend};
use crate::cli::By;
use crate::event::Tokens;
use crate::prices::Estimate;
use crate::run::usage::Shares;

/// A row of the table.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// What its parts have in common; none for all of them together.
    pub(super) key: Option<String>,
    /// What else is known of a session.
    pub(super) about: Option<About>,
    pub(super) tokens: Tokens,
    pub(super) models: Shares,
    /// What the harnesses say it cost.
    pub(super) cost_usd: Option<f64>,
    /// What all tokens cost by the prices, and what those do whose cost nobody
    /// told.
    pub(super) estimate: Estimate,
    pub(super) uncosted: Estimate,
    /// Tokens that no message carries.
    pub(super) unattributed: Tokens,
    pub(super) sessions: HashSet<usize>,
    /// Sessions whose cost was not told, or not for all of it.
    pub(super) silent: HashSet<usize>,
}

/// What else is known of a session.
#[derive(Debug)]
pub(super) struct About {
    pub(super) harness: &'static str,
    pub(super) project: Option<String>,
    pub(super) first: String,
    pub(super) last: String,
}

/// How rows are made.
pub(super) struct Grouping<'a> {
    pub(super) by: By,
    pub(super) zone: TimeZone,
    pub(super) sessions: &'a [Session<'a>],
    pub(super) price: &'a dyn Fn(&Spend<'_>) -> Estimate,
}

impl Grouping<'_> {
    /// The rows in their order, and all of them together.
    pub(super) fn rows(&self, spends: &[Spend<'_>]) -> (Vec<Row>, Row) {
        let mut rows: BTreeMap<String, Row> = BTreeMap::new();
        let mut all = Row::default();
        for spend in spends {
            let key = self.key(spend);
            let row = match rows.get_mut(key.as_ref()) {
                Some(row) => row,
                None => rows
                    .entry(key.clone().into_owned())
                    .or_insert_with(|| Row { key: Some(key.into_owned()), ..Row::default() }),
            };
            let estimate = (self.price)(spend);
            row.add(spend, &estimate);
            all.add(spend, &estimate);
            // Also one that has used nothing.
            all.sessions.insert(spend.session);
            if self.by == By::Session {
                self.describe(row, spend);
            }
        }
        // Nobody wants to see that nothing was used.
        rows.retain(|_, row| is_something(&row.tokens, row.cost_usd));
        (self.ordered(rows.into_values().collect()), all)
    }

    fn key(&self, spend: &Spend<'_>) -> std::borrow::Cow<'_, str> {
        let session = &self.sessions[spend.session];
        match self.by {
            By::Session => session.id.into(),
            By::Project => session.project.unwrap_or("unknown").into(),
            By::Harness => session.harness.name().into(),
            By::Model if spend.model.is_empty() => "unknown".into(),
            By::Model => spend.model.to_owned().into(),
            By::Day => self.date(spend).strftime("%F").to_string().into(),
            By::Month => self.date(spend).strftime("%Y-%m").to_string().into(),
        }
    }

    fn date(&self, spend: &Spend<'_>) -> jiff::civil::Date {
        self.zone.to_datetime(spend.at).date()
    }

    fn describe(&self, row: &mut Row, spend: &Spend<'_>) {
        let session = &self.sessions[spend.session];
        let at = self.zone.to_datetime(spend.at).strftime("%FT%T").to_string();
        let about = row.about.get_or_insert_with(|| About {
            harness: session.harness.name(),
            project: session.project.map(str::to_owned),
            first: at.clone(),
            last: at.clone(),
        });
        if at < about.first {
            about.first.clone_from(&at);
        }
        if at > about.last {
            about.last = at;
        }
    }

    /// Days one after the other, sessions as they began, the rest by their size.
    fn ordered(&self, mut rows: Vec<Row>) -> Vec<Row> {
        match self.by {
            By::Day | By::Month => {}
            By::Session => {
                let began = |row: &Row| row.about.as_ref().map(|about| about.first.clone());
                rows.sort_by_cached_key(began);
            }
            By::Model | By::Project | By::Harness => {
                rows.sort_by_key(|row| std::cmp::Reverse(row.tokens.total()));
            }
        }
        rows
    }
}

fn is_something(tokens: &Tokens, cost_usd: Option<f64>) -> bool {
    tokens.total() > 0 || cost_usd.is_some_and(|cost| cost != 0.0)
}

impl Row {
    fn add(&mut self, spend: &Spend<'_>, estimate: &Estimate) {
        self.tokens.add(&spend.tokens);
        self.models.add(spend.model, &spend.tokens, spend.cost_usd);
        self.estimate.add(estimate);
        if is_something(&spend.tokens, spend.cost_usd) {
            self.sessions.insert(spend.session);
        }
        if !spend.costed && spend.tokens.total() > 0 {
            self.uncosted.add(estimate);
            self.silent.insert(spend.session);
        }
        if spend.kind == Kind::Unattributed {
            self.unattributed.add(&spend.tokens);
        }
        if let Some(cost) = spend.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }

    /// The cost as far as it was told, and an estimate of the rest.
    pub(super) fn together(&self) -> Estimate {
        let told = self.cost_usd.map(|usd| usd + self.uncosted.usd.unwrap_or(0.0));
        Estimate { usd: told.or(self.uncosted.usd), unpriced: self.uncosted.unpriced.clone() }
    }
}
