//! How many tools were called, and which calls were denied.

use std::collections::HashSet;
use std::convert::Infallible;
use std::hash::{BuildHasher, RandomState};

use super::tools::ToolPairing;
use crate::event::{Event, ToolStatus};
use crate::harness::Record;

/// Maximum number of calls whose denial is listed.
const MAX_LISTED: usize = 1000;

/// Maximum number of calls whose end can be corrected.
const MAX_PROVISIONAL: usize = 1 << 16;

/// Numbers of tool calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCounts {
    /// All calls.
    pub calls: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Calls that were denied.
    pub denied: u64,
}

impl ToolCounts {
    /// Returns the sums of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            failed: self.failed + other.failed,
            denied: self.denied + other.denied,
        }
    }
}

/// A tool call that was denied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeniedCall {
    /// The tool.
    pub name: Option<String>,
    /// The id of the call.
    pub id: Option<String>,
}

/// Counts the tool calls of a run.
#[derive(Debug)]
pub(super) struct ToolStats {
    pairing: ToolPairing,
    tally: Tally,
}

/// What is known about the calls that have ended or were denied.
#[derive(Debug, Default)]
struct Tally {
    counts: ToolCounts,
    denied: Vec<DeniedCall>,
    /// Hashes of the ids of denied calls, and of failed calls, which may turn out to have
    /// been denied.
    denied_ids: HashSet<u64>,
    failed_ids: HashSet<u64>,
    /// Hashes of the ids of calls that succeeded as far as is known, at most
    /// [`MAX_PROVISIONAL`].
    provisional_ids: HashSet<u64>,
    hasher: RandomState,
}

impl Default for ToolStats {
    fn default() -> Self {
        Self { pairing: ToolPairing::default().counting(), tally: Tally::default() }
    }
}

impl ToolStats {
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        let Self { pairing, tally } = self;
        let Ok(()) = pairing.apply(record, |outcome| {
            let (name, id) = (outcome.call.name.as_deref(), outcome.call.id.as_deref());
            tally.ended(name, id, outcome.status);
            if outcome.result.is_some_and(|result| result.is_provisional) {
                tally.provisional(id, outcome.status);
            }
            Ok::<_, Infallible>(())
        });
        for event in record.events {
            match event {
                Event::Denied { tool_id, name, .. } => tally.denied(*name, *tool_id),
                Event::ToolStatus { tool_id, status, .. } => tally.corrected(*tool_id, *status),
                Event::Finished(finished) => {
                    for denial in &finished.denials {
                        tally.denied(denial.name, denial.tool_id);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the counts. Calls without a result are included.
    pub(super) fn counts(&self) -> ToolCounts {
        let calls = self.tally.counts.calls + self.pairing.pending_count() as u64;
        ToolCounts { calls, ..self.tally.counts }
    }

    /// Returns the calls that were denied.
    pub(super) fn denied(&self) -> &[DeniedCall] {
        &self.tally.denied
    }
}

impl Tally {
    fn ended(&mut self, name: Option<&str>, id: Option<&str>, status: ToolStatus) {
        self.counts.calls += 1;
        self.count(name, id, status);
    }

    fn count(&mut self, name: Option<&str>, id: Option<&str>, status: ToolStatus) {
        match status {
            ToolStatus::Denied => self.denied(name, id),
            ToolStatus::Failed => {
                self.counts.failed += 1;
                self.failed_ids.extend(id.map(|id| self.hasher.hash_one(id)));
            }
            ToolStatus::Completed | ToolStatus::Pending => {}
        }
    }

    /// Remembers a call whose end may be reported in another way.
    fn provisional(&mut self, id: Option<&str>, status: ToolStatus) {
        if self.provisional_ids.len() == MAX_PROVISIONAL {
            self.provisional_ids.clear();
        }
        if status == ToolStatus::Completed {
            self.provisional_ids.extend(id.map(|id| self.hasher.hash_one(id)));
        }
    }

    /// Counts how a call ended that had been counted as a success.
    fn corrected(&mut self, id: Option<&str>, status: ToolStatus) {
        let hash = id.map(|id| self.hasher.hash_one(id));
        if hash.is_some_and(|hash| self.provisional_ids.remove(&hash)) {
            self.count(None, id, status);
        }
    }

    /// Lists a denied call, once. Some releases report a denied call as failed, and its
    /// denial only at the end of the run.
    fn denied(&mut self, name: Option<&str>, id: Option<&str>) {
        let hash = id.map(|id| self.hasher.hash_one(id));
        if hash.is_some_and(|hash| !self.denied_ids.insert(hash)) {
            return;
        }
        let was_failed = hash.is_some_and(|hash| self.failed_ids.remove(&hash));
        self.counts.failed -= u64::from(was_failed);
        self.counts.denied += 1;
        if self.denied.len() < MAX_LISTED {
            let [name, id] = [name, id].map(|text| text.map(str::to_owned));
            self.denied.push(DeniedCall { name, id });
        }
    }
}
