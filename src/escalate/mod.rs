//! `escalate`: runs agents in tiers, each like `wrap`.
//!
//! A round runs one tier after the other (`round`, `runner`). What a tier requests
//! (`request`, `handoff`) and what the user allows (`policy`) decide whether the next tier
//! runs. It is given the findings of the previous one (`context`). Runs are stored
//! (`journal`), and every decision is printed (`decisions`).

mod context;
mod decisions;
mod handoff;
mod journal;
mod policy;
mod request;
mod round;
mod runner;
mod tiers;

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, anyhow};

use crate::cli::{EscalateArgs, Global};
use crate::exit::Exit;
use crate::output::{Diagnostics, error_message};
#[cfg(feature = "serve")]
use crate::serve::RunPage;
use crate::wrap::status::{OWN_FAILURE, of_signal};
use crate::wrap::{PrintMode, StopSignals};

use decisions::Decisions;
use journal::RoundJournal;
use policy::EscalationPolicy;
use round::Rounds;
use runner::Runner;

/// The environment variable for the highest tier.
const MAX_TIER: &str = "CLAUDEOPS_MAX_TIER";

/// Time after which an open standard input is reported.
const STDIN_NOTICE_AFTER: Duration = Duration::from_secs(3);

/// Runs the tiers.
pub(crate) fn run(args: &EscalateArgs, global: &Global) -> Exit {
    let status = prepare(args, global).and_then(|mut rounds| repeat(&mut rounds));
    Exit::Status(status.unwrap_or_else(|error| report(&error)))
}

fn report(error: &anyhow::Error) -> u8 {
    Diagnostics::stderr(false).error(&error_message(error));
    OWN_FAILURE
}

/// Validates everything before anything is started.
fn prepare<'a>(args: &'a EscalateArgs, global: &Global) -> anyhow::Result<Rounds<'a>> {
    let is_stdout = args.record_dir.as_deref().is_some_and(|folder| folder.as_os_str() == "-");
    anyhow::ensure!(!is_stdout, "--record-dir -: standard output is no folder; name one");
    let tiers = tiers::from_args(args)?;
    let policy = EscalationPolicy {
        max_tier: max_tier(args)?.unwrap_or(tiers.len()).min(tiers.len()),
        dry_run: args.dry_run,
        cooldown: args.cooldown,
        cooldown_limit: args.cooldown_limit,
    };
    let mode = args.show.as_deref().map(PrintMode::parse).transpose()?;
    let (mode, own_global) = mode.unzip();
    let is_raw = matches!(mode, Some(PrintMode::Raw));
    anyhow::ensure!(
        !is_raw,
        "--as raw: use --as 'events --tag none', which prints the same events"
    );
    let global = crate::descriptions::resolve(global.refined(own_global.flatten().as_ref()))?;
    let mut runner = Runner {
        args,
        global,
        mode,
        prompt: None,
        #[cfg(feature = "serve")]
        page: None,
    };
    runner.check(&tiers)?;
    let journal = RoundJournal::open(&args.db, &policy)?;
    if let Some(folder) = args.record_dir.as_deref().filter(|_| !policy.dry_run) {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    runner.prompt = if args.no_stdin { None } else { read_prompt(runner.global.quiet)? };
    #[cfg(feature = "serve")]
    if let Some(port) = args.serve {
        let records = args.record_dir.as_deref().filter(|_| !policy.dry_run);
        runner.page =
            Some(RunPage::of_runs(port, records, Some(args.db.as_path()), &runner.global)?);
    }
    let decisions = Decisions::new(args.decisions.as_deref(), args.show.is_some())?;
    // Until here signals have their default effect.
    let signals = StopSignals::catch().context("cannot catch signals")?;
    Ok(Rounds { tiers, runner, policy, journal, decisions, signals })
}

/// Runs one round, or with `--every` rounds until a signal comes.
fn repeat(rounds: &mut Rounds<'_>) -> anyhow::Result<u8> {
    let Some(every) = rounds.runner.args.every else {
        return rounds.run();
    };
    loop {
        // A failure does not stop later rounds.
        let _ = rounds.run().unwrap_or_else(|error| report(&error));
        if let Some(signal) = rounds.signals.sleep(every) {
            return Ok(of_signal(signal));
        }
    }
}

/// Returns the highest tier that the user allows.
fn max_tier(args: &EscalateArgs) -> anyhow::Result<Option<usize>> {
    if let Some(number) = args.max_tier {
        return Ok(Some(number.into()));
    }
    let Some(text) = std::env::var_os(MAX_TIER).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    let invalid = || anyhow!("{MAX_TIER}: not the number of a tier: {}", text.display());
    number.ok_or_else(invalid).map(Some)
}

/// Reads the prompt for all tiers from standard input.
fn read_prompt(quiet: bool) -> anyhow::Result<Option<String>> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let mut bytes = Vec::new();
        let result = io::stdin().lock().read_to_end(&mut bytes);
        let _ = sender.send(result.map(|_| bytes));
    };
    std::thread::Builder::new().spawn(read).context("cannot read standard input")?;
    let bytes = receiver.recv_timeout(STDIN_NOTICE_AFTER).or_else(|_| {
        Diagnostics::stderr(quiet).note(
            "waiting for the end of standard input, which is the prompt of all tiers (--no-stdin does not read it)",
        );
        receiver.recv()
    });
    let bytes = bytes.context("standard input")?.context("standard input")?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        anyhow!("standard input: not UTF-8 at byte {valid}; a prompt must be text")
    })?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}
