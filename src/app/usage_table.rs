//! `usage` over many files: one table.

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::index;
use super::known_table::{GroupedUsage, KnownTable};
use super::progress::Progress;
use super::read::finish;
use super::sessions::{find_sources, homes};
use crate::cli::{Global, Moment, UsageArgs};
use crate::event::EventFilter;
use crate::exit::Exit;
use crate::harness::base_model;
use crate::index::IndexOptions;
use crate::output::{Output, RowLayout, plural, system_message};
use crate::projection::{TableRows, UsageTable, draw_plot};
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::sessions::SessionSource;
use crate::usage::{
    self, Blocks, Estimate, Figures, FileUsage, GroupBy, Grouping, MergedSession, Order, Prices,
    UsageItem, UsageTotals, dollars, merge,
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
        let mut paths = args.input.files.clone();
        if args.home {
            match homes() {
                Ok(homes) => paths.extend(homes),
                Err(error) if paths.is_empty() => return Err(error),
                Err(_) => {}
            }
        }
        if paths.is_empty() {
            if io::stdin().is_terminal() {
                bail!("nothing to read: give a FILE or a folder, --home, or pipe a stream in");
            }
            paths.push(PathBuf::from("-"));
        }
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
        // A total of nothing would hide the error.
        if sources.is_empty() && exit != Exit::Success {
            return Ok(exit);
        }
        let options = Self::reader_options(global);
        let known = self.known_table(&sources, exit, &options, out);
        if let Some(table) = known.as_ref().and_then(KnownTable::read) {
            self.print_rows(&table, out)?;
            return Ok(exit);
        }
        let mut files = self.read(&sources, exit == Exit::Success, &options, global, out);
        let is_clean = files.iter().all(|file| file.error.is_none() && file.skipped.count == 0);
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
        let (items, notes) = self.select(&sessions, items);
        let is_clean = is_clean && notes.is_empty() && exit == Exit::Success;
        for note in notes {
            out.diagnostics.note(&note);
        }
        let has_estimate = self.has_estimate(out);
        let estimate = |item: &UsageItem<'_>| {
            if has_estimate { self.prices.estimate_item(item) } else { Estimate::default() }
        };
        if self.by == [GroupBy::Request] {
            let (items, total) = self.requests(&items, &estimate);
            let shown = &items[..self.limit().min(items.len())];
            let rows = TableRows::Requests { items: shown, sessions: &sessions };
            self.print_table(rows, items.len() - shown.len(), &total, out)?;
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
        let table = GroupedUsage { rows, total };
        let table = match known.filter(|_| is_clean) {
            Some(known) => known.remember(table),
            None => table,
        };
        self.print_rows(&table, out)?;
        Ok(exit)
    }

    /// Prints the rows of groups, or bars.
    fn print_rows(&self, table: &GroupedUsage, out: &mut Output) -> io::Result<()> {
        let GroupedUsage { rows, total } = table;
        let shown = &rows[..self.limit().min(rows.len())];
        if let Some(plotted) = self.args.plot {
            if rows.is_empty() {
                out.diagnostics.note("nothing was used");
            }
            return draw_plot(plotted, &self.by, shown, total, &mut out.sink);
        }
        self.print_table(TableRows::Groups(shown), rows.len() - shown.len(), total, out)
    }

    fn print_table(
        &self,
        rows: TableRows<'_>,
        omitted: usize,
        total: &UsageTotals,
        out: &mut Output,
    ) -> io::Result<()> {
        let table = UsageTable {
            by: &self.by,
            rows,
            omitted,
            total,
            has_total: !self.args.no_total,
            has_breakdown: self.args.breakdown,
            costs: self.args.cost,
            prices: self.has_estimate(out).then_some(self.prices.date.as_str()),
            zone: &self.zone,
            now: self.now,
        };
        table.print(out)
    }

    fn has_estimate(&self, out: &Output) -> bool {
        out.rows.is_human() || self.args.plot.is_some() || self.args.is_estimate()
    }

    fn limit(&self) -> usize {
        self.args.limit.unwrap_or(usize::MAX)
    }

    /// Returns what is known of the table; `None` if it cannot be remembered.
    fn known_table(
        &self,
        sources: &[SessionSource],
        exit: Exit,
        options: &ReaderOptions,
        out: &Output,
    ) -> Option<KnownTable> {
        let UsageArgs { input, reindex, keep, prices, model, order, estimate_model, .. } =
            self.args;
        let is_usual = !input.no_index && !reindex && !keep && prices.is_none();
        // The rules of a zone without a name are not known to be the same.
        let zone = self.zone.iana_name().or((self.zone == TimeZone::UTC).then_some("UTC"))?;
        let is_grouped = self.by != [GroupBy::Request];
        let folders = index::folders(&self.paths);
        let has_only_folders = folders.len() == self.paths.len();
        if !(is_usual && is_grouped && has_only_folders && exit == Exit::Success) {
            return None;
        }
        let times = (self.since, self.until);
        let filters = (&input.project, model);
        let estimate = (self.has_estimate(out), estimate_model);
        let question = (&folders, &self.by, order, zone, times, filters, estimate);
        KnownTable::open(&question, &folders, sources, options)
    }

    fn reader_options(global: &Global) -> ReaderOptions {
        let decode = DecodeOptions {
            harness: global.harness,
            described: global.described,
            filter: EventFilter::Usage,
            ..DecodeOptions::default()
        };
        ReaderOptions {
            decode,
            max_line: global.max_line,
            threads: global.threads,
            redactor: global.redactor(),
            ..ReaderOptions::default()
        }
    }

    /// Reads all files that have changed since they were read last, and shows the progress.
    fn read(
        &self,
        sources: &[SessionSource],
        is_complete: bool,
        options: &ReaderOptions,
        global: &Global,
        out: &mut Output,
    ) -> Vec<FileUsage> {
        let UsageArgs { input, reindex, keep, .. } = self.args;
        let folders = index::folders(&self.paths);
        let is_used = !input.no_index && !folders.is_empty();
        let remembered =
            IndexOptions { folders: &folders, is_complete, rebuilds: *reindex, keeps: *keep };
        let opened = is_used.then(|| index::open(&remembered, options, sources, out)).flatten();
        let mut progress = Progress::new(sources.len(), global.quiet);
        let mut files = usage::read_files(sources, options, opened.as_ref(), || progress.step());
        progress.finish();
        files.extend(index::finish(opened, options, sources, out));
        files
    }

    /// Returns the items that are requested, and notes about those that are left out.
    fn select<'u>(
        &self,
        sessions: &[MergedSession<'_>],
        mut items: Vec<UsageItem<'u>>,
    ) -> (Vec<UsageItem<'u>>, Vec<String>) {
        let mut notes = Vec::new();
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
            notes.push(format!(
                "{streams} without timestamps left out by --since or --until: dated by their files"
            ));
        }
        if unnamed_cost > 0.0 {
            let cost = dollars(unnamed_cost);
            notes.push(format!(
                "{cost} of the reported cost left out by --model: it names no model"
            ));
        }
        (items, notes)
    }

    /// Returns the rows of requests in their order, and their total.
    fn requests<'u>(
        &self,
        items: &[UsageItem<'u>],
        estimate: &dyn Fn(&UsageItem<'_>) -> Estimate,
    ) -> (Vec<(UsageItem<'u>, Figures)>, UsageTotals) {
        let mut total = UsageTotals::default();
        let mut rows = Vec::with_capacity(items.len());
        let mut keys = HashSet::with_capacity(items.len());
        for item in items {
            let estimate = estimate(item);
            total.add_with_session(item, &estimate);
            if item.is_used() {
                let mut figures = Figures::default();
                figures.add(item, &estimate);
                // A copy may lack the id of the request, so it is not part of the key, unless
                // several requests have the same message.
                let short = if item.is_unique { item.key.of_message() } else { item.key };
                let mut row = *item;
                row.key = if keys.insert(short) { short } else { item.key };
                rows.push((row, figures));
            }
        }
        rows.sort_by(|(one, _), (other, _)| match self.args.order {
            Some(Order::Desc) => other.at.cmp(&one.at),
            Some(Order::Asc) | None => one.at.cmp(&other.at),
        });
        (rows, total)
    }

    /// Returns the names of what was searched.
    fn searched(&self) -> String {
        let names: Vec<_> = self.paths.iter().map(|path| path.display().to_string()).collect();
        names.join(", ")
    }
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
