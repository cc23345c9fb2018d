//! One round: from the first tier up, as far as is needed and allowed.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use anyhow::Context;
use jiff::Timestamp;

use super::decisions::{Decisions, Line};
use super::ledger::{Ended, Ledger};
use super::policy::{Decision, Judgement, Policy};
use super::tiers::Tier;
use super::wish::Wish;
use super::witness::Witness;
use super::{context, handoff};
use crate::cli::{ClockArgs, Complete, EscalateArgs, ExitStatus, Global, OnClosedStdout, WrapArgs};
use crate::findings::Extraction;
use crate::output::Notes;
use crate::projection::Plan;
use crate::run::ProcessEnd;
use crate::store::{Chronicle, Entry, Start, Status};
use crate::wrap::status::{OWN_FAILURE, of_signal};
use crate::wrap::{EndRequests, Given, Order, harness_of};

/// The exit status when a tier asks for another that may not run.
const STILL_ASKS: u8 = 3;

/// Everything a round needs.
pub struct Rounds<'a> {
    /// What the user says.
    pub args: &'a EscalateArgs,
    /// What the user says in general.
    pub global: &'a Global,
    /// The tiers.
    pub tiers: Vec<Tier>,
    /// What is allowed.
    pub policy: Policy,
    /// A prompt for all tiers.
    pub prompt: Option<String>,
    /// What is kept.
    pub ledger: Ledger,
    /// What is told.
    pub decisions: Decisions,
    /// Who wants us to end.
    pub requests: EndRequests,
}

/// What came of a tier's run.
struct Outcome {
    entry: Entry,
    status: u8,
    /// Why it counts for nothing, if it does.
    failure: Option<String>,
}

