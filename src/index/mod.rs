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
mod sample;
mod stamp;

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::codec::{Bytes, Codec};
use crate::reader::ReaderOptions;
use crate::sessions::{SessionInput, SessionSource};
use database::Database;
use sample::Sample;
use stamp::{Stamp, hash, key};

pub(crate) use sample::SampledInput;

/// Entries that are written in one transaction.
const BATCH: usize = 512;

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
    /// Rows that have not been asked for.
    rows: Mutex<HashMap<Vec<u8>, Row>>,
    /// Rows to write.
    pending: Mutex<Vec<(Vec<u8>, Row)>>,
    /// Keys of sessions that exist.
    present: Mutex<HashMap<Vec<u8>, Stamp>>,
    /// The first problem with writing.
    problem: Mutex<Option<io::Error>>,
    /// How the keys of sessions in the folders start.
    prefixes: Vec<Vec<u8>>,
    /// A hash of the options that affect what is counted.
    options: u64,
    is_complete: bool,
    keeps: bool,
}

/// A row of the table.
struct Row {
    /// Whether it stays when the file is deleted.
    is_kept: bool,
    /// A sealed [`Entry`].
    entry: Vec<u8>,
    /// Sealed bytes of the caller.
    details: Option<Vec<u8>>,
}

/// What is remembered of a session.
struct Entry {
    options: u64,
    stamp: Stamp,
    /// Where reading can continue.
    sample: Option<Sample>,
    content: Vec<u8>,
}

impl Codec for Entry {
    fn encode(&self, to: &mut Vec<u8>) {
        self.options.encode(to);
        self.stamp.encode(to);
        self.sample.encode(to);
        to.extend_from_slice(&self.content);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let (options, stamp) = (Codec::decode(from)?, Codec::decode(from)?);
        let sample = Codec::decode(from)?;
        Some(Self { options, stamp, sample, content: from.take_rest().to_vec() })
    }
}

impl Index {
    /// Opens the index of the user for these sessions; `None` if the user has none.
    pub(crate) fn open(
        options: &IndexOptions<'_>,
        reader: &ReaderOptions,
        sources: &[SessionSource],
    ) -> io::Result<Option<Self>> {
        // What is masked depends on the environment, which changes.
        let path = location(&|name| std::env::var(name).ok());
        let Some(path) = path.filter(|_| reader.redactor.is_none() && database::EXISTS) else {
            return Ok(None);
        };
        let absolute = |folder: &PathBuf| {
            let mut prefix = key(&folder.to_string_lossy());
            let separator = u8::try_from(MAIN_SEPARATOR).unwrap_or(b'/');
            if prefix.last() != Some(&separator) {
                prefix.push(separator);
            }
            prefix
        };
        let prefixes: Vec<_> = options.folders.iter().map(absolute).collect();
        let keys: HashSet<Vec<u8>> = sources.iter().map(|source| key(&source.name())).collect();
        let is_needed =
            |key: &[u8]| keys.contains(key) || prefixes.iter().any(|start| key.starts_with(start));
        let few: Vec<_> = keys.iter().take(MAX_LOOKUPS).cloned().collect();
        let has_few = keys.len() <= MAX_LOOKUPS && !options.is_complete;
        private_folder(&path)?;
        let (database, rows) = Database::open(&path, |database| {
            let mut rows = HashMap::with_capacity(keys.len());
            database.read(has_few.then_some(&few), |key, row| {
                if is_needed(key) {
                    rows.insert(key.to_vec(), row());
                }
            })?;
            Ok(rows)
        })?;
        let mut rows = rows;
        if options.rebuilds {
            // What was kept of a deleted file cannot be read again.
            rows.retain(|key, row| row.is_kept && !keys.contains(key));
        }
        Ok(Some(Self {
            database: Mutex::new(database),
            rows: Mutex::new(rows),
            pending: Mutex::default(),
            present: Mutex::default(),
            problem: Mutex::default(),
            prefixes,
            options: options_hash(reader),
            is_complete: options.is_complete,
            keeps: options.keeps,
        }))
    }

