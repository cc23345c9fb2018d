//! What the run used: tokens, cost, turns, time.
//!
//! The sources, best first:
//!
//! 1. results that tell each model's share since the previous result: their
//!    sum (later figures include what was used before this stream began);
//! 2. the last result's total per model;
//! 3. the last result's own usage, or the last count of the thread;
//! 4. without any of them, one record per message, however often a line
//!    repeats it.
//!
//! What a CLI keeps on disk is kept in a [ledger](super::ledger) instead.

mod messages;
mod missing;
mod shares;

use messages::Messages;
pub use missing::missing;
pub use shares::Shares;

use super::ledger::{Ledger, Limit};
use crate::event::{Event, Finished, Packet, Scope, Tokens, sum};
use crate::prices::{Estimate, Prices};

/// Where the figures come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A result line.
    Result,
    /// The counts of a thread, told at the end of its turns.
    Turns,
    /// The messages themselves: no result came.
    Messages,
    /// The CLI's own count, kept on disk.
    CostState,
    /// Nobody told.
    #[default]
    None,
}

impl Source {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Turns => "turns",
            Self::Messages => "messages",
            Self::CostState => "cost-state",
            Self::None => "none",
        }
    }
}

/// What the run used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Where the figures come from.
    pub source: Source,
    /// All tokens.
    pub tokens: Tokens,
    /// The share of each model, where it is told.
    pub models: Vec<Share>,
    /// The cost in US dollars, where the same source tells it.
    pub cost_usd: Option<f64>,
    /// Turns of the conversation, where they are told.
    pub turns: Option<u64>,
    /// Wall time, where it is told.
    pub duration_ms: Option<u64>,
    /// Tokens that the CLI has counted and no message carries.
    pub unattributed: Option<Tokens>,
    /// How the account stood against its limits.
    pub limits: Vec<Limit>,
}

impl Report {
    /// All shares together.
    #[must_use]
    pub fn of_shares(source: Source, shares: &Shares) -> Self {
        let mut report = Self { source, ..Self::default() };
        for share in shares.iter() {
            report.tokens.add(&share.tokens);
            report.cost_usd = sum_cost(report.cost_usd, share.cost_usd);
        }
        // What nobody's model used is in the sum alone.
        let named = shares.iter().filter(|share| !share.model.is_empty());
        report.models = named.cloned().collect();
        report
    }
}

impl Report {
    /// What it costs by these prices; `model` is whose the tokens are if nobody
    /// says more.
    fn estimate(&self, prices: &Prices, model: &str) -> Estimate {
        if self.models.is_empty() {
            return prices.estimate(model, &self.tokens, false);
        }
        let mut all = Estimate::default();
        let mut named = Tokens::default();
        for share in &self.models {
            named.add(&share.tokens);
            all.add(&prices.estimate(&share.model, &share.tokens, false));
        }
        all.add(&prices.estimate("", &self.tokens.without(&named), false));
        all
    }
}

/// What one model used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// The model.
    pub model: String,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its cost in US dollars, where it is told.
    pub cost_usd: Option<f64>,
}

impl Share {
    /// Whether it is more than the same model's of `shares`.
    #[must_use]
    pub fn exceeds(&self, shares: &Shares) -> bool {
        let other = shares.of(&self.model).map(|share| share.tokens).unwrap_or_default();
        self.tokens.without(&other).total() > 0
    }
}

/// Collects the figures of a run.
#[derive(Debug, Default)]
pub struct Usage {
    /// The shares since the previous result, added up.
    since: Option<Shares>,
    /// Whether some result told a cost at all.
    cost_told: bool,
    /// The last total per model, with the cost told beside it.
    total: Option<(Shares, Option<f64>)>,
    /// The last count of everything, with the cost told beside it.
    last: Option<(Scope, Tokens, Option<f64>)>,
    /// The tokens the contracts call the run's.
    contract: Tokens,
    /// Turns and time as the results count them, added up.
    result_turns: Option<u64>,
    duration_ms: Option<u64>,
    turns_started: u64,
    messages: Messages,
    ledger: Ledger,
}

