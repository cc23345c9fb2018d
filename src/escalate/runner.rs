//! Runs a tier like `wrap`.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::SystemTime;

use anyhow::Context;
use jiff::Timestamp;

use super::tiers::Tier;
use crate::cli::{
    ClockArgs, EscalateArgs, ExitStatus, Global, HeuristicArgs, OnClosedStdout, WrapArgs,
};
use crate::harness::Harness;
use crate::harness::command::{self, Completion};
use crate::output::{Diagnostics, error_message};
use crate::read_spec::ReadSpec;
use crate::run::ProcessEnd;
#[cfg(feature = "serve")]
use crate::serve::RunPage;
use crate::store::{RunEntry, SessionStatus, StoredRun};
use crate::wrap::status::{OWN_FAILURE, TIMED_OUT};
use crate::wrap::{PrintMode, RunOutcome, RunSpec, StdinContent, StopSignals};

/// What all tiers have in common.
pub(super) struct Runner<'a> {
    pub(super) args: &'a EscalateArgs,
    pub(super) global: Global,
    /// What is shown of each run.
    pub(super) mode: Option<PrintMode>,
    /// The prompt for all tiers.
    pub(super) prompt: Option<String>,
    /// The page of the runs.
    #[cfg(feature = "serve")]
    pub(super) page: Option<RunPage>,
}

/// A tier to run.
pub(super) struct TierRun<'a> {
    pub(super) tier: &'a Tier,
    pub(super) number: usize,
    /// The id of its session in the store.
    pub(super) session: i64,
    /// The findings of the previous tier.
    pub(super) context: Option<&'a str>,
    pub(super) signals: &'a StopSignals,
}

/// The outcome of a tier.
pub(super) struct TierOutcome {
    pub(super) entry: RunEntry,
    /// The exit status.
    pub(super) status: u8,
    /// Why the tier failed, if it did.
    pub(super) failure: Option<String>,
    /// What there is instead of the document that the tier was asked for.
    pub(super) missing_document: Option<String>,
}

