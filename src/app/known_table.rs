//! The table of usage that was printed last, which is valid until a session changes.

use std::fmt::Debug;
use std::path::PathBuf;

use crate::codec::codec_struct;
use crate::harness::Harness;
use crate::index::{self, Digests, SessionStates};
use crate::reader::ReaderOptions;
use crate::sessions::SessionSource;
use crate::usage::{UsageRow, UsageTotals, read_each};

/// The rows of a table, and their total.
pub(super) struct GroupedUsage {
    pub(super) rows: Vec<UsageRow>,
    pub(super) total: UsageTotals,
}

codec_struct!(GroupedUsage { rows, total });

/// Where a table is remembered.
pub(super) struct KnownTable {
    digests: Digests,
    /// A hash of the state of all sessions, taken before they are read.
    state: u64,
    described: &'static [Harness],
}

impl KnownTable {
    /// Opens the index for the table that `question` describes; `None` if there is no index,
    /// or if the sessions could change unnoticed.
    pub(super) fn open(
        question: &impl Debug,
        folders: &[PathBuf],
        sources: &[SessionSource],
        options: &ReaderOptions,
    ) -> Option<Self> {
        // What is masked depends on the environment, which changes.
        if options.redactor.is_some() {
            return None;
        }
        let state = state_of(folders, sources, options.threads)?;
        let digests = Digests::open(&(question, index::options_hash(options))).ok()??;
        Some(Self { digests, state, described: options.decode.described })
    }

    /// Returns the table, if no session has changed since.
    pub(super) fn read(&self) -> Option<GroupedUsage> {
        let (state, table): (u64, _) = self.digests.read(self.described)?;
        (self.state == state).then_some(table)
    }

    /// Remembers the table, and returns it. Without it, the next run reads the entries of
    /// all sessions.
    pub(super) fn remember(mut self, table: GroupedUsage) -> GroupedUsage {
        let digest = (self.state, table);
        let _ = self.digests.write(&digest);
        digest.1
    }
}

/// A state takes so little time that threads claim many at once.
const CHUNK: usize = 64;

/// Returns a hash of the states of all sessions, in any order.
fn state_of(folders: &[PathBuf], sources: &[SessionSource], threads: Option<usize>) -> Option<u64> {
    let states = SessionStates::new(folders);
    let sum = |hashes: Option<u64>, next: Option<u64>| Some(hashes?.wrapping_add(next?));
    let of_chunk =
        |chunk: &&[SessionSource]| chunk.iter().map(|source| states.of(source)).fold(Some(0), sum);
    let chunks: Vec<_> = sources.chunks(CHUNK).collect();
    read_each(&chunks, threads, of_chunk, || {}).into_iter().fold(Some(0), sum)
}
