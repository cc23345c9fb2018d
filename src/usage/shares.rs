//! Usage per model, in the order in which the models first appear.

use std::collections::HashMap;

use super::sum_cost;
use crate::codec::codec_struct;
use crate::event::{ModelUsage, Tokens};
use crate::harness::base_model;

/// What one model used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelShare {
    /// The model.
    pub model: String,
    /// The tokens.
    pub tokens: Tokens,
    /// The cost in US dollars, if reported.
    pub cost_usd: Option<f64>,
}

codec_struct!(ModelShare { model, tokens, cost_usd });

impl ModelShare {
    /// Returns whether it has more tokens than the same model in `shares`.
    pub(super) fn exceeds(&self, shares: &ModelShares) -> bool {
        let other = shares.get(&self.model).map(|share| share.tokens).unwrap_or_default();
        self.tokens.without(&other).total() > 0
    }
}

/// What each model used.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelShares {
    list: Vec<ModelShare>,
    /// Indices in `list` by model.
    indices: HashMap<String, usize>,
}

impl ModelShares {
    /// Adds the usage of several models.
    pub fn add_all(&mut self, models: &[ModelUsage<'_>]) {
        for usage in models {
            self.add(usage.model, &usage.tokens, usage.cost_usd);
        }
    }

    /// Adds to a model's share.
    pub fn add(&mut self, model: &str, tokens: &Tokens, cost_usd: Option<f64>) {
        let index = self.indices.get(model).copied().unwrap_or_else(|| {
            self.indices.insert(model.to_owned(), self.list.len());
            self.list.push(ModelShare { model: model.to_owned(), ..ModelShare::default() });
            self.list.len() - 1
        });
        let share = &mut self.list[index];
        share.tokens.add(tokens);
        share.cost_usd = sum_cost(share.cost_usd, cost_usd);
    }

    /// Returns a model's share.
    pub fn get(&self, model: &str) -> Option<&ModelShare> {
        self.list.get(*self.indices.get(model)?)
    }

    /// Returns whether a model has a share, under this or another of its names.
    pub fn has_model(&self, model: &str) -> bool {
        let base = base_model(model);
        self.list.iter().any(|share| base_model(&share.model) == base)
    }

    /// Adds the costs of models that may have other names here.
    pub fn add_costs<'s>(&mut self, costs: impl Iterator<Item = &'s ModelShare>) {
        let names = self.list.iter().map(|share| (base_model(&share.model), share.model.clone()));
        let names: HashMap<String, String> = names.collect();
        for cost in costs {
            let known = names.get(&base_model(&cost.model)).unwrap_or(&cost.model);
            let known = if self.indices.contains_key(&cost.model) { &cost.model } else { known };
            self.add(known, &Tokens::default(), cost.cost_usd);
        }
    }

    /// Iterates over the shares.
    pub fn iter(&self) -> impl Iterator<Item = &ModelShare> {
        self.list.iter()
    }

    /// Returns whether there are no shares.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
