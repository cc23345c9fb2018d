//! Stores the runs and decisions of a round, unless it is a dry run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::policy::{Decision, EscalationPolicy, Judgement};
use crate::findings::Finding;
use crate::store::{Actions, Change, RunEntry, SessionStart, SessionStatus, Store};

/// Where a round is stored.
pub(super) enum RoundJournal {
    Store(Store),
    /// A dry run; the store, if it exists, is only read.
    Dry(PathBuf),
}

/// The finished run of a tier.
pub(super) struct EndedTier<'a> {
    /// The id of its session in the store.
    pub(super) session: i64,
    /// The number of the tier.
    pub(super) tier: i64,
    pub(super) entry: &'a RunEntry,
}

/// The id of a session that is not stored.
const NOT_STORED: i64 = 0;

impl RoundJournal {
    /// Opens the store, unless nothing may be written.
    pub fn open(path: &Path, policy: &EscalationPolicy) -> anyhow::Result<Self> {
        if !policy.dry_run {
            return Ok(Self::Store(Store::open(path)?));
        }
        // An unreadable store is an error before anything is started.
        let dry = Self::Dry(path.to_owned());
        dry.actions(policy, &[]).map(|_| dry)
    }

    /// Starts a round with its first tier, and returns the id of the session. Marks
    /// sessions of dead processes.
    pub fn start(&mut self, start: SessionStart<'_>) -> anyhow::Result<i64> {
        match self {
            Self::Store(store) => store.change(|change| {
                change.mark_interrupted()?;
                change.start(start)
            }),
            Self::Dry(_) => Ok(NOT_STORED),
        }
    }

    /// Stores in one transaction: the run of a tier, the decision, and the session of the
    /// next tier if that is the decision. Returns the decision and the id of that session.
    /// Since the run cost money, a locked store is tried again while `retries` returns true.
    pub fn finish(
        &mut self,
        ended: &EndedTier<'_>,
        policy: &EscalationPolicy,
        judge: impl Fn(&Actions) -> Judgement,
        next: Option<SessionStart<'_>>,
        retries: impl Fn(Duration) -> bool,
    ) -> anyhow::Result<(Judgement, Option<i64>)> {
        let EndedTier { session, tier, entry } = *ended;
        let store = match self {
            Self::Store(store) => store,
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
            change.insert_event(session, decision.level(), None, &message)?;
            let Some(next) = next.filter(|_| *decision == Decision::Escalate) else {
                return Ok((judgement, None));
            };
            change.set_status(session, SessionStatus::Escalated)?;
            Ok((judgement, Some(change.start(next)?)))
        };
        store.change_with_retries(work, retries)
    }

    /// Marks a started session that will not run as interrupted.
    pub fn abandon(&mut self, session: i64) -> anyhow::Result<()> {
        match self {
            Self::Store(store) => {
                store.change(|change| change.set_status(session, SessionStatus::Interrupted))
            }
            Self::Dry(_) => Ok(()),
        }
    }

    /// Returns the recent actions on services, including those in `findings`.
    fn actions(&self, policy: &EscalationPolicy, findings: &[Finding]) -> anyhow::Result<Actions> {
        let stored = match self {
            Self::Dry(path) if Store::exists(path)? => Store::open_for_reading(path)?
                .map(|store| store.actions_within(policy.cooldown))
                .transpose()?,
            Self::Store(store) => Some(store.actions_within(policy.cooldown)?),
            Self::Dry(_) => None,
        };
        Ok(stored.unwrap_or_default().and(findings))
    }
}
