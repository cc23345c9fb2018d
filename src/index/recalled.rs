//! What is known about one session, and reading the rest of it.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use super::entry::{IndexEntry, IndexRow, seal};
use super::sample::SampledInput;
use super::stamp::Stamp;
use super::{Index, entry};
use crate::sessions::{SessionInput, SessionSource};

/// What is known about a session.
pub(crate) struct Recalled<'i> {
    index: &'i Index,
    key: Vec<u8>,
    stamp: Stamp,
    /// Whether every further change changes the stamp.
    is_settled: bool,
    is_kept: bool,
    entry: Option<IndexEntry<'i>>,
    details: Option<&'i [u8]>,
}

impl<'i> Recalled<'i> {
    /// Returns what is known about a session; `None` if it cannot be remembered.
    pub(super) fn new(index: &'i Index, source: &SessionSource) -> Option<Self> {
        let key = index.folders.key(source)?;
        let now = SystemTime::now();
        let stamp = Stamp::of(&source.files()).ok()?;
        let row = index.rows.get(&key);
        let is_kept = row.is_some_and(|row| row.is_kept);
        let row = row.filter(|_| !index.rebuilds);
        let entry = row.and_then(|row| IndexEntry::unseal(&row.entry));
        let entry = entry.filter(|entry| entry.options == index.options);
        let details = row.and_then(|row| entry::unseal(row.details.as_ref()?));
        let is_settled = stamp.is_settled(now);
        Some(Self { index, key, stamp, is_settled, is_kept, entry, details })
    }

    /// Returns what is remembered, if the session has not changed.
    pub(crate) fn unchanged(&self) -> Option<&'i [u8]> {
        let entry = self.entry.as_ref().filter(|entry| entry.stamp == self.stamp)?;
        Some(entry.content)
    }

    /// Returns what else is remembered, if the session has not changed.
    pub(crate) fn unchanged_details(&self) -> Option<&'i [u8]> {
        self.unchanged().and(self.details)
    }

    /// Returns when the main file was modified.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.stamp.files.first()?.as_ref()?.modified()
    }

    /// Returns what is remembered of the lines that the session may have had before it grew.
    pub(crate) fn before(&self) -> Option<&'i [u8]> {
        let entry = self.entry.as_ref()?;
        let (before, now) = (entry.stamp.single()?, self.stamp.single()?);
        let offset = entry.sample.as_ref()?.offset;
        let has_grown = before.is_same_file(now) && now.size > before.size && now.size >= offset;
        has_grown.then_some(entry.content)
    }

    /// Opens the session: behind the lines it had [before](Self::before) if `resumes` and if
    /// they have not changed, else at its start.
    pub(crate) fn open(
        self,
        source: &SessionSource,
        resumes: bool,
    ) -> io::Result<SessionReading<'i>> {
        let Self { index, key, stamp, is_settled, is_kept, entry, .. } = self;
        let sample = entry.and_then(|entry| entry.sample).filter(|_| resumes);
        let resumed = sample.map(|sample| {
            let mut file = File::open(source.path())?;
            let resume = sample.resume(&mut file)?;
            Ok::<_, io::Error>(resume.map(|resume| resume(source.continue_from(file))))
        });
        // An error is that of reading it from its start.
        let resumed = resumed.and_then(|resumed| resumed.ok().flatten());
        let is_resumed = resumed.is_some();
        let input = match resumed {
            Some(input) => input,
            None => SampledInput::new(source.open()?),
        };
        Ok(SessionReading { index, key, stamp, is_settled, is_kept, input, is_resumed })
    }
}

/// A session that is being read.
pub(crate) struct SessionReading<'i> {
    index: &'i Index,
    key: Vec<u8>,
    /// The state of the files before they were opened.
    stamp: Stamp,
    is_settled: bool,
    is_kept: bool,
    pub(crate) input: SampledInput<SessionInput>,
    /// Whether it is read behind the lines that are remembered.
    pub(crate) is_resumed: bool,
}

impl SessionReading<'_> {
    /// Remembers what was read. `can_resume` states that `content` can be continued with
    /// further lines.
    pub(crate) fn remember(self, content: &[u8], can_resume: bool, details: Option<&[u8]>) {
        // A later change might go unnoticed.
        if !self.is_settled {
            return;
        }
        let sample = self.input.sample().filter(|_| can_resume && self.input.get_ref().is_plain());
        let entry = IndexEntry { options: self.index.options, stamp: self.stamp, sample, content };
        let row =
            IndexRow { is_kept: self.is_kept, entry: entry.seal(), details: details.map(seal) };
        self.index.remember(self.key, row);
    }
}
