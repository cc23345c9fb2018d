//! Token counts.

/// Token counts as the CLI reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: Option<u64>,
    /// Input written to the cache.
    pub cache_write: Option<u64>,
    /// The part of `cache_write` that is kept for an hour instead of five minutes.
    pub cache_write_1h: Option<u64>,
    /// Output spent on reasoning.
    pub reasoning: Option<u64>,
    /// Whether `input` includes the tokens read from and written to the cache.
    pub input_has_cache: bool,
}

/// Tokens and cost of one model.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ModelUsage<'a> {
    /// The model.
    pub model: &'a str,
    /// The tokens.
    pub tokens: Tokens,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
}

/// Everything a session has used so far, by the CLI's own count.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UsageSnapshot<'a> {
    /// What the CLI calls this count; the `source` of a usage record.
    pub name: &'static str,
    /// Usage per model.
    pub models: Vec<ModelUsage<'a>>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// Whether it precedes the requests it counts.
    pub is_header: bool,
}
