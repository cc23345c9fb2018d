//! Lists sessions, and finds those that arguments name.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::progress::Progress;
use super::read::finish;
use super::usage_table::report_problems;
use crate::catalog::{self, Catalog, Lookup, SessionEntry};
use crate::cli::{Files, Global, SessionsArgs};
use crate::exit::Exit;
use crate::output::{Diagnostics, Output, OutputSafety, Style, error_message, system_message};
use crate::program::Streams;
use crate::projection::SessionTable;
use crate::sessions::{self, SessionSource};
use crate::usage::{self, Prices};

/// Lists sessions. An error is one of writing.
pub(super) fn run(args: &SessionsArgs, global: &Global, mut streams: Streams) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let list = match SessionListing::new(args) {
        Ok(list) => list,
        Err(error) => {
            diagnostics.error(&error_message(&error));
            return Ok(Exit::Error);
        }
    };
    let is_terminal = streams.is_terminal();
    let sink = streams.sink(Style::from_environment(global.color, is_terminal));
    let rows = args.rows.writer(SessionTable::layout(), is_terminal);
    let safety = OutputSafety { csv: global.csv_safe, ci: false };
    let mut out = Output::new(sink, diagnostics, rows, safety);
    let exit = list.print(global, &mut out)?;
    finish(&mut out, exit)
}

/// A list of sessions, as far as it can be prepared before reading.
struct SessionListing<'a> {
    args: &'a SessionsArgs,
    zone: TimeZone,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    prices: Prices,
    paths: Vec<PathBuf>,
}

impl<'a> SessionListing<'a> {
    fn new(args: &'a SessionsArgs) -> anyhow::Result<Self> {
        let mut paths = args.input.files.clone();
        if args.home || paths.is_empty() {
            paths.extend(homes()?);
        }
        let zone = TimeZone::try_system()?;
        let now = Timestamp::now();
        let since = args.since.map(|since| since.resolve(&zone, now, false)).transpose()?;
        let until = args.until.map(|until| until.resolve(&zone, now, true)).transpose()?;
        if since >= until && until.is_some() {
            bail!("--since comes after --until");
        }
        Ok(Self { args, zone, since, until, prices: Prices::open(None)?, paths })
    }

    fn print(&self, global: &Global, out: &mut Output) -> io::Result<Exit> {
        let (sources, mut exit) = find_sources(&self.paths, &self.args.input, global, out);
        let options = global.reader_options();
        let mut progress = Progress::new(sources.len(), global.quiet);
        let Catalog { entries, files } =
            Catalog::read(&sources, &options, &self.prices, || progress.step());
        progress.finish();
        for file in &files {
            let is_named = self.paths.contains(&file.path);
            exit = exit.or_worse(report_problems(file, is_named, global, out));
        }
        let mut selected: Vec<_> = entries.iter().filter(|entry| self.selects(entry)).collect();
        let matching = selected.len();
        selected.truncate(self.args.limit.unwrap_or(usize::MAX));
        if selected.is_empty() && exit == Exit::Success {
            let reason = if entries.is_empty() { "no sessions" } else { "no session matches" };
            out.diagnostics.note(reason);
            exit = Exit::No;
        }
        let all_ids = entries.iter().map(|entry| entry.id.as_str()).collect();
        let (zone, is_wide) = (self.zone.clone(), self.args.wide);
        SessionTable { entries: &selected, matching, all_ids, zone, is_wide }.print(out)?;
        Ok(exit)
    }

    fn selects(&self, entry: &SessionEntry) -> bool {
        let Self { args, since, until, .. } = self;
        let has_model = |model: &crate::glob::Glob| {
            entry.model.as_deref().is_some_and(|name| model.matches(name))
        };
        let project = args.input.project.as_ref();
        (args.cli.is_empty() || args.cli.iter().any(|name| name == entry.harness.name()))
            && since.is_none_or(|since| entry.last >= since)
            && until.is_none_or(|until| entry.started.unwrap_or(entry.last) < until)
            && args.model.as_ref().is_none_or(has_model)
            && (!args.failed || entry.failure.is_some())
            && project.is_none_or(|project| project.matches(entry.project.as_deref()))
    }
}

/// Returns the folders in which CLIs keep sessions. Fails if none exists.
pub(super) fn homes() -> anyhow::Result<Vec<PathBuf>> {
    let homes = usage::session_folders();
    let found: Vec<_> = homes.iter().filter(|path| path.exists()).cloned().collect();
    if found.is_empty() {
        let names: Vec<_> = homes.iter().map(|home| home.display().to_string()).collect();
        bail!("no sessions here: looked for {}", names.join(", "));
    }
    Ok(found)
}

/// Returns the sessions of an argument: those of a file, or the one that it names.
pub(super) fn sources_of(
    path: &Path,
    input: &Files,
    global: &Global,
) -> anyhow::Result<Vec<SessionSource>> {
    if !catalog::is_session_name(path) {
        return Ok(SessionSource::of_path(path)?);
    }
    let folders = usage::session_folders();
    let lookup = Lookup {
        folders: folders.into_iter().filter(|path| path.exists()).collect(),
        project: input.project.as_ref(),
        harness: global.harness,
        described: global.described,
        max_line: global.max_line,
        threads: global.threads,
    };
    Ok(vec![lookup.find(&path.to_string_lossy())?])
}

/// Returns the sessions of files, folders and names, each once. Reports what cannot be
/// read or found.
pub(super) fn find_sources(
    paths: &[PathBuf],
    input: &Files,
    global: &Global,
    out: &mut Output,
) -> (Vec<SessionSource>, Exit) {
    let mut exit = Exit::Success;
    let is_name = |path: &&PathBuf| catalog::is_session_name(path);
    let (names, paths): (Vec<_>, Vec<_>) = paths.iter().partition(is_name);
    let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
    let mut sources = sessions::find(&paths, |path, error| {
        out.diagnostics.start_input(&path.to_string_lossy());
        out.diagnostics.input_error(&system_message(error));
        exit = Exit::Error;
    });
    for name in names {
        match sources_of(name, input, global) {
            Ok(found) => sources.extend(found),
            Err(error) => {
                out.diagnostics.failure(&error);
                exit = Exit::Error;
            }
        }
    }
    let mut seen = HashSet::new();
    sources.retain(|source| seen.insert(source.name()));
    (sources, exit)
}
