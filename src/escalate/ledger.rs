//! What is kept of a round: everything, or in a dry run nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::policy::{Decision, Judgement, Policy};
use crate::findings::Finding;
use crate::store::{Actions, Change, Entry, Start, Status, Store};

/// Where a round is kept.
pub enum Ledger {
    /// In the store.
    Kept(Store),
    /// Nowhere; the store, if there is one, is only read.
    Dry(PathBuf),
}

/// A tier's run that is over.
pub struct Ended<'a> {
    /// Its session in the store.
    pub session: i64,
    /// The number of its tier.
    pub tier: i64,
    /// What came of it.
    pub entry: &'a Entry,
}

/// The number of a session that is kept nowhere.
const NOWHERE: i64 = 0;

impl Ledger {
    /// Opens the store, unless nothing may be written.
    pub fn open(path: &Path, policy: &Policy) -> anyhow::Result<Self> {
        if !policy.dry_run {
            return Ok(Self::Kept(Store::open(path)?));
        }
        // What cannot be read should be known before anything is run.
        let dry = Self::Dry(path.to_owned());
        dry.actions(policy, &[]).map(|_| dry)
    }

    /// A round begins with its first tier. What others began, and will not finish
    /// any more, is marked.
    pub fn begin(&mut self, start: Start<'_>) -> anyhow::Result<i64> {
        match self {
            Self::Kept(store) => store.change(|change| {
                change.mark_interrupted()?;
                change.begin(start)
            }),
            Self::Dry(_) => Ok(NOWHERE),
        }
    }

    /// A tier's run is over: it, what follows from it, and the session of the next
    /// tier, if that is what follows, are kept at once. A run was paid for: while
    /// others hold the store, and `go_on` says so, it is tried again.
    pub fn settle(
        &mut self,
        ended: &Ended<'_>,
        policy: &Policy,
        judge: impl Fn(&Actions) -> Judgement,
        next: Option<Start<'_>>,
        go_on: impl Fn(Duration) -> bool,
    ) -> anyhow::Result<(Judgement, Option<i64>)> {
        let Ended { session, tier, entry } = *ended;
        let store = match self {
            Self::Kept(store) => store,
            Self::Dry(_) => {
                let actions = self.actions(policy, &entry.report.findings)?;
                return Ok((judge(&actions), None));
            }
        };
        let work = |change: &Change<'_>| {
            change.finish(session, tier, entry)?;
            let judgement = judge(&change.actions_within(policy.cooldown)?);
            let Judgement { decision, reason } = &judgement;
            let message = format!("tier {tier}: {}: {reason}", decision.name());
            change.event(session, decision.level(), None, &message)?;
            let Some(next) = next.filter(|_| *decision == Decision::Escalate) else {
                return Ok((judgement, None));
            };
            change.mark(session, Status::Escalated)?;
            Ok((judgement, Some(change.begin(next)?)))
        };
        store.change_in_time(work, go_on)
    }

    /// A session that was begun will not be run.
    pub fn give_up(&mut self, session: i64) -> anyhow::Result<()> {
        match self {
            Self::Kept(store) => store.change(|change| change.mark(session, Status::Interrupted)),
            Self::Dry(_) => Ok(()),
        }
    }

    /// What was done to services, and what these findings add.
    fn actions(&self, policy: &Policy, findings: &[Finding]) -> anyhow::Result<Actions> {
        let stored = match self {
            Self::Dry(path) if Store::is_at(path)? => Store::open_to_read(path)?
                .map(|store| store.actions_within(policy.cooldown))
                .transpose()?,
            Self::Kept(store) => Some(store.actions_within(policy.cooldown)?),
            Self::Dry(_) => None,
        };
        Ok(stored.unwrap_or_default().and(findings))
    }
}
