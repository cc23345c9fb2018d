//! Figures per model, in the order the models first appear.

use std::collections::HashMap;

use super::{Share, sum_cost};
use crate::event::{ModelUsage, Tokens};
use crate::prices::plain_name;

/// What each model used.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    list: Vec<Share>,
    places: HashMap<String, usize>,
}

impl Shares {
    /// Adds to the shares of several models.
    pub fn add_all(&mut self, models: &[ModelUsage<'_>]) {
        for usage in models {
            self.add(usage.model, &usage.tokens, usage.cost_usd);
        }
    }

    /// Adds to a model's share.
    pub fn add(&mut self, model: &str, tokens: &Tokens, cost_usd: Option<f64>) {
        let place = self.places.get(model).copied().unwrap_or_else(|| {
            self.places.insert(model.to_owned(), self.list.len());
            self.list.push(Share { model: model.to_owned(), ..Share::default() });
            self.list.len() - 1
        });
        let share = &mut self.list[place];
        share.tokens.add(tokens);
        share.cost_usd = sum_cost(share.cost_usd, cost_usd);
    }

    /// A model's share.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<&Share> {
        self.list.get(*self.places.get(model)?)
    }

    /// Adds costs to models, which may go by other names here.
    pub fn add_costs(&mut self, costs: &[Share]) {
        let names = self.list.iter().map(|share| (plain_name(&share.model), share.model.clone()));
        let names: HashMap<String, String> = names.collect();
        for told in costs {
            let known = names.get(&plain_name(&told.model)).unwrap_or(&told.model);
            let known = if self.places.contains_key(&told.model) { &told.model } else { known };
            self.add(known, &Tokens::default(), told.cost_usd);
        }
    }

    /// All shares.
    pub fn iter(&self) -> impl Iterator<Item = &Share> {
        self.list.iter()
    }

    /// Whether nobody has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
