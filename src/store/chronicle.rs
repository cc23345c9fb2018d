//! A run as the store keeps it.

use std::time::SystemTime;

use super::key::Key;
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

/// Follows a run to its entry.
pub struct Chronicle {
    run: Run,
    reports: Reports,
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
        Self { run: Run::new(harness, written), reports: Reports::default(), key: Key::default() }
    }

    /// Takes in a line.
    pub fn read(&mut self, reading: &Reading<'_>, line: u64) {
        self.run.read(reading, line);
        if let Reading::Packet(packet) = reading {
            self.reports.apply(packet);
            self.key.apply(packet);
        }
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
        let output = left.filter(|_| !self.run.answer.spoke()).unwrap_or(self.run.output());
        if let Some(left) = left {
            self.reports.left(left);
        }
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
        Entry {
            key: (!self.is_empty()).then(|| self.key.finish()),
            session_id: self.run.session.id().map(str::to_owned),
            harness: self.run.session.harness(),
            model: self.run.session.model().map(str::to_owned),
            status,
            output: output.to_owned(),
            error_category: verdict.failure.as_ref().map(|failure| failure.category.name()),
            error: verdict.failure.map(|failure| failure.message),
            // A result can tell its cost and no tokens.
            cost_usd: self.run.usage.report().cost_usd.or(self.run.cost_usd),
            duration_ms: self.run.duration_ms.or(ran),
            num_turns: self.run.num_turns,
            report: self.reports.take(),
        }
    }
}
