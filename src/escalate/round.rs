//! One round: from the first tier up, as far as is needed and allowed.

use std::path::Path;

use anyhow::Context;

use super::decisions::{Decisions, Line};
use super::ledger::{Ended, Ledger};
use super::policy::{Decision, Judgement, Policy};
use super::runner::{Outcome, Runner, Turn};
use super::tiers::Tier;
use super::wish::Wish;
use super::{context, handoff};
use crate::findings::Extraction;
use crate::output::Notes;
use crate::store::{Entry, Start};
use crate::wrap::EndRequests;
use crate::wrap::status::of_signal;

/// The exit status when a tier asks for another that may not run.
const STILL_ASKS: u8 = 3;

/// Everything a round needs.
pub struct Rounds<'a> {
    /// The tiers.
    pub tiers: Vec<Tier>,
    /// How they are run.
    pub runner: Runner<'a>,
    /// What is allowed.
    pub policy: Policy,
    /// What is kept.
    pub ledger: Ledger,
    /// What is told.
    pub decisions: Decisions,
    /// Who wants us to end.
    pub requests: EndRequests,
}

impl Rounds<'_> {
    /// Runs tiers until nobody asks for more, or may get it; the exit status.
    pub fn round(&mut self) -> anyhow::Result<u8> {
        if let Some(signal) = self.requests.asked() {
            return Ok(of_signal(signal));
        }
        let mut number = 1;
        let mut session = self.ledger.begin(start(&self.tiers[0], number, None))?;
        let mut context = None;
        loop {
            let tier = &self.tiers[number - 1];
            let turn = Turn { tier, number, session, context: context.as_deref() };
            let Outcome { entry, status, failure } = self.runner.run(&turn);
            let (wish, failure) = self.wish(&entry, failure);
            let judge = |actions: &_| match &failure {
                Some(why) => Judgement::failed(why),
                None => self.policy.judge(number, &wish, actions),
            };
            let ended = Ended { session, tier: in_store(number), entry: &entry };
            let next = self.tiers.get(number).map(|next| start(next, number + 1, Some(session)));
            let settled = self.ledger.settle(&ended, &self.policy, judge, next);
            let (judgement, next) = settled.context("what came of the run is not stored")?;
            if let Some(path) = self.handoff(&entry).filter(|_| failure.is_none()) {
                self.delete(path);
            }
            let line = Line {
                tier: number,
                name: self.tiers[number - 1].name.as_deref(),
                session_id: entry.session_id.as_deref(),
                needed: wish.needed,
                judgement: &judgement,
            };
            self.decisions.tell(&line, &self.requests).context("cannot write")?;
            let Some(next) = next else {
                return Ok(match judgement.decision {
                    Decision::Escalate | Decision::Settled => 0,
                    Decision::Failed => status.max(1),
                    Decision::MaxTier | Decision::DryRun | Decision::Cooldown => STILL_ASKS,
                });
            };
            if let Some(signal) = self.requests.asked() {
                self.ledger.give_up(next)?;
                return Ok(of_signal(signal));
            }
            (number, session, context) = (number + 1, next, Some(context::of(&wish)));
        }
    }

    /// What a tier asks for, and why its run counts for nothing if it does.
    fn wish(&self, entry: &Entry, failure: Option<String>) -> (Wish, Option<String>) {
        let wish = Wish::of(&entry.report.findings);
        let path = self.handoff(entry).filter(|_| failure.is_none());
        match path.map(handoff::read) {
            Some(Ok(Some(handed))) => (handed.and_troubled(wish.troubled), None),
            Some(Ok(None)) | None => (wish, failure),
            Some(Err(error)) => (wish, Some(format!("{error:#}"))),
        }
    }

    /// The legacy file is for those who mark their findings in their text.
    fn handoff(&self, entry: &Entry) -> Option<&Path> {
        let path = self.runner.args.handoff.as_deref();
        path.filter(|_| entry.report.method == Extraction::Markers)
    }

    /// Once what it asks for is stored, nobody must read it again.
    fn delete(&self, path: &Path) {
        if self.policy.dry_run || !path.exists() {
            return;
        }
        if let Err(error) = std::fs::remove_file(path) {
            let message = format!("{}: cannot be deleted: {error}", path.display());
            Notes::stderr(false).error(&message);
        }
    }
}

/// A session of a tier.
fn start(tier: &Tier, number: usize, parent: Option<i64>) -> Start<'_> {
    Start { tier: in_store(number), parent, model: tier.model.as_deref() }
}

fn in_store(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
