//! Sums of tokens and costs.

use std::collections::HashMap;

use super::Estimate;
use super::merge::{UsageItem, is_used};
use crate::codec::codec_struct;
use crate::event::Tokens;

/// Sums of tokens and costs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) tokens: Tokens,
    /// The cost that the CLIs report.
    pub(crate) cost_usd: Option<f64>,
    /// The estimated cost of all tokens, and of those without a reported cost.
    pub(crate) estimate: Estimate,
    pub(crate) uncosted: Estimate,
    /// Whether a part has no reported cost.
    pub(crate) lacks_cost: bool,
}

codec_struct!(Figures { tokens, cost_usd, estimate, uncosted, lacks_cost });

impl Figures {
    /// Adds an item and its estimated cost.
    pub(crate) fn add(&mut self, item: &UsageItem<'_>, estimate: &Estimate) {
        self.tokens.add(&item.tokens);
        self.estimate.add(estimate);
        if !item.has_cost && item.tokens.total() > 0 {
            self.uncosted.add(estimate);
            self.lacks_cost = true;
        }
        if let Some(cost) = item.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }

    /// Returns whether anything was used.
    pub(crate) fn is_used(&self) -> bool {
        is_used(&self.tokens, self.cost_usd)
    }

    /// Returns the reported cost plus an estimate of the rest.
    pub(crate) fn combined_cost(&self) -> Estimate {
        let reported = self.cost_usd.map(|usd| usd + self.uncosted.usd.unwrap_or(0.0));
        let usd = reported.or(self.uncosted.usd);
        Estimate { usd, unpriced: self.uncosted.unpriced.clone() }
    }
}

/// Sums per model, in the order in which the models first appear.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelFigures {
    list: Vec<(String, Figures)>,
    /// Indices in `list` by model.
    indices: HashMap<String, usize>,
    /// Index in `list` of the model of the last item.
    last: usize,
}

// A decoded list has no indices: it is complete.
codec_struct!(ModelFigures { list }..Self::default());

impl ModelFigures {
    /// Adds an item to its model.
    pub(super) fn add(&mut self, item: &UsageItem<'_>, estimate: &Estimate) {
        // Most items have the model of the one before.
        if self.list.get(self.last).is_none_or(|(model, _)| model != item.model) {
            self.last = self.index_of(item.model);
        }
        self.list[self.last].1.add(item, estimate);
    }

    fn index_of(&mut self, model: &str) -> usize {
        self.indices.get(model).copied().unwrap_or_else(|| {
            self.indices.insert(model.to_owned(), self.list.len());
            self.list.push((model.to_owned(), Figures::default()));
            self.list.len() - 1
        })
    }

    /// Iterates over the models; the name of an unnamed one is empty.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(String, Figures)> {
        self.list.iter()
    }
}
