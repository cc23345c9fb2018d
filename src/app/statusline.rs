//! The status line that an agent CLI shows below its prompt.
//!
//! It is printed whenever something changes, so it starts without anything that it does not
//! need, and what all sessions have used is counted only now and then. The caller shows
//! nothing if the command fails, so whatever cannot be read is left out.

use std::io::{self, Read};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::cli::{Global, StatusLineArgs};
use crate::descriptions;
use crate::event::EventFilter;
use crate::exit::Exit;
use crate::harness::{Harness, status_input};
use crate::index::{Digests, Index, IndexOptions};
use crate::output::{Diagnostics, Style};
use crate::program::Streams;
use crate::projection::StatusLine;
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::sessions;
use crate::usage::{self, Prices, RecentUsage};

/// Bytes of standard input that are read.
const MAX_INPUT: u64 = 1 << 20;

/// How long the usage of all sessions is valid.
const VALIDITY: SignedDuration = SignedDuration::from_secs(10);

/// Prints the line. An error is one of writing.
pub(super) fn run(
    args: &StatusLineArgs,
    global: &Global,
    mut streams: Streams,
) -> io::Result<Exit> {
    if streams.stdin_is_terminal() {
        let message = "an agent CLI runs this command and pipes a JSON object in";
        Diagnostics::new(streams.stderr(), global.quiet).error(message);
        return Ok(Exit::Error);
    }
    // The caller shows the line on a terminal.
    let style = Style::from_environment(global.color, true);
    let session = read_status(&mut streams).unwrap_or_default();
    let now = Timestamp::now();
    let recent = recent_usage(global, now);
    let line = StatusLine { session: &session, recent: recent.as_ref(), now, style };
    let text = args.template.as_ref().map_or_else(|| line.format(), |text| line.fill(text));
    let mut sink = streams.sink(style);
    sink.print(&format!("{text}\n"))?;
    sink.flush()?;
    Ok(Exit::Success)
}

fn read_status(streams: &mut Streams) -> Option<status_input::SessionStatus> {
    let stdin = streams.take_stdin().unwrap_or_else(|| Box::new(io::stdin()));
    let mut bytes = Vec::new();
    stdin.take(MAX_INPUT).read_to_end(&mut bytes).ok()?;
    status_input::read(&bytes)
}

/// Returns what the CLI has used today; `None` if that cannot be remembered, since counting
/// it each time takes too long.
fn recent_usage(global: &Global, now: Timestamp) -> Option<RecentUsage> {
    let sessions = status_input::HARNESS.adapter().sessions.as_ref()?;
    let folders = (sessions.folders)(&|name| std::env::var(name).ok());
    let zone = TimeZone::try_system().ok()?;
    let day_start = now.to_zoned(zone).start_of_day().ok()?.timestamp();
    let mut digests = Digests::open(&folders).ok()??;
    let is_valid = |recent: &RecentUsage| {
        recent.day_start == day_start
            && (SignedDuration::ZERO..VALIDITY).contains(&now.duration_since(recent.counted_at))
    };
    if let Some(recent) = digests.read(&[]).filter(is_valid) {
        return Some(recent);
    }
    let recent = count(&folders, global, day_start, now)?;
    // Without it, the next line counts again.
    let _ = digests.write(&recent);
    Some(recent)
}

/// Counts what is new in all sessions of the CLI.
fn count(
    folders: &[PathBuf],
    global: &Global,
    day_start: Timestamp,
    now: Timestamp,
) -> Option<RecentUsage> {
    // The options of other commands, whose entries count only for the same options.
    let described = descriptions::described_files(&[]).ok()?;
    let described: Vec<Harness> = described.iter().map(|file| file.harness).collect();
    let filter = EventFilter::Usage;
    let options = ReaderOptions {
        decode: DecodeOptions { filter, described: described.leak(), ..DecodeOptions::default() },
        threads: global.threads,
        ..ReaderOptions::default()
    };
    let folders: Vec<PathBuf> = folders.iter().filter(|path| path.is_dir()).cloned().collect();
    let mut is_complete = true;
    let sources = sessions::find(&folders, |_, _| is_complete = false);
    let remembered = IndexOptions { folders: &folders, is_complete, rebuilds: false, keeps: false };
    let index = Index::open(&remembered, &options, &sources).ok()??;
    let mut files = usage::read_files(&sources, &options, Some(&index), || {});
    // What cannot be remembered is counted again.
    let _ = index.finish(&sources);
    let prices = Prices::open(None).ok()?;
    let merged = usage::merge(&mut files);
    Some(RecentUsage::new(status_input::HARNESS, &merged, &prices, day_start, now))
}
