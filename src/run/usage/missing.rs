//! What a CLI has counted and no request carries.

use std::collections::HashMap;

use super::{Share, Shares};
use crate::event::Tokens;
use crate::prices::plain_name;

/// The part of `told` that is not in `counted`, model by model.
///
/// A CLI counts by the names it asks for (`…[1m]`, a provider's own), answers
/// name who answered: those are one. And whatever the names are, no more is
/// missing than is missing of all models together.
#[must_use]
pub fn missing(told: &[Share], counted: &Shares) -> Vec<Share> {
    let sum = |shares: &mut dyn Iterator<Item = &Share>| {
        let mut sum = Tokens::default();
        shares.for_each(|share| sum.add(&share.tokens));
        sum
    };
    let mut most = sum(&mut told.iter()).without(&sum(&mut counted.iter()));
    let mut by_name: HashMap<String, Tokens> = HashMap::new();
    for share in counted.iter() {
        by_name.entry(plain_name(&share.model)).or_default().add(&share.tokens);
    }
    let mut shares = Vec::new();
    for share in told {
        // Two names of one model share what was counted.
        let known = by_name.entry(plain_name(&share.model)).or_default();
        let missing = share.tokens.without(known).at_most(&most);
        *known = known.without(&share.tokens);
        most = most.without(&missing);
        if missing.total() > 0 {
            shares.push(Share { model: share.model.clone(), tokens: missing, cost_usd: None });
        }
    }
    shares
}
