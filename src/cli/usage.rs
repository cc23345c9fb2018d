//! `streamj usage`.

use std::path::PathBuf;

use clap::Args;
use jiff::tz::TimeZone;

use super::moment::{Moment, moment};
use super::options::{Files, OriginFlag, RowOptions};
use super::values::glob;
use crate::catalog;
use crate::glob::Glob;
use crate::projection::{CostChoice, PlotValue};
use crate::usage::{GroupBy, Order, Prices};

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// Print one table over all files, with a row for each of these
    ///
    /// Several are separated by commas: `--by day,project`. The default is `day` for a
    /// folder, and with --home or any other option of tables. The last row is the total
    /// (`"total": true` in JSON).
    ///
    /// A block is a window of five hours, in which subscriptions limit the usage. It
    /// starts at the full hour (UTC) before its first request, and the next one with the
    /// first request after it; each CLI has windows of its own. The active one has the
    /// time left, the usage per minute since its first request, and what that amounts
    /// to at its end.
    ///
    /// Rows of requests can be merged with those of other machines: of all rows with the
    /// same `request_key` count the largest, and the sum is the total. What a CLI counts
    /// in sums only is also a row (`kind`); the sum of a fork includes that of its parent,
    /// unless both are read together.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) by: Vec<GroupBy>,
    /// Read the sessions of all agent CLIs on this machine
    ///
    /// They are where each CLI keeps them by default, or where its own variable says
    /// (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, …).
    #[arg(long)]
    pub(crate) home: bool,
    /// Count usage from this day on: 2026-11-01, yesterday, 7d
    ///
    /// Also 20261101, today, or a time (2026-11-01T12:00:00Z). 7d is today and the six
    /// days before it.
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) since: Option<Moment>,
    /// Count usage up to the end of this day, or before a time
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) until: Option<Moment>,
    /// Use days of UTC instead of local time
    #[arg(long)]
    pub(crate) utc: bool,
    /// Use days of this time zone: Europe/Berlin, +05:30
    #[arg(long, value_name = "ZONE", value_parser = time_zone, conflicts_with = "utc")]
    pub(crate) timezone: Option<TimeZone>,
    /// Count models whose name matches, with or without a date
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) model: Option<Glob>,
    /// Sort the rows [default: times from the oldest, others from the largest]
    #[arg(long, value_name = "ORDER")]
    pub(crate) order: Option<Order>,
    /// Print the first N rows only; the total is that of all rows
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show the models of each row below it; in JSON they are always in `models`
    #[arg(long)]
    pub(crate) breakdown: bool,
    /// Print no total
    #[arg(long)]
    pub(crate) no_total: bool,
    /// Costs in tables for people [default: reported, and where missing estimated (~)]
    ///
    /// `estimated` and `both` add the estimate to JSON, too, as --estimate does.
    #[arg(long, value_name = "WHICH")]
    pub(crate) cost: Option<CostChoice>,
    /// Estimate the cost from a price table
    ///
    /// Adds the estimated cost of all tokens, and the reported cost plus an estimate of the
    /// rest; tables for people always estimate what is missing. The prices are those of the APIs on the printed date; subscriptions have
    /// others. A model without a known price is named, not counted as free.
    #[arg(long)]
    pub(crate) estimate: bool,
    /// Estimate the cost from the prices in this file
    ///
    /// Contains a JSON object with a `date` and `models`, which has for each name its
    /// prices in US dollars per million tokens: `input`, `output`, `cache_read`,
    /// `cache_write_5m`, `cache_write_1h`, and in `above` (one object, or a list) those of
    /// requests with a prompt longer than its `prompt`.
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Estimate the cost of streams that name no model by the prices of this one
    #[arg(long, value_name = "MODEL")]
    pub(crate) estimate_model: Option<String>,
    /// Draw the rows as bars: tokens, or --plot=cost
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "tokens",
        conflicts_with_all = ["format", "json", "get"]
    )]
    pub(crate) plot: Option<PlotValue>,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

impl UsageArgs {
    /// Returns whether one table over all files is requested.
    pub fn is_table(&self) -> bool {
        let is_filtered = self.since.is_some()
            || self.until.is_some()
            || self.has_project_filter()
            || self.model.is_some();
        let is_arranged = self.utc
            || self.timezone.is_some()
            || self.order.is_some()
            || self.limit.is_some()
            || self.breakdown
            || self.no_total
            || self.cost.is_some();
        let is_table = !self.by.is_empty() || self.home || self.plot.is_some();
        is_table || is_filtered || is_arranged || self.input.files.iter().any(|file| file.is_dir())
    }

    /// Returns whether projects are selected, and not one session by its name.
    fn has_project_filter(&self) -> bool {
        let names_session = self.input.files.iter().any(|file| catalog::is_session_name(file));
        self.input.project.is_some() && !names_session
    }

    /// Returns what the rows of a table have in common.
    pub fn keys(&self) -> anyhow::Result<Vec<GroupBy>> {
        let mut keys: Vec<GroupBy> = Vec::new();
        for key in &self.by {
            if !keys.contains(key) {
                keys.push(*key);
            }
        }
        anyhow::ensure!(
            !self.origin.provenance,
            "--provenance is for the record of a run; rows of a table have many origins"
        );
        let is_request = keys.contains(&GroupBy::Request);
        anyhow::ensure!(
            !is_request || keys.len() == 1,
            "--by request cannot be combined: its rows have the other keys as members"
        );
        anyhow::ensure!(!is_request || self.plot.is_none(), "--plot cannot draw single requests");
        Ok(if keys.is_empty() { vec![GroupBy::Day] } else { keys })
    }

    /// Returns whether estimates are requested in every format.
    pub fn is_estimate(&self) -> bool {
        let is_column = matches!(self.cost, Some(CostChoice::Estimated | CostChoice::Both));
        self.estimate || self.prices.is_some() || self.estimate_model.is_some() || is_column
    }

    /// Opens the price table, if an estimate is requested.
    pub fn requested_prices(&self) -> anyhow::Result<Option<Prices>> {
        self.is_estimate().then(|| self.open_prices()).transpose()
    }

    /// Opens the price table.
    pub fn open_prices(&self) -> anyhow::Result<Prices> {
        let prices = Prices::open(self.prices.as_deref())?;
        match &self.estimate_model {
            Some(model) => prices.with_unnamed(model),
            None => Ok(prices),
        }
    }
}

/// Parses the name of a time zone, or an offset from UTC.
fn time_zone(text: &str) -> Result<TimeZone, String> {
    let parser = jiff::fmt::temporal::DateTimeParser::new();
    let zone = parser.parse_time_zone(text).ok();
    zone.ok_or_else(|| "not a time zone: use a name like Europe/Berlin, or +05:30".to_owned())
}
