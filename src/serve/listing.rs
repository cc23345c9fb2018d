//! The list of sessions, kept up to date while it is requested.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::body::Bytes;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::watch;

use crate::catalog::Catalog;
use crate::page::SessionsOverview;
use crate::reader::ReaderOptions;
use crate::sessions::{self, SessionSource};
use crate::usage::Prices;

/// Time between two checks for changed files.
const INTERVAL: Duration = Duration::from_secs(1);

/// Time after a request during which the list is kept up to date.
const KEPT: Duration = Duration::from_secs(15);

/// Reading takes at most one of so many seconds.
const SHARE: u32 = 10;

/// The sessions that are served.
pub(super) struct Listing {
    paths: Vec<PathBuf>,
    options: ReaderOptions,
    prices: Arc<Prices>,
    sources: Mutex<HashMap<String, SessionSource>>,
    requested: Mutex<Instant>,
    json: watch::Sender<Option<ListingVersion>>,
}

/// The list as it was read last.
#[derive(Clone, Default)]
pub(super) struct ListingVersion {
    /// Differs from that of every other list, also of another process.
    pub(super) id: String,
    pub(super) json: Bytes,
}

impl Listing {
    /// Starts to read the sessions on a thread of its own.
    pub(super) fn start(
        paths: Vec<PathBuf>,
        options: ReaderOptions,
        prices: Arc<Prices>,
    ) -> io::Result<Arc<Self>> {
        let listing = Arc::new(Self {
            paths,
            options,
            prices,
            sources: Mutex::default(),
            requested: Mutex::new(Instant::now()),
            json: watch::Sender::new(None),
        });
        let own = Arc::clone(&listing);
        std::thread::Builder::new().name("listing".to_owned()).spawn(move || own.keep())?;
        Ok(listing)
    }

    /// Returns the overview as JSON; waits until it has been read once.
    pub(super) async fn json(&self) -> ListingVersion {
        *lock(&self.requested) = Instant::now();
        let mut changes = self.json.subscribe();
        let read = changes.wait_for(Option::is_some).await;
        // The sender lives as long as this.
        read.ok().and_then(|json| json.clone()).unwrap_or_default()
    }

    /// Returns the source of a session that is listed.
    pub(super) fn source(&self, name: &str) -> Option<SessionSource> {
        let find = || lock(&self.sources).get(name).cloned();
        find().or_else(|| {
            // It may be newer than the list.
            self.find();
            find()
        })
    }

    /// Reads the sessions again whenever a file has changed.
    fn keep(&self) {
        let mut known = None;
        loop {
            let sources = self.find();
            let state: Vec<_> = sources.iter().map(FileState::of).collect();
            let started = Instant::now();
            if known.as_ref() != Some(&state) {
                let json = self.read(&sources);
                let id = format!("{:x}", Timestamp::now().as_nanosecond());
                self.json.send_replace(Some(ListingVersion { id, json: json.into() }));
                known = Some(state);
            }
            std::thread::sleep(INTERVAL.max(SHARE * started.elapsed()));
            while lock(&self.requested).elapsed() > KEPT {
                std::thread::sleep(INTERVAL);
            }
        }
    }

    fn find(&self) -> Vec<SessionSource> {
        // What cannot be read was reported at the start.
        let found = sessions::find(&self.paths, |_, _| {});
        let named = found.iter().map(|source| (source.name(), source.clone()));
        *lock(&self.sources) = named.collect();
        found
    }

    fn read(&self, sources: &[SessionSource]) -> Vec<u8> {
        let mut catalog = Catalog::read(sources, &self.options, &self.prices, || ());
        let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
        let overview =
            SessionsOverview { prices: &self.prices, zone: &zone, now: Timestamp::now() };
        let mut json = Vec::new();
        let runs: Vec<_> = sources.iter().map(SessionSource::name).collect();
        overview.write(&runs, &mut catalog, &mut json);
        json
    }
}

/// What shows that a file has changed.
#[derive(PartialEq, Eq)]
struct FileState {
    name: String,
    modified: Option<SystemTime>,
    size: u64,
}

impl FileState {
    fn of(source: &SessionSource) -> Self {
        Self {
            name: source.name(),
            modified: source.modified(),
            size: std::fs::metadata(source.path()).map_or(0, |file| file.len()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
