//! Figures per model, in the order the models first appear.

use std::collections::HashMap;

use super::{Share, sum_cost};
use crate::event::{ModelUsage, Tokens};

#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    list: Vec<Share>,
    places: HashMap<String, usize>,
}

impl Shares {
    pub(super) fn add_all(&mut self, models: &[ModelUsage<'_>]) {
        for usage in models {
            self.add(usage.model, &usage.tokens, usage.cost_usd);
        }
    }

    pub(super) fn add(&mut self, model: &str, tokens: &Tokens, cost_usd: Option<f64>) {
        let place = self.places.get(model).copied().unwrap_or_else(|| {
            self.places.insert(model.to_owned(), self.list.len());
            self.list.push(Share { model: model.to_owned(), ..Share::default() });
            self.list.len() - 1
        });
        let share = &mut self.list[place];
        share.tokens.add(tokens);
        share.cost_usd = sum_cost(share.cost_usd, cost_usd);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Share> {
        self.list.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
