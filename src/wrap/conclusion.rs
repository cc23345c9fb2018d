//! What is done when the stream has been read: the verdict, the record, the exit status.

use std::io;
use std::rc::Rc;

use super::event_log::EventLog;
use super::failure_message::RunEnd;
use super::record::RecordFile;
use super::schema_request::SchemaRequest;
use super::start::describe_left;
use super::status;
use super::stderr::SharedStderr;
use super::supervised_run::RunOutcome;
use super::supervision::EndCause;
use super::supervisor::{ProcessesEnd, Supervisor};
use crate::cli::{ExitStatus, Global, WrapArgs};
use crate::harness::Harness;
use crate::harness::command::AgentCommand;
use crate::output::Output;
use crate::pipeline::RunResult;
use crate::projection::SummaryRow;
use crate::read_spec::Coverage;
use crate::run::{FailOn, ProcessEnd, Run, Verdict};

/// How a run is judged.
pub(super) struct Conclusion<'a> {
    pub(super) args: &'a WrapArgs,
    pub(super) global: &'a Global,
    pub(super) command: &'a AgentCommand,
    pub(super) schema: Option<&'a SchemaRequest>,
    /// What the output shows; `None` for the stream itself.
    pub(super) coverage: Option<Coverage>,
    /// The harness whose events are read; `None` if any are.
    pub(super) harness: Option<Harness>,
    /// Whether the command printed any event.
    pub(super) has_events: bool,
    /// Whether the copy of the stream is complete.
    pub(super) is_copied: bool,
    /// Whether nothing follows, so that signals get their default effect.
    pub(super) is_last: bool,
    pub(super) stderr: SharedStderr,
}

/// The state of a run whose stream has been read.
pub(super) struct RunState<'a> {
    pub(super) end: Rc<ProcessEnd>,
    pub(super) supervisor: &'a mut Supervisor,
    pub(super) run: &'a mut Run,
    pub(super) event_log: Option<&'a EventLog>,
    pub(super) record: Option<RecordFile>,
    /// The result of reading and printing.
    pub(super) result: io::Result<RunResult>,
    pub(super) out: &'a mut Output,
}

impl Conclusion<'_> {
    /// Judges and records the run.
    pub(super) fn conclude(self, state: RunState<'_>) -> RunOutcome {
        let Self { args, global, command, schema, coverage, ref stderr, .. } = self;
        let RunState { end, supervisor, run, event_log, mut record, result, out } = state;
        let ProcessesEnd { exit, left, .. } = supervisor.finish();
        if self.is_last {
            supervisor.supervision().release_signals();
        }
        let verdict = run.verdict(args.heuristics.mode());
        let reported = verdict.error.clone();
        let verdict = verdict.with_process(&end);
        if let Some(message) = &end.last_message {
            run.structured.set_last_message(message);
        }
        // Validation takes time, so the record exists before; its warnings follow.
        let is_validated = schema.is_some() && run.structured.document().is_some();
        let mut is_recorded = true;
        if is_validated && record.as_ref().is_some_and(RecordFile::is_replaceable) {
            is_recorded = write_record(record.as_mut(), run, args, &end, event_log, stderr);
            record = record.filter(|_| is_recorded);
        }
        let shows_document = coverage == Some(Coverage::Document);
        let violations = schema
            .map(|schema| schema.validate(run, &verdict, shows_document, stderr))
            .unwrap_or_default();
        let invalid_document = schema
            .filter(|_| !violations.is_empty())
            .and_then(|schema| schema.uncorrected_violation(run));
        let is_missing = schema.is_some() && run.structured.document().is_none();
        let missing_document = (is_missing && command.requests_document())
            .then(|| format!("no structured output: {}", run.structured.describe_missing()));
        is_recorded &= write_record(record.as_mut(), run, args, &end, event_log, stderr);
        let lost = lost(is_recorded, self.is_copied);
        let cause = supervisor.supervision().cause();
        let ending = RunEnd {
            name: &command.name,
            cause,
            clocks: &args.clocks,
            process: &end,
            verdict: &verdict,
            reported: reported.as_ref(),
            harness: self.harness,
            has_events: self.has_events,
            is_shown: shows_failure(coverage, run, &verdict),
        };
        let mut diagnostics = stderr.diagnostics(global.quiet && ending.is_advisory());
        ending.messages().iter().for_each(|message| diagnostics.note(message));
        if let Some(processes) = describe_left(&left) {
            let message = format!("{}: could not be ended: {processes}", command.name);
            stderr.diagnostics(false).error(&message);
        }
        let status = status::of_run(args.exit_status, exit, cause, &verdict);
        let status = status::with_left(status, !left.is_empty());
        let status = with_conditions(status, args, run, &verdict, stderr);
        let own = OwnResult { result, lost, is_strict: global.strict };
        let status = own.combine(status, out, stderr);
        stderr.drain();
        RunOutcome {
            status,
            violates_schema: !violations.is_empty(),
            invalid_document,
            missing_document,
            lost,
            signal: signal_of(cause),
            end,
        }
    }
}

