//! Groups items into the rows of a table.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::Estimate;
use super::block::{BlockFacts, Blocks};
use super::figures::{Figures, ModelFigures};
use super::hash_index::NumberSet;
use super::merge::{ItemKind, MergedSession, UsageItem};
use crate::codec::codec_struct;
use crate::event::Tokens;
use crate::harness::Harness;

/// What the items of a row have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum GroupBy {
    /// The session, its subagents included
    Session,
    /// The day
    Day,
    /// The week, from Monday (ISO 8601)
    Week,
    /// The month
    Month,
    /// A window of five hours, from the full hour before its first request
    Block,
    /// The model
    Model,
    /// The folder the agent worked in
    Project,
    /// The agent CLI
    Harness,
    /// Each request, with a key that is the same on every machine
    Request,
}

impl GroupBy {
    /// Returns whether rows of it are times or have a start.
    pub(crate) fn is_time(self) -> bool {
        match self {
            Self::Session | Self::Day | Self::Week | Self::Month | Self::Block | Self::Request => {
                true
            }
            Self::Model | Self::Project | Self::Harness => false,
        }
    }
}

/// The direction of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Order {
    /// Oldest or smallest first
    Asc,
    /// Newest or largest first
    Desc,
}

/// A row of a usage table.
#[derive(Debug, Default)]
pub(crate) struct UsageRow {
    /// What the items have in common, in the order of [`Grouping::by`].
    pub(crate) keys: Vec<String>,
    /// Facts about the session, if rows are sessions.
    pub(crate) session: Option<SessionFacts>,
    /// The window, if rows are windows.
    pub(crate) block: Option<BlockFacts>,
    /// The first day of the week, if rows are weeks.
    pub(crate) week_start: Option<Date>,
    /// Times of the first and the last item.
    pub(crate) span: Option<(Timestamp, Timestamp)>,
    pub(crate) totals: UsageTotals,
}

codec_struct!(UsageRow { keys, session, block, week_start, span, totals });

/// Facts about a session.
#[derive(Debug)]
pub(crate) struct SessionFacts {
    pub(crate) harness: &'static str,
    pub(crate) project: Option<String>,
}

codec_struct!(SessionFacts { harness, project });

/// What the items of a row add up to.
#[derive(Debug, Default)]
pub(crate) struct UsageTotals {
    pub(crate) figures: Figures,
    pub(crate) models: ModelFigures,
    /// Tokens that are not tied to a message.
    pub(crate) unattributed: Tokens,
    pub(crate) sessions: NumberSet,
    /// Sessions whose cost is missing or partial.
    pub(crate) uncosted_sessions: NumberSet,
    /// Tokens, and sessions, whose time is that of their file.
    pub(crate) undated_tokens: u64,
    pub(crate) undated_sessions: NumberSet,
}

codec_struct!(UsageTotals {
    figures,
    models,
    unattributed,
    sessions,
    uncosted_sessions,
    undated_tokens,
    undated_sessions,
});

/// How items are grouped.
pub(crate) struct Grouping<'a> {
    pub(crate) by: &'a [GroupBy],
    pub(crate) order: Option<Order>,
    pub(crate) zone: &'a TimeZone,
    pub(crate) sessions: &'a [MergedSession<'a>],
    pub(crate) blocks: &'a Blocks,
    /// Estimates the cost of an item.
    pub(crate) estimate: &'a dyn Fn(&UsageItem<'_>) -> Estimate,
}

