//! What a run used.

use super::{Estimate, ModelShare, ModelShares, Prices, sum_cost};
use crate::codec::{Bytes, Codec, codec_struct};
use crate::event::Tokens;

/// Where the figures come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsageSource {
    /// A result line.
    Result,
    /// The counts of a thread, reported at the end of its turns.
    Turns,
    /// The messages themselves, since no result came.
    Messages,
    /// The CLI's own count in a session file, by the CLI's name for it.
    Snapshot(&'static str),
    /// The stream has no figures.
    #[default]
    None,
}

impl UsageSource {
    /// Returns the name used in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Turns => "turns",
            Self::Messages => "messages",
            Self::Snapshot(name) => name,
            Self::None => "none",
        }
    }
}

/// What a run used.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct UsageReport {
    /// Where the figures come from.
    pub source: UsageSource,
    /// All tokens.
    pub tokens: Tokens,
    /// The share of each model, if reported.
    pub models: Vec<ModelShare>,
    /// The cost of all tokens in US dollars, if the CLI reports it.
    pub cost_usd: Option<f64>,
    /// The cost of a part of the tokens, if the CLI reports it for a part only.
    pub partial_cost_usd: Option<f64>,
    /// Turns of the conversation, if reported.
    pub turns: Option<u64>,
    /// Wall time in milliseconds, if reported.
    pub duration_ms: Option<u64>,
    /// Tokens that the CLI counted and that are not tied to a message.
    pub unattributed: Option<Tokens>,
    /// The state of the account's limits.
    pub limits: Vec<AccountLimit>,
}

/// The state of one limit of an account.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AccountLimit {
    /// The limit's name.
    pub kind: String,
    /// The used share in percent.
    pub used_percent: Option<f64>,
    /// Time of the reset, in seconds since 1970.
    pub resets_at: Option<i64>,
}

codec_struct!(AccountLimit { kind, used_percent, resets_at });

codec_struct!(UsageReport {
    source,
    tokens,
    models,
    cost_usd,
    partial_cost_usd,
    turns,
    duration_ms,
    unattributed,
    limits,
});

impl Codec for UsageSource {
    fn encode(&self, to: &mut Vec<u8>) {
        self.name().encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let name = <&str>::decode(from)?;
        let known = [Self::Result, Self::Turns, Self::Messages, Self::None];
        let known = known.into_iter().find(|source| source.name() == name);
        Some(known.unwrap_or(Self::Snapshot(name)))
    }
}

impl UsageReport {
    /// Adds up shares.
    pub(super) fn of_shares(source: UsageSource, shares: &ModelShares) -> Self {
        let mut report = Self { source, ..Self::default() };
        for share in shares.iter() {
            report.tokens.add(&share.tokens);
            report.cost_usd = sum_cost(report.cost_usd, share.cost_usd);
        }
        // The share of an unnamed model is part of the sum only.
        let named = shares.iter().filter(|share| !share.model.is_empty());
        report.models = named.cloned().collect();
        report
    }

    /// Estimates the cost; `model` is used for tokens without a named model.
    pub(super) fn estimate(&self, prices: &Prices, model: &str) -> Estimate {
        if self.models.is_empty() {
            return prices.estimate(model, &self.tokens);
        }
        let mut total = Estimate::default();
        let mut named = Tokens::default();
        for share in &self.models {
            named.add(&share.tokens);
            total.add(&prices.estimate(&share.model, &share.tokens));
        }
        total.add(&prices.estimate("", &self.tokens.without(&named)));
        total
    }
}
