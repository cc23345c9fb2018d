//! A round: runs tiers from the first up, as far as is needed and allowed.

use std::cell::Cell;
use std::time::Duration;

use anyhow::Context;

use super::context;
use super::decisions::{DecisionLine, Decisions};
use super::handoff::Handoff;
use super::journal::{EndedTier, RoundJournal};
use super::policy::{Decision, EscalationPolicy, Judgement};
use super::request::EscalationRequest;
use super::runner::{Runner, TierOutcome, TierRun};
use super::tiers::Tier;
use crate::findings::Extraction;
use crate::output::{Diagnostics, error_message};
use crate::store::{RunEntry, SessionStart};
use crate::wrap::StopSignals;
use crate::wrap::status::of_signal;

/// The exit status when a tier requests another that may not run.
const REQUEST_DENIED: u8 = 3;

/// Runs rounds.
pub(super) struct Rounds<'a> {
    pub(super) tiers: Vec<Tier>,
    pub(super) runner: Runner<'a>,
    pub(super) policy: EscalationPolicy,
    pub(super) journal: RoundJournal,
    pub(super) decisions: Decisions,
    pub(super) signals: StopSignals,
}

/// Maximum time to wait for a locked store when a run is finished.
const MAX_STORE_WAIT: Duration = Duration::from_mins(10);

impl Rounds<'_> {
    /// Runs a round, and returns the exit status.
    pub fn run(&mut self) -> anyhow::Result<u8> {
        if let Some(signal) = self.signals.received() {
            return Ok(of_signal(signal));
        }
        let mut number = 1;
        let mut session = self.journal.start(session_start(&self.tiers[0], number, None))?;
        let mut context = None;
        loop {
            // Starting the session may have waited for a locked store.
            if let Some(signal) = self.signals.received() {
                self.journal.abandon(session)?;
                return Ok(of_signal(signal));
            }
            let tier = &self.tiers[number - 1];
            let handoff = self.runner.args.handoff.as_deref().map(Handoff::before_tier);
            let run = TierRun {
                tier,
                number,
                session,
                context: context.as_deref(),
                signals: &self.signals,
            };
            let outcome = self.runner.run(&run);
            let TierOutcome { mut entry, status, failure, missing_document } = outcome;
            // The legacy file is for agents that report findings by markers.
            let handoff = handoff.filter(|_| entry.report.method == Extraction::Markers);
            let TierRequest { request, failure, bad_handoff } =
                TierRequest::new(&entry, failure, handoff.as_ref(), missing_document);
            if let Some(reason) = &failure {
                entry.fail(reason);
            }
            let judge = |actions: &_| match &failure {
                Some(reason) => Judgement::failed(reason),
                None => self.policy.judge(number, &request, actions),
            };
            let ended = EndedTier { session, tier: tier_id(number), entry: &entry };
            let next =
                self.tiers.get(number).map(|next| session_start(next, number + 1, Some(session)));
            let retries = store_retries(number, &self.signals, self.runner.global.quiet);
            let stored = self.journal.finish(&ended, &self.policy, judge, next, retries);
            let (judgement, next) = stored.context("the run is not stored")?;
            if let Some(handoff) = handoff {
                self.remove(&handoff, bad_handoff);
            }
            let line = DecisionLine {
                tier: number,
                name: self.tiers[number - 1].name.as_deref(),
                session_id: entry.session_id.as_deref(),
                needed: request.needed,
                judgement: &judgement,
            };
            let printed = self.decisions.print(&line, &self.signals).context("cannot write");
            let Some(next) = next else {
                printed?;
                let signal = self.signals.received().map(of_signal);
                return Ok(signal.unwrap_or(match judgement.decision {
                    Decision::Escalate | Decision::Settled => 0,
                    Decision::Failed => status.max(1),
                    Decision::MaxTier | Decision::DryRun | Decision::Cooldown => REQUEST_DENIED,
                }));
            };
            if let Err(error) = printed {
                self.journal.abandon(next)?;
                return Err(error);
            }
            context = Some(context::write(&request, &self.tiers[number].command));
            (number, session) = (number + 1, next);
        }
    }

    /// Removes the legacy file of a stored run, so that it is not read again.
    fn remove(&self, handoff: &Handoff<'_>, is_bad: bool) {
        let mut diagnostics = Diagnostics::stderr(self.runner.global.quiet);
        if handoff.is_stale() {
            diagnostics.note(&format!("{handoff}: older than the tier, ignored"));
        }
        if self.policy.dry_run {
            return;
        }
        let result = if is_bad {
            handoff
                .set_aside()
                .map(|name| diagnostics.note(&format!("{handoff}: renamed to {}", name.display())))
        } else {
            handoff.delete()
        };
        if let Err(error) = result {
            Diagnostics::stderr(false).error(&error_message(&error));
        }
    }
}

/// The request of a tier.
struct TierRequest {
    request: EscalationRequest,
    /// Why the tier failed, if it did.
    failure: Option<String>,
    /// Whether the legacy file is invalid.
    bad_handoff: bool,
}

impl TierRequest {
    /// Reads the request. A tier that was asked for a document and gives neither that nor
    /// markers nor the legacy file has failed.
    fn new(
        entry: &RunEntry,
        failure: Option<String>,
        handoff: Option<&Handoff<'_>>,
        missing_document: Option<String>,
    ) -> Self {
        let request = EscalationRequest::from_findings(&entry.report.findings);
        let missing = missing_document.filter(|_| entry.report.findings.is_empty());
        match handoff.filter(|_| failure.is_none()).map(Handoff::read) {
            Some(Ok(Some(legacy))) => {
                let request = legacy.with_mentioned(request.unhealthy);
                Self { request, failure: None, bad_handoff: false }
            }
            Some(Err(error)) => {
                Self { request, failure: Some(error_message(&error)), bad_handoff: true }
            }
            Some(Ok(None)) | None => {
                Self { request, failure: failure.or(missing), bad_handoff: false }
            }
        }
    }
}

/// Returns a function that decides whether a locked store is tried again.
fn store_retries(number: usize, signals: &StopSignals, quiet: bool) -> impl Fn(Duration) -> bool {
    let has_noted = Cell::new(false);
    move |waited| {
        if !has_noted.replace(true) {
            let message = format!("tier {number}: the store is locked; waiting to store the run");
            Diagnostics::stderr(quiet).note(&message);
        }
        waited < MAX_STORE_WAIT && signals.received().is_none()
    }
}

/// Returns the session of a tier.
fn session_start(tier: &Tier, number: usize, parent: Option<i64>) -> SessionStart<'_> {
    SessionStart { tier: tier_id(number), parent, model: tier.model.as_deref() }
}

fn tier_id(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
