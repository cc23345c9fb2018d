//! What a CLI has counted itself (`cost-state`): the cost, and what no message
//! carries.
//!
//! A count covers what came before it in its file, and what subagents used in
//! files of their own until the session went on. It grows over the whole session,
//! and goes on growing in a fork: there, what the parent had counted is taken off.

use jiff::Timestamp;

use super::merge::{Kind, Merge, Spend};
use super::owners::Place;
use crate::event::Tokens;
use crate::run::ledger::{Count, Ledger};
use crate::run::usage::{Share, Shares, missing};

/// Adds to `spends` what the sessions' own counts tell. `requests` has for each
/// session where its requests are, in the files and in `spends`.
pub(super) fn add<'a>(
    merge: &Merge<'a>,
    requests: &[Vec<(Place, usize)>],
    spends: &mut Vec<Spend<'a>>,
) {
    for counting in Counting::all(merge) {
        counting.add(&requests[counting.session], spends);
    }
}

/// The counts of one session.
struct Counting<'a, 'm> {
    merge: &'m Merge<'a>,
    session: usize,
    /// The account they are in.
    account: usize,
    ledger: &'a Ledger,
    counts: Vec<&'a Count>,
}

impl<'a, 'm> Counting<'a, 'm> {
    /// Of every session that counts; of several files the one written last.
    fn all(merge: &'m Merge<'a>) -> Vec<Self> {
        let mut found: Vec<Option<Self>> = Vec::new();
        found.resize_with(merge.sessions.len(), || None);
        for (account, ledger) in merge.accounts.iter().map(|account| account.ledger()).enumerate() {
            let Some(ledger) = ledger else { continue };
            for count in &ledger.counts {
                let session = merge.session(account, count.session);
                let last = |at: usize| merge.accounts[at].last;
                let known = &mut found[session];
                let is_newer =
                    |known: &Self| known.account != account && last(known.account) <= last(account);
                if known.as_ref().is_none_or(is_newer) {
                    *known = Some(Self { merge, session, account, ledger, counts: Vec::new() });
                }
                if let Some(known) = known.as_mut().filter(|known| known.account == account) {
                    known.counts.push(count);
                }
            }
        }
        found.into_iter().flatten().collect()
    }

    fn add(&self, requests: &[(Place, usize)], spends: &mut Vec<Spend<'a>>) {
        let base = self.inherited();
        // What each count is the first to cover.
        let mut covered = vec![Shares::default(); self.counts.len()];
        let until: Vec<_> = self.counts.iter().map(|count| self.until(count)).collect();
        for (place, at) in requests {
            let spend = &mut spends[*at];
            let first = if place.0 == self.account {
                self.counts.partition_point(|count| count.entries <= place.1)
            } else {
                until.partition_point(|until| until.is_some_and(|until| until <= spend.at))
            };
            if let Some(covered) = covered.get_mut(first) {
                covered.add(spend.model, &spend.tokens, None);
                spend.costed = self.counts[first].cost_usd.is_some();
            }
        }
        self.unattributed(&base, &covered, spends);
        self.costs(&base, spends);
    }

    fn unattributed(&self, base: &Inherited, covered: &[Shares], spends: &mut Vec<Spend<'a>>) {
        let mut counted = Shares::default();
        for share in &base.models {
            counted.add(&share.model, &share.tokens, None);
        }
        let so_far: Vec<Vec<Share>> = self
            .counts
            .iter()
            .zip(covered)
            .map(|(count, covered)| {
                for share in covered.iter() {
                    counted.add(&share.model, &share.tokens, None);
                }
                missing(&count.models, &counted)
            })
            .collect();
        let of = |shares: &[Share], model: &str| {
            let share = shares.iter().find(|share| share.model == model);
            share.map(|share| share.tokens).unwrap_or_default()
        };
        let all = so_far.last().cloned().unwrap_or_default();
        let mut before: &[Share] = &[];
        for (count, missing) in self.counts.iter().zip(&so_far) {
            for told in &count.models {
                let most = of(&all, &told.model);
                let [now, then] =
                    [missing, before].map(|list| of(list, &told.model).at_most(&most));
                let tokens = now.without(&then);
                if tokens.total() > 0 {
                    let kind = Kind::Unattributed;
                    spends.push(Spend { tokens, kind, ..self.spend(count, &told.model) });
                }
            }
            before = missing;
        }
    }

