//! Reads a file and counts its usage.

use std::io;
use std::time::SystemTime;

use jiff::Timestamp;

use super::UsageCounter;
use super::file::{FileUsage, SkippedLines, Used};
use crate::codec::codec_struct;
use crate::event::Event;
use crate::harness::{Harness, Record};
use crate::input::{Input, STDIN_NAME};
use crate::reader::{self, DecodedLine, LineSink, Position, ReaderOptions, Recognition};
use crate::session::Session;
use crate::sessions::SessionSource;

/// How the reading of a file ended.
#[derive(Default)]
pub(crate) struct FileEnd {
    /// When it was last modified.
    pub(crate) modified: Option<SystemTime>,
    pub(crate) is_file: bool,
    pub(crate) error: Option<io::Error>,
    /// Where it can be continued.
    pub(crate) position: Option<Position>,
}

/// Reads a session to its end.
pub(crate) fn read_file(
    source: &SessionSource,
    options: &ReaderOptions,
    sink: &mut impl LineSink,
) -> FileEnd {
    match source.open() {
        Ok(mut input) => {
            let modified = Some(input.modified());
            FileEnd { modified, ..read_input(None, &mut input, options, sink) }
        }
        Err(error) => FileEnd { error: Some(error), ..FileEnd::default() },
    }
}

/// Reads the rest of an input to its end.
pub(crate) fn read_input(
    start: Option<Position>,
    input: &mut impl Input,
    options: &ReaderOptions,
    sink: &mut impl LineSink,
) -> FileEnd {
    let is_file = input.is_file();
    let (position, error) = match reader::read_from(start, input, options, sink) {
        Ok(end) => end,
        Err(error) => (None, Some(error)),
    };
    FileEnd { modified: None, is_file, error, position }
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

    /// Continues a file whose lines so far are known; `None` if it cannot be continued.
    pub(crate) fn resume(content: FileContent) -> Option<(Self, Position)> {
        let Used::Requests(log) = content.used else { return None };
        let last = content.last_printed.map(|last| last.to_string());
        let builder = Self {
            session: content.session,
            counter: UsageCounter::of_log(*log),
            on_disk: true,
            started_by: content.started_by,
            first: content.first,
            last: last.unwrap_or_default(),
            last_written: content.last_written,
            skipped: content.skipped,
            recognition: Recognition::recognized(),
        };
        Some((builder, content.position?))
    }

    /// Ends the file.
    pub(crate) fn finish(self, end: &FileEnd) -> FileContent {
        let problem = self.recognition.problem(end.is_file);
        let (used, position) = if self.on_disk {
            let log = Box::new(self.counter.into_log());
            // A file in which nothing was recognised may still become anything.
            (Used::Requests(log), end.position.filter(|_| problem.is_none()))
        } else {
            (Used::Stream(Box::new(self.counter.report())), None)
        };
        FileContent {
            session: self.session,
            started_by: self.started_by,
            first: self.first,
            last_printed: self.last.parse().ok(),
            last_written: self.last_written,
            used,
            skipped: self.skipped,
            problem,
            position,
        }
    }
}

/// What the lines of a file say, whatever its name is.
pub(crate) struct FileContent {
    session: Session,
    started_by: Option<String>,
    first: Option<Timestamp>,
    last_printed: Option<Timestamp>,
    last_written: Option<Timestamp>,
    used: Used,
    skipped: SkippedLines,
    problem: Option<String>,
    /// Where further lines can be added.
    position: Option<Position>,
}

codec_struct!(FileContent {
    session,
    started_by,
    first,
    last_printed,
    last_written,
    used,
    skipped,
    problem,
    position,
});

impl FileContent {
    /// Returns whether further lines can be added.
    pub(crate) fn can_resume(&self) -> bool {
        self.position.is_some()
    }

    /// Returns the usage of the file.
    pub(crate) fn usage(self, source: &SessionSource, end: FileEnd) -> FileUsage {
        let FileEnd { modified, error, .. } = end;
        let modified = || Timestamp::try_from(modified?).ok();
        let of_request = || match &self.used {
            Used::Requests(log) => log.last_time(),
            Used::Stream(_) => None,
        };
        let last = self.last_written.or(self.last_printed);
        let last = last.or_else(of_request).or(self.first);
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
            used: self.used,
            skipped: self.skipped,
            problem: self.problem,
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
