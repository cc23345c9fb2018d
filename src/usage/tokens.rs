//! Arithmetic on token counts.

use crate::event::Tokens;

impl Tokens {
    /// Returns all tokens; cached ones count once.
    #[must_use]
    pub fn total(&self) -> u64 {
        let cached = if self.input_has_cache { 0 } else { self.cached_input().unwrap_or(0) };
        self.input.saturating_add(self.output).saturating_add(cached)
    }

    /// Returns the input written to the cache for five minutes, if the stream
    /// distinguishes it.
    #[must_use]
    pub fn cache_write_5m(&self) -> Option<u64> {
        Some(self.cache_write?.saturating_sub(self.cache_write_1h?))
    }

    /// Returns the input that was read from or written to the cache.
    #[must_use]
    pub fn cached_input(&self) -> Option<u64> {
        sum(self.cache_read, self.cache_write)
    }

    /// Returns the input that was neither read from nor written to the cache: the same
    /// for every CLI, whether its input includes the cached part or not.
    #[must_use]
    pub fn uncached_input(&self) -> u64 {
        let included = if self.input_has_cache { self.cached_input().unwrap_or(0) } else { 0 };
        self.input.saturating_sub(included)
    }

    /// Adds `more` to the counts.
    pub fn add(&mut self, more: &Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.cache_read = sum(self.cache_read, more.cache_read);
        self.cache_write = sum(self.cache_write, more.cache_write);
        self.cache_write_1h = sum(self.cache_write_1h, more.cache_write_1h);
        self.reasoning = sum(self.reasoning, more.reasoning);
        self.input_has_cache |= more.input_has_cache;
    }

    /// Returns the counts with an input that excludes cached tokens, so that counts
    /// of different CLIs can be added up.
    #[must_use]
    pub fn without_cache_in_input(&self) -> Self {
        Self { input: self.uncached_input(), input_has_cache: false, ..*self }
    }

    /// Subtracts `less` from every count, down to zero.
    #[must_use]
    pub fn without(&self, less: &Self) -> Self {
        let rest = |all: Option<u64>, less: Option<u64>| {
            all.map(|all| all.saturating_sub(less.unwrap_or(0)))
        };
        Self {
            input: self.input.saturating_sub(less.input),
            output: self.output.saturating_sub(less.output),
            cache_read: rest(self.cache_read, less.cache_read),
            cache_write: rest(self.cache_write, less.cache_write),
            cache_write_1h: rest(self.cache_write_1h, less.cache_write_1h),
            reasoning: rest(self.reasoning, less.reasoning),
            input_has_cache: self.input_has_cache,
        }
    }

    /// Limits every count to that in `most`.
    #[must_use]
    pub fn at_most(&self, most: &Self) -> Self {
        let less = |one: Option<u64>, most: Option<u64>| one.map(|one| one.min(most.unwrap_or(0)));
        Self {
            input: self.input.min(most.input),
            output: self.output.min(most.output),
            cache_read: less(self.cache_read, most.cache_read),
            cache_write: less(self.cache_write, most.cache_write),
            cache_write_1h: less(self.cache_write_1h, most.cache_write_1h),
            reasoning: less(self.reasoning, most.reasoning),
            input_has_cache: self.input_has_cache,
        }
    }

    /// Keeps the larger of each count; for two snapshots of one message.
    pub fn keep_largest(&mut self, seen: &Self) {
        self.input = self.input.max(seen.input);
        self.output = self.output.max(seen.output);
        self.cache_read = self.cache_read.max(seen.cache_read);
        self.cache_write = self.cache_write.max(seen.cache_write);
        self.cache_write_1h = self.cache_write_1h.max(seen.cache_write_1h);
        self.reasoning = self.reasoning.max(seen.reasoning);
        self.input_has_cache |= seen.input_has_cache;
    }
}

/// Adds two counts of which either may be unknown.
pub(crate) fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}
