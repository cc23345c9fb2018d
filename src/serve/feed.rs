//! A run as a stream of server-sent events, as it is written.
//!
//! Each event with changes has an id: the number of changes up to it, and a hash of them.
//! A client that comes back names the last id. The run is read again from its start and
//! the changes it has are left out, unless their hash differs: then the file is another
//! one, and the client starts over.

use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::body::Bytes;
use tokio::sync::mpsc::Sender;

use crate::input::{FollowedFile, Input, is_compressed};
use crate::page::{ChangeSink, Granularity, PageChange, PageFold, RunHeader, write_change};
use crate::reader::{self, DecodedLine, LineSink, ReaderOptions};
use crate::redact::Redactor;
use crate::sessions::SessionSource;
use crate::usage::Prices;

/// Size of the changes of one event.
const EVENT_SIZE: usize = 64 << 10;

/// Time between two checks whether a file that is read as a whole has changed.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Time after which a client without news gets a comment, which shows whether it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a client comes back after an interruption, in milliseconds.
const RETRY: &str = "retry: 1000\n\n";

/// What a client has of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// Number of changes.
    count: u64,
    /// A hash of them.
    hash: u64,
}

impl Position {
    /// Nothing.
    const START: Self = Self { count: 0, hash: 0xcbf2_9ce4_8422_2325 };