    fn costs(&self, base: &Inherited, spends: &mut Vec<Spend<'a>>) {
        let more = |one: Option<f64>, less: Option<f64>| Some(one? - less.unwrap_or(0.0));
        let mut before = (base.models.as_slice(), base.cost_usd);
        for count in &self.counts {
            let mut rest = more(count.cost_usd, before.1);
            for told in &count.models {
                let known = before.0.iter().find(|share| share.model == told.model);
                let cost_usd = more(told.cost_usd, known.and_then(|share| share.cost_usd));
                rest = rest.map(|rest| rest - cost_usd.unwrap_or(0.0));
                if cost_usd.is_some_and(|cost| cost != 0.0) {
                    spends.push(Spend { cost_usd, ..self.spend(count, &told.model) });
                }
            }
            // A cost of nothing is told, too.
            let cost_usd = rest.map(|rest| if rest.abs() < 1e-9 { 0.0 } else { rest });
            spends.push(Spend { cost_usd, ..self.spend(count, "") });
            before = (&count.models, count.cost_usd);
        }
    }

    /// Nothing, at the time of a count.
    fn spend(&self, count: &Count, model: &'a str) -> Spend<'a> {
        let at = self.ledger.time_of(count);
        Spend {
            session: self.session,
            at: at.unwrap_or(self.merge.accounts[self.account].last),
            model,
            tokens: Tokens::default(),
            cost_usd: None,
            costed: count.cost_usd.is_some(),
            kind: Kind::Sum,
        }
    }

    /// When the session went on after a count, if it did.
    fn until(&self, count: &Count) -> Option<Timestamp> {
        self.ledger.entries[count.entries..].iter().find_map(|entry| entry.at)
    }

    /// What a fork's count starts with: the count of its parent where they part,
    /// and what the parent had used since.
    fn inherited(&self) -> Inherited {
        let Self { merge, account, ledger, .. } = self;
        let copies: Vec<(usize, Place)> = (0..ledger.entries.len())
            .map(|entry| (entry, merge.owners.owner((*account, entry))))
            .filter(|(_, owner)| {
                let owner_session = merge.accounts[owner.0]
                    .ledger()
                    .map(|ledger| merge.session(owner.0, ledger.entries[owner.1].session));
                owner_session != Some(self.session)
            })
            .collect();
        let Some((_, parted)) = copies.last() else {
            return Inherited::default();
        };
        let parent = merge.accounts[parted.0].ledger();
        let counts = parent.map(|parent| parent.counts.as_slice()).unwrap_or_default();
        let count = counts.iter().rev().find(|count| count.entries <= parted.1 + 1);
        let mut inherited = Shares::default();
        for share in count.map(|count| count.models.as_slice()).unwrap_or_default() {
            inherited.add(&share.model, &share.tokens, share.cost_usd);
        }
        for (entry, owner) in &copies {
            let counted = count.is_some_and(|count| owner.0 != parted.0 || owner.1 < count.entries);
            if !counted {
                let entry = &ledger.entries[*entry];
                inherited.add(ledger.model(entry.model), &entry.tokens, None);
            }
        }
        let base = Inherited {
            models: inherited.iter().cloned().collect(),
            cost_usd: count.and_then(|count| count.cost_usd),
        };
        // A fork may have begun to count anew.
        let first = self.counts.first();
        if first.is_some_and(|first| base.exceeds(first)) { Inherited::default() } else { base }
    }
}

/// What a fork's count starts with.
#[derive(Default)]
struct Inherited {
    models: Vec<Share>,
    cost_usd: Option<f64>,
}

impl Inherited {
    fn exceeds(&self, count: &Count) -> bool {
        let mut told = Shares::default();
        for share in &count.models {
            told.add(&share.model, &share.tokens, None);
        }
        self.cost_usd > count.cost_usd || self.models.iter().any(|share| share.exceeds(&told))
    }
}
