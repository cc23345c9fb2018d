//! Every request belongs somewhere, once.
//!
//! A session that is resumed or forked copies what came before into a new file.
//! The request belongs where it was written first, to the main thread rather than
//! to a subagent, and to a copy that has lost the id of its request least of all.

use super::account::{Account, Used};
use crate::event::Tokens;
use crate::run::ledger::{Entry, Ledger, Places};

/// Where an entry is: in which account, and where there.
pub(super) type Place = (usize, usize);

/// For every entry the one that is counted for it: itself, unless it is a copy.
pub(super) struct Owners(Vec<Vec<Place>>);

impl Owners {
    /// Decides for all entries. The accounts are in the order they were begun.
    pub(super) fn of(accounts: &mut [Account]) -> Self {
        let mut owners = Self(Vec::with_capacity(accounts.len()));
        let mut places: Places<Place> = Places::default();
        for account in 0..accounts.len() {
            let count = accounts[account].ledger().map_or(0, |ledger| ledger.entries.len());
            owners.0.push((0..count).map(|entry| (account, entry)).collect());
            for entry in 0..count {
                owners.enter((account, entry), accounts, &mut places);
            }
        }
        owners
    }

    /// Which entry is counted for this one.
    pub(super) fn owner(&self, place: Place) -> Place {
        let mut owner = place;
        // An owner can have found a better one later.
        while self.0[owner.0][owner.1] != owner {
            owner = self.0[owner.0][owner.1];
        }
        owner
    }

    /// Whether the entry itself is counted.
    pub(super) fn is_owner(&self, place: Place) -> bool {
        self.0[place.0][place.1] == place
    }

    fn enter(&mut self, here: Place, accounts: &mut [Account], places: &mut Places<Place>) {
        let Some(own) = accounts.entry(here).copied() else { return };
        let keys = own.id.keys();
        let same = |place: &Place| {
            // One file says of its own what is a copy and what is not.
            let other = accounts.entry(*place).filter(|_| place.0 != here.0);
            other.is_some_and(|other| other.id.is_same(own.id))
        };
        let known = keys.iter().find_map(|key| places.get(key).copied().filter(same));
        let Some(known) = known else {
            if let Some(key) = keys.iter().find(|key| !places.contains_key(key)) {
                places.insert(*key, here);
            }
            return;
        };
        let Some(other) = accounts.entry(known).copied() else { return };
        let flaws = |entry: &Entry| (entry.sidechain, !entry.id.is_whole());
        let (owner, copy) = if flaws(&other) > flaws(&own) { (here, known) } else { (known, here) };
        self.0[copy.0][copy.1] = owner;
        accounts.keep_largest(owner, &[own.tokens, other.tokens]);
        for key in keys {
            if let Some(place) = places.get_mut(&key).filter(|place| **place == known) {
                *place = owner;
            }
        }
    }
}

/// Entries by their places.
trait Entries {
    fn entry(&self, place: Place) -> Option<&Entry>;
    fn keep_largest(&mut self, place: Place, seen: &[Tokens]);
}

impl Entries for [Account] {
    fn entry(&self, (account, entry): Place) -> Option<&Entry> {
        self[account].ledger()?.entries.get(entry)
    }

    fn keep_largest(&mut self, (account, entry): Place, seen: &[Tokens]) {
        let Used::Requests(ledger) = &mut self[account].used else { return };
        if let Some(entry) = ledger.entries.get_mut(entry) {
            for tokens in seen {
                entry.tokens.keep_largest(tokens);
            }
        }
    }
}

impl Account {
    /// Its requests, if it tells them.
    pub(super) fn ledger(&self) -> Option<&Ledger> {
        match &self.used {
            Used::Requests(ledger) => Some(ledger),
            Used::Stream(_) => None,
        }
    }
}
