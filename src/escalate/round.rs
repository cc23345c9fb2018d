//! One round: from the first tier up, as far as is needed and allowed.

use std::cell::Cell;
use std::time::Duration;

use anyhow::Context;

use super::context;
use super::decisions::{Decisions, Line};
use super::handoff::Handoff;
use super::ledger::{Ended, Ledger};
use super::policy::{Decision, Judgement, Policy};
use super::runner::{Outcome, Runner, Turn};
use super::tiers::Tier;
use super::wish::Wish;
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

/// How long to try to store a run that is over: it was paid for.
const LONGEST: Duration = Duration::from_mins(10);

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
            // What was begun may have had to wait for others.
            if let Some(signal) = self.requests.asked() {
                self.ledger.give_up(session)?;
                return Ok(of_signal(signal));
            }
            let tier = &self.tiers[number - 1];
            let handoff = self.runner.args.handoff.as_deref().map(Handoff::before_tier);
            let turn = Turn {
                tier,
                number,
                session,
                context: context.as_deref(),
                requests: &self.requests,
            };
            let Outcome { mut entry, status, failure } = self.runner.run(&turn);
            // The legacy file is for those who mark their findings in their text.
            let handoff = handoff.filter(|_| entry.report.method == Extraction::Markers);
            let Asked { wish, failure, bad_handoff } = Asked::of(&entry, failure, handoff.as_ref());
            if let Some(why) = &failure {
                entry.fail(why);
            }
            let judge = |actions: &_| match &failure {
                Some(why) => Judgement::failed(why),
                None => self.policy.judge(number, &wish, actions),
            };
            let ended = Ended { session, tier: in_store(number), entry: &entry };
            let next = self.tiers.get(number).map(|next| start(next, number + 1, Some(session)));
            let go_on = patience(number, &self.requests, self.runner.global.quiet);
            let settled = self.ledger.settle(&ended, &self.policy, judge, next, go_on);
            let (judgement, next) = settled.context("what came of the run is not stored")?;
            if let Some(handoff) = handoff {
                self.put_away(&handoff, bad_handoff);
            }
            let line = Line {
                tier: number,
                name: self.tiers[number - 1].name.as_deref(),
                session_id: entry.session_id.as_deref(),
                needed: wish.needed,
                judgement: &judgement,
            };
            let told = self.decisions.tell(&line, &self.requests).context("cannot write");
            let Some(next) = next else {
                told?;
                let asked = self.requests.asked().map(of_signal);
                return Ok(asked.unwrap_or(match judgement.decision {
                    Decision::Escalate | Decision::Settled => 0,
                    Decision::Failed => status.max(1),
                    Decision::MaxTier | Decision::DryRun | Decision::Cooldown => STILL_ASKS,
                }));
            };
            if let Err(error) = told {
                self.ledger.give_up(next)?;
                return Err(error);
            }
            context = Some(context::of(&wish, &self.tiers[number].command));
            (number, session) = (number + 1, next);
        }
    }

    /// Once a run is stored, nobody must read the file it left again.
    fn put_away(&self, handoff: &Handoff<'_>, bad: bool) {
        let mut notes = Notes::stderr(self.runner.global.quiet);
        if handoff.is_stale() {
            notes.remark(&format!("{handoff}: it is older than the tier, and is not read"));
        }
        if self.policy.dry_run {
            return;
        }
        let away = if bad {
            handoff
                .set_aside()
                .map(|name| notes.remark(&format!("{handoff}: now {}", name.display())))
        } else {
            handoff.delete()
        };
        if let Err(error) = away {
            Notes::stderr(false).error(&format!("{error:#}"));
        }
    }
}

/// What a tier asks for.
struct Asked {
    wish: Wish,
    /// Why its run counts for nothing, if it does.
    failure: Option<String>,
    /// The file in which it asks cannot be understood.
    bad_handoff: bool,
}

impl Asked {
    fn of(entry: &Entry, failure: Option<String>, handoff: Option<&Handoff<'_>>) -> Self {
        let wish = Wish::of(&entry.report.findings);
        match handoff.filter(|_| failure.is_none()).map(Handoff::read) {
            Some(Ok(Some(handed))) => {
                Self { wish: handed.about(wish.troubled), failure: None, bad_handoff: false }
            }
            Some(Err(error)) => {
                Self { wish, failure: Some(format!("{error:#}")), bad_handoff: true }
            }
            Some(Ok(None)) | None => Self { wish, failure, bad_handoff: false },
        }
    }
}

/// Whether to wait on for a store that others hold, after so much time.
fn patience(number: usize, requests: &EndRequests, quiet: bool) -> impl Fn(Duration) -> bool {
    let told = Cell::new(false);
    move |waited| {
        if !told.replace(true) {
            let message = format!("tier {number}: the store is locked; waiting to store the run");
            Notes::stderr(quiet).remark(&message);
        }
        waited < LONGEST && requests.asked().is_none()
    }
}

/// A session of a tier.
fn start(tier: &Tier, number: usize, parent: Option<i64>) -> Start<'_> {
    Start { tier: in_store(number), parent, model: tier.model.as_deref() }
}

fn in_store(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
