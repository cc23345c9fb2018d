//! Many files become sessions, and what was used in them, when.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::account::{Account, Used};
use super::counts;
use super::owners::{Owners, Place};
use crate::event::Tokens;
use crate::harness::Harness;
use crate::run::ledger::Ledger;
use crate::run::usage::{Report, Source};

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
    /// Whether the harness has told its cost, here or in a sum.
    pub(super) costed: bool,
    pub(super) kind: Kind,
}

/// What is known to have been used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A single request.
    Request,
    /// Several together.
    Sum,
    /// What was counted and is in no message.
    Unattributed,
}

/// A session, with its subagents.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) id: &'a str,
    pub(super) harness: Harness,
    pub(super) project: Option<&'a str>,
}

/// Everything that was used, once, from files in the order they were begun.
pub(super) fn merge(accounts: &mut [Account]) -> (Vec<Session<'_>>, Vec<Spend<'_>>) {
    accounts.sort_by(|one, other| {
        // Of a fork and its parent that begin alike, the parent ends first.
        let key = |account: &Account| (account.first.unwrap_or(account.last), account.last);
        key(one).cmp(&key(other)).then_with(|| one.path.cmp(&other.path))
    });
    let owners = Owners::of(accounts);
    let merge = Merge::new(accounts, owners);
    let (requests, mut spends) = merge.requests();
    let mut of_session = vec![Vec::new(); merge.sessions.len()];
    for (at, (place, spend)) in requests.iter().zip(&spends).enumerate() {
        of_session[spend.session].push((*place, at));
    }
    counts::add(&merge, &of_session, &mut spends);
    spends.extend(merge.streams());
    (merge.sessions, spends)
}

/// Accounts with what is known about all of them.
pub(super) struct Merge<'a> {
    pub(super) accounts: &'a [Account],
    pub(super) owners: Owners,
    pub(super) sessions: Vec<Session<'a>>,
    /// The session of each account, and of those that its ledger lists.
    session_of: Vec<(usize, Vec<usize>)>,
}

impl<'a> Merge<'a> {
    fn new(accounts: &'a [Account], owners: Owners) -> Self {
        let started_by = accounts
            .iter()
            .filter_map(|account| Some((account.id.as_str(), account.started_by.as_deref()?)));
        let mut finder = Finder {
            started_by: started_by.collect(),
            places: HashMap::new(),
            sessions: Vec::new(),
        };
        let session_of = accounts
            .iter()
            .map(|account| {
                let listed = account.ledger().map(Ledger::sessions).unwrap_or_default();
                let listed = listed.iter().map(|id| finder.find(id, account)).collect::<Vec<_>>();
                // What a file begins with need not be what it is about.
                let own = listed.first().copied();
                (own.unwrap_or_else(|| finder.find(&account.id, account)), listed)
            })
            .collect();
        let mut merge = Self { accounts, owners, sessions: finder.sessions, session_of };
        merge.name_projects();
        merge
    }

