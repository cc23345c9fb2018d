//! A run as the store keeps it.

use std::time::SystemTime;

use super::key::Key;
use crate::event::{Event, Packet, Scope};
use crate::harness::{Harness, Reading};
use crate::run::{ProcessEnd, Report, Reports, Run};

/// How a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It goes on.
    Running,
    /// It came to its end.
    Completed,
    /// It came to its end, and another one goes on with its work.
    Escalated,
    /// It told an error, or its process did.
    Failed,
    /// A clock ran out.
    TimedOut,
    /// Its stream just stops.
    Incomplete,
    /// It was ended from outside, or whoever ran it was.
    Interrupted,
}

impl Status {
    /// Its name in the store.
    #[must_use]
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
pub struct Entry {
    /// What tells it from others; a run that said nothing has nothing that does.
    pub key: Option<String>,
    /// The id its CLI gave it.
    pub session_id: Option<String>,
    /// Whose run it was.
    pub harness: Harness,
    /// Its model.
    pub model: Option<String>,
    /// How it ended.
    pub status: Status,
    /// What the agent said.
    pub output: String,
    /// Why it was no success.
    pub error: Option<String>,
    /// What kind of failure that was.
    pub error_category: Option<&'static str>,
    /// Its cost in US dollars.
    pub cost_usd: Option<f64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// Its requests to the model.
    pub num_turns: Option<i64>,
    /// What it reported.
    pub report: Report,
}

impl Entry {
    /// A run that came to its end counts for nothing all the same.
    pub fn fail(&mut self, why: &str) {
        if self.status == Status::Completed {
            self.status = Status::Failed;
            self.error.get_or_insert_with(|| why.to_owned());
        }
    }
}

/// Follows a run to its entry.
pub struct Chronicle {
    run: Run,
    reports: Reports,
    /// What was reported up to the last result.
    reported: Option<Report>,
    key: Key,
}

impl Default for Chronicle {
    fn default() -> Self {
        Self::new(None, SystemTime::now())
    }
}

impl Chronicle {
    /// A run of `harness`, if that is known, whose lines were written then.
    #[must_use]
    pub fn new(harness: Option<Harness>, written: SystemTime) -> Self {
        Self {
            run: Run::new(harness, written),
            reports: Reports::default(),
            reported: None,
            key: Key::default(),
        }
    }

    /// Takes in a line.
    pub fn read(&mut self, reading: &Reading<'_>, line: u64) {
        self.run.read(reading, line);
        if let Reading::Packet(packet) = reading {
            self.reports.apply(packet);
            self.key.apply(packet);
            if ends_a_part(packet) {
                self.take_report();
            }
        }
    }

    /// Every result has its own findings.
    fn take_report(&mut self) {
        let report = self.reports.take();
        self.reported = Some(match self.reported.take() {
            Some(before) => before.followed_by(report),
            None => report,
        });
    }

    /// Whether there was nothing that could be stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.run.lines.events == 0
    }

    /// The run is over, and its process, if it was watched, ended so.
    #[must_use]
    pub fn finish(mut self, process: Option<&ProcessEnd>) -> Entry {
        let left = process.and_then(|process| process.last_message.as_deref());
        if let Some(left) = left {
            self.reports.left(left);
        }
        self.take_report();
        let output = left.filter(|_| !self.run.answer.spoke()).unwrap_or(self.run.output());
        let mut verdict = self.run.verdict(true);
        if let Some(process) = process {
            verdict = verdict.with_process(process);
        }
        let status = match process {
            Some(process) if process.timed_out => Status::TimedOut,
            _ if verdict.error.is_some() => Status::Failed,
            _ if !verdict.complete => Status::Incomplete,
            _ => Status::Completed,
        };
        let ran = process.and_then(|process| u64::try_from(process.duration.as_millis()).ok());
        // Who told a time and went on until a clock ran out took longer.
        let told = self.run.duration_ms.filter(|_| status != Status::TimedOut);
        let said_nothing = self.is_empty() && status == Status::Incomplete;
        let error = verdict.failure.as_ref().map(|failure| failure.message.clone());
        Entry {
            key: (!self.is_empty()).then(|| self.key.finish()),
            session_id: self.run.session.id().map(str::to_owned),
            harness: self.run.session.harness(),
            model: self.run.session.model().map(str::to_owned),
            status,
            output: output.to_owned(),
            error_category: verdict.failure.as_ref().map(|failure| failure.category.name()),
            error: if said_nothing { Some("nothing was said".to_owned()) } else { error },
            // A result can tell its cost and no tokens.
            cost_usd: self.run.usage.report().cost_usd.or(self.run.cost_usd),
            duration_ms: told.or(ran),
            num_turns: self.run.num_turns,
            report: self.reported.unwrap_or_default(),
        }
    }
}

/// Whether a result, or a turn, is over. What is on disk has its document in
/// several lines, and none of them ends it.
fn ends_a_part(packet: &Packet<'_>) -> bool {
    let ends = |event: &Event<'_>| matches!(event, Event::Finished(finished) if finished.scope != Scope::Request);
    !packet.on_disk && packet.events.iter().any(ends)
}