impl Rounds<'_> {
    /// Whether every tier can be run, as far as that can be known.
    pub fn check(&self) -> anyhow::Result<()> {
        for (at, tier) in self.tiers.iter().enumerate() {
            let args = self.wrap_args(tier, None);
            let context = (at > 0).then_some("context");
            let order = self.order(&args, context, Witness::default());
            order.command_line().with_context(|| format!("tier {}", at + 1))?;
        }
        Ok(())
    }

    /// Runs tiers until nobody asks for more, or may get it; the exit status.
    pub fn round(&mut self) -> anyhow::Result<u8> {
        let mut session = self.ledger.begin(start(&self.tiers[0], 1, None))?;
        let mut context = None;
        for number in 1.. {
            if let Some(signal) = self.requests.asked() {
                self.ledger.give_up(session)?;
                return Ok(of_signal(signal));
            }
            let Outcome { entry, status, failure } =
                self.run_tier(number, session, context.as_deref());
            let (wish, failure) = self.wish(&entry, failure);
            let judge = |actions: &_| match &failure {
                Some(why) => Judgement::failed(why),
                None => self.policy.judge(number, &wish, actions),
            };
            let ended = Ended { session, tier: number_in_store(number), entry: &entry };
            let next = self.tiers.get(number).unwrap_or(&self.tiers[0]);
            let next = start(next, number + 1, Some(session));
            let settled = self.ledger.settle(&ended, &self.policy, judge, next);
            let (judgement, next) = settled.context("what came of the run is not stored")?;
            if entry.report.method == Extraction::Markers && failure.is_none() {
                self.delete_handoff();
            }
            self.decisions
                .tell(
                    &Line {
                        tier: number,
                        name: self.tiers[number - 1].name.as_deref(),
                        session_id: entry.session_id.as_deref(),
                        needed: wish.needed,
                        judgement: &judgement,
                    },
                    &self.requests,
                )
                .context("cannot write")?;
            match judgement.decision {
                Decision::Escalate => {}
                Decision::Settled => return Ok(0),
                // A tier that failed never ends well.
                Decision::Failed => return Ok(status.max(1)),
                Decision::MaxTier | Decision::DryRun | Decision::Cooldown => {
                    return Ok(STILL_ASKS);
                }
            }
            session = next;
            context = Some(context::of(&wish));
        }
        Ok(0)
    }

    /// What a tier asks for, and why its run counts for nothing if it does. The
    /// legacy file is for those who mark their findings in their text.
    fn wish(&self, entry: &Entry, failure: Option<String>) -> (Wish, Option<String>) {
        let wish = Wish::of(&entry.report.findings);
        let path = self.args.handoff.as_deref();
        let path = path.filter(|_| entry.report.method == Extraction::Markers);
        match path.map(handoff::read).filter(|_| failure.is_none()) {
            Some(Ok(Some(handed))) => {
                let troubled = [handed.troubled, wish.troubled].concat();
                (Wish { troubled, ..handed }, None)
            }
            Some(Err(error)) => (wish, Some(format!("{error:#}"))),
            Some(Ok(None)) | None => (wish, failure),
        }
    }

    /// Once what it asks for is stored, nobody must read it again.
    fn delete_handoff(&self) {
        let path = self.args.handoff.as_deref().filter(|_| !self.policy.dry_run);
        let Some(path) = path.filter(|path| path.exists()) else { return };
        if let Err(error) = std::fs::remove_file(path) {
            let message = format!("{}: cannot be deleted: {error}", path.display());
            Notes::stderr(false).error(&message);
        }
    }

    fn run_tier(&self, number: usize, session: i64, context: Option<&str>) -> Outcome {
        let tier = &self.tiers[number - 1];
        let mut notes = Notes::stderr(self.global.quiet);
        notes.remark(&described(tier, number));
        let harness = harness_of(&tier.command, self.global.harness);
        let chronicle = Rc::new(RefCell::new(Chronicle::new(harness, SystemTime::now())));
        let files = self.args.record_dir.as_deref().filter(|_| !self.policy.dry_run);
        let files = files.map(|folder| (folder, file_name(number, session)));
        let args = self.wrap_args(tier, files.as_ref().map(|(folder, name)| (*folder, &**name)));
        let witness = Witness(Rc::clone(&chronicle));
        let carried_out = self.order(&args, context, witness).carry_out();
        let chronicle = chronicle.take();
        let told = match carried_out {
            Ok(told) => told,
            Err(error) => {
                let why = format!("{error:#}");
                notes.error(&why);
                let end = ProcessEnd {
                    exit_code: -1,
                    not_started: Some(why.clone()),
                    ..ProcessEnd::default()
                };
                let entry = chronicle.finish(Some(&end));
                return Outcome { entry, status: OWN_FAILURE, failure: Some(why) };
            }
        };
        let mut entry = chronicle.finish(Some(&told.end));
        for warning in &entry.report.warnings {
            notes.remark(&format!("tier {number}: {warning}"));
        }
        let failed = told.status != 0 || entry.status == Status::Incomplete;
        let why = || entry.error.clone().unwrap_or_else(|| format!("exit status {}", told.status));
        let mut failure = failed.then(why);
        if let Some(signal) = told.signal {
            entry.status = Status::Interrupted;
            failure = Some(format!("ended by signal {signal}"));
        }
        Outcome { entry, status: told.status, failure }
    }

    fn order<'a>(
        &'a self,
        args: &'a WrapArgs,
        context: Option<&'a str>,
        witness: Witness,
    ) -> Order<'a> {
        Order {
            args,
            global: self.global,
            plan: Some(Plan::silent("escalate", move |_| Box::new(witness.clone()))),
            given: self.prompt.as_deref().map_or(Given::Nothing, Given::Text),
            context,
            last: false,
        }
    }

    /// A tier as a user of `wrap` would ask for it, with its files in a folder.
    fn wrap_args(&self, tier: &Tier, files: Option<(&Path, &str)>) -> WrapArgs {
        let file = |ending| files.map(|(folder, name)| folder.join(format!("{name}.{ending}")));
        // What is stored is worth going on for.
        let unread =
            if self.policy.dry_run { OnClosedStdout::Kill } else { OnClosedStdout::Continue };
        WrapArgs {
            show: None,
            tee: file("jsonl"),
            record: file("json"),
            with_events: false,
            schema: Some(self.args.schema.clone()),
            clocks: ClockArgs {
                timeout: tier.timeout.or(self.args.clocks.timeout),
                ..self.args.clocks
            },
            complete: Complete::Stream,
            model: tier.model.clone(),
            dry_run: false,
            exit_status: ExitStatus::Auto,
            on_closed_stdout: Some(unread),
            no_stdin: false,
            surroundings: self.args.surroundings.clone(),
            subject: None,
            no_heuristics: false,
            command: tier.command.clone(),
        }
    }
}

/// A session of a tier.
fn start(tier: &Tier, number: usize, parent: Option<i64>) -> Start<'_> {
    Start { tier: number_in_store(number), parent, model: tier.model.as_deref() }
}

fn number_in_store(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// `tier 1 (observe): claude`
fn described(tier: &Tier, number: usize) -> String {
    let name = tier.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let program = tier.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    format!("tier {number}{name}: {program}")
}

/// Files in the order of time, with the session's number in the store.
fn file_name(number: usize, session: i64) -> String {
    let now = Timestamp::try_from(SystemTime::now()).unwrap_or_default();
    format!("{}-tier-{number}-session-{session}", now.strftime("%Y%m%dT%H%M%SZ"))
}
