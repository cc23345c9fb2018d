//! `usage` over many files: reads them on all cores and prints one table.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::SystemTime;

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::progress::Progress;
use super::read::finish;
use crate::cli::{Global, Moment, UsageArgs};
use crate::event::{Event, EventFilter};
use crate::exit::Exit;
use crate::harness::{Harness, Record};
use crate::input::{InputSource, find_files};
use crate::output::{Output, RowLayout, plural, system_message};
use crate::projection::{UsageTable, draw_plot};
use crate::reader::{self, DecodeOptions, DecodedLine, LineSink, ReaderOptions};
use crate::redact::Redactor;
use crate::run::Session;
use crate::usage::{
    Estimate, FileUsage, GroupBy, Grouping, ItemKind, Prices, SkippedLines, UsageCounter,
    UsageItem, Used, merge,
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
            let homes = session_folders();
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
        let paths = find_files(&self.paths, |path, error| {
            out.diagnostics.start_input(&path.to_string_lossy());
            out.diagnostics.input_error(&system_message(error));
            exit = Exit::Error;
        });
        let mut files = read_files(&paths, global);
        for file in &files {
            exit = exit.or_worse(report_problems(file, global, out));
        }
        let (sessions, mut items) = merge(&mut files);
        items.retain(|item| {
            self.since.is_none_or(|since| item.at >= since)
                && self.until.is_none_or(|until| item.at < until)
        });
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
            draw_plot(plotted, self.by, &rows, &mut out.sink)?;
            return Ok(exit);
        }
        let prices = self.prices.as_ref().map(|prices| prices.date.as_str());
        UsageTable { by: self.by, rows: &rows, total: &total, prices }.print(out)?;
        Ok(exit)
    }
}

/// Returns the folders in which the CLIs keep sessions.
fn session_folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var(name).ok();
    let folders = |harness: &Harness| harness.adapter().session_folders(&variable);
    Harness::ALL.iter().flat_map(folders).collect()
}

/// Reads all files, each on an idle thread.
fn read_files(paths: &[PathBuf], global: &Global) -> Vec<FileUsage> {
    let decode = DecodeOptions {
        harness: global.harness,
        filter: EventFilter::Usage,
        ..DecodeOptions::default()
    };
    let options = ReaderOptions {
        decode,
        max_line: global.max_line,
        threads: Some(1),
        redactor: global.redact.then(|| Redactor::of_variables(std::env::vars_os())),
    };
    let mut progress = Progress::new(paths.len(), global.quiet);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let threads = reader::thread_count(global.threads).min(paths.len()).max(1);
    let mut files: Vec<FileUsage> = std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, options) = (&next, &options);
            scope.spawn(move || {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send(read_file(path, options)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().inspect(|_| progress.step()).collect()
    });
    progress.finish();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn read_file(path: &Path, options: &ReaderOptions) -> FileUsage {
    let mut builder = FileUsageBuilder::new(options.decode.harness);
    let mut modified = None;
    let result = InputSource::open(path).and_then(|mut source| {
        modified = Some(source.modified());
        reader::read_serial(&mut source, options, &mut builder)
    });
    builder.finish(path, modified, result.unwrap_or_else(Some))
}

/// Reports what was wrong with a file.
fn report_problems(file: &FileUsage, global: &Global, out: &mut Output) -> Exit {
    let mut exit = Exit::Success;
    out.diagnostics.start_input(&file.path.to_string_lossy());
    if let Some((line, reason)) = &file.skipped.first {
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

/// Counts the usage of one file.
#[derive(Default)]
struct FileUsageBuilder {
    session: Session,
    counter: UsageCounter,
    on_disk: bool,
    started_by: Option<String>,
    first: Option<Timestamp>,
    last: String,
    skipped: SkippedLines,
}

impl FileUsageBuilder {
    /// Starts a file of `harness`, if that is known.
    fn new(harness: Option<Harness>) -> Self {
        Self { session: Session::new(harness), ..Self::default() }
    }

    fn record(&mut self, record: &Record<'_>) {
        self.session.apply(record);
        self.counter.apply(record);
        self.on_disk |= record.on_disk;
        if let Some(timestamp) = record.timestamp {
            if self.first.is_none() {
                self.first = timestamp.parse().ok();
            }
            timestamp.clone_into(&mut self.last);
        }
        for event in record.events {
            if let Event::Session(info) = event
                && let Some(starter) = info.started_by
                && record.session_id == self.session.id()
            {
                self.started_by = Some(starter.to_owned());
            }
        }
    }

    fn skip(&mut self, line: u64, reason: String) {
        self.skipped.count += 1;
        self.skipped.first.get_or_insert((line, reason));
    }

    /// Ends the file, which was last modified at `modified`.
    fn finish(
        self,
        path: &Path,
        modified: Option<SystemTime>,
        error: Option<io::Error>,
    ) -> FileUsage {
        let modified = || Timestamp::try_from(modified?).ok();
        let last = self.last.parse().ok().or_else(|| self.counter.log().last_time());
        let last = last.or(self.first).or_else(modified).unwrap_or(Timestamp::UNIX_EPOCH);
        let harness = self.session.harness();
        let path_name = || path.to_string_lossy().into_owned();
        FileUsage {
            path: path.to_owned(),
            harness,
            id: self.session.id().map_or_else(path_name, str::to_owned),
            model: self.session.model().map(str::to_owned),
            started_by: self.started_by,
            cwd: self.session.description().and_then(|description| description.cwd.clone()),
            project_folder: harness.adapter().project_folder(path).map(str::to_owned),
            first: self.first,
            last,
            used: if self.on_disk {
                Used::Requests(Box::new(self.counter.into_log()))
            } else {
                Used::Stream(Box::new(self.counter.report()))
            },
            skipped: self.skipped,
            error,
        }
    }
}

impl LineSink for FileUsageBuilder {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        match line {
            DecodedLine::Record(record) => self.record(record),
            DecodedLine::Malformed(malformed) => self.skip(number, malformed.to_string()),
            DecodedLine::TooLong(_) => self.skip(number, "line too long".to_owned()),
            DecodedLine::Blank | DecodedLine::NotObject(_) => {}
        }
        Ok(())
    }

    fn before_wait(&mut self) -> io::Result<()> {
        Ok(())
    }
}