    /// Returns what is known about a session; `None` if it cannot be remembered.
    pub(crate) fn recall(&self, source: &SessionSource) -> Option<Recalled<'_>> {
        let key = key(&source.name());
        if !self.prefixes.iter().any(|prefix| key.starts_with(prefix)) {
            return None;
        }
        let now = SystemTime::now();
        let row = lock(&self.rows).remove(&key);
        let stamp = Stamp::of(&source.files()).ok();
        if let Some(stamp) = &stamp {
            lock(&self.present).insert(key.clone(), stamp.clone());
        }
        let stamp = stamp?;
        let is_kept = row.as_ref().is_some_and(|row| row.is_kept);
        let details =
            row.as_ref().and_then(|row| unseal(row.details.as_ref()?)).map(<[u8]>::to_vec);
        let entry = row.and_then(|row| Entry::decode(&mut Bytes::new(unseal(&row.entry)?, &[])));
        let entry = entry.filter(|entry| entry.options == self.options);
        let is_settled = stamp.is_settled(now);
        Some(Recalled { index: self, key, stamp, is_settled, is_kept, entry, details })
    }

    /// Ends the run: writes what is left to write and forgets deleted files. Returns what
    /// was kept of deleted files, each with its path, if that was requested.
    pub(crate) fn finish(self) -> (Vec<(PathBuf, Vec<u8>)>, io::Result<()>) {
        let mut kept = Vec::new();
        let mut removed = Vec::new();
        let present = std::mem::take(&mut *lock(&self.present));
        let missing = std::mem::take(&mut *lock(&self.rows));
        for (key, row) in missing.into_iter().filter(|_| self.is_complete) {
            let entry = unseal(&row.entry).map(|bytes| Bytes::new(bytes, &[]));
            let entry = entry.and_then(|mut bytes| Entry::decode(&mut bytes));
            let stays = (row.is_kept || self.keeps)
                && entry.as_ref().is_some_and(|entry| !was_moved(entry, &present));
            if !stays {
                removed.push(key);
            } else if let Some(entry) = entry.filter(|_| self.keeps) {
                kept.push((path_of(&key), entry.content));
            }
        }
        if self.keeps {
            let keys: Vec<_> = present.into_keys().collect();
            self.try_write(|database| database.keep(&keys));
        }
        self.write(&removed);
        let problem = lock(&self.problem).take();
        (kept, problem.map_or(Ok(()), Err))
    }

    fn remember(&self, key: Vec<u8>, row: Row) {
        let mut pending = lock(&self.pending);
        pending.push((key, row));
        let is_full = pending.len() >= BATCH;
        drop(pending);
        if is_full {
            self.write(&[]);
        }
    }

    fn write(&self, removed: &[Vec<u8>]) {
        let rows = std::mem::take(&mut *lock(&self.pending));
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

/// What is known about a session.
pub(crate) struct Recalled<'i> {
    index: &'i Index,
    key: Vec<u8>,
    stamp: Stamp,
    is_settled: bool,
    is_kept: bool,
    entry: Option<Entry>,
    details: Option<Vec<u8>>,
}

impl<'i> Recalled<'i> {
    /// Returns what is remembered, if the session has not changed.
    pub(crate) fn unchanged(&self) -> Option<&[u8]> {
        let entry = self.entry.as_ref().filter(|entry| entry.stamp == self.stamp)?;
        Some(&entry.content)
    }

    /// Returns what else is remembered, if the session has not changed.
    pub(crate) fn unchanged_details(&self) -> Option<&[u8]> {
        self.unchanged().and(self.details.as_deref())
    }

