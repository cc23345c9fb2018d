//! What tokens cost, by a table that is shipped (`prices.json`) or given.
//!
//! An estimate: who pays by subscription pays something else, and prices change.
//! A model that is not in the table has no price; it is never free.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use crate::event::Tokens;

const SHIPPED: &str = include_str!("prices.json");

/// Prices of models.
#[derive(Debug)]
pub struct Prices {
    /// The day they were looked up.
    pub date: String,
    models: BTreeMap<String, Price>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Price {
    rates: Rates,
    /// Requests with a longer prompt than that have other rates.
    above: Option<(u64, Rates)>,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write_5m: f64,
    cache_write_1h: f64,
}

/// What something costs by the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// US dollars; none if no price is known at all.
    pub usd: Option<f64>,
    /// Models whose price is not known; an empty name is a model nobody named.
    pub unpriced: BTreeSet<String>,
}

impl Estimate {
    /// For people: `~$1.20`, and whether that is all.
    #[must_use]
    pub fn shown(&self) -> String {
        match (self.usd, self.unpriced.is_empty()) {
            (Some(usd), true) => format!("~${usd:.2}"),
            (Some(usd), false) => format!("~${usd:.2} + unknown"),
            (None, false) => "unknown".to_owned(),
            (None, true) => "-".to_owned(),
        }
    }

    /// Adds another.
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
    /// The table in `file`, else the one that is shipped.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no such table.
    pub fn open(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = file else {
            return Self::parse(SHIPPED).context("the shipped prices");
        };
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is no table of prices", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let table: Value = serde_json::from_str(text).context("not JSON")?;
        let models = table.get("models").and_then(Value::as_object);
        let models = models.context("it has no object `models`")?;
        let price = |(name, told): (&String, &Value)| {
            let price = told.as_object().context("not an object").and_then(Price::of);
            Ok((name.clone(), price.with_context(|| format!("the price of {name}"))?))
        };
        Ok(Self {
            date: table.get("date").and_then(Value::as_str).unwrap_or("no date").to_owned(),
            models: models.iter().map(price).collect::<anyhow::Result<_>>()?,
        })
    }

    /// What `tokens` of a model cost. Only a single request tells how long its
    /// prompt was.
    #[must_use]
    pub fn estimate(&self, model: &str, tokens: &Tokens, is_request: bool) -> Estimate {
        let tokens = tokens.without_cache_in_input();
        if tokens.total() == 0 {
            return Estimate::default();
        }
        let Some(price) = self.price(model) else {
            return Estimate { usd: None, unpriced: [model.to_owned()].into() };
        };
        let prompt = tokens.total() - tokens.output;
        let rates = match price.above {
            Some((limit, rates)) if is_request && prompt > limit => rates,
            _ => price.rates,
        };
        Estimate { usd: Some(rates.cost(&tokens)), unpriced: BTreeSet::new() }
    }

    fn price(&self, model: &str) -> Option<&Price> {
        let names = [model.to_owned(), plain_name(model)];
        names.iter().find_map(|name| self.models.get(name))
    }
}

impl Price {
    fn of(told: &Map<String, Value>) -> anyhow::Result<Self> {
        let above = match told.get("above").and_then(Value::as_object) {
            Some(above) => {
                let prompt = above.get("prompt").and_then(Value::as_u64);
                Some((prompt.context("`above` has no `prompt`")?, Rates::of(above)?))
            }
            None => None,
        };
        Ok(Self { rates: Rates::of(told)?, above })
    }
}

