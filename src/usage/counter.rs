//! Counts the usage of one stream or session.
//!
//! The sources, best first:
//!
//! 1. results with each model's share since the previous result: their sum
//!    (totals may include usage from before this stream);
//! 2. the last result's total per model;
//! 3. the last result's own usage, or the last count of the thread;
//! 4. without any of them, one entry per message, however often a line repeats
//!    it.
//!
//! A result that reports a cost and no tokens adds its cost to the messages.
//!
//! Session files are counted by a [`RequestLog`] instead.

use super::messages::Messages;
use super::{Estimate, ModelShares, Prices, RequestLog, UsageReport, UsageSource, sum};
use crate::event::{Event, Finished, Scope, Tokens};
use crate::harness::{Harness, Record};

/// Counts the usage of one stream or session.
#[derive(Debug, Default)]
pub struct UsageCounter {
    /// Sum of the shares since the previous result.
    since: Option<ModelShares>,
    /// The last cost that a result reports.
    cost_usd: Option<f64>,
    /// The last total per model, with its cost.
    total: Option<(ModelShares, Option<f64>)>,
    /// The last count of all tokens, with its cost.
    last: Option<(Scope, Tokens, Option<f64>)>,
    /// The tokens of the run as the contracts define them.
    contract: Tokens,
    /// Sums over all results.
    result_turns: Option<u64>,
    duration_ms: Option<u64>,
    /// The id of the last result.
    last_result: Option<String>,
    turns_started: u64,
    messages: Messages,
    log: RequestLog,
}

impl UsageCounter {
    /// Continues to count the requests of a session file.
    pub(super) fn of_log(mut log: RequestLog) -> Self {
        log.resume();
        Self { log, ..Self::default() }
    }

    /// Counts a record.
    pub fn apply(&mut self, record: &Record<'_>) {
        if record.on_disk {
            self.log.apply(record);
        }
        for event in record.events {
            match event {
                Event::TurnStarted { .. } => self.turns_started += 1,
                _ if record.on_disk => {}
                Event::Usage { total, .. } => self.counted(Scope::Turn, *total, None),
                Event::Finished(finished) => self.finished(finished),
                // Messages count only until there is a better source.
                _ if self.has_result() => {}
                event => self.messages.apply(record.parent_id, event),
            }
        }
    }

    /// Returns the tokens of the run as the contracts define them: those of the last
    /// result, or the last count of the thread. If the CLI prints neither, all requests
    /// count.
    pub(crate) fn contract_tokens(&self, harness: Harness) -> Tokens {
        if self.log.is_empty() && !harness.adapter().reports_requests() {
            self.contract
        } else {
            self.figures().tokens
        }
    }

    /// Returns the last count of a thread.
    pub(crate) fn thread_tokens(&self) -> Option<Tokens> {
        match self.last {
            Some((Scope::Turn, tokens, _)) => Some(tokens),
            _ => None,
        }
    }

    /// Returns the number of turns that have started.
    pub(crate) fn turns_started(&self) -> u64 {
        self.turns_started
    }

    /// Returns the usage so far.
    #[must_use]
    pub fn report(&self) -> UsageReport {
        let turns_started = (self.turns_started > 0).then_some(self.turns_started);
        let figures = self.figures();
        UsageReport {
            duration_ms: self.duration_ms.or(figures.duration_ms),
            turns: self.result_turns.or(turns_started),
            limits: self.log.limits().to_vec(),
            ..figures
        }
    }

    /// Estimates the cost; `model` is used for tokens without a named model.
    #[must_use]
    pub fn estimate(&self, prices: &Prices, model: &str) -> Estimate {
        if self.log.is_empty() {
            return self.figures().estimate(prices, model);
        }
        self.log.estimate(prices)
    }

    /// Returns the requests of a session file.
    pub(crate) fn into_log(self) -> RequestLog {
        let mut log = self.log;
        log.finish();
        log
    }

    fn figures(&self) -> UsageReport {
        if !self.log.is_empty() {
            return self.log.report();
        }
        if let Some(shares) = &self.since {
            let report = UsageReport::of_shares(UsageSource::Result, shares);
            // An empty share costs nothing, provided the CLI reports costs at all.
            let nothing = self.cost_usd.filter(|_| shares.is_empty()).map(|_| 0.0);
            return UsageReport { cost_usd: report.cost_usd.or(nothing), ..report };
        }
        if let Some((shares, cost_usd)) = &self.total {
            let report = UsageReport::of_shares(UsageSource::Result, shares);
            return UsageReport { cost_usd: cost_usd.or(report.cost_usd), ..report };
        }
        if let Some((scope, tokens, cost_usd)) = self.last {
            let source = match scope {
                Scope::Turn => UsageSource::Turns,
                Scope::Result | Scope::Request => UsageSource::Result,
            };
            return UsageReport { source, tokens, cost_usd, ..UsageReport::default() };
        }
        let report = match self.messages.shares() {
            Some(shares) => UsageReport::of_shares(UsageSource::Messages, &shares),
            None if self.cost_usd.is_some() => {
                UsageReport { source: UsageSource::Result, ..UsageReport::default() }
            }
            None => UsageReport::default(),
        };
        UsageReport { cost_usd: self.cost_usd.or(report.cost_usd), ..report }
    }

    fn has_result(&self) -> bool {
        self.since.is_some() || self.total.is_some() || self.last.is_some()
    }

    fn counted(&mut self, scope: Scope, tokens: Tokens, cost_usd: Option<f64>) {
        self.last = Some((scope, tokens, cost_usd));
        self.contract = tokens;
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        // The same line twice is one result.
        if finished.id.is_some() && finished.id == self.last_result.as_deref() {
            return;
        }
        self.last_result = finished.id.map(str::to_owned);
        if let Some(models) = &finished.models_since {
            self.since.get_or_insert_default().add_all(models);
        }
        if let Some(models) = finished.models_total.as_ref().filter(|all| !all.is_empty()) {
            let mut total = ModelShares::default();
            total.add_all(models);
            self.total = Some((total, finished.cost_usd));
        }
        match finished.usage {
            Some(tokens) => self.counted(finished.scope, tokens, finished.cost_usd),
            // For the contract, a result without a count has used nothing.
            None if finished.scope == Scope::Result => self.contract = Tokens::default(),
            None => {}
        }
        self.cost_usd = finished.cost_usd.or(self.cost_usd);
        let turns = finished.num_turns.and_then(|turns| u64::try_from(turns).ok());
        self.result_turns = sum(self.result_turns, turns);
        self.duration_ms = sum(self.duration_ms, finished.duration_ms);
        if self.has_result() {
            self.messages = Messages::default();
        }
    }
}
