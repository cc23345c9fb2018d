//! A run as it is stored.

use std::time::SystemTime;

use super::key::RunKey;
use crate::event::{Category, Event, Scope};
use crate::findings::Finding;
use crate::harness::{Harness, Record};
use crate::reader::DecodedLine;
use crate::run::{FindingsFold, FindingsReport, Heuristics, ProcessEnd, Run, StoppedBy};

/// The status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionStatus {
    /// It has not ended yet.
    Running,
    /// It ended well.
    Completed,
    /// It ended well, and requested the next tier.
    Escalated,
    /// The stream or the process reported an error.
    Failed,
    /// A timeout ended it.
    TimedOut,
    /// The stream stopped without a result.
    Incomplete,
    /// A signal ended it, or streamj itself was killed.
    Interrupted,
}

impl SessionStatus {
    /// Returns the name in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Escalated => "escalated",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Incomplete => "incomplete",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Everything that is stored of a run.
#[derive(Debug)]
pub(crate) struct RunEntry {
    /// Identifies the run; `None` if it has no events.
    pub(crate) key: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) harness: Harness,
    pub(crate) model: Option<String>,
    pub(crate) status: SessionStatus,
    /// The agent's text.
    pub(crate) output: String,
    /// Why the run did not succeed.
    pub(crate) error: Option<String>,
    pub(crate) error_category: Option<&'static str>,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) num_turns: Option<i64>,
    pub(crate) report: FindingsReport,
}

/// Returns whether a memory can be stored: keys like `""`, `"x:"`, `":x"` and `" : "` lack
/// a part.
pub(super) fn is_complete_key(service: Option<&str>, category: &str) -> bool {
    let (service, category) = (service.map(str::trim), category.trim());
    service != Some("") && !category.is_empty() && !category.starts_with(':')
}

impl RunEntry {
    /// Describes the memories that are not stored.
    pub fn skipped_memories(&self) -> Option<String> {
        let is_skipped = |finding: &&Finding| match finding {
            Finding::Memory { service, category, .. } => {
                !is_complete_key(service.as_deref(), category)
            }
            _ => false,
        };
        match self.report.findings.iter().filter(is_skipped).count() {
            0 => None,
            count => Some(format!(
                "{count} of the memories not stored: the key is neither category nor service:category"
            )),
        }
    }

    /// Changes the status of a completed run to failed.
    pub fn fail(&mut self, reason: &str) {
        if self.status == SessionStatus::Completed {
            self.status = SessionStatus::Failed;
            self.error.get_or_insert_with(|| reason.to_owned());
        }
    }
}

/// Collects what is stored of a run.
pub(crate) struct StoredRun {
    run: Run,
    findings: FindingsFold,
    /// The findings up to the last result.
    reported: Option<FindingsReport>,
    /// The cost in the last result. One without token counts is not in the usage.
    last_cost_usd: Option<f64>,
    key: RunKey,
}

impl Default for StoredRun {
    fn default() -> Self {
        Self::new(None, SystemTime::now())
    }
}

impl StoredRun {
    /// Creates a run of `harness`, if given, whose lines were written at `written`.
    pub fn new(harness: Option<Harness>, written: SystemTime) -> Self {
        Self {
            run: Run::new(harness, written),
            findings: FindingsFold::default(),
            reported: None,
            last_cost_usd: None,
            key: RunKey::default(),
        }
    }

    /// Updates the run from a line.
    pub fn read(&mut self, line: &DecodedLine<'_>, number: u64) {
        self.run.read(line, number);
        if let DecodedLine::Record(record) = line {
            self.findings.apply(record);
            self.key.apply(record);
            for event in record.events {
                if let Event::Finished(finished) = event {
                    self.last_cost_usd = finished.cost_usd.or(self.last_cost_usd);
                }
            }
            if ends_report(record) {
                self.take_report();
            }
        }
    }

    /// Adds the findings since the last result.
    fn take_report(&mut self) {
        let report = self.findings.take();
        self.reported = Some(match self.reported.take() {
            Some(before) => before.followed_by(report),
            None => report,
        });
    }

    /// Returns whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        self.run.lines.events == 0
    }

    /// Returns what is stored, given how the supervised process ended.
    pub fn finish(mut self, process: Option<&ProcessEnd>) -> RunEntry {
        let last_message = process.and_then(|process| process.last_message.as_deref());
        if let Some(message) = last_message {
            self.findings.set_last_message(message);
        }
        self.take_report();
        let output = last_message.filter(|_| !self.run.answer.has_message());
        let output = output.unwrap_or(self.run.output());
        let mut verdict = self.run.verdict(Heuristics::Apply);
        if let Some(process) = process {
            verdict = verdict.with_process(process);
        }
        let status = match process {
            Some(process) if process.stopped_by == Some(StoppedBy::Clock) => {
                SessionStatus::TimedOut
            }
            _ if verdict.category == Some(Category::Incomplete) => SessionStatus::Incomplete,
            _ if verdict.error.is_some() => SessionStatus::Failed,
            _ if !verdict.complete => SessionStatus::Incomplete,
            _ => SessionStatus::Completed,
        };
        let wall_time =
            process.and_then(|process| u64::try_from(process.duration.as_millis()).ok());
        // A run that was ended by a timeout took longer than its result says.
        let reported_time = self.run.duration_ms.filter(|_| status != SessionStatus::TimedOut);
        let is_silent = self.is_empty() && status == SessionStatus::Incomplete;
        let error = verdict.failure.as_ref().map(|failure| failure.message.clone());
        RunEntry {
            key: (!self.is_empty()).then(|| self.key.finish()),
            session_id: self.run.session.id().map(str::to_owned),
            harness: self.run.session.harness(),
            model: self.run.session.model().map(str::to_owned),
            status,
            output: output.to_owned(),
            error_category: verdict.failure.as_ref().map(|failure| failure.category.name()),
            error: if is_silent { Some("no output".to_owned()) } else { error },
            cost_usd: self.run.usage.report().cost_usd.or(self.last_cost_usd),
            duration_ms: reported_time.or(wall_time),
            num_turns: self.run.num_turns,
            report: self.reported.unwrap_or_default(),
        }
    }
}

/// Returns whether a result or a turn ends with the record. A session file has its
/// document in several lines, and no such end.
fn ends_report(record: &Record<'_>) -> bool {
    let is_end = |event: &Event<'_>| matches!(event, Event::Finished(finished) if finished.scope != Scope::Request);
    !record.on_disk && record.events.iter().any(is_end)
}
