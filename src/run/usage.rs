//! What the run used: tokens, cost, turns, time.
//!
//! The sources, best first:
//!
//! 1. results that tell each model's share since the previous result: their
//!    sum (later figures include what was used before this stream began);
//! 2. the last result's total per model: the first ones include this;
//! 3. the last result's own usage, or the last count of the thread;
//! 4. without any of them, one record per message, however often a line
//!    repeats it.

use std::collections::HashMap;

use crate::event::{Event, Finished, Message, ModelUsage, Packet, Part, Scope, Tokens};

/// Models that are none: messages the CLI writes itself.
const SYNTHETIC: &str = "<synthetic>";

/// Where the figures come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A result line.
    Result,
    /// The counts of a thread, told at the end of its turns.
    Turns,
    /// The messages themselves: no result came.
    Messages,
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
    /// The cost in US dollars, where it is told.
    pub cost_usd: Option<f64>,
    /// Turns of the conversation, where they are told.
    pub turns: Option<u64>,
    /// Wall time, where it is told.
    pub duration_ms: Option<u64>,
}

/// What one model used.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The model.
    pub model: String,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its cost in US dollars, where it is told.
    pub cost_usd: Option<f64>,
}

/// Collects the figures of a run.
#[derive(Debug, Default)]
pub struct Usage {
    since: Option<Vec<Share>>,
    total: Option<Vec<Share>>,
    last: Option<(Scope, Tokens)>,
    cost_usd: Option<f64>,
    /// Turns and time as the results count them, added up.
    result_turns: Option<u64>,
    duration_ms: Option<u64>,
    turns_started: u64,
    messages: Messages,
}

impl Usage {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                Event::TurnStarted => self.turns_started += 1,
                Event::Usage(tokens) => self.last = Some((Scope::Turn, *tokens)),
                Event::Finished(finished) => self.finished(finished),
                // Messages only count as long as nothing better has come.
                _ if self.is_told() => {}
                Event::Message(message) => self.messages.seen(message),
                Event::Partial { message_id, part } => {
                    self.messages.part(packet.parent_id, *message_id, part);
                }
                _ => {}
            }
        }
    }

    /// The tokens of the last result or turn, which the contracts call the
    /// run's.
    #[must_use]
    pub fn last_tokens(&self) -> Option<Tokens> {
        self.last.map(|(_, tokens)| tokens)
    }

    /// The last tokens with what told them.
    #[must_use]
    pub fn last_told(&self) -> Option<(Scope, Tokens)> {
        self.last
    }

    /// How many turns have started.
    #[must_use]
    pub fn turns_started(&self) -> u64 {
        self.turns_started
    }

    /// The figures of the run so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report {
            duration_ms: self.duration_ms,
            turns: self
                .result_turns
                .or((self.turns_started > 0).then_some(self.turns_started)),
            ..Report::default()
        };
        if let Some(shares) = &self.since {
            report.take(Source::Result, shares);
            // An empty share is nothing spent, provided cost is told at all.
            report.cost_usd = match total_cost(shares) {
                None if shares.is_empty() => self.cost_usd.map(|_| 0.0),
                cost => cost,
            };
        } else if let Some(shares) = &self.total {
            report.take(Source::Result, shares);
            report.cost_usd = self.cost_usd.or_else(|| total_cost(shares));
        } else if let Some((scope, tokens)) = self.last {
            report.tokens = tokens;
            report.cost_usd = self.cost_usd;
            report.source = match scope {
                Scope::Result => Source::Result,
                Scope::Turn => Source::Turns,
            };
        } else if let Some(shares) = self.messages.shares() {
            report.take(Source::Messages, &shares);
        } else {
            report.cost_usd = self.cost_usd;
        }
        report
    }

    fn is_told(&self) -> bool {
        self.since.is_some() || self.total.is_some() || self.last.is_some()
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        if let Some(models) = &finished.models_since {
            let since = self.since.get_or_insert_default();
            for usage in models {
                add_model(since, usage);
            }
        }
        if let Some(models) = &finished.models_total {
            let mut total = Vec::new();
            for usage in models {
                add_model(&mut total, usage);
            }
            self.total = Some(total);
        }
        if let Some(tokens) = finished.usage {
            self.last = Some((finished.scope, tokens));
        }
        self.cost_usd = finished.cost_usd.or(self.cost_usd);
        let turns = finished
            .num_turns
            .and_then(|turns| u64::try_from(turns).ok());
        self.result_turns = sum(self.result_turns, turns);
        self.duration_ms = sum(self.duration_ms, finished.duration_ms);
        if self.is_told() {
            self.messages = Messages::default();
        }
    }
}

