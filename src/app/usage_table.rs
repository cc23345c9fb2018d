//! `usage` over many files: one table.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::progress::Progress;
use super::read::finish;
use super::sessions::{find_sources, table_paths};
use crate::cli::{Global, Moment, UsageArgs};
use crate::event::EventFilter;
use crate::exit::Exit;
use crate::harness::base_model;
use crate::output::{Output, RowLayout, plural, system_message};
use crate::projection::{TableRows, UsageTable, draw_plot};
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::sessions::SessionSource;
use crate::usage::{
    self, Blocks, Estimate, Figures, FileUsage, GroupBy, Grouping, ItemKind, MergedSession, Order,
    Prices, RequestKeys, UsageItem, UsageTotals, dollars, merge,
};

/// A table over many files, as far as it can be prepared before reading.
pub(super) struct UsageTableCommand<'a> {
    args: &'a UsageArgs,
    by: Vec<GroupBy>,
    zone: TimeZone,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    prices: Prices,
    now: Timestamp,
    paths: Vec<PathBuf>,
}

impl<'a> UsageTableCommand<'a> {
    /// Prepares the table, if one was requested.
    pub(super) fn new(args: &'a UsageArgs) -> anyhow::Result<Option<Self>> {
        if !args.is_table() {
            return Ok(None);
        }
        let paths = table_paths(&args.input, args.home)?;
        let now = Timestamp::now();
        let zone = match &args.timezone {
            Some(zone) => zone.clone(),
            None if args.utc => TimeZone::UTC,
            None => TimeZone::try_system()?,
        };
        let time = |moment: &Moment, end| moment.resolve(&zone, now, end);
        let since = args.since.as_ref().map(|since| time(since, false)).transpose()?;
        let until = args.until.as_ref().map(|until| time(until, true)).transpose()?;
        if since >= until && until.is_some() {
            bail!("--since comes after --until");
        }
        Ok(Some(Self {
            by: args.keys()?,
            since,
            until,
            prices: args.open_prices()?,
            now,
            zone,
            args,
            paths,
        }))
    }

    /// Returns the layout of the rows.
    pub(super) fn layout(&self) -> RowLayout {
        UsageTable::layout(&self.by)
    }

    /// Reads everything and prints the table. An error is one of writing.
    pub(super) fn run(&self, global: &Global, mut out: Output) -> io::Result<Exit> {
        let exit = self.print(global, &mut out)?;
        finish(&mut out, exit)
    }

