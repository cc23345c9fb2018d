//! Estimates the cost of tokens from a price table, shipped (`prices.json`) or the
//! user's.
//!
//! Subscriptions have other prices, and prices change. A model that is not in the
//! table has no price; it is never free.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use super::{ItemKind, UsageItem};
use crate::codec::codec_struct;
use crate::event::Tokens;
use crate::harness::base_model;

const SHIPPED: &str = include_str!("prices.json");

/// Prices of models.
#[derive(Debug)]
pub struct Prices {
    /// The date of the prices.
    pub date: String,
    /// By names in lower case.
    models: BTreeMap<String, Price>,
    /// The price of models without a name.
    unnamed: Option<Price>,
}

#[derive(Clone, Debug, PartialEq)]
struct Price {
    rates: Rates,
    /// Rates of requests with a prompt longer than this, the longest last.
    above: Vec<(u64, Rates)>,
}

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write_5m: f64,
    cache_write_1h: f64,
}

/// An estimated cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// US dollars; `None` if no price is known.
    pub usd: Option<f64>,
    /// Models without a known price; an empty name stands for an unnamed model.
    pub unpriced: BTreeSet<String>,
}

codec_struct!(Estimate { usd, unpriced });

impl Estimate {
    /// Formats the estimate for people: `~$1.20`, `~$1.20 + unknown`.
    pub(crate) fn format(&self) -> String {
        match (self.usd, self.unpriced.is_empty()) {
            (Some(usd), true) => format!("~{}", dollars(usd)),
            (Some(usd), false) => format!("~{} + unknown", dollars(usd)),
            (None, false) => "unknown".to_owned(),
            (None, true) => "-".to_owned(),
        }
    }

    /// Formats the amount for people; without `~` if it is `exact`.
    pub(crate) fn format_exact(&self, exact: bool) -> String {
        let text = self.format();
        if exact { text.trim_start_matches('~').to_owned() } else { text }
    }

    /// Returns whether there was nothing to estimate.
    pub(crate) fn is_empty(&self) -> bool {
        self.usd.is_none() && self.unpriced.is_empty()
    }

    /// Adds another estimate.
    pub fn add(&mut self, more: &Self) {
        if let Some(usd) = more.usd {
            *self.usd.get_or_insert(0.0) += usd;
        }
        if !more.unpriced.is_subset(&self.unpriced) {
            self.unpriced.extend(more.unpriced.iter().cloned());
        }
    }
}

impl Prices {
    /// Opens the table in `file`, or the shipped one.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not a price table.
    pub fn open(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = file else {
            return Self::parse(SHIPPED).context("the shipped prices");
        };
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is not a price table", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let table: Value = serde_json::from_str(text).context("not JSON")?;
        let models = table.get("models").and_then(Value::as_object);
        let models = models.context("it has no object `models`")?;
        let price = |(name, value): (&String, &Value)| {
            let price = value.as_object().context("not an object").and_then(Price::parse);
            Ok((name.to_lowercase(), price.with_context(|| format!("the price of {name}"))?))
        };
        Ok(Self {
            date: table.get("date").and_then(Value::as_str).unwrap_or("no date").to_owned(),
            models: models.iter().map(price).collect::<anyhow::Result<_>>()?,
            unnamed: None,
        })
    }

    /// Gives models without a name the price of this one.
    ///
    /// # Errors
    ///
    /// Fails if it has no price itself.
    pub fn with_unnamed(self, model: &str) -> anyhow::Result<Self> {
        let price = self.price(model).cloned();
        let price = price.with_context(|| format!("no price is known for {model}"))?;
        Ok(Self { unnamed: Some(price), ..self })
    }

    /// Estimates the cost of tokens of a model, summed over requests.
    #[must_use]
    pub fn estimate(&self, model: &str, tokens: &Tokens) -> Estimate {
        self.estimate_tokens(model, tokens, false)
    }

    /// Estimates the cost of one request. Some models have other prices for long
    /// prompts.
    #[must_use]
    pub fn estimate_request(&self, model: &str, tokens: &Tokens) -> Estimate {
        self.estimate_tokens(model, tokens, true)
    }

