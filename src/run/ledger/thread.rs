//! A thread whose total grows, and how much of that is its own.
//!
//! A fork or a subagent may begin with its parent's history, totals included.
//! Ids of threads and turns start with the time they were made at (UUIDs of
//! version 7), so a turn that is older than its thread is the parent's. Before
//! there were ids of turns, such history was written down in one go when the
//! thread began, behind what the parent said of itself.

use jiff::{SignedDuration, Timestamp};

use super::{Packet, Tokens, hash, time_of};

#[derive(Debug, Default)]
pub(super) struct Thread {
    /// The place of its model.
    pub(super) model: usize,
    id: Option<String>,
    /// When it began; then, when the parent's history was last written to.
    began: Option<Timestamp>,
    has_parent: bool,
    /// The parent has described itself.
    parent_told: bool,
    turn: Option<Turn>,
    total: Option<Tokens>,
    /// How often the total has begun anew.
    resets: u32,
    counted: bool,
}

/// Lines that are written in one go are not farther apart.
const ONE_GO: SignedDuration = SignedDuration::from_secs(1);

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
                self.began = time_of(packet);
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

    /// Its id.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
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
        if self.is_history(time_of(packet)) {
            return None;
        }
        let growth = match before {
            // It starts where its parent was, which nobody has said.
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

    /// What a total stands for, the same in every copy of the thread.
    pub(super) fn state_id(&self, total: &Tokens) -> u64 {
        let counts = (total.input, total.output, total.cache_read, total.reasoning);
        hash((self.id.as_deref(), self.resets, counts)).max(1)
    }

    fn is_history(&mut self, at: Option<Timestamp>) -> bool {
        match (self.turn, self.began, at) {
            _ if !self.has_parent => false,
            (Some(turn), ..) => turn == Turn::Parents,
            (None, Some(began), Some(at)) if at < began => true,
            (None, Some(began), Some(at)) if self.parent_told => {
                let in_one_go = at.duration_since(began) <= ONE_GO;
                if in_one_go {
                    self.began = Some(at);
                }
                in_one_go
            }
            _ => false,
        }
    }
}