    fn print(&self, global: &Global, out: &mut Output) -> io::Result<Exit> {
        let (sources, mut exit) = find_sources(&self.paths, &self.args.input, global, out);
        let mut files = read_files(&sources, global);
        for file in &files {
            let is_named = self.paths.contains(&file.path);
            exit = exit.or_worse(report_problems(file, is_named, global, out));
        }
        if exit == Exit::Success && files.iter().all(|file| file.problem.is_some()) {
            out.diagnostics.note(&format!("no session or stream in {}", self.searched()));
            exit = Exit::No;
        }
        let (sessions, items) = merge(&mut files);
        // A window starts with its first request, whatever is selected of it.
        let is_block = self.by.contains(&GroupBy::Block);
        let blocks = if is_block { Blocks::new(&sessions, &items) } else { Blocks::default() };
        let items = self.select(&sessions, items, out);
        let is_human = out.rows.is_human() || self.args.plot.is_some();
        let has_estimate = is_human || self.args.is_estimate();
        let estimate = |item: &UsageItem<'_>| {
            if has_estimate { self.estimate(item) } else { Estimate::default() }
        };
        let limit = self.args.limit.unwrap_or(usize::MAX);
        let table = |rows, omitted, total: &UsageTotals, out: &mut Output| {
            let table = UsageTable {
                by: &self.by,
                rows,
                omitted,
                total,
                has_total: !self.args.no_total,
                has_breakdown: self.args.breakdown,
                costs: self.args.cost,
                prices: has_estimate.then_some(self.prices.date.as_str()),
                zone: &self.zone,
                now: self.now,
            };
            table.print(out)
        };
        if self.by == [GroupBy::Request] {
            let (items, total) = self.requests(&items, &estimate);
            let shown = &items[..limit.min(items.len())];
            let rows = TableRows::Requests { items: shown, sessions: &sessions };
            table(rows, items.len() - shown.len(), &total, out)?;
            return Ok(exit);
        }
        let grouping = Grouping {
            by: &self.by,
            order: self.args.order,
            zone: &self.zone,
            sessions: &sessions,
            blocks: &blocks,
            estimate: &estimate,
        };
        let (rows, total) = grouping.rows(&items);
        let shown = &rows[..limit.min(rows.len())];
        if let Some(plotted) = self.args.plot {
            if rows.is_empty() {
                out.diagnostics.note("nothing was used");
            }
            draw_plot(plotted, &self.by, shown, &total, &mut out.sink)?;
            return Ok(exit);
        }
        table(TableRows::Groups(shown), rows.len() - shown.len(), &total, out)?;
        Ok(exit)
    }

    /// Returns the items that are requested.
    fn select<'u>(
        &self,
        sessions: &[MergedSession<'_>],
        mut items: Vec<UsageItem<'u>>,
        out: &mut Output,
    ) -> Vec<UsageItem<'u>> {
        let mut left_out = HashSet::new();
        let mut unnamed_cost = 0.0;
        items.retain(|item| {
            let project = sessions[item.session].project.or(Some("unknown"));
            if self.args.input.project.as_ref().is_some_and(|filter| !filter.matches(project)) {
                return false;
            }
            let is_kept = self.since.is_none_or(|since| item.at >= since)
                && self.until.is_none_or(|until| item.at < until);
            if !is_kept && item.is_undated {
                left_out.insert(item.session);
            }
            let is_model = |glob: &crate::glob::Glob| match item.model {
                "" => glob.matches("unknown"),
                model => glob.matches(model) || glob.matches(&base_model(model)),
            };
            let is_model = self.args.model.as_ref().is_none_or(is_model);
            if is_kept && !is_model && item.model.is_empty() && item.tokens.total() == 0 {
                unnamed_cost += item.cost_usd.unwrap_or(0.0);
            }
            is_kept && is_model
        });
        if !left_out.is_empty() {
            let streams = plural(left_out.len() as u64, "stream");
            out.diagnostics.note(&format!(
                "{streams} without timestamps left out by --since or --until: dated by their files"
            ));
        }
        if unnamed_cost > 0.0 {
            let cost = dollars(unnamed_cost);
            out.diagnostics.note(&format!(
                "{cost} of the reported cost left out by --model: it names no model"
            ));
        }
        items
    }

    /// Returns the rows of requests in their order, and their total.
    fn requests<'u>(
        &self,
        items: &[UsageItem<'u>],
        estimate: &dyn Fn(&UsageItem<'_>) -> Estimate,
    ) -> (Vec<(UsageItem<'u>, Figures)>, UsageTotals) {
        let mut total = UsageTotals::default();
        let mut rows = Vec::with_capacity(items.len());
        let mut keys = RequestKeys::default();
        for item in items {
            let estimate = estimate(item);
            total.add_with_session(item, &estimate);
            if item.is_used() {
                let mut figures = Figures::default();
                figures.add(item, &estimate);
                let mut row = *item;
                row.key = keys.of(item);
                rows.push((row, figures));
            }
        }
        rows.sort_by(|(one, _), (other, _)| match self.args.order {
            Some(Order::Desc) => other.at.cmp(&one.at),
            Some(Order::Asc) | None => one.at.cmp(&other.at),
        });
        (rows, total)
    }

    fn estimate(&self, item: &UsageItem<'_>) -> Estimate {
        if item.kind == ItemKind::Request {
            self.prices.estimate_request(item.model, &item.tokens)
        } else {
            self.prices.estimate(item.model, &item.tokens)
        }
    }

    /// Returns the names of what was searched.
    fn searched(&self) -> String {
        let names: Vec<_> = self.paths.iter().map(|path| path.display().to_string()).collect();
        names.join(", ")
    }
}

/// Reads all files and shows the progress.
fn read_files(sources: &[SessionSource], global: &Global) -> Vec<FileUsage> {
    let decode = DecodeOptions {
        harness: global.harness,
        described: global.described,
        filter: EventFilter::Usage,
        ..DecodeOptions::default()
    };
    let options = ReaderOptions {
        decode,
        max_line: global.max_line,
        threads: global.threads,
        redactor: global.redactor(),
        ..ReaderOptions::default()
    };
    let mut progress = Progress::new(sources.len(), global.quiet);
    let files = usage::read_files(sources, &options, || progress.step());
    progress.finish();
    files
}

/// Reports what was wrong with a file. Whether it has any event matters only if the user
/// named it.
pub(super) fn report_problems(
    file: &FileUsage,
    is_named: bool,
    global: &Global,
    out: &mut Output,
) -> Exit {
    let mut exit = Exit::Success;
    out.diagnostics.start_input(&file.name);
    let is_unreadable = file.error.is_some();
    if let Some(problem) = file.problem.as_ref().filter(|_| is_named && !is_unreadable) {
        out.diagnostics.describe_input(problem);
        exit = Exit::No;
    } else if let Some((line, reason)) = &file.skipped.first {
        let message = match file.skipped.count - 1 {
            0 => reason.clone(),
            more => format!("{reason} ({} skipped)", plural(more, "more line")),
        };
        out.diagnostics.single_line_note(*line, &message);
        if global.strict {
            exit = Exit::No;
        }
    }
    if let Some(error) = &file.error {
        let message = format!("cannot read: {}", system_message(error));
        out.diagnostics.input_error(&message);
        exit = Exit::Error;
    }
    exit
}