impl Usage {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        if packet.on_disk {
            self.ledger.apply(packet);
        }
        for event in packet.events {
            match event {
                Event::TurnStarted { .. } => self.turns_started += 1,
                _ if packet.on_disk => {}
                Event::Usage { total, .. } => self.counted(Scope::Turn, *total, None),
                Event::Finished(finished) => self.finished(finished),
                // Messages only count as long as nothing better has come.
                _ if self.is_told() => {}
                event => self.messages.apply(packet.parent_id, event),
            }
        }
    }

    /// The tokens the contracts call the run's: the last result's, or the
    /// last count of the thread.
    #[must_use]
    pub fn contract_tokens(&self) -> Tokens {
        if self.ledger.is_empty() { self.contract } else { self.ledger.report().tokens }
    }

    /// The last count of a thread.
    #[must_use]
    pub fn thread_tokens(&self) -> Option<Tokens> {
        match self.last {
            Some((Scope::Turn, tokens, _)) => Some(tokens),
            _ => None,
        }
    }

    /// How many turns have started.
    #[must_use]
    pub fn turns_started(&self) -> u64 {
        self.turns_started
    }

    /// The figures of the run so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let turns_started = (self.turns_started > 0).then_some(self.turns_started);
        let figures = self.figures();
        Report {
            duration_ms: self.duration_ms.or(figures.duration_ms),
            turns: self.result_turns.or(turns_started),
            limits: self.ledger.limits().to_vec(),
            ..figures
        }
    }

    /// What the run costs by these prices; `model` is whose the tokens are if
    /// nobody says more.
    #[must_use]
    pub fn estimate(&self, prices: &Prices, model: &str) -> Estimate {
        if self.ledger.is_empty() {
            return self.figures().estimate(prices, model);
        }
        self.ledger.estimate(prices)
    }

    /// The requests of a session on disk.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The same, to keep.
    #[must_use]
    pub fn into_ledger(self) -> Ledger {
        self.ledger
    }

    fn figures(&self) -> Report {
        if !self.ledger.is_empty() {
            return self.ledger.report();
        }
        if let Some(shares) = &self.since {
            let report = Report::of_shares(Source::Result, shares);
            // An empty share is nothing spent, provided cost is told at all.
            let nothing = (shares.is_empty() && self.cost_told).then_some(0.0);
            return Report { cost_usd: report.cost_usd.or(nothing), ..report };
        }
        if let Some((shares, cost_usd)) = &self.total {
            let report = Report::of_shares(Source::Result, shares);
            return Report { cost_usd: cost_usd.or(report.cost_usd), ..report };
        }
        if let Some((scope, tokens, cost_usd)) = self.last {
            return Report {
                source: match scope {
                    Scope::Turn => Source::Turns,
                    Scope::Result | Scope::Request => Source::Result,
                },
                tokens,
                cost_usd,
                ..Report::default()
            };
        }
        match self.messages.shares() {
            Some(shares) => Report::of_shares(Source::Messages, &shares),
            None => Report::default(),
        }
    }

    fn is_told(&self) -> bool {
        self.since.is_some() || self.total.is_some() || self.last.is_some()
    }

    fn counted(&mut self, scope: Scope, tokens: Tokens, cost_usd: Option<f64>) {
        self.last = Some((scope, tokens, cost_usd));
        self.contract = tokens;
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        if let Some(models) = &finished.models_since {
            self.since.get_or_insert_default().add_all(models);
        }
        if let Some(models) = finished.models_total.as_ref().filter(|all| !all.is_empty()) {
            let mut total = Shares::default();
            total.add_all(models);
            self.total = Some((total, finished.cost_usd));
        }
        match finished.usage {
            Some(tokens) => self.counted(finished.scope, tokens, finished.cost_usd),
            // A result without a count is a count of nothing for the contract.
            None if finished.scope == Scope::Result => self.contract = Tokens::default(),
            None => {}
        }
        self.cost_told |= finished.cost_usd.is_some();
        let turns = finished.num_turns.and_then(|turns| u64::try_from(turns).ok());
        self.result_turns = sum(self.result_turns, turns);
        self.duration_ms = sum(self.duration_ms, finished.duration_ms);
        if self.is_told() {
            self.messages = Messages::default();
        }
    }
}

pub(super) fn sum_cost(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}