    /// Estimates the cost of what an item stands for.
    pub(crate) fn estimate_item(&self, item: &UsageItem<'_>) -> Estimate {
        if item.kind == ItemKind::Request {
            self.estimate_request(item.model, &item.tokens)
        } else {
            self.estimate(item.model, &item.tokens)
        }
    }

    fn estimate_tokens(&self, model: &str, tokens: &Tokens, is_request: bool) -> Estimate {
        let tokens = tokens.without_cache_in_input();
        if tokens.total() == 0 {
            return Estimate::default();
        }
        let Some(price) = self.price(model) else {
            return Estimate { usd: None, unpriced: [model.to_owned()].into() };
        };
        let prompt = tokens.total() - tokens.output;
        let above = price.above.iter().rev().find(|(limit, _)| is_request && prompt > *limit);
        let rates = above.map_or(price.rates, |(_, rates)| *rates);
        Estimate { usd: Some(rates.cost(&tokens)), unpriced: BTreeSet::new() }
    }

    fn price(&self, model: &str) -> Option<&Price> {
        if model.is_empty() {
            return self.unnamed.as_ref();
        }
        // Vendors and providers write names in different cases.
        let model = model.to_lowercase();
        self.models.get(&model).or_else(|| self.models.get(&base_model(&model)))
    }
}

impl Price {
    fn parse(members: &Map<String, Value>) -> anyhow::Result<Self> {
        let above = match members.get("above") {
            None => &[][..],
            Some(Value::Array(list)) => list.as_slice(),
            Some(above) => std::slice::from_ref(above),
        };
        let above = above.iter().map(|above| {
            let above = above.as_object().context("`above` is not an object")?;
            let prompt = above.get("prompt").and_then(Value::as_u64);
            Ok((prompt.context("`above` has no `prompt`")?, Rates::parse(above, "prompt")?))
        });
        let mut above = above.collect::<anyhow::Result<Vec<_>>>()?;
        above.sort_by_key(|(prompt, _)| *prompt);
        Ok(Self { rates: Rates::parse(members, "above")?, above })
    }
}

impl Rates {
    const NAMES: [&str; 5] = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"];

    /// Parses the rates; the only other member allowed is `other`.
    fn parse(members: &Map<String, Value>, other: &str) -> anyhow::Result<Self> {
        let known = |name: &&String| Self::NAMES.contains(&name.as_str()) || *name == other;
        if let Some(name) = members.keys().find(|name| !known(name)) {
            bail!("`{name}` is not a price");
        }
        let rate = |name: &str| match members.get(name) {
            None => Ok(None),
            Some(rate) => match rate.as_f64() {
                Some(rate) if (0.0..=1e9).contains(&rate) => Ok(Some(rate)),
                _ => bail!("`{name}` is not an amount"),
            },
        };
        let input = rate("input")?.context("`input` is missing")?;
        let cache_write_5m = rate("cache_write_5m")?.unwrap_or(input);
        Ok(Self {
            input,
            output: rate("output")?.context("`output` is missing")?,
            cache_read: rate("cache_read")?.unwrap_or(input),
            cache_write_5m,
            cache_write_1h: rate("cache_write_1h")?.unwrap_or(cache_write_5m),
        })
    }

    #[allow(clippy::cast_precision_loss)] // exact up to 9 quadrillion tokens
    fn cost(&self, tokens: &Tokens) -> f64 {
        let hour = tokens.cache_write_1h.unwrap_or(0);
        let minutes = tokens.cache_write.unwrap_or(0).saturating_sub(hour);
        let parts = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read.unwrap_or(0), self.cache_read),
            (minutes, self.cache_write_5m),
            (hour, self.cache_write_1h),
        ];
        parts.iter().map(|(count, rate)| *count as f64 * rate).sum::<f64>() / 1e6
    }
}

