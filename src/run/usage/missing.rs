//! What a CLI has counted and no request carries.

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
    let mut shares = Vec::new();
    for share in told {
        let known = plain_name(&share.model);
        let same = |other: &&Share| plain_name(&other.model) == known;
        let missing = share.tokens.without(&sum(&mut counted.iter().filter(same)));
        let missing = missing.at_most(&most);
        most = most.without(&missing);
        if missing.total() > 0 {
            shares.push(Share { model: share.model.clone(), tokens: missing, cost_usd: None });
        }
    }
    shares
}
