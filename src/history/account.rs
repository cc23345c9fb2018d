//! What one file says that was used.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use super::files::project_folder;
use crate::event::{Event, Interest, Packet};
use crate::harness::{Decoder, Habits, Harness, Objects, Reading};
use crate::input::{Content, Frame, Lines, Source};
use crate::run::ledger::Ledger;
use crate::run::usage::Report;
use crate::run::{Session, Usage};

/// What one file says that was used.
pub(super) struct Account {
    pub(super) path: PathBuf,
    pub(super) harness: Harness,
    /// The session it names first, else its own name.
    pub(super) id: String,
    pub(super) model: Option<String>,
    /// The session that has started this one.
    pub(super) started_by: Option<String>,
    /// The folder the agent worked in, and what the CLI's own folder for that
    /// is called.
    pub(super) cwd: Option<String>,
    pub(super) folder: Option<String>,
    /// When its first and its last line were written.
    pub(super) first: Option<Timestamp>,
    pub(super) last: Timestamp,
    pub(super) used: Used,
    /// Lines that were skipped, and what was wrong with the first.
    pub(super) skipped: u64,
    pub(super) first_skipped: Option<(u64, String)>,
    /// Why it could not be read, or not to its end.
    pub(super) error: Option<io::Error>,
}

/// How a file tells what was used.
pub(super) enum Used {
    /// Request by request.
    Requests(Box<Ledger>),
    /// As a whole: a recorded stream.
    Stream(Box<Report>),
}

/// How files are read.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) harness: Option<Harness>,
    pub(super) max_line: usize,
}

const HABITS: Habits =
    Habits { whole_lines: false, objects: Objects::None, interest: Interest::Figures };

impl Account {
    /// Reads a file to its end.
    pub(super) fn of(path: &Path, options: Options) -> Self {
        let mut reader = Reader { session: Session::new(options.harness), ..Reader::default() };
        let read = Source::open(path).and_then(|mut source| {
            reader.written = Some(source.written());
            let mut decoder = Decoder::new(options.harness).with(HABITS);
            let mut lines = Lines::new(options.max_line);
            while lines.fill(&mut source)? > 0 {
                while let Some(frame) = lines.next() {
                    reader.line(&mut decoder, &frame);
                }
            }
            if let Some(frame) = lines.last() {
                reader.line(&mut decoder, &frame);
            }
            Ok(())
        });
        Self { error: read.err(), ..reader.account(path) }
    }
}

#[derive(Default)]
struct Reader {
    session: Session,
    usage: Usage,
    on_disk: bool,
    started_by: Option<String>,
    first: Option<Timestamp>,
    last: String,
    written: Option<SystemTime>,
    skipped: u64,
    first_skipped: Option<(u64, String)>,
}

impl Reader {
    fn line(&mut self, decoder: &mut Decoder, frame: &Frame<'_>) {
        let Content::Bytes(bytes) = frame.content else {
            return self.skip(frame.number, || "line too long".to_owned());
        };
        let Ok(()) = decoder.decode(bytes, |reading| {
            match reading {
                Reading::Packet(packet) => self.packet(&packet),
                Reading::Malformed(malformed) => {
                    self.skip(frame.number, || malformed.to_string());
                }
                _ => {}
            }
            Ok::<(), std::convert::Infallible>(())
        });
    }

    fn skip(&mut self, line: u64, why: impl FnOnce() -> String) {
        self.skipped += 1;
        self.first_skipped.get_or_insert_with(|| (line, why()));
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        self.session.apply(packet);
        self.usage.apply(packet);
        self.on_disk |= packet.on_disk;
        if let Some(timestamp) = packet.timestamp {
            if self.first.is_none() {
                self.first = timestamp.parse().ok();
            }
            timestamp.clone_into(&mut self.last);
        }
        for event in packet.events {
            if let Event::Session(told) = event
                && let Some(starter) = told.started_by
                && packet.session_id == self.session.id()
            {
                self.started_by = Some(starter.to_owned());
            }
        }
    }

    fn account(self, path: &Path) -> Account {
        let written = || Timestamp::try_from(self.written?).ok();
        let last = self.last.parse().ok().or_else(|| self.usage.ledger().last_time());
        let last = last.or(self.first).or_else(written).unwrap_or(Timestamp::UNIX_EPOCH);
        Account {
            path: path.to_owned(),
            harness: self.session.harness(),
            id: self
                .session
                .id()
                .map_or_else(|| path.to_string_lossy().into_owned(), str::to_owned),
            model: self.session.model().map(str::to_owned),
            started_by: self.started_by,
            cwd: self.session.description().and_then(|told| told.cwd.clone()),
            folder: project_folder(path).map(str::to_owned),
            first: self.first,
            last,
            used: if self.on_disk {
                Used::Requests(Box::new(self.usage.into_ledger()))
            } else {
                Used::Stream(Box::new(self.usage.report()))
            },
            skipped: self.skipped,
            first_skipped: self.first_skipped,
            error: None,
        }
    }
}