impl<'a> Grouping<'a> {
    /// Returns the rows in their order, and their total.
    pub(crate) fn rows(&self, items: &[UsageItem<'_>]) -> (Vec<UsageRow>, UsageTotals) {
        let mut total = UsageTotals::default();
        let mut rows: Vec<UsageRow> = Vec::new();
        let mut indices: HashMap<String, usize> = HashMap::new();
        let mut name = String::new();
        for item in items {
            name.clear();
            for by in self.by {
                name.push_str(&self.key(*by, item));
                name.push('\0');
            }
            if self.by.contains(&GroupBy::Block) {
                name.push_str(self.sessions[item.session].harness.name());
            }
            let index = indices.get(&name).copied().unwrap_or_else(|| {
                indices.insert(name.clone(), rows.len());
                rows.push(self.new_row(item));
                rows.len() - 1
            });
            let estimate = (self.estimate)(item);
            rows[index].add(item, &estimate);
            total.add_with_session(item, &estimate);
        }
        rows.retain(|row| row.totals.figures.is_used());
        (self.sorted(rows), total)
    }

    fn new_row(&self, item: &UsageItem<'_>) -> UsageRow {
        let session = &self.sessions[item.session];
        let has = |by| self.by.contains(&by);
        UsageRow {
            keys: self.by.iter().map(|by| self.key(*by, item).into_owned()).collect(),
            session: has(GroupBy::Session).then(|| SessionFacts {
                harness: session.harness.name(),
                project: session.project.map(str::to_owned),
            }),
            block: has(GroupBy::Block).then(|| self.block(session.harness, item)),
            week_start: has(GroupBy::Week).then(|| week_start(self.date(item))),
            ..UsageRow::default()
        }
    }

    fn key(&self, by: GroupBy, item: &UsageItem<'_>) -> Cow<'a, str> {
        let session = &self.sessions[item.session];
        match by {
            GroupBy::Session => session.id.into(),
            GroupBy::Project => session.project.unwrap_or("unknown").into(),
            GroupBy::Harness => session.harness.name().into(),
            GroupBy::Model if item.model.is_empty() => "unknown".into(),
            GroupBy::Model => item.model.to_owned().into(),
            GroupBy::Day => self.date(item).strftime("%F").to_string().into(),
            GroupBy::Week => self.date(item).strftime("%G-W%V").to_string().into(),
            GroupBy::Month => self.date(item).strftime("%Y-%m").to_string().into(),
            GroupBy::Block => {
                format_time(self.block(session.harness, item).start, self.zone).into()
            }
            GroupBy::Request => item.key.to_string().into(),
        }
    }

    fn block(&self, harness: Harness, item: &UsageItem<'_>) -> BlockFacts {
        BlockFacts { harness, start: self.blocks.start(harness, item.at) }
    }

    fn date(&self, item: &UsageItem<'_>) -> Date {
        self.zone.to_datetime(item.at).date()
    }

    /// Sorts times from the oldest and the rest from the largest, unless an order is
    /// requested; each key within the one before it.
    fn sorted(&self, rows: Vec<UsageRow>) -> Vec<UsageRow> {
        let mut sizes: HashMap<&[String], (u64, Option<Timestamp>)> = HashMap::new();
        for row in &rows {
            for count in 1..=row.keys.len() {
                let (size, first) = sizes.entry(&row.keys[..count]).or_default();
                *size = size.saturating_add(row.totals.figures.tokens.total());
                let own = row.span.map(|(first, _)| first);
                *first = first.map_or(own, |first| own.map(|own| own.min(first)));
            }
        }
        let rank = |row: &UsageRow| {
            let rank = |(at, by): (usize, &GroupBy)| {
                let (size, first) = sizes[&row.keys[..=at]];
                let amount = match by {
                    GroupBy::Session | GroupBy::Block => first.map_or(0, Timestamp::as_nanosecond),
                    _ if by.is_time() => 0,
                    _ => i128::from(size),
                };
                let default = if by.is_time() { Order::Asc } else { Order::Desc };
                match self.order.unwrap_or(default) {
                    Order::Asc => Rank::Asc(amount, row.keys[at].clone()),
                    Order::Desc if by.is_time() => {
                        Rank::Desc(Reverse((amount, row.keys[at].clone())))
                    }
                    // Rows of the same size are in the order of their names.
                    Order::Desc => Rank::Asc(-amount, row.keys[at].clone()),
                }
            };
            self.by.iter().enumerate().map(rank).collect::<Vec<_>>()
        };
        let ranks: Vec<_> = rows.iter().map(rank).collect();
        let mut ranked: Vec<_> = ranks.into_iter().zip(rows).collect();
        ranked.sort_by(|(one, _), (other, _)| one.cmp(other));
        ranked.into_iter().map(|(_, row)| row).collect()
    }
}

/// The place of a key; all keys of one column have the same variant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Asc(i128, String),
    Desc(Reverse<(i128, String)>),
}

/// Formats a time with its offset, in UTC as `Z`.
pub(crate) fn format_time(at: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_zoned(zone.clone());
    let offset = if at.offset().is_zero() { "Z" } else { "%:z" };
    at.strftime(&format!("%FT%T{offset}")).to_string()
}

fn week_start(day: Date) -> Date {
    let days = i64::from(day.weekday().to_monday_zero_offset());
    day.checked_sub(jiff::Span::new().days(days)).unwrap_or(day)
}

impl UsageRow {
    fn add(&mut self, item: &UsageItem<'_>, estimate: &Estimate) {
        let (first, last) = self.span.get_or_insert((item.at, item.at));
        *first = item.at.min(*first);
        *last = item.at.max(*last);
        self.totals.add(item, estimate);
    }
}

impl UsageTotals {
    /// Adds an item to a total, which counts sessions that used nothing, too.
    pub(crate) fn add_with_session(&mut self, item: &UsageItem<'_>, estimate: &Estimate) {
        self.add(item, estimate);
        self.sessions.insert(item.session);
    }

    fn add(&mut self, item: &UsageItem<'_>, estimate: &Estimate) {
        self.figures.add(item, estimate);
        self.models.add(item, estimate);
        if item.is_used() {
            self.sessions.insert(item.session);
            if item.is_undated {
                self.undated_sessions.insert(item.session);
                self.undated_tokens = self.undated_tokens.saturating_add(item.tokens.total());
            }
        }
        if !item.has_cost && item.tokens.total() > 0 {
            self.uncosted_sessions.insert(item.session);
        }
        if item.kind == ItemKind::Unattributed {
            self.unattributed.add(&item.tokens);
        }
    }
}
