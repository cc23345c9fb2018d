//! Searches sessions.

use std::cmp::Reverse;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::read::finish;
use super::sessions::{find_sources, homes};
use crate::cli::{Global, GrepArgs};
use crate::exit::Exit;
use crate::output::{Diagnostics, Output, OutputSafety, Style, error_message, system_message};
use crate::program::Streams;
use crate::projection::{GrepOutput, GrepRows};
use crate::reader::{DecodeOptions, LineFilter, ReaderOptions};
use crate::search::{self, FileMatches, Pattern, SearchOptions};
use crate::sessions::SessionSource;
use crate::usage;

/// Files that are searched before their matches are printed, and bytes of these files unless
/// one is larger: so much may match.
const BATCH: usize = 64;
const BATCH_BYTES: u64 = 16 << 20;

/// Searches sessions. An error is one of writing.
pub(super) fn run(args: &GrepArgs, global: &Global, mut streams: Streams) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let prepared = options(args).and_then(|options| Ok((options, paths(args)?)));
    let (options, paths) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            diagnostics.error(&error_message(&error));
            return Ok(Exit::Error);
        }
    };
    let is_terminal = streams.is_terminal();
    let sink = streams.sink(Style::from_environment(global.color, is_terminal));
    let what = GrepRows::new(args.files_with_matches, args.count);
    let rows = args.rows.writer(what.layout(), is_terminal);
    let safety = OutputSafety { csv: global.csv_safe, ci: false };
    let mut out = Output::new(sink, diagnostics, rows, safety);
    let exit = print(args, global, &Arc::new(options), &paths, what, &mut out)?;
    finish(&mut out, exit)
}

/// Returns what is searched for.
fn options(args: &GrepArgs) -> anyhow::Result<SearchOptions> {
    let pattern = Pattern::new(&args.pattern, args.pattern_options());
    let zone = TimeZone::try_system()?;
    let resolve = |since: crate::cli::Moment| since.resolve(&zone, Timestamp::now(), false);
    Ok(SearchOptions {
        pattern: pattern.context("the pattern cannot be used")?,
        places: args.places.clone(),
        context: args.context,
        stops_early: args.files_with_matches,
        keeps_texts: !args.files_with_matches && !args.count,
        since: args.since.map(resolve).transpose()?,
    })
}

/// Returns what is searched.
fn paths(args: &GrepArgs) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = args.input.files.clone();
    if args.home || paths.is_empty() {
        paths.extend(homes()?);
    }
    Ok(paths)
}

fn print(
    args: &GrepArgs,
    global: &Global,
    options: &Arc<SearchOptions>,
    paths: &[PathBuf],
    what: GrepRows,
    out: &mut Output,
) -> io::Result<Exit> {
    let (mut sources, found) = find_sources(paths, &args.input, global, out);
    let mut exit = if found == Exit::Success { Exit::No } else { found };
    sources.sort_by_cached_key(|source| Reverse(source.modified()));
    let filter: Arc<dyn LineFilter> = options.clone();
    let redactor = global.redactor();
    let reader = ReaderOptions {
        decode: DecodeOptions {
            harness: global.harness,
            described: global.described,
            ..DecodeOptions::default()
        },
        max_line: global.max_line,
        // A secret may span two lines.
        line_filter: Some(filter).filter(|_| redactor.is_none()),
        redactor,
        ..ReaderOptions::default()
    };
    let mut output = GrepOutput::new(what);
    let mut rest = sources.as_slice();
    while !rest.is_empty() {
        let batch;
        (batch, rest) = rest.split_at(batch_length(rest));
        let read = |source: &SessionSource| search::search(source, options, &reader);
        let mut found = usage::read_each(batch, global.threads, read, || {});
        let position = |name: &str| batch.iter().position(|source| source.name() == name);
        found.sort_by_cached_key(|file| position(&file.name));
        for file in found {
            let is_named = paths.iter().any(|path| path.to_str() == Some(&file.name));
            if let Some(problem) =
                file.problem.as_ref().filter(|_| is_named && file.error.is_none())
            {
                out.diagnostics.start_input(&file.name);
                out.describe_input(problem)?;
            }
            exit = print_file(args, options, &file, exit, &mut output, out)?;
        }
    }
    Ok(exit)
}

/// Returns the number of files that are searched next.
fn batch_length(sources: &[SessionSource]) -> usize {
    let mut bytes = 0;
    let fits = |source: &&SessionSource| {
        bytes += source.size();
        bytes <= BATCH_BYTES
    };
    sources.iter().take(BATCH).take_while(fits).count().max(1)
}

fn print_file(
    args: &GrepArgs,
    options: &SearchOptions,
    file: &FileMatches,
    exit: Exit,
    output: &mut GrepOutput,
    out: &mut Output,
) -> io::Result<Exit> {
    let mut exit = exit;
    if let Some(error) = &file.error {
        out.diagnostics.start_input(&file.name);
        out.input_error(&format!("cannot read: {}", system_message(error)))?;
        exit = Exit::Error;
    }
    let project = args.input.project.as_ref();
    let is_selected = project.is_none_or(|project| project.matches(file.project.as_deref()));
    if !is_selected || file.texts.is_empty() {
        return Ok(exit);
    }
    output.file(file, options, out)?;
    Ok(if exit == Exit::No { Exit::Success } else { exit })
}