    /// The session of an account; `place` is that in its ledger's list.
    pub(super) fn session(&self, account: usize, place: usize) -> usize {
        let (own, listed) = &self.session_of[account];
        listed.get(place).copied().unwrap_or(*own)
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
        let names: [&dyn Fn(&'a Account) -> Option<&'a str>; 2] =
            [&|account| account.cwd.as_deref(), &|account| {
                let folder = account.folder.as_deref()?;
                Some(known.get(folder).copied().unwrap_or(folder))
            }];
        for name in names {
            for (account, (own, listed)) in self.accounts.iter().zip(&self.session_of) {
                for session in listed.iter().chain([own]) {
                    let session = &mut self.sessions[*session];
                    session.project = session.project.or_else(|| name(account));
                }
            }
        }
    }

    /// Every request where it belongs, and where it was found.
    fn requests(&self) -> (Vec<Place>, Vec<Spend<'a>>) {
        let (mut places, mut spends) = (Vec::new(), Vec::new());
        for (at, account) in self.accounts.iter().enumerate() {
            let Some(ledger) = account.ledger() else { continue };
            let mut time = account.first.unwrap_or(account.last);
            for (entry, place) in ledger.entries.iter().zip(0..) {
                time = entry.at.unwrap_or(time);
                if !self.owners.is_owner((at, place)) {
                    continue;
                }
                places.push((at, place));
                spends.push(Spend {
                    session: self.session(at, entry.session),
                    at: time,
                    model: ledger.model(entry.model),
                    tokens: entry.tokens.without_cache_in_input(),
                    cost_usd: None,
                    costed: false,
                    kind: Kind::Request,
                });
            }
        }
        (places, spends)
    }

    /// Recorded streams of sessions that are not there request by request.
    fn streams(&self) -> Vec<Spend<'a>> {
        let mut on_disk: HashSet<usize> = HashSet::new();
        for (account, (own, listed)) in self.accounts.iter().zip(&self.session_of) {
            if account.ledger().is_some_and(|ledger| !ledger.is_empty()) {
                on_disk.extend(listed.iter().chain([own]));
            }
        }
        let mut streams: Vec<Stream<'a>> = Vec::new();
        for (account, (session, _)) in self.accounts.iter().zip(&self.session_of) {
            if let Used::Stream(report) = &account.used
                && report.source != Source::None
                && !on_disk.contains(session)
            {
                let stream = Stream { account, session: *session, report };
                stream.put_into(&mut streams);
            }
        }
        streams.iter().flat_map(Stream::spends).collect()
    }
}

/// Finds the session of an id, or founds it.
struct Finder<'a> {
    started_by: HashMap<&'a str, &'a str>,
    places: HashMap<&'a str, usize>,
    sessions: Vec<Session<'a>>,
}

impl<'a> Finder<'a> {
    fn find(&mut self, id: &'a str, account: &Account) -> usize {
        let mut id = id;
        // A file can claim anything, a circle too.
        for _ in 0..self.started_by.len() {
            let Some(parent) = self.started_by.get(id) else { break };
            id = parent;
        }
        *self.places.entry(id).or_insert_with(|| {
            self.sessions.push(Session { id, harness: account.harness, project: None });
            self.sessions.len() - 1
        })
    }
}

/// A recorded stream.
struct Stream<'a> {
    account: &'a Account,
    session: usize,
    report: &'a Report,
}

impl<'a> Stream<'a> {
    /// Adds it to the list, unless it is there. The counts of a thread go on when
    /// it is resumed: of those the largest is all.
    fn put_into(self, streams: &mut Vec<Self>) {
        let of_session = |other: &&mut Self| other.session == self.session;
        for other in streams.iter_mut().filter(of_session) {
            if other.report == self.report {
                return;
            }
            if [other.report, self.report].iter().all(|report| report.source == Source::Turns) {
                if self.report.tokens.total() > other.report.tokens.total() {
                    *other = self;
                }
                return;
            }
        }
        streams.push(self);
    }

    fn spends(&self) -> Vec<Spend<'a>> {
        let Self { account, session, report } = *self;
        let spend = |model, tokens: &Tokens, cost_usd| Spend {
            session,
            at: account.last,
            model,
            tokens: tokens.without_cache_in_input(),
            cost_usd,
            costed: report.cost_usd.is_some(),
            kind: Kind::Sum,
        };
        if report.models.is_empty() {
            let model = account.model.as_deref().unwrap_or_default();
            return vec![spend(model, &report.tokens, report.cost_usd)];
        }
        let told: f64 = report.models.iter().filter_map(|share| share.cost_usd).sum();
        let mut named = Tokens::default();
        let mut spends = Vec::new();
        for share in &report.models {
            named.add(&share.tokens);
            spends.push(spend(share.model.as_str(), &share.tokens, share.cost_usd));
        }
        let rest = report.cost_usd.map(|cost| cost - told).filter(|rest| rest.abs() > 1e-9);
        spends.push(spend("", &report.tokens.without(&named), rest));
        spends
    }
}