    /// Returns when the main file was modified.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.stamp.files.first()?.as_ref()?.modified()
    }

    /// Returns what is remembered of the lines that the session may have had before it grew.
    pub(crate) fn before(&self) -> Option<&[u8]> {
        let entry = self.entry.as_ref()?;
        let (before, now) = (entry.stamp.single()?, self.stamp.single()?);
        let offset = entry.sample.as_ref()?.offset;
        let has_grown = before.is_same_file(now) && now.size > before.size && now.size >= offset;
        has_grown.then_some(&entry.content)
    }

    /// Opens the session: behind the lines it had [before](Self::before) if `resumes` and if
    /// they have not changed, else at its start.
    pub(crate) fn open(self, source: &SessionSource, resumes: bool) -> io::Result<Reading<'i>> {
        let Self { index, key, stamp, is_settled, is_kept, entry, .. } = self;
        let sample = entry.and_then(|entry| entry.sample).filter(|_| resumes);
        let resumed = sample.map(|sample| {
            let mut file = File::open(source.path())?;
            let resume = sample.resume(&mut file)?;
            Ok::<_, io::Error>(resume.map(|resume| resume(source.continue_from(file))))
        });
        let resumed = resumed.and_then(|resumed| resumed.ok().flatten());
        let is_resumed = resumed.is_some();
        let input = match resumed {
            Some(input) => input,
            None => SampledInput::new(source.open()?),
        };
        Ok(Reading { index, key, stamp, is_settled, is_kept, input, is_resumed })
    }
}

/// A session that is being read.
pub(crate) struct Reading<'i> {
    index: &'i Index,
    key: Vec<u8>,
    stamp: Stamp,
    is_settled: bool,
    is_kept: bool,
    pub(crate) input: SampledInput<SessionInput>,
    /// Whether it is read behind the lines that are remembered.
    pub(crate) is_resumed: bool,
}

impl Reading<'_> {
    /// Remembers what was read. `can_resume` states that `content` can be continued with
    /// further lines.
    pub(crate) fn remember(self, content: Vec<u8>, can_resume: bool, details: Option<&[u8]>) {
        // A later change might go unnoticed.
        if !self.is_settled {
            return;
        }
        let sample = self.input.sample().filter(|_| can_resume && self.input.get_ref().is_plain());
        let entry = Entry { options: self.index.options, stamp: self.stamp, sample, content };
        let mut bytes = Vec::new();
        entry.encode(&mut bytes);
        let row = Row { is_kept: self.is_kept, entry: seal(&bytes), details: details.map(seal) };
        self.index.remember(self.key, row);
    }
}

/// Returns the file of the index.
fn location(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    // A relative path is to be ignored.
    let own = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let default =
        || Some(PathBuf::from(variable("HOME").filter(|home| !home.is_empty())?).join(".cache"));
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
fn options_hash(reader: &ReaderOptions) -> u64 {
    let describe = |options: &dyn Debug| format!("{options:?}");
    let descriptions = reader.decode.described.iter().map(|harness| harness.definition());
    let descriptions: Vec<_> = descriptions.collect();
    hash(describe(&(reader.decode.harness, descriptions, reader.max_line)).as_bytes())
}

/// Returns whether a file that exists continues the one of an entry under another name.
fn was_moved(entry: &Entry, present: &HashMap<Vec<u8>, Stamp>) -> bool {
    let (Some(own), Some(sample)) = (entry.stamp.single(), &entry.sample) else { return false };
    let continues = |path: &Path| {
        let mut file = File::open(path)?;
        Ok::<_, io::Error>(sample.resume::<SessionInput>(&mut file)?.is_some())
    };
    present.iter().any(|(key, stamp)| {
        let is_same = stamp.single().is_some_and(|other| own.is_same_file(other));
        is_same && continues(&path_of(key)).unwrap_or(false)
    })
}

fn path_of(key: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(key).into_owned())
}

/// Returns bytes with a checksum before them.
fn seal(bytes: &[u8]) -> Vec<u8> {
    [&hash(bytes).to_le_bytes(), bytes].concat()
}

/// Returns bytes without their checksum, if that is right.
fn unseal(sealed: &[u8]) -> Option<&[u8]> {
    let mut bytes = Bytes::new(sealed, &[]);
    let checksum = bytes.take_fixed()?;
    let rest = bytes.take_rest();
    (hash(rest) == checksum).then_some(rest)
}

/// A panic of another thread does not concern the index.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
