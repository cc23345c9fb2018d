//! What was read from sessions, remembered between runs, so that only what is new is read.
//!
//! The index has an entry per session, whose content is opaque here: the caller encodes
//! what it counted. A session is found by its path and recognised by the state of its files
//! (`stamp`); one that has grown is recognised by bytes before the place up to which it was
//! read (`sample`), and continues there. Anything else is read again.
//!
//! Losing the index loses nothing but time, except for the entries of deleted files that
//! are kept on request. So a problem of the index is a note, never an error.

#[cfg(feature = "store")]
mod database;
#[cfg(not(feature = "store"))]
#[path = "no_database.rs"]
mod database;
mod digests;
mod entry;
mod recalled;
mod sample;
mod searched;
mod stamp;
mod states;

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::reader::ReaderOptions;
use crate::sessions::{SessionInput, SessionSource};
use database::Database;
use entry::{IndexEntry, IndexRow};
use searched::SearchedFolders;
use stamp::{Stamp, hash};

pub(crate) use digests::Digests;
pub(crate) use recalled::Recalled;
pub(crate) use states::SessionStates;

/// Entries that are written in one transaction.
const BATCH: usize = 128;

/// Below this many sessions, each is looked up instead of reading the whole index.
const MAX_LOOKUPS: usize = 64;

/// Which sessions are remembered, and how.
pub(crate) struct IndexOptions<'a> {
    /// The folders that were searched. Sessions elsewhere are not remembered.
    pub(crate) folders: &'a [PathBuf],
    /// Whether `folders` were searched completely, so that what was not found is deleted.
    pub(crate) is_complete: bool,
    /// Whether everything is read again.
    pub(crate) rebuilds: bool,
    /// Whether the entries of deleted files are kept.
    pub(crate) keeps: bool,
}

/// The index, open for one run of the program.
pub(crate) struct Index {
    database: Mutex<Database>,
    /// The rows of sessions that exist.
    rows: HashMap<Vec<u8>, IndexRow>,
    /// The rows of other sessions in the folders.
    missing: Vec<(Vec<u8>, IndexRow)>,
    /// Rows to write.
    pending: Mutex<Vec<(Vec<u8>, IndexRow)>>,
    /// The first problem with writing.
    problem: Mutex<Option<io::Error>>,
    folders: SearchedFolders,
    /// A hash of the options that affect what is counted.
    options: u64,
    rebuilds: bool,
    keeps: bool,
}

impl Index {
    /// Opens the index of the user for these sessions; `None` if the user has none.
    pub(crate) fn open(
        options: &IndexOptions<'_>,
        reader: &ReaderOptions,
        sources: &[SessionSource],
    ) -> io::Result<Option<Self>> {
        // What is masked depends on the environment, which changes.
        let path = location();
        let Some(path) = path.filter(|_| reader.redactor.is_none() && database::EXISTS) else {
            return Ok(None);
        };
        let folders = SearchedFolders::new(options.folders);
        let keys: HashSet<Vec<u8>> =
            sources.iter().filter_map(|source| folders.key(source)).collect();
        let few: Option<Vec<_>> = (keys.len() <= MAX_LOOKUPS && !options.is_complete)
            .then(|| keys.iter().cloned().collect());
        private_folder(&path)?;
        let (database, (rows, missing)) = Database::open(&path, |database| {
            let (mut rows, mut missing) = (HashMap::with_capacity(keys.len()), Vec::new());
            database.read(few.as_deref(), |key, row| {
                if keys.contains(key) {
                    rows.insert(key.to_vec(), row());
                } else if options.is_complete && folders.contains(key) {
                    missing.push((key.to_vec(), row()));
                }
            })?;
            Ok((rows, missing))
        })?;
        Ok(Some(Self {
            database: Mutex::new(database),
            rows,
            missing,
            pending: Mutex::default(),
            problem: Mutex::default(),
            folders,
            options: options_hash(reader),
            rebuilds: options.rebuilds,
            keeps: options.keeps,
        }))
    }