/// Returns whether the output shows the failure of the run, perhaps in place of the answer.
fn shows_failure(coverage: Option<Coverage>, run: &Run, verdict: &Verdict) -> bool {
    let Some(failure) = &verdict.failure else { return false };
    match coverage {
        // `view` calls a run that was interrupted and went on a success.
        Some(Coverage::All) => !run.has_recovered(failure),
        Some(Coverage::Failure) => true,
        Some(Coverage::Text) => run.shows_as_text(&failure.message),
        Some(Coverage::Document | Coverage::Other) | None => false,
    }
}

/// Returns 1 in place of 0 if the run meets a condition of `--fail-on`.
fn with_conditions(
    status: u8,
    args: &WrapArgs,
    run: &Run,
    verdict: &Verdict,
    stderr: &SharedStderr,
) -> u8 {
    if status != 0 || args.exit_status == ExitStatus::Child {
        return status;
    }
    match FailOn::first_met(&args.fail_on, run, verdict) {
        Some(message) => {
            stderr.diagnostics(false).error(&message);
            1
        }
        None => 0,
    }
}

fn signal_of(cause: Option<EndCause>) -> Option<i32> {
    match cause {
        Some(EndCause::Signal(signal)) => Some(signal),
        _ => None,
    }
}

fn lost(is_recorded: bool, is_copied: bool) -> Option<&'static str> {
    match (is_recorded, is_copied) {
        (false, _) => Some("the record could not be written"),
        (true, false) => Some("the copy of the stream could not be written"),
        (true, true) => None,
    }
}

/// The result of streamj's own work.
struct OwnResult {
    result: io::Result<RunResult>,
    /// What could not be written.
    lost: Option<&'static str>,
    is_strict: bool,
}

impl OwnResult {
    /// Combines the status of the run with our own result.
    fn combine(self, status: u8, out: &mut Output, stderr: &SharedStderr) -> u8 {
        let missing = out.rows.missing_member();
        if let Some(pointer) = missing {
            out.diagnostics.note(&format!("no record has {pointer}"));
        }
        match self.result {
            Err(error) => {
                stderr.diagnostics(false).error(&format!("cannot write: {error}"));
                status::OWN_FAILURE
            }
            Ok(_) if status != 0 => status,
            // A run whose record or copy is lost does not succeed.
            Ok(_) if self.lost.is_some() => status::OWN_FAILURE,
            Ok(result) if self.is_strict && result.skipped > 0 => 1,
            Ok(_) if missing.is_some() => 1,
            Ok(result) => result.exit.code(),
        }
    }
}

/// Writes the record, if one was requested. Returns false if that failed.
pub(super) fn write_record(
    file: Option<&mut RecordFile>,
    run: &Run,
    args: &WrapArgs,
    end: &ProcessEnd,
    event_log: Option<&EventLog>,
    stderr: &SharedStderr,
) -> bool {
    let (Some(file), Some(path)) = (file, &args.record) else {
        return true;
    };
    let row = SummaryRow::new(run, args.heuristics.mode(), Some(end));
    match file.write(&row, event_log) {
        Ok(()) => true,
        Err(error) => {
            let message = format!("{}: cannot write the record: {error}", path.display());
            stderr.diagnostics(false).error(&message);
            false
        }
    }
}