    /// Adds a change.
    fn add(&mut self, json: &[u8]) {
        self.count += 1;
        for byte in json {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl FromStr for Position {
    type Err = std::num::ParseIntError;

    /// Reads the id of an event.
    fn from_str(id: &str) -> Result<Self, Self::Err> {
        let (count, hash) = id.split_once('-').unwrap_or((id, ""));
        Ok(Self { count: count.parse()?, hash: u64::from_str_radix(hash, 16)? })
    }
}

/// A run that is sent to one client.
pub(super) struct Feed {
    pub(super) source: SessionSource,
    pub(super) options: ReaderOptions,
    pub(super) prices: Arc<Prices>,
    pub(super) sender: Sender<Bytes>,
}

impl Feed {
    /// Sends the run until the client has gone. `known` is what it has already.
    pub(super) fn run(&self, known: Option<Position>) {
        let mut known = known.unwrap_or(Position::START);
        if self.send(RETRY).is_err() {
            return;
        }
        while !self.sender.is_closed() {
            let written = self.source.modified();
            let mut sink = FeedSink::new(self, known);
            let read = self.read(&mut sink);
            let Outbox { is_same, position, .. } = sink.outbox;
            let next = if is_same {
                known = position;
                read.and_then(|()| self.wait_for_change(written))
            } else {
                // The file is another one than before.
                known = Position::START;
                self.send("event: reset\ndata: null\n\n")
            };
            if next.is_err() {
                return;
            }
        }
    }

    /// Reads the run: a file of lines until it is replaced or the client has gone, any
    /// other session to its end.
    fn read(&self, sink: &mut FeedSink<'_>) -> io::Result<()> {
        let path = self.source.path();
        if self.is_followed() {
            let sender = self.sender.clone();
            let keep_alive = KeepAlive::default();
            let file = FollowedFile::open(path, move || keep_alive.is_alive(&sender))?;
            let mut file = Tail(file.until_rewritten());
            reader::read_serial(&mut file, &self.options, sink)?;
        } else {
            reader::read_serial(&mut self.source.open()?, &self.options, sink)?;
        }
        sink.before_wait()
    }

    fn is_followed(&self) -> bool {
        let path = self.source.path();
        // A document is written as a whole.
        let is_document = path.extension().is_some_and(|extension| extension == "json");
        self.source.is_one_file() && !is_document && !is_compressed(path)
    }

    /// Waits until a session that was read as a whole has changed.
    fn wait_for_change(&self, written: Option<SystemTime>) -> io::Result<()> {
        let keep_alive = KeepAlive::default();
        while self.source.modified() == written {
            if !keep_alive.is_alive(&self.sender) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Sends a part of the stream, when the client has read enough of what was sent.
    fn send(&self, event: impl Into<Bytes>) -> io::Result<()> {
        let sent = self.sender.blocking_send(event.into());
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// A growing file, of which events are sent when its end is reached.
struct Tail(FollowedFile);

impl Input for Tail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }

    fn ready(&self) -> bool {
        self.0.has_more()
    }

    fn is_file(&self) -> bool {
        true
    }
}

/// Sends comments to a client that has no news.
struct KeepAlive(std::cell::Cell<Instant>);

impl Default for KeepAlive {
    fn default() -> Self {
        Self(std::cell::Cell::new(Instant::now()))
    }
}

impl KeepAlive {
    /// Returns whether the client is there.
    fn is_alive(&self, sender: &Sender<Bytes>) -> bool {
        if self.0.get().elapsed() > KEEP_ALIVE {
            self.0.set(Instant::now());
            // A full queue has news.
            let _ = sender.try_send(Bytes::from_static(b": \n\n"));
        }
        !sender.is_closed()
    }
}

/// Turns lines into events.
struct FeedSink<'a> {
    fold: PageFold,
    outbox: Outbox<'a>,
    /// The header that was sent last.
    header: Vec<u8>,
    has_lines: bool,
    is_current: bool,
}

impl<'a> FeedSink<'a> {
    fn new(feed: &'a Feed, known: Position) -> Self {
        let written = feed.source.modified().unwrap_or_else(SystemTime::now);
        let detector = feed.options.redactor.is_none().then(Redactor::default);
        let harness = feed.options.decode.harness;
        Self {
            fold: PageFold::new(harness, written, Granularity::Line, detector),
            outbox: Outbox {
                feed,
                known,
                position: Position::START,
                is_same: known == Position::START,
                batch: Vec::new(),
                json: Vec::new(),
            },
            header: Vec::new(),
            has_lines: true,
            is_current: false,
        }
    }

    /// Sends the header if it has changed.
    fn send_header(&mut self) -> io::Result<()> {
        let feed = self.outbox.feed;
        let (name, secrets) = (feed.source.name(), self.fold.secrets());
        let header = RunHeader {
            source: &name,
            run: self.fold.run(),
            prices: &feed.prices,
            secrets: secrets.as_deref(),
        };
        let mut json = Vec::new();
        header.write(&mut json);
        if json == self.header {
            return Ok(());
        }
        feed.send([b"event: header\ndata: ".as_slice(), &json, b"\n\n"].concat())?;
        self.header = json;
        Ok(())
    }
}

impl LineSink for FeedSink<'_> {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.has_lines = true;
        self.fold.line(line, number, &mut self.outbox)
    }

    fn before_wait(&mut self) -> io::Result<()> {
        if !self.outbox.is_same {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if !std::mem::take(&mut self.has_lines) {
            return Ok(());
        }
        self.outbox.send()?;
        self.send_header()?;
        if !std::mem::replace(&mut self.is_current, true) {
            self.outbox.feed.send("event: current\ndata: null\n\n")?;
        }
        Ok(())
    }
}

/// Collects changes and sends those that the client lacks.
struct Outbox<'a> {
    feed: &'a Feed,
    /// What the client has already.
    known: Position,
    /// What has been read.
    position: Position,
    /// Whether the run starts with what the client has.
    is_same: bool,
    /// Changes that are not sent yet.
    batch: Vec<u8>,
    /// Memory for one change.
    json: Vec<u8>,
}

impl Outbox<'_> {
    fn send(&mut self) -> io::Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let Position { count, hash } = self.position;
        let mut event = format!("event: changes\nid: {count}-{hash:x}\ndata: [").into_bytes();
        event.append(&mut self.batch);
        event.extend_from_slice(b"]\n\n");
        self.feed.send(event)
    }
}

impl ChangeSink for Outbox<'_> {
    fn change(&mut self, change: &PageChange<'_>) -> io::Result<()> {
        self.json.clear();
        write_change(&mut self.json, change);
        self.position.add(&self.json);
        if !self.is_same {
            self.is_same = self.position == self.known;
            return Ok(());
        }
        if !self.batch.is_empty() {
            self.batch.push(b',');
        }
        self.batch.extend_from_slice(&self.json);
        if self.batch.len() > EVENT_SIZE { self.send() } else { Ok(()) }
    }
}
