//! Many files, every request once.
//!
//! A session that is resumed or forked copies what came before into a new file.
//! The request belongs where it was written first, to the main thread rather than
//! to a subagent, and to a copy that has lost the id of its request least of all.
//! What a CLI has counted itself (`cost-state`) is exact, and goes on counting in
//! a fork: there, what the parent had counted is taken off.

use std::collections::HashMap;

use jiff::Timestamp;

use super::account::{Account, Used};
use crate::event::Tokens;
use crate::harness::Harness;
use crate::run::ledger::{Count, Entry, Ledger, Places};
use crate::run::usage::{Report, Share, Shares, Source};

/// Something that was used at one time.
pub(super) struct Spend<'a> {
    /// Its place in the list of sessions.
    pub(super) session: usize,
    pub(super) at: Timestamp,
    /// Empty if nobody said which.
    pub(super) model: &'a str,
    pub(super) tokens: Tokens,
    /// What the harness says it cost.
    pub(super) cost_usd: Option<f64>,
    /// Whether it is a single request, a sum of some, or what no message carries.
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Sum,
    Unattributed,
}

/// A session, with its subagents.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) id: &'a str,
    pub(super) harness: Harness,
    pub(super) project: Option<&'a str>,
}

/// Where an entry is: in which account, and where there.
type Place = (usize, usize);

/// Everything that was used, once, from files in the order they were begun.
pub(super) fn merge(accounts: &mut [Account]) -> (Vec<Session<'_>>, Vec<Spend<'_>>) {
    accounts.sort_by(|one, other| {
        let key = |account: &Account| account.first.unwrap_or(account.last);
        key(one).cmp(&key(other)).then_with(|| one.path.cmp(&other.path))
    });
    let owners = owners(accounts);
    let merge = Merge::new(accounts, owners);
    let mut spends = merge.requests();
    let mut of_session = vec![Vec::new(); merge.sessions.len()];
    for (place, spend) in spends.iter().enumerate() {
        of_session[spend.session].push(place);
    }
    for (session, places) in of_session.iter().enumerate() {
        merge.counted(session, places, &mut spends);
    }
    spends.extend(merge.streams());
    (merge.sessions, spends)
}

/// Decides for every entry where it is counted; elsewhere it is a copy.
fn owners(accounts: &mut [Account]) -> Vec<Vec<Place>> {
    let mut places: Places<Place> = Places::default();
    let mut owners: Vec<Vec<Place>> = Vec::with_capacity(accounts.len());
    for account in 0..accounts.len() {
        let count = accounts[account].ledger().map_or(0, |ledger| ledger.entries.len());
        owners.push((0..count).map(|entry| (account, entry)).collect());
        for entry in 0..count {
            let here = (account, entry);
            let Some(own) = accounts.entry(here).copied() else { continue };
            let keys = own.id.keys();
            let known = keys.iter().find_map(|key| {
                let place = *places.get(key)?;
                accounts.entry(place).filter(|other| other.id.is_same(own.id)).map(|_| place)
            });
            let Some(known) = known else {
                if let Some(key) = keys.iter().find(|key| !places.contains_key(key)) {
                    places.insert(*key, here);
                }
                continue;
            };
            let Some(other) = accounts.entry(known).copied() else { continue };
            let better =
                (other.sidechain, !other.id.is_whole()) > (own.sidechain, !own.id.is_whole());
            let (owner, copy) = if better { (here, known) } else { (known, here) };
            owners[copy.0][copy.1] = owner;
            accounts.keep_largest(owner, &[own.tokens, other.tokens]);
            for key in keys {
                places.entry(key).and_modify(|place| {
                    if *place == known {
                        *place = owner;
                    }
                });
            }
        }
    }
    owners
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
    fn ledger(&self) -> Option<&Ledger> {
        match &self.used {
            Used::Requests(ledger) => Some(ledger),
            Used::Stream(_) => None,
        }
    }

    fn stream(&self) -> Option<&Report> {
        match &self.used {
            Used::Stream(report) => Some(report),
            Used::Requests(_) => None,
        }
    }
}

