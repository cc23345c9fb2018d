//! Tokens that a CLI counted and that are not tied to a request.

use std::collections::HashMap;

use super::{ModelShare, ModelShares};
use crate::event::Tokens;
use crate::harness::base_model;

/// Returns the part of `counted` that is not in `requests`, per model.
///
/// A CLI counts by the names it requests (`…[1m]`, a provider's name), and
/// responses have the names of the models that answered; both have the same base
/// name. Whatever the names are, the result is limited to what is missing of all
/// models together.
pub(super) fn unattributed(counted: &[ModelShare], requests: &ModelShares) -> Vec<ModelShare> {
    let sum = |shares: &mut dyn Iterator<Item = &ModelShare>| {
        let mut sum = Tokens::default();
        shares.for_each(|share| sum.add(&share.tokens));
        sum
    };
    let mut limit = sum(&mut counted.iter()).without(&sum(&mut requests.iter()));
    let mut by_name: HashMap<String, Tokens> = HashMap::new();
    for share in requests.iter() {
        by_name.entry(base_model(&share.model)).or_default().add(&share.tokens);
    }
    let mut shares = Vec::new();
    for share in counted {
        // Several names of one model share the requests.
        let known = by_name.entry(base_model(&share.model)).or_default();
        let missing = share.tokens.without(known).at_most(&limit);
        *known = known.without(&share.tokens);
        limit = limit.without(&missing);
        if missing.total() > 0 {
            shares.push(ModelShare { model: share.model.clone(), tokens: missing, cost_usd: None });
        }
    }
    shares
}
