//! `escalate`: agents in tiers, each run through `wrap`.
//!
//! A round goes from tier to tier (`round`, `runner`). What a tier asks for (`wish`)
//! and what the user allows (`policy`) decide whether the next one runs, and what it
//! is told (`context`). The store has it all (`ledger`), and every decision is told
//! (`decisions`).

mod context;
mod decisions;
mod handoff;
mod ledger;
mod policy;
mod round;
mod runner;
mod tiers;
mod wish;
mod witness;

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, anyhow};

use crate::cli::{EscalateArgs, Global};
use crate::exit::Exit;
use crate::output::Notes;
use crate::wrap::EndRequests;
use crate::wrap::status::{OWN_FAILURE, of_signal};

use decisions::Decisions;
use ledger::Ledger;
use policy::Policy;
use round::Rounds;
use runner::Runner;

/// Names the highest tier where the user does not.
const MAX_TIER: &str = "CLAUDEOPS_MAX_TIER";

/// How long standard input may be open before the user is told that it is waited
/// for.
const SUSPICIOUS: Duration = Duration::from_secs(3);

/// Runs the tiers.
#[must_use]
pub fn run(args: &EscalateArgs, global: &Global) -> Exit {
    let status = prepared(args, global).and_then(|mut rounds| repeated(&mut rounds));
    Exit::Status(status.unwrap_or_else(|error| complain(&error)))
}

fn complain(error: &anyhow::Error) -> u8 {
    Notes::stderr(false).error(&format!("{error:#}"));
    OWN_FAILURE
}

/// Everything that can go wrong without starting anything does so here.
fn prepared<'a>(args: &'a EscalateArgs, global: &'a Global) -> anyhow::Result<Rounds<'a>> {
    let tiers = tiers::of(args)?;
    let policy = Policy {
        max_tier: max_tier(args)?.unwrap_or(tiers.len()).min(tiers.len()),
        dry_run: args.dry_run,
        cooldown: args.cooldown,
        cooldown_limit: args.cooldown_limit,
    };
    let mut runner = Runner { args, global, prompt: None };
    runner.check(&tiers)?;
    let ledger = Ledger::open(&args.db, &policy)?;
    if let Some(folder) = args.record_dir.as_deref().filter(|_| !policy.dry_run) {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    runner.prompt = if args.no_stdin { None } else { prompt(global.quiet)? };
    // Up to here signals do what they do to anybody.
    let requests = EndRequests::listen().context("cannot listen to signals")?;
    Ok(Rounds { tiers, runner, policy, ledger, decisions: Decisions::stdout(), requests })
}

/// One round, or one after the other until a signal comes.
fn repeated(rounds: &mut Rounds<'_>) -> anyhow::Result<u8> {
    let Some(every) = rounds.runner.args.every else {
        return rounds.round();
    };
    loop {
        // What failed this time may not fail the next.
        let _ = rounds.round().unwrap_or_else(|error| complain(&error));
        if let Some(signal) = rounds.requests.sleep(every) {
            return Ok(of_signal(signal));
        }
    }
}

/// The highest tier the user allows.
fn max_tier(args: &EscalateArgs) -> anyhow::Result<Option<usize>> {
    if let Some(number) = args.max_tier {
        return Ok(Some(number.into()));
    }
    let Some(text) = std::env::var_os(MAX_TIER).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    let wrong = || anyhow!("{MAX_TIER}: not the number of a tier: {}", text.display());
    number.ok_or_else(wrong).map(Some)
}

/// The prompt for all tiers, from standard input.
fn prompt(quiet: bool) -> anyhow::Result<Option<String>> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let (sender, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let done = io::stdin().lock().read_to_end(&mut bytes);
        let _ = sender.send(done.map(|_| bytes));
    });
    let bytes = read.recv_timeout(SUSPICIOUS).or_else(|_| {
        Notes::stderr(quiet).remark(
            "standard input is open: the prompt of all tiers is read from it (--no-stdin does not)",
        );
        read.recv()
    });
    let bytes = bytes.context("standard input")?.context("standard input")?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        anyhow!("standard input: not UTF-8 at byte {valid}: a prompt is text")
    })?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}
