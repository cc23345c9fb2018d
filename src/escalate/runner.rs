//! Runs a tier, as a user of `wrap` would.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use anyhow::Context;
use jiff::Timestamp;

use super::tiers::Tier;
use super::witness::Witness;
use crate::cli::{ClockArgs, Complete, EscalateArgs, ExitStatus, Global, OnClosedStdout, WrapArgs};
use crate::output::Notes;
use crate::projection::Plan;
use crate::run::ProcessEnd;
use crate::store::{Chronicle, Entry, Status};
use crate::wrap::status::OWN_FAILURE;
use crate::wrap::{EndRequests, Given, Order, Told, harness_of};

/// What all tiers have in common.
pub struct Runner<'a> {
    /// What the user says.
    pub args: &'a EscalateArgs,
    /// What the user says in general.
    pub global: &'a Global,
    /// A prompt for all tiers.
    pub prompt: Option<String>,
}

/// A tier that is to be run.
pub struct Turn<'a> {
    /// The tier.
    pub tier: &'a Tier,
    /// Its number.
    pub number: usize,
    /// Its session in the store.
    pub session: i64,
    /// What it is told.
    pub context: Option<&'a str>,
    /// Who wants us to end.
    pub requests: &'a EndRequests,
}

/// What came of it.
pub struct Outcome {
    /// What is stored of it.
    pub entry: Entry,
    /// The exit status that says so.
    pub status: u8,
    /// Why it counts for nothing, if it does.
    pub failure: Option<String>,
}

impl Runner<'_> {
    /// Whether every tier can be run, as far as that can be known.
    pub fn check(&self, tiers: &[Tier]) -> anyhow::Result<()> {
        for (number, tier) in (1..).zip(tiers) {
            let args = self.wrap_args(tier, None);
            // All but the first are told something.
            let context = (number > 1).then_some("context");
            let order = self.order(&args, context, Witness::default(), &|| None);
            order.check().with_context(|| format!("tier {number}"))?;
        }
        Ok(())
    }

    /// Runs a tier to its end.
    pub fn run(&self, turn: &Turn<'_>) -> Outcome {
        let Turn { tier, number, session, context, requests } = *turn;
        let mut notes = Notes::stderr(self.global.quiet);
        notes.remark(&described(tier, number));
        let harness = harness_of(&tier.command, self.global.harness);
        let chronicle = Rc::new(RefCell::new(Chronicle::new(harness, SystemTime::now())));
        let folder = self.args.record_dir.as_deref().filter(|_| !self.args.dry_run);
        let name = file_name(number, session);
        let args = self.wrap_args(tier, folder.map(|folder| (folder, name.as_str())));
        let witness = Witness(Rc::clone(&chronicle));
        let asked_to_end = || requests.asked();
        let carried_out = self.order(&args, context, witness, &asked_to_end).carry_out();
        let chronicle = chronicle.take();
        let told = match carried_out {
            Ok(told) => told,
            Err(error) => {
                let why = format!("{error:#}");
                notes.error(&why);
                let not_started = Some(why.clone());
                let end = ProcessEnd { exit_code: -1, not_started, ..ProcessEnd::default() };
                let entry = chronicle.finish(Some(&end));
                return Outcome { entry, status: OWN_FAILURE, failure: Some(why) };
            }
        };
        let mut entry = chronicle.finish(Some(&told.end));
        for warning in &entry.report.warnings {
            notes.remark(&format!("tier {number}: {warning}"));
        }
        let failure = failure_of(&told, &entry);
        if told.signal.is_some() {
            entry.status = Status::Interrupted;
        } else if let Some(why) = &failure {
            entry.fail(why);
        }
        // Who failed never ends well.
        let status = told.status.max(failure.is_some().into());
        Outcome { entry, status, failure }
    }

    fn order<'a>(
        &'a self,
        args: &'a WrapArgs,
        context: Option<&'a str>,
        witness: Witness,
        asked_to_end: &'a dyn Fn() -> Option<i32>,
    ) -> Order<'a> {
        Order {
            args,
            global: self.global,
            plan: Some(Plan::silent("escalate", move |_| Box::new(witness.clone()))),
            given: self.prompt.as_deref().map_or(Given::Nothing, Given::Text),
            context,
            last: false,
            asked_to_end,
        }
    }

    /// A tier as a user of `wrap` would ask for it, with its files in a folder.
    fn wrap_args(&self, tier: &Tier, files: Option<(&Path, &str)>) -> WrapArgs {
        let Self { args, .. } = self;
        let file = |ending| files.map(|(folder, name)| folder.join(format!("{name}.{ending}")));
        // What is stored is worth going on for.
        let unread = if args.dry_run { OnClosedStdout::Kill } else { OnClosedStdout::Continue };
        WrapArgs {
            show: None,
            tee: file("jsonl"),
            record: file("json"),
            with_events: false,
            schema: Some(args.schema.clone()),
            clocks: ClockArgs { timeout: tier.timeout.or(args.clocks.timeout), ..args.clocks },
            complete: Complete::Stream,
            model: tier.model.clone(),
            dry_run: false,
            exit_status: ExitStatus::Auto,
            on_closed_stdout: Some(unread),
            no_stdin: false,
            surroundings: args.surroundings.clone(),
            subject: None,
            no_heuristics: false,
            command: tier.command.clone(),
        }
    }
}

/// Why a run counts for nothing, if it does.
fn failure_of(told: &Told, entry: &Entry) -> Option<String> {
    if let Some(signal) = told.signal {
        return Some(format!("ended by signal {signal}"));
    }
    if told.status != 0 || entry.status == Status::Incomplete {
        let why = entry.error.clone().or_else(|| told.lost.map(str::to_owned));
        return Some(why.unwrap_or_else(|| format!("exit status {}", told.status)));
    }
    // Nobody knows what it asks for. One without a document can mark that in its text.
    told.invalid.as_ref().map(|wrong| format!("its answer is not what was asked for: {wrong}"))
}

/// `tier 1 (observe): claude`
fn described(tier: &Tier, number: usize) -> String {
    let name = tier.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let program = tier.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    format!("tier {number}{name}: {program}")
}

/// Files in the order of time, with the session's number in the store.
fn file_name(number: usize, session: i64) -> String {
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    format!("{now}-tier-{number}-session-{session}")
}
