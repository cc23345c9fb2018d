//! Reads the usage of many files, on all cores.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::SystemTime;

use jiff::Timestamp;

use super::UsageCounter;
use super::file::{FileUsage, SkippedLines, Used};
use crate::event::Event;
use crate::harness::{Harness, Record};
use crate::input::{Input, STDIN_NAME};
use crate::reader::{self, DecodedLine, LineSink, ReaderOptions, Recognition};
use crate::session::Session;
use crate::sessions::SessionSource;

/// Returns the folders in which the CLIs keep sessions.
pub(crate) fn session_folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var(name).ok();
    let sessions = |harness: &Harness| harness.adapter().sessions.as_ref();
    let sessions = Harness::ALL.iter().filter_map(sessions);
    sessions.flat_map(|sessions| (sessions.folders)(&variable)).collect()
}

/// Reads all sessions, and calls `done` after each. Returns them sorted by name.
pub(crate) fn read_files(
    sources: &[SessionSource],
    options: &ReaderOptions,
    done: impl FnMut(),
) -> Vec<FileUsage> {
    let read = |source: &SessionSource| {
        let mut builder = FileUsageBuilder::new(options.decode.harness);
        let end = read_file(source, options, &mut builder);
        builder.finish(source, end)
    };
    let mut files = read_each(sources, options.threads, read, done);
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}

/// Reads all sessions, each on an idle thread, and calls `done` after each. The results
/// are in no particular order.
pub(crate) fn read_each<T: Send>(
    sources: &[SessionSource],
    threads: Option<usize>,
    read: impl Fn(&SessionSource) -> T + Sync,
    mut done: impl FnMut(),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let threads = reader::thread_count(threads).min(sources.len()).max(1);
    let next_source = || sources.get(next.fetch_add(1, Ordering::Relaxed));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let read = &read;
            let work = move || {
                while let Some(source) = next_source() {
                    if sender.send(read(source)).is_err() {
                        break;
                    }
                }
            };
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        drop(sender);
        let mut results: Vec<T> = receiver.iter().inspect(|_| done()).collect();
        // Without any thread everything is left.
        let left = std::iter::from_fn(next_source).map(&read);
        results.extend(left.inspect(|_| done()));
        results
    })
}

/// How the reading of a file ended.
#[derive(Default)]
pub(crate) struct FileEnd {
    /// When it was last modified.
    pub(crate) modified: Option<SystemTime>,
    pub(crate) is_file: bool,
    pub(crate) error: Option<io::Error>,
}

/// Reads a session to its end.
pub(crate) fn read_file(
    source: &SessionSource,
    options: &ReaderOptions,
    sink: &mut impl LineSink,
) -> FileEnd {
    let mut end = FileEnd::default();
    let result = source.open().and_then(|mut input| {
        end.modified = Some(input.modified());
        end.is_file = input.is_file();
        reader::read_serial(&mut input, options, sink)
    });
    end.error = result.unwrap_or_else(Some);
    end
}

/// Counts the usage of one file.
#[derive(Default)]
pub(crate) struct FileUsageBuilder {
    session: Session,
    counter: UsageCounter,
    on_disk: bool,
    started_by: Option<String>,
    first: Option<Timestamp>,
    /// The last time as text, which is parsed at the end, or as a number.
    last: String,
    last_written: Option<Timestamp>,
    skipped: SkippedLines,
    recognition: Recognition,
}

impl FileUsageBuilder {
    /// Starts a file of `harness`, if that is known.
    pub(crate) fn new(harness: Option<Harness>) -> Self {
        Self { session: Session::new(harness), ..Self::default() }
    }

    fn record(&mut self, record: &Record<'_>) {
        self.session.apply(record);
        self.counter.apply(record);
        self.on_disk |= record.on_disk;
        if record.has_time() && self.first.is_none() {
            self.first = record.time();
        }
        if record.written.is_some() {
            self.last_written = record.written;
        } else if let Some(timestamp) = record.timestamp {
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

    /// Ends the file.
    pub(crate) fn finish(self, source: &SessionSource, end: FileEnd) -> FileUsage {
        let FileEnd { modified, is_file, error } = end;
        let modified = || Timestamp::try_from(modified?).ok();
        let last = self.last_written.or_else(|| self.last.parse().ok());
        let last = last.or_else(|| self.counter.log().last_time()).or(self.first);
        let is_undated = last.is_none();
        let last = last.or_else(modified).unwrap_or(Timestamp::UNIX_EPOCH);
        let harness = self.session.harness();
        let path = source.path();
        let sessions = harness.adapter().sessions.as_ref();
        let project_folder = sessions.and_then(|sessions| sessions.project_folder);
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { STDIN_NAME.to_owned() } else { source.name() };
        FileUsage {
            path: path.to_owned(),
            harness,
            id: self.session.id().map_or_else(|| name.clone(), str::to_owned),
            name,
            model: self.session.model().map(str::to_owned),
            started_by: self.started_by,
            cwd: self.session.description().and_then(|description| description.cwd.clone()),
            project_folder: project_folder.and_then(|folder| folder(path)).map(str::to_owned),
            first: self.first,
            last,
            is_undated,
            used: if self.on_disk {
                Used::Requests(Box::new(self.counter.into_log()))
            } else {
                Used::Stream(Box::new(self.counter.report()))
            },
            skipped: self.skipped,
            problem: self.recognition.problem(is_file),
            error,
        }
    }
}

impl LineSink for FileUsageBuilder {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        let is_first = self.recognition.apply(line, number);
        match line {
            DecodedLine::Record(record) => {
                // What precedes the first event is text, too.
                if is_first && record.harness.adapter().prints_text() {
                    self.skipped = SkippedLines::default();
                }
                self.record(record);
            }
            DecodedLine::Malformed(malformed) => self.skip(number, malformed.to_string()),
            DecodedLine::TooLong(_) => self.skip(number, "line too long".to_owned()),
            DecodedLine::Blank | DecodedLine::NotObject(_) | DecodedLine::Text(_) => {}
        }
        Ok(())
    }
}