impl Rates {
    fn of(told: &Map<String, Value>) -> anyhow::Result<Self> {
        let rate = |name: &str| match told.get(name) {
            None => Ok(None),
            Some(rate) => match rate.as_f64() {
                Some(rate) if rate >= 0.0 => Ok(Some(rate)),
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

    #[allow(clippy::cast_precision_loss)] // 9 quadrillion tokens are exact
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

/// A model's name without what providers and releases add to it: a path, a region,
/// a version, a date, the size of its window.
fn plain_name(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = name.split_once("anthropic.").map_or(name, |(_, name)| name);
    let name = name.split(['[', '@', ':']).next().unwrap_or(name);
    let name = name.strip_suffix("-v1").unwrap_or(name);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let undated = without_date(name);
    if undated.starts_with("claude") { undated.replace('.', "-") } else { undated.to_owned() }
}

/// Without `-20250929` or `-2025-09-29` at the end.
fn without_date(name: &str) -> &str {
    let is_number = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut parts = name.rsplitn(4, '-');
    let [last, second, third, rest] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    if is_number(last, 8) {
        return &name[..name.len() - 9];
    }
    let dated = is_number(third, 4) && is_number(second, 2) && is_number(last, 2);
    if dated && !rest.is_empty() { rest } else { name }
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
    fn the_shipped_prices_give_what_the_cli_itself_has_counted() {
        let prices = Prices::open(None).unwrap();
        // A recorded session and its `costUSD`.
        let used = tokens(24, 22, 15_780, 6912, 0);
        close(&prices.estimate("claude-sonnet-5-5", &used, false), 0.019_126);
    }

    #[test]
    fn an_unknown_model_has_no_price() {
        let prices = Prices::open(None).unwrap();
        let estimate = prices.estimate("nobody-1", &tokens(1, 1, 0, 0, 0), true);
        assert_eq!((estimate.usd, estimate.unpriced.len()), (None, 1));
        let mut all = prices.estimate("claude-sonnet-5-5", &tokens(1, 0, 0, 0, 0), true);
        all.add(&estimate);
        assert!(all.usd.is_some() && all.unpriced.contains("nobody-1"));
    }

    #[test]
    fn each_kind_of_token_has_its_own_price_and_long_prompts_theirs() {
        let prices = Prices::parse(
            r#"{"date":"d","models":{"m":{"input":1,"output":10,"cache_read":0.1,"cache_write_5m":2,
            "cache_write_1h":4,"above":{"prompt":100,"input":2,"output":20}}}}"#,
        )
        .unwrap();
        close(
            &prices.estimate("m", &tokens(10, 1, 20, 30, 5), true),
            (10. + 10. + 2. + 50. + 20.) / 1e6,
        );
        let long = tokens(50, 1, 51, 0, 0);
        close(&prices.estimate("m", &long, true), (100. + 20. + 102.) / 1e6);
        close(&prices.estimate("m", &long, false), (50. + 10. + 5.1) / 1e6);
        // Where the input has the cache in it, that is not paid twice.
        let openai =
            Tokens { input: 100, cache_read: Some(40), input_has_cache: true, ..Tokens::default() };
        close(&prices.estimate("m", &openai, true), (60. + 4.) / 1e6);
    }

    #[test]
    fn names_are_found_with_what_is_added_to_them() {
        for (given, plain) in [
            ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
            ("claude-sonnet-5-5[1m]", "claude-sonnet-5-5"),
            ("anthropic/claude-sonnet-5.5", "claude-sonnet-5-5"),
            ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
            ("claude-opus-4@20250514", "claude-opus-4"),
            ("gpt-5.1-2025-11-13", "gpt-5.1"),
            ("openai/gpt-5.1-codex", "gpt-5.1-codex"),
            ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
            ("2025-09-29", "2025-09-29"),
        ] {
            assert_eq!(plain_name(given), plain, "{given}");
        }
    }

    #[test]
    fn a_table_that_is_none_is_refused_with_a_reason() {
        for (text, why) in [
            ("{", "not JSON"),
            ("{}", "it has no object `models`"),
            (r#"{"models":{"m":{"output":1}}}"#, "`input` is missing"),
            (r#"{"models":{"m":{"input":-1,"output":1}}}"#, "`input` is not an amount"),
            (r#"{"models":{"m":{"input":1,"output":1,"above":{"input":1}}}}"#, "no `prompt`"),
        ] {
            let error = format!("{:#}", Prices::parse(text).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }
}
