//! A thread whose total grows, and how much of the growth is its own.
//!
//! A fork or a subagent may start with its parent's history, totals included.
//! Ids of threads and turns start with their creation time (version 7 UUIDs), so a
//! turn that is older than its thread belongs to the parent. Before turns had ids,
//! such history was written at once when the thread started, after the parent's
//! description.

use jiff::{SignedDuration, Timestamp};

use super::key::stable_hash;
use crate::codec::{Bytes, Codec, codec_struct};
use crate::event::Tokens;
use crate::harness::Record;

#[derive(Debug, Default)]
pub(super) struct ThreadTotals {
    /// Index of the model.
    pub(super) model: usize,
    id: Option<String>,
    /// When the thread started; later, when the parent's history was last written.
    started: Option<Timestamp>,
    has_parent: bool,
    /// Whether the parent's description has been read.
    is_after_parent: bool,
    turn: Option<TurnOwner>,
    total: Option<Tokens>,
    /// How often the total has restarted.
    resets: u32,
    has_totals: bool,
}

/// Lines that are written at once are not further apart.
const BURST: SignedDuration = SignedDuration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnOwner {
    Thread,
    Parent,
}

codec_struct!(ThreadTotals {
    model,
    id,
    started,
    has_parent,
    is_after_parent,
    turn,
    total,
    resets,
    has_totals,
});

impl Codec for TurnOwner {
    fn encode(&self, to: &mut Vec<u8>) {
        (*self == Self::Thread).encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some(if bool::decode(from)? { Self::Thread } else { Self::Parent })
    }
}

impl ThreadTotals {
    /// Reads the description of a thread; the first one is the file's own.
    pub(super) fn start(&mut self, record: &Record<'_>, has_parent: bool) {
        match (&self.id, record.session_id) {
            (None, Some(id)) => {
                self.id = Some(id.to_owned());
                self.has_parent = has_parent;
                self.started = record.time();
            }
            (Some(own), Some(other)) if own != other => self.is_after_parent = true,
            _ => {}
        }
    }

    /// Starts a turn.
    pub(super) fn start_turn(&mut self, id: Option<&str>) {
        let own = self.id.as_deref().unwrap_or_default();
        if let Some(id) = id.filter(|_| self.turn != Some(TurnOwner::Thread)) {
            self.turn = Some(if id < own { TurnOwner::Parent } else { TurnOwner::Thread });
        }
    }

    /// Returns the id of the thread.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns whether the file contains totals.
    pub(super) fn has_totals(&self) -> bool {
        self.has_totals
    }

    /// Returns how much a total has grown by the thread itself.
    pub(super) fn growth(
        &mut self,
        record: &Record<'_>,
        total: &Tokens,
        last: Option<&Tokens>,
    ) -> Option<Tokens> {
        self.has_totals = true;
        let before = self.total.replace(*total);
        if self.is_history(record.time()) {
            return None;
        }
        let growth = match before {
            // The total starts at the parent's, which is unknown.
            None if self.has_parent => *last.unwrap_or(total),
            None => *total,
            Some(before) if before.input > total.input || before.output > total.output => {
                self.resets += 1;
                *last.unwrap_or(total)
            }
            Some(before) => total.without(&before),
        };
        (growth.total() > 0).then_some(growth)
    }

    /// Returns an id for a total that is the same in every copy of the thread.
    pub(super) fn state_id(&self, total: &Tokens) -> u64 {
        let counts = [Some(total.input), Some(total.output), total.cache_read, total.reasoning];
        // An unknown count differs from zero.
        let counts = counts.map(|count| count.unwrap_or(u64::MAX)).map(u64::to_le_bytes);
        let id = self.id.as_deref().unwrap_or_default();
        stable_hash(&[id.as_bytes(), &self.resets.to_le_bytes(), &counts.concat()])
    }

    /// Returns whether a total written at this time is the parent's history.
    fn is_history(&mut self, at: Option<Timestamp>) -> bool {
        match (self.turn, self.started, at) {
            _ if !self.has_parent => false,
            (Some(turn), ..) => turn == TurnOwner::Parent,
            (None, Some(started), Some(at)) if at < started => true,
            (None, Some(started), Some(at)) if self.is_after_parent => {
                let is_burst = at.duration_since(started) <= BURST;
                if is_burst {
                    self.started = Some(at);
                }
                is_burst
            }
            _ => false,
        }
    }
}