/// Accounts with what is known about all of them.
struct Merge<'a> {
    accounts: &'a [Account],
    owners: Vec<Vec<Place>>,
    sessions: Vec<Session<'a>>,
    /// The session of each account.
    session_of: Vec<usize>,
    /// The account of each session in which the CLI has counted itself, the last
    /// of them.
    counting: Vec<Option<(usize, &'a Ledger)>>,
}

impl<'a> Merge<'a> {
    fn new(accounts: &'a [Account], owners: Vec<Vec<Place>>) -> Self {
        let started_by: HashMap<&str, &str> = accounts
            .iter()
            .filter_map(|account| {
                Some((account.session_id.as_deref()?, account.started_by.as_deref()?))
            })
            .collect();
        let mut merge = Self {
            accounts,
            owners,
            sessions: Vec::new(),
            session_of: Vec::new(),
            counting: Vec::new(),
        };
        let mut places: HashMap<&str, usize> = HashMap::new();
        for account in accounts {
            let own = account.session_id.as_deref();
            let mut id = own.unwrap_or_else(|| account.path.to_str().unwrap_or_default());
            // A file can claim anything, a circle too.
            for _ in 0..started_by.len() {
                let Some(parent) = started_by.get(id) else { break };
                id = parent;
            }
            let place = *places.entry(id).or_insert_with(|| {
                merge.sessions.push(Session { id, harness: account.harness, project: None });
                merge.sessions.len() - 1
            });
            merge.session_of.push(place);
        }
        merge.counting = vec![None; merge.sessions.len()];
        for (at, session) in merge.session_of.iter().enumerate() {
            let counts = accounts[at].ledger().filter(|ledger| !ledger.counts.is_empty());
            let later = |(other, _): (usize, _)| accounts[other].last <= accounts[at].last;
            if let Some(ledger) = counts.filter(|_| merge.counting[*session].is_none_or(later)) {
                merge.counting[*session] = Some((at, ledger));
            }
        }
        merge.name_projects();
        merge
    }

    /// A session's project is where it worked; else where others of the same folder
    /// did; else that folder's name.
    fn name_projects(&mut self) {
        let mut known: HashMap<&str, &str> = HashMap::new();
        for account in self.accounts {
            if let (Some(folder), Some(cwd)) = (&account.folder, &account.cwd) {
                known.entry(folder).or_insert(cwd);
            }
        }
        for (account, session) in self.accounts.iter().zip(&self.session_of) {
            let session = &mut self.sessions[*session];
            session.project = session.project.or(account.cwd.as_deref());
        }
        for (account, session) in self.accounts.iter().zip(&self.session_of) {
            let session = &mut self.sessions[*session];
            let folder = account.folder.as_deref();
            let named = folder.map(|folder| known.get(folder).copied().unwrap_or(folder));
            session.project = session.project.or(named);
        }
    }

