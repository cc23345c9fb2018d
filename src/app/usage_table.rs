//! `usage` over many files: one table.

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::progress::Progress;
use super::read::finish;
use crate::cli::{Global, Moment, UsageArgs};
use crate::event::EventFilter;
use crate::exit::Exit;
use crate::output::{Output, RowLayout, plural, system_message};
use crate::projection::{UsageTable, draw_plot};
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::redact::Redactor;
use crate::sessions::{self, SessionSource};
use crate::usage::{
    self, Estimate, FileUsage, GroupBy, Grouping, ItemKind, Prices, UsageItem, merge,
};

/// A table over many files, as far as it can be prepared before reading.
pub(super) struct UsageTableCommand<'a> {
    args: &'a UsageArgs,
    by: GroupBy,
    zone: TimeZone,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    prices: Option<Prices>,
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
            let homes = usage::session_folders();
            let found: Vec<_> = homes.iter().filter(|folder| folder.is_dir()).cloned().collect();
            if found.is_empty() && paths.is_empty() {
                let names: Vec<_> = homes.iter().map(|home| home.display().to_string()).collect();
                bail!("no sessions here: looked for {}", names.join(", "));
            }
            paths.extend(found);
        }
        if paths.is_empty() {
            if io::stdin().is_terminal() {
                bail!("nothing to read: give a FILE or a folder, --home, or pipe a stream in");
            }
            paths.push(PathBuf::from("-"));
        }
        let zone = if args.utc { TimeZone::UTC } else { TimeZone::try_system()? };
        let time = |moment: &Moment, end| moment.resolve(&zone, Timestamp::now(), end);
        let since = args.since.as_ref().map(|since| time(since, false)).transpose()?;
        let until = args.until.as_ref().map(|until| time(until, true)).transpose()?;
        if since >= until && until.is_some() {
            bail!("--since comes after --until");
        }
        Ok(Some(Self {
            by: args.by.unwrap_or(GroupBy::Day),
            since,
            until,
            prices: args.prices()?,
            zone,
            args,
            paths,
        }))
    }

    /// Returns the layout of the rows.
    pub(super) fn layout(&self) -> RowLayout {
        UsageTable::layout(self.by)
    }

    /// Reads everything and prints the table. An error is one of writing.
    pub(super) fn run(&self, global: &Global, mut out: Output) -> io::Result<Exit> {
        let exit = self.print(global, &mut out)?;
        finish(&mut out, exit)
    }

    fn print(&self, global: &Global, out: &mut Output) -> io::Result<Exit> {
        let mut exit = Exit::Success;
        let sources = sessions::find(&self.paths, |path, error| {
            out.diagnostics.start_input(&path.to_string_lossy());
            out.diagnostics.input_error(&system_message(error));
            exit = Exit::Error;
        });
        let mut files = read_files(&sources, global);
        for file in &files {
            let is_named = self.paths.contains(&file.path);
            exit = exit.or_worse(report_problems(file, is_named, global, out));
        }
        if exit == Exit::Success && files.iter().all(|file| file.problem.is_some()) {
            out.diagnostics.note(&format!("no session or stream in {}", self.searched()));
            exit = Exit::No;
        }
        let (sessions, mut items) = merge(&mut files);
        let mut left_out = HashSet::new();
        items.retain(|item| {
            let is_kept = self.since.is_none_or(|since| item.at >= since)
                && self.until.is_none_or(|until| item.at < until);
            if !is_kept && item.is_undated {
                left_out.insert(item.session);
            }
            is_kept
        });
        if !left_out.is_empty() {
            let streams = plural(left_out.len() as u64, "stream");
            out.diagnostics.note(&format!(
                "{streams} without timestamps left out by --since or --until: dated by their files"
            ));
        }
        let estimate = |item: &UsageItem<'_>| match &self.prices {
            Some(prices) => {
                if item.kind == ItemKind::Request {
                    prices.estimate_request(item.model, &item.tokens)
                } else {
                    prices.estimate(item.model, &item.tokens)
                }
            }
            None => Estimate::default(),
        };
        let zone = self.zone.clone();
        let grouping = Grouping { by: self.by, zone, sessions: &sessions, estimate: &estimate };
        let (rows, total) = grouping.rows(&items);
        if let Some(plotted) = self.args.plot {
            if rows.is_empty() {
                out.diagnostics.note("nothing was used");
            }
            draw_plot(plotted, self.by, &rows, &total, &mut out.sink)?;
            return Ok(exit);
        }
        let prices = self.prices.as_ref().map(|prices| prices.date.as_str());
        UsageTable { by: self.by, rows: &rows, total: &total, prices }.print(out)?;
        Ok(exit)
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
        redactor: global.redact.then(|| Redactor::of_variables(std::env::vars_os())),
    };
    let mut progress = Progress::new(sources.len(), global.quiet);
    let files = usage::read_files(sources, &options, || progress.step());
    progress.finish();
    files
}

/// Reports what was wrong with a file. Whether it has any event matters only if the user
/// named it.
fn report_problems(file: &FileUsage, is_named: bool, global: &Global, out: &mut Output) -> Exit {
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