impl Report {
    /// All tokens, cached ones included once.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        total(&self.tokens)
    }

    fn take(&mut self, source: Source, shares: &[Share]) {
        self.source = source;
        for share in shares {
            add(&mut self.tokens, &share.tokens);
        }
        self.models = shares.to_vec();
    }
}

impl Share {
    /// All tokens, cached ones included once.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        total(&self.tokens)
    }
}

/// One record per message; a line that repeats a message adds nothing.
#[derive(Debug, Default)]
struct Messages {
    by_id: HashMap<String, (Option<String>, Tokens)>,
    /// Messages without an id cannot be told apart: each counts.
    nameless: Vec<Share>,
    /// The message each thread is writing.
    writing: HashMap<Option<String>, String>,
}

impl Messages {
    fn seen(&mut self, message: &Message<'_>) {
        let (Some(usage), model) = (message.usage, message.model) else {
            return;
        };
        if model == Some(SYNTHETIC) {
            return;
        }
        let Some(id) = message.id else {
            return add_share(&mut self.nameless, model.unwrap_or_default(), &usage, None);
        };
        let entry = self.by_id.entry(id.to_owned()).or_default();
        entry.0 = model.map(str::to_owned).or(entry.0.take());
        keep_largest(&mut entry.1, &usage);
    }

    fn part(&mut self, thread: Option<&str>, id: Option<&str>, part: &Part<'_>) {
        match part {
            Part::MessageStart(message) => {
                let thread = thread.map(str::to_owned);
                self.writing
                    .extend(message.id.map(|id| (thread, id.to_owned())));
                self.seen(message);
            }
            Part::MessageDelta(message) => {
                let writing = self.writing.get(&thread.map(str::to_owned)).cloned();
                let id = id.map(str::to_owned).or(writing);
                self.seen(&Message {
                    id: id.as_deref(),
                    ..*message
                });
            }
            _ => {}
        }
    }

    fn shares(&self) -> Option<Vec<Share>> {
        let mut shares = self.nameless.clone();
        let mut named: Vec<_> = self.by_id.values().collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (model, tokens) in named {
            add_share(
                &mut shares,
                model.as_deref().unwrap_or_default(),
                tokens,
                None,
            );
        }
        (!shares.is_empty()).then_some(shares)
    }
}

fn add_model(shares: &mut Vec<Share>, usage: &ModelUsage<'_>) {
    add_share(shares, usage.model, &usage.tokens, usage.cost_usd);
}

fn add_share(shares: &mut Vec<Share>, model: &str, tokens: &Tokens, cost_usd: Option<f64>) {
    let known = shares.iter().position(|share| share.model == model);
    let at = known.unwrap_or_else(|| {
        shares.push(Share {
            model: model.to_owned(),
            tokens: Tokens::default(),
            cost_usd: None,
        });
        shares.len() - 1
    });
    add(&mut shares[at].tokens, tokens);
    shares[at].cost_usd = match (shares[at].cost_usd, cost_usd) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
}

fn add(sum_up: &mut Tokens, more: &Tokens) {
    sum_up.input = sum_up.input.saturating_add(more.input);
    sum_up.output = sum_up.output.saturating_add(more.output);
    sum_up.cache_read = sum(sum_up.cache_read, more.cache_read);
    sum_up.cache_write = sum(sum_up.cache_write, more.cache_write);
    sum_up.reasoning = sum(sum_up.reasoning, more.reasoning);
    sum_up.input_has_cache |= more.input_has_cache;
}

/// Of two snapshots of one message, every count at its largest.
fn keep_largest(kept: &mut Tokens, seen: &Tokens) {
    kept.input = kept.input.max(seen.input);
    kept.output = kept.output.max(seen.output);
    kept.cache_read = kept.cache_read.max(seen.cache_read);
    kept.cache_write = kept.cache_write.max(seen.cache_write);
    kept.reasoning = kept.reasoning.max(seen.reasoning);
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

fn total(tokens: &Tokens) -> u64 {
    let cached = if tokens.input_has_cache {
        0
    } else {
        sum(tokens.cache_read, tokens.cache_write).unwrap_or(0)
    };
    tokens
        .input
        .saturating_add(tokens.output)
        .saturating_add(cached)
}

fn total_cost(shares: &[Share]) -> Option<f64> {
    let costs = shares.iter().filter_map(|share| share.cost_usd);
    costs.reduce(|sum, cost| sum + cost)
}