/// Formats an amount: cents, and more digits below a dollar.
pub(crate) fn dollars(usd: f64) -> String {
    if usd.abs() < 1.0 { format!("${usd:.4}") } else { format!("${usd:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(input: u64, output: u64, read: u64, write: u64, hour: u64) -> Tokens {
        Tokens {
            input,
            output,
            cache_read: Some(read),
            cache_write: Some(write),
            cache_write_1h: Some(hour),
            ..Tokens::default()
        }
    }

    fn close(estimate: &Estimate, usd: f64) {
        let got = estimate.usd.unwrap();
        assert!((got - usd).abs() < 1e-9, "{got} is not {usd}");
    }

    #[test]
    fn shipped_prices_give_the_clis_own_cost() {
        let prices = Prices::open(None).unwrap();
        // A recorded session and its `costUSD`.
        let used = tokens(24, 22, 15_780, 6912, 0);
        close(&prices.estimate("claude-sonnet-5-5", &used), 0.019_126);
    }

    #[test]
    fn names_of_vendors_and_providers_have_the_same_price() {
        let prices = Prices::open(None).unwrap();
        let used = tokens(1_000_000, 0, 0, 0, 0);
        for (model, usd) in [
            ("gemini-2.5-flash-preview-09-2025", 0.3),
            ("google/gemini-3.1-pro-preview", 2.0),
            ("qwen3-coder-plus-2025-09-23", 1.0),
            ("moonshotai/kimi-k2-0905-preview", 0.6),
            ("grok-4-0709", 3.0),
            ("devstral-2512", 0.4),
            ("zai-org/GLM-4.6", 0.6),
            ("deepseek/deepseek-v4-pro", 0.66),
            ("MiniMax-M3", 0.3),
        ] {
            close(&prices.estimate(model, &used), usd);
        }
    }

    #[test]
    fn longest_exceeded_limit_sets_the_price() {
        let prices = Prices::open(None).unwrap();
        for (prompt, usd) in [(10_000, 0.01), (100_000, 0.18), (200_000, 0.6), (300_000, 1.8)] {
            let used = tokens(prompt, 0, 0, 0, 0);
            close(&prices.estimate_request("qwen3-coder-plus", &used), usd);
        }
    }

    #[test]
    fn unknown_model_has_no_price() {
        let prices = Prices::open(None).unwrap();
        let estimate = prices.estimate_request("unpriced-1", &tokens(1, 1, 0, 0, 0));
        assert_eq!((estimate.usd, estimate.unpriced.len()), (None, 1));
        let mut all = prices.estimate_request("claude-sonnet-5-5", &tokens(1, 0, 0, 0, 0));
        all.add(&estimate);
        assert!(all.usd.is_some() && all.unpriced.contains("unpriced-1"));
    }

    #[test]
    fn kinds_of_tokens_and_long_prompts_have_their_own_prices() {
        let prices = Prices::parse(
            r#"{"date":"d","models":{"m":{"input":1,"output":10,"cache_read":0.1,"cache_write_5m":2,
            "cache_write_1h":4,"above":{"prompt":100,"input":2,"output":20}}}}"#,
        )
        .unwrap();
        close(
            &prices.estimate_request("m", &tokens(10, 1, 20, 30, 5)),
            (10. + 10. + 2. + 50. + 20.) / 1e6,
        );
        let long = tokens(50, 1, 51, 0, 0);
        close(&prices.estimate_request("m", &long), (100. + 20. + 102.) / 1e6);
        close(&prices.estimate("m", &long), (50. + 10. + 5.1) / 1e6);
        // Cached tokens that are part of the input are not counted twice.
        let openai =
            Tokens { input: 100, cache_read: Some(40), input_has_cache: true, ..Tokens::default() };
        close(&prices.estimate_request("m", &openai), (60. + 4.) / 1e6);
    }

    #[test]
    fn invalid_table_is_refused_with_a_reason() {
        for (text, why) in [
            ("{", "not JSON"),
            ("{}", "it has no object `models`"),
            (r#"{"models":{"m":{"output":1}}}"#, "`input` is missing"),
            (r#"{"models":{"m":{"input":-1,"output":1}}}"#, "`input` is not an amount"),
            (r#"{"models":{"m":{"input":1,"output":1,"above":{"input":1}}}}"#, "no `prompt`"),
            (r#"{"models":{"m":{"input":1,"output":1,"above":1}}}"#, "`above` is not an object"),
            (
                r#"{"models":{"m":{"input":1,"output":1,"cache_reads":1}}}"#,
                "`cache_reads` is not a price",
            ),
            (r#"{"models":{"m":{"input":1e300,"output":1}}}"#, "`input` is not an amount"),
        ] {
            let error = format!("{:#}", Prices::parse(text).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }
}
