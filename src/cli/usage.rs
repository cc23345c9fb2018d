//! `streamj usage`: one run, or the history of many.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::read::{Files, RecordOptions};
use crate::prices::Prices;

/// `streamj usage`
#[derive(Debug, Args)]
pub struct UsageArgs {
    /// One table of all files, a row for each of these [default for folders: day]
    #[arg(long, value_name = "WHAT")]
    pub by: Option<By>,
    /// Read what Claude Code and Codex keep on this machine
    ///
    /// That is `projects` in `CLAUDE_CONFIG_DIR` (else ~/.claude and
    /// ~/.config/claude), and `sessions` and `archived_sessions` in `CODEX_HOME`
    /// (else ~/.codex).
    #[arg(long)]
    pub home: bool,
    /// Only what was used from this day on (2026-11-01, 7d, today)
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub since: Option<Moment>,
    /// Only what was used up to this day, the day included
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub until: Option<Moment>,
    /// Days of UTC instead of local time
    #[arg(long)]
    pub utc: bool,
    /// Estimate the cost by the prices of the tokens
    ///
    /// The cost is what the CLI reports; where it reports none, this helps. The
    /// prices are those of the APIs on the date that is shown; a subscription is
    /// another matter. A model without a known price is told, not counted as free.
    #[arg(long)]
    pub estimate: bool,
    /// Estimate by the prices in this file
    ///
    /// JSON: {"date": "…", "models": {"NAME": {"input": 2, "output": 10,
    /// "`cache_read"`: 0.1, "`cache_write_5m"`: 2.5, "`cache_write_1h"`: 4,
    /// "above": {"prompt": 200000, "input": …}}}}, in US dollars for a million
    /// tokens. "above" has the prices of requests with longer prompts.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Draw the rows as bars
    #[arg(long, value_name = "WHAT", num_args = 0..=1, default_missing_value = "tokens")]
    pub plot: Option<Plot>,
    /// How to print it.
    #[command(flatten)]
    pub records: RecordOptions,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

impl UsageArgs {
    /// Whether a table over all files is asked for, not a record of each.
    #[must_use]
    pub fn is_table(&self) -> bool {
        let filtered = self.since.is_some() || self.until.is_some() || self.utc;
        let asked = self.by.is_some() || self.home || self.plot.is_some() || filtered;
        asked || self.input.files.iter().any(|file| file.is_dir())
    }

    /// The prices to estimate by, if an estimate is asked for.
    ///
    /// # Errors
    ///
    /// The file with prices cannot be used.
    pub fn prices(&self) -> anyhow::Result<Option<Prices>> {
        let asked = self.estimate || self.prices.is_some();
        asked.then(|| Prices::open(self.prices.as_deref())).transpose()
    }
}

/// What the rows of a table have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A session, its subagents included.
    Session,
    /// A day.
    Day,
    /// A month.
    Month,
    /// A model.
    Model,
    /// The folder the agent worked in.
    Project,
    /// Whose sessions they are.
    Harness,
}

/// What bars stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plot {
    /// Tokens.
    Tokens,
    /// The cost: what was reported, else the estimate.
    Cost,
}

/// A day, or a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A day of the calendar.
    Day(Date),
    /// So many days ago; today is none.
    DaysAgo(i64),
    /// Exactly then.
    At(Timestamp),
}

impl Moment {
    /// When it begins; or, for `end`, when it is over.
    ///
    /// # Errors
    ///
    /// There is no such time.
    pub fn resolve(self, zone: &TimeZone, now: Timestamp, end: bool) -> anyhow::Result<Timestamp> {
        let day = match self {
            Self::At(time) => return Ok(time),
            Self::Day(day) => day,
            Self::DaysAgo(days) => zone.to_datetime(now).date().checked_sub(days.days())?,
        };
        let day = if end { day.tomorrow()? } else { day };
        Ok(day.to_zoned(zone.clone())?.timestamp())
    }
}

/// `2026-11-01`, `20261101`, `today`, `yesterday`, `7d`, or RFC 3339.
fn moment(text: &str) -> Result<Moment, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    match text {
        "today" => return Ok(Moment::DaysAgo(0)),
        "yesterday" => return Ok(Moment::DaysAgo(1)),
        // The last seven days are today and six before it.
        _ if days.is_some_and(|days| days > 0) => {
            return Ok(Moment::DaysAgo(i64::from(days.unwrap_or(1)) - 1));
        }
        _ => {}
    }
    let compact = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let spelled = if compact {
        format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..])
    } else {
        text.into()
    };
    if let Ok(time) = spelled.parse::<Timestamp>() {
        return Ok(Moment::At(time));
    }
    let is_day = spelled.len() == "2026-11-01".len();
    let day = spelled.parse::<Date>().ok().filter(|_| is_day);
    day.map(Moment::Day).ok_or_else(|| "not a day: use 2026-11-01, 7d or today".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_understood_as_people_write_them() {
        let now: Timestamp = "2026-11-16T23:30:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        for (text, begins, ends) in [
            ("2026-11-01", "2026-10-31T23:00:00Z", "2026-11-01T23:00:00Z"),
            ("20261101", "2026-10-31T23:00:00Z", "2026-11-01T23:00:00Z"),
            ("today", "2026-11-16T23:00:00Z", "2026-11-17T23:00:00Z"),
            ("yesterday", "2026-11-15T23:00:00Z", "2026-11-16T23:00:00Z"),
            ("7d", "2026-11-10T23:00:00Z", "2026-11-11T23:00:00Z"),
            ("2026-11-01T12:00:00Z", "2026-11-01T12:00:00Z", "2026-11-01T12:00:00Z"),
        ] {
            let moment = moment(text).unwrap();
            let resolved = |end| moment.resolve(&zone, now, end).unwrap().to_string();
            assert_eq!((&*resolved(false), &*resolved(true)), (begins, ends), "{text}");
        }
        for wrong in ["", "d", "0d", "tomorrow", "2026-13-01", "2026", "11/01/2026"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
