//! A thread whose total grows, and how much of that is its own.
//!
//! A fork or a subagent may begin with its parent's history, totals included.
//! Ids of threads and turns start with the time they were made at (UUIDs of
//! version 7), so a turn that is older than its thread is the parent's. Before
//! there were ids of turns, such history was written down all at once when the
//! thread began, behind what the parent said of itself.

use super::{Packet, Tokens, hash};

#[derive(Debug, Default)]
pub(super) struct Thread {
    /// The place of its model.
    pub(super) model: usize,
    id: Option<String>,
    /// When it began, as it is spelled.
    began: String,
    has_parent: bool,
    /// The parent has described itself.
    parent_told: bool,
    turn: Option<Turn>,
    total: Option<Tokens>,
    counted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Own,
    Parents,
}

impl Thread {
    /// A thread describes itself; the first to do so is the file's.
    pub(super) fn begins(&mut self, packet: &Packet<'_>, has_parent: bool) {
        match (&self.id, packet.session_id) {
            (None, Some(id)) => {
                self.id = Some(id.to_owned());
                self.has_parent = has_parent;
                packet.timestamp.unwrap_or_default().clone_into(&mut self.began);
            }
            (Some(own), Some(other)) if own != other => self.parent_told = true,
            _ => {}
        }
    }

    /// A turn starts.
    pub(super) fn turn(&mut self, id: Option<&str>) {
        let own = self.id.as_deref().unwrap_or_default();
        if let Some(id) = id.filter(|_| self.turn != Some(Turn::Own)) {
            self.turn = Some(if id < own { Turn::Parents } else { Turn::Own });
        }
    }

    /// Whether a total was told.
    pub(super) fn is_counted(&self) -> bool {
        self.counted
    }

    /// How much a total has grown by what the thread itself did.
    pub(super) fn growth(
        &mut self,
        packet: &Packet<'_>,
        total: &Tokens,
        last: Option<&Tokens>,
    ) -> Option<Tokens> {
        self.counted = true;
        let before = self.total.replace(*total);
        if self.is_history(packet.timestamp.unwrap_or_default()) {
            return None;
        }
        let growth = match before {
            // It starts where its parent was, which nobody has said.
            None if self.has_parent => *last.unwrap_or(total),
            None => *total,
            Some(before) if before.input > total.input || before.output > total.output => {
                *last.unwrap_or(total)
            }
            Some(before) => total.without(&before),
        };
        (growth.total() > 0).then_some(growth)
    }

    /// What a total stands for, the same in every copy of the thread.
    pub(super) fn state_id(&self, total: &Tokens) -> u64 {
        let counts = (total.input, total.output, total.cache_read, total.reasoning);
        hash((self.id.as_deref(), counts)).max(1)
    }

    fn is_history(&self, timestamp: &str) -> bool {
        /// Seconds are enough: `2026-11-15T23:24:21`.
        const SECONDS: usize = 19;
        let second = |time: &str| time.get(..SECONDS).unwrap_or_default().to_owned();
        match self.turn {
            _ if !self.has_parent => false,
            Some(turn) => turn == Turn::Parents,
            None if timestamp < self.began.as_str() => true,
            None => self.parent_told && second(timestamp) == second(&self.began),
        }
    }
}