    /// Every request where it belongs.
    fn requests(&self) -> Vec<Spend<'a>> {
        let mut spends = Vec::new();
        for (at, account) in self.accounts.iter().enumerate() {
            let Some(ledger) = account.ledger() else { continue };
            let mut time = account.first.unwrap_or(account.last);
            for (place, entry) in ledger.entries.iter().enumerate() {
                time = entry.at.unwrap_or(time);
                if self.owners[at][place] != (at, place) {
                    continue;
                }
                spends.push(Spend {
                    session: self.session_of[at],
                    at: time,
                    model: ledger.model(entry.model),
                    tokens: entry.tokens.without_cache_in_input(),
                    cost_usd: None,
                    kind: Kind::Request,
                });
            }
        }
        spends
    }

    /// What the CLI has counted itself for a session: its cost, and the tokens that
    /// no message carries.
    fn counted(&self, session: usize, requests: &[usize], spends: &mut Vec<Spend<'a>>) {
        let Some((at, ledger)) = self.counting[session] else { return };
        let Some(last) = ledger.counts.last() else { return };
        let base = self.inherited(at, ledger);
        let time = |count: &Count| match ledger.time_of(count) {
            Some(time) if count.entries < ledger.entries.len() => time,
            _ => self.accounts[at].last,
        };

        let mut counted = Shares::default();
        for spend in requests.iter().map(|place| &spends[*place]) {
            if spend.at <= time(last) {
                counted.add(spend.model, &spend.tokens, None);
            }
        }
        for share in &base.models {
            counted.add(&share.model, &share.tokens, None);
        }
        let own = |tokens, cost_usd, model, at, kind| Spend {
            session,
            at,
            model,
            tokens,
            cost_usd,
            kind,
        };
        for told in &last.models {
            let missing = told.missing_in(&counted);
            if missing.total() > 0 {
                spends.push(own(
                    missing,
                    None,
                    told.model.as_str(),
                    time(last),
                    Kind::Unattributed,
                ));
            }
        }

        let mut before = (base.models.as_slice(), base.cost_usd);
        for count in &ledger.counts {
            let mut rest = more(count.cost_usd, before.1);
            for told in &count.models {
                let known = before.0.iter().find(|share| share.model == told.model);
                let cost = more(told.cost_usd, known.and_then(|share| share.cost_usd));
                rest = rest.map(|rest| rest - cost.unwrap_or(0.0));
                let cost = cost.filter(|cost| *cost != 0.0);
                let nothing = Tokens::default();
                spends.extend(cost.map(|cost| {
                    own(nothing, Some(cost), told.model.as_str(), time(count), Kind::Sum)
                }));
            }
            // A cost of nothing is told, too.
            let rest = rest.map(|rest| if rest.abs() < 1e-9 { 0.0 } else { rest });
            spends.push(own(Tokens::default(), rest, "", time(count), Kind::Sum));
            before = (&count.models, count.cost_usd);
        }
    }

    /// What a fork's own count starts with: the count of its parent where they part.
    fn inherited(&self, at: usize, ledger: &Ledger) -> Inherited {
        let owner = |entry: &usize| self.owners[at][*entry];
        let foreign = |place: &Place| self.session_of[place.0] != self.session_of[at];
        let entries = 0..ledger.entries.len();
        let Some(parted) = entries.clone().rev().map(|entry| owner(&entry)).find(foreign) else {
            return Inherited::default();
        };
        let parent = self.accounts[parted.0].ledger();
        let counts = parent.map(|parent| parent.counts.as_slice()).unwrap_or_default();
        if let Some(count) = counts.iter().rev().find(|count| count.entries <= parted.1 + 1) {
            return Inherited { models: count.models.clone(), cost_usd: count.cost_usd };
        }
        let mut copied = Shares::default();
        for entry in entries.filter(|entry| foreign(&owner(entry))) {
            let entry = &ledger.entries[entry];
            copied.add(ledger.model(entry.model), &entry.tokens, None);
        }
        Inherited { models: copied.iter().cloned().collect(), cost_usd: None }
    }

    /// Recorded streams of sessions that are not there request by request.
    fn streams(&self) -> Vec<Spend<'a>> {
        let on_disk: std::collections::HashSet<usize> = self
            .accounts
            .iter()
            .zip(&self.session_of)
            .filter_map(|(account, session)| account.ledger().map(|_| *session))
            .collect();
        let mut spends = Vec::new();
        for (account, session) in self.accounts.iter().zip(&self.session_of) {
            let alone =
                |report: &&Report| report.source != Source::None && !on_disk.contains(session);
            let Some(report) = account.stream().filter(alone) else { continue };
            let spend = |model, tokens: &Tokens, cost_usd| Spend {
                session: *session,
                at: account.last,
                model,
                tokens: tokens.without_cache_in_input(),
                cost_usd,
                kind: Kind::Sum,
            };
            if report.models.is_empty() {
                let model = account.model.as_deref().unwrap_or_default();
                spends.push(spend(model, &report.tokens, report.cost_usd));
                continue;
            }
            let told: f64 = report.models.iter().filter_map(|share| share.cost_usd).sum();
            for share in &report.models {
                spends.push(spend(share.model.as_str(), &share.tokens, share.cost_usd));
            }
            let rest = report.cost_usd.map(|cost| cost - told);
            spends.push(spend("", &Tokens::default(), rest.filter(|rest| rest.abs() > 1e-9)));
        }
        spends
    }
}

/// What a fork starts with.
#[derive(Default)]
struct Inherited {
    models: Vec<Share>,
    cost_usd: Option<f64>,
}

/// How much more one is than the other.
fn more(one: Option<f64>, less: Option<f64>) -> Option<f64> {
    Some(one? - less.unwrap_or(0.0))
}