    /// Returns what is known about a session; `None` if it cannot be remembered.
    pub(crate) fn recall(&self, source: &SessionSource) -> Option<Recalled<'_>> {
        Recalled::new(self, source)
    }

    /// Ends the run: writes what is left to write and forgets deleted files. Returns what
    /// was kept of deleted files, each with its path, if that was requested.
    pub(crate) fn finish(
        mut self,
        sources: &[SessionSource],
    ) -> (Vec<(PathBuf, Vec<u8>)>, io::Result<()>) {
        let mut kept = Vec::new();
        let mut removed = Vec::new();
        for (key, row) in std::mem::take(&mut self.missing) {
            let entry = IndexEntry::unseal(&row.entry).filter(|_| row.is_kept || self.keeps);
            match entry.filter(|entry| !was_moved(entry, sources)) {
                None => removed.push(key),
                Some(entry) if self.keeps => kept.push((path_of(&key), entry.content.to_vec())),
                Some(_) => {}
            }
        }
        self.write(&removed);
        if self.keeps {
            let keys = sources.iter().filter_map(|source| self.folders.key(source));
            let keys: Vec<_> = keys.collect();
            self.try_write(|database| database.keep(&keys));
        }
        let problem = lock(&self.problem).take();
        (kept, problem.map_or(Ok(()), Err))
    }

    fn remember(&self, key: Vec<u8>, row: IndexRow) {
        let mut pending = lock(&self.pending);
        pending.push((key, row));
        let is_full = pending.len() >= BATCH;
        drop(pending);
        if is_full {
            self.write(&[]);
        }
    }

    fn write(&self, removed: &[Vec<u8>]) {
        let mut rows = std::mem::take(&mut *lock(&self.pending));
        rows.sort_by_cached_key(|(key, _)| database::id(key));
        if !rows.is_empty() || !removed.is_empty() {
            self.try_write(|database| database.write(&rows, removed));
        }
    }

    /// After the first failure, nothing more is written.
    fn try_write(&self, write: impl FnOnce(&mut Database) -> io::Result<()>) {
        let mut problem = lock(&self.problem);
        if problem.is_none() {
            *problem = write(&mut lock(&self.database)).err();
        }
    }
}

/// Returns the file of the index.
fn location() -> Option<PathBuf> {
    let variable = |name| std::env::var(name).ok();
    // A relative path is to be ignored.
    let own = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || variable("HOME").map(PathBuf::from).filter(|home| home.is_dir());
    let default = || Some(home()?.join(".cache"));
    Some(own.or_else(default)?.join("streamj/index.sqlite"))
}

fn private_folder(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent().filter(|folder| !folder.is_dir()) else { return Ok(()) };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns a hash of the options that affect what is counted.
pub(crate) fn options_hash(reader: &ReaderOptions) -> u64 {
    let describe = |options: &dyn Debug| format!("{options:?}");
    let descriptions = reader.decode.described.iter().map(|harness| harness.definition());
    let descriptions: Vec<_> = descriptions.collect();
    hash(describe(&(reader.decode.harness, descriptions, reader.max_line)).as_bytes())
}

/// Returns whether a file that exists continues the one of an entry under another name.
fn was_moved(entry: &IndexEntry<'_>, sources: &[SessionSource]) -> bool {
    let (Some(own), Some(sample)) = (entry.stamp.single(), &entry.sample) else { return false };
    let continues = |source: &SessionSource| {
        let mut file = File::open(source.path())?;
        Ok::<_, io::Error>(sample.resume::<SessionInput>(&mut file)?.is_some())
    };
    sources.iter().any(|source| {
        let stamp = Stamp::of(&[source.path().to_owned()]).ok();
        let other = stamp.as_ref().and_then(Stamp::single);
        other.is_some_and(|other| own.is_same_file(other)) && continues(source).unwrap_or(false)
    })
}

fn path_of(key: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(key).into_owned())
}

/// A panic of another thread does not concern the index.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