impl Runner<'_> {
    /// Checks whether every tier can be run, as far as that is known without starting one.
    pub fn check(&self, tiers: &[Tier]) -> anyhow::Result<()> {
        for (number, tier) in (1..).zip(tiers) {
            let args = self.wrap_args(tier, None);
            // All but the first get a context.
            let context = (number > 1).then_some("context");
            let spec = self.run_spec(&args, context, Rc::default(), &|| None)?;
            spec.check().with_context(|| format!("tier {number}"))?;
        }
        Ok(())
    }

    /// Runs a tier to its end.
    pub fn run(&self, run: &TierRun<'_>) -> TierOutcome {
        let TierRun { tier, number, session, context, signals } = *run;
        let mut diagnostics = Diagnostics::stderr(self.global.quiet);
        diagnostics.note(&describe(tier, number));
        let harness =
            command::harness_of(&tier.command, self.global.harness, self.global.described);
        let harness = Some(harness).filter(|harness| *harness != Harness::Unknown);
        let stored_run = Rc::new(RefCell::new(StoredRun::new(harness, SystemTime::now())));
        let name = file_name(number, session);
        let args = self.wrap_args(tier, Some(&name));
        let pending_signal = || signals.received();
        let result = self
            .run_spec(&args, context, Rc::clone(&stored_run), &pending_signal)
            .and_then(RunSpec::run);
        let stored_run = stored_run.take();
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(error) => {
                let reason = error_message(&error);
                diagnostics.error(&reason);
                let not_started = Some(reason.clone());
                let end = ProcessEnd { exit_code: -1, not_started, ..ProcessEnd::default() };
                let entry = stored_run.finish(Some(&end));
                let failure = Some(reason);
                return TierOutcome { entry, status: OWN_FAILURE, failure, missing_document: None };
            }
        };
        let mut entry = stored_run.finish(Some(&outcome.end));
        for warning in entry.report.warnings.iter().cloned().chain(entry.skipped_memories()) {
            diagnostics.note(&format!("tier {number}: {warning}"));
        }
        let failure = failure_of(&outcome, &entry);
        if outcome.signal.is_some() {
            entry.status = SessionStatus::Interrupted;
        } else if let Some(reason) = &failure {
            entry.fail(reason);
        }
        // A failed tier never exits with 0.
        let status = outcome.status.max(failure.is_some().into());
        TierOutcome { entry, status, failure, missing_document: outcome.missing_document }
    }

    fn run_spec<'a>(
        &'a self,
        args: &'a WrapArgs,
        context: Option<&'a str>,
        stored_run: Rc<RefCell<StoredRun>>,
        pending_signal: &'a dyn Fn() -> Option<i32>,
    ) -> anyhow::Result<RunSpec<'a>> {
        let shown = self.mode.as_ref().map(PrintMode::read_spec).transpose()?.flatten();
        let read_spec = shown.unwrap_or_else(ReadSpec::silent);
        Ok(RunSpec {
            args,
            global: &self.global,
            read_spec: Some(read_spec.recorded(stored_run)),
            stdin: self.prompt.as_deref().map_or(StdinContent::Empty, StdinContent::Text),
            context,
            is_last: false,
            pending_signal,
        })
    }

    /// Returns the arguments of `wrap` for a tier; its files have this name.
    fn wrap_args(&self, tier: &Tier, name: Option<&str>) -> WrapArgs {
        let Self { args, .. } = self;
        let folder = args.record_dir.as_deref().filter(|_| !args.dry_run);
        let files = folder.zip(name);
        let file = |ending| files.map(|(folder, name)| folder.join(format!("{name}.{ending}")));
        #[cfg(feature = "serve")]
        let shown = self.page.as_ref().filter(|_| files.is_none());
        #[cfg(feature = "serve")]
        let shown = shown.zip(name).map(|(page, name)| page.path().join(format!("{name}.jsonl")));
        #[cfg(not(feature = "serve"))]
        let shown = None;
        // A stored run is finished even if its output is closed.
        let on_closed_stdout =
            if args.dry_run { OnClosedStdout::Kill } else { OnClosedStdout::Continue };
        WrapArgs {
            show: None,
            tee: file("jsonl").or(shown),
            record: file("json"),
            #[cfg(feature = "serve")]
            serve: None,
            with_events: false,
            schema: Some(args.schema.clone()),
            clocks: ClockArgs { timeout: tier.timeout.or(args.clocks.timeout), ..args.clocks },
            complete: Completion::Stream,
            model: tier.model.clone(),
            dry_run: false,
            exit_status: ExitStatus::Auto,
            fail_on: Vec::new(),
            on_closed_stdout: Some(on_closed_stdout),
            no_stdin: false,
            surroundings: args.surroundings.clone(),
            subject: None,
            heuristics: HeuristicArgs::default(),
            command: tier.command.clone(),
        }
    }
}

/// Returns why a run failed, if it did.
fn failure_of(outcome: &RunOutcome, entry: &RunEntry) -> Option<String> {
    if let Some(signal) = outcome.signal {
        return Some(format!("ended by signal {signal}"));
    }
    if outcome.status != 0 || entry.status == SessionStatus::Incomplete {
        let reason = entry.error.clone().or_else(|| outcome.lost.map(str::to_owned));
        return Some(reason.unwrap_or_else(|| match outcome.status {
            TIMED_OUT => "timeout".to_owned(),
            status => format!("exit status {status}"),
        }));
    }
    // An invalid document has no reliable request. An answer without a document may have
    // markers in its text.
    let invalid = outcome.invalid_document.as_ref();
    invalid.map(|violation| format!("the answer violates the schema: {violation}"))
}

/// `tier 1 (observe): claude`
fn describe(tier: &Tier, number: usize) -> String {
    let name = tier.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let program = tier.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    format!("tier {number}{name}: {program}")
}

/// Returns a name for the files of a tier. Names sort by time.
fn file_name(number: usize, session: i64) -> String {
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    format!("{now}-tier-{number}-session-{session}")
}
