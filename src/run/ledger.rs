//! What a session on disk has paid for, request by request.
//!
//! A stream says at its end what it used. What a CLI keeps on disk does not, or
//! not for all of it: there every request counts, once, however often it was
//! written down. Requests are known by hashes of their ids, so that many files
//! can be compared in little memory: some 130 bytes for each request.

mod thread;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

use jiff::Timestamp;

use super::usage::{Report, Share, Shares, Source, missing, sum_cost};
use crate::event::{Event, Message, Packet, RateLimit, Tokens, Total};
use crate::prices::{Estimate, Prices};
use thread::Thread;

/// The requests of one file.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Every request once, in order.
    pub entries: Vec<Entry>,
    /// What the CLI has counted itself, in order.
    pub counts: Vec<Count>,
    /// What was counted before the CLI began to count anew.
    counted_before: (Vec<Share>, Option<f64>),
    models: Names,
    sessions: Names,
    places: Places<usize>,
    thread: Thread,
    limits: Vec<Limit>,
}

/// What is found by a hash.
pub type Places<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// Takes a hash for what it is.
#[derive(Debug, Default)]
pub struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A request, and what it used.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Who answered it.
    pub id: RequestId,
    /// When, where that is told.
    pub at: Option<Timestamp>,
    /// The place of its model in [`Ledger::model`]'s list.
    pub model: usize,
    /// The place of its session in [`Ledger::sessions`].
    pub session: usize,
    /// What it used.
    pub tokens: Tokens,
    /// Whether a subagent asked.
    pub sidechain: bool,
}

/// Hashes of the ids of an answer and of its request; 0 is not told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RequestId {
    answer: u64,
    request: u64,
}

/// The CLI's own count of everything the session has used so far.
#[derive(Debug)]
pub struct Count {
    /// So many entries were there before it.
    pub entries: usize,
    /// The place of its session in [`Ledger::sessions`].
    pub session: usize,
    /// The share of each model.
    pub models: Vec<Share>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The same as it was told, which may have begun anew in between.
    told: Vec<Share>,
    told_usd: Option<f64>,
    duration_ms: Option<u64>,
}

/// How an account stood against one of its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Which limit.
    pub kind: String,
    /// How much of it was used.
    pub used_percent: Option<f64>,
    /// When it starts anew, in seconds since 1970.
    pub resets_at: Option<i64>,
}

impl Ledger {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                Event::Message(message) => self.answered(packet, message),
                Event::Session(told) => {
                    let has_parent = told.forked_from.or(told.started_by).is_some();
                    self.thread.begins(packet, has_parent);
                }
                Event::TurnStarted { id } => self.thread.turn(*id),
                Event::Model { model } => self.thread.model = self.models.place_of(model),
                Event::Usage { total, last } => self.counted(packet, total, last.as_ref()),
                Event::Total(total) => self.told(packet, total),
                Event::RateLimit(limit) => self.limited(limit),
                _ => {}
            }
        }
    }

    /// Whether nothing was paid for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.counts.is_empty()
    }

    /// When the CLI had counted what it counted, as far as requests tell.
    #[must_use]
    pub fn time_of(&self, count: &Count) -> Option<Timestamp> {
        self.entries[..count.entries].iter().rev().find_map(|entry| entry.at)
    }

    /// When the last request was made, as far as that is told.
    #[must_use]
    pub fn last_time(&self) -> Option<Timestamp> {
        self.entries.iter().rev().find_map(|entry| entry.at)
    }

    /// A model of this list; empty if nobody said which.
    #[must_use]
    pub fn model(&self, place: usize) -> &str {
        self.models.list.get(place).map_or("", String::as_str)
    }

    /// The sessions whose requests these are. A file can have those of several.
    #[must_use]
    pub fn sessions(&self) -> &[String] {
        &self.sessions.list
    }

    /// The limits as they were told last.
    #[must_use]
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Everything together. Where the CLI has counted itself that is exact, and
    /// what no request carries is told apart.
    #[must_use]
    pub fn report(&self) -> Report {
        let Some(count) = self.counts.last() else {
            let source = if self.thread.is_counted() { Source::Turns } else { Source::Messages };
            return Report::of_shares(source, &self.shares(&self.entries));
        };
        let mut shares = self.shares(&self.entries);
        let mut rest = Tokens::default();
        for share in self.unattributed(count) {
            shares.add(&share.model, &share.tokens, None);
            rest.add(&share.tokens);
        }
        shares.add_costs(&count.models);
        let report = Report::of_shares(Source::CostState, &shares);
        Report {
            unattributed: Some(rest).filter(|rest| rest.total() > 0),
            cost_usd: count.cost_usd.or(report.cost_usd),
            duration_ms: count.duration_ms,
            ..report
        }
    }

    /// What everything costs by these prices.
    #[must_use]
    pub fn estimate(&self, prices: &Prices) -> Estimate {
        let mut all = Estimate::default();
        for entry in &self.entries {
            all.add(&prices.estimate(self.model(entry.model), &entry.tokens, true));
        }
        for share in self.counts.last().map(|count| self.unattributed(count)).unwrap_or_default() {
            all.add(&prices.estimate(&share.model, &share.tokens, false));
        }
        all
    }

    /// What of a count no entry before it carries.
    fn unattributed(&self, count: &Count) -> Vec<Share> {
        missing(&count.models, &self.shares(&self.entries[..count.entries]))
    }

    fn shares(&self, entries: &[Entry]) -> Shares {
        let mut shares = Shares::default();
        for entry in entries {
            shares.add(self.model(entry.model), &entry.tokens, None);
        }
        shares
    }

    fn answered(&mut self, packet: &Packet<'_>, message: &Message<'_>) {
        let Some(tokens) = message.usage.filter(|_| !message.synthetic) else {
            return;
        };
        let id = RequestId::of(message.id, message.request_id);
        let sidechain = packet.parent_id.is_some();
        if let Some(entry) = self.find(id) {
            entry.tokens.keep_largest(&tokens);
            entry.sidechain &= sidechain;
            entry.id.request = entry.id.request.max(id.request);
            return;
        }
        let model = message.model.map_or(usize::MAX, |model| self.models.place_of(model));
        let session = self.session_of(packet.session_id);
        self.enter(Entry { id, at: time_of(packet), model, session, tokens, sidechain });
    }

    /// The total of a thread has grown; or it is only told again.
    fn counted(&mut self, packet: &Packet<'_>, total: &Tokens, last: Option<&Tokens>) {
        let Some(tokens) = self.thread.growth(packet, total, last) else {
            return;
        };
        let id = RequestId { answer: self.thread.state_id(total), request: 0 };
        let model = self.thread.model;
        let session = self.thread.id().map_or(usize::MAX, |id| self.sessions.place_of(id));
        let at = time_of(packet);
        self.enter(Entry { id, at, model, session, tokens, sidechain: false });
    }

    fn enter(&mut self, entry: Entry) {
        if let Some(key) = entry.id.keys().into_iter().find(|key| !self.places.contains_key(key)) {
            self.places.insert(key, self.entries.len());
        }
        self.entries.push(entry);
    }

    /// The same request, if it was entered before. Answers without an id cannot
    /// be told apart: each counts.
    fn find(&mut self, id: RequestId) -> Option<&mut Entry> {
        let keys = id.keys().into_iter().filter(|_| id.answer != 0);
        let mut places = keys.filter_map(|key| self.places.get(&key).copied());
        let place = places.find(|place| self.entries[*place].id.is_same(id))?;
        self.entries.get_mut(place)
    }

    fn told(&mut self, packet: &Packet<'_>, total: &Total<'_>) {
        let session = self.session_of(packet.session_id);
        let mut shares = Shares::default();
        shares.add_all(&total.models);
        // Some releases begin to count anew when a session is resumed.
        if let Some(last) = self.counts.last()
            && (total.cost_usd < last.told_usd
                || last.told.iter().any(|told| told.exceeds(&shares)))
        {
            self.counted_before = (last.models.clone(), last.cost_usd);
        }
        let told: Vec<Share> = shares.iter().cloned().collect();
        let (models_before, cost_before) = &self.counted_before;
        for share in models_before {
            shares.add(&share.model, &share.tokens, share.cost_usd);
        }
        self.counts.push(Count {
            entries: self.entries.len(),
            session,
            models: shares.iter().cloned().collect(),
            cost_usd: sum_cost(total.cost_usd, *cost_before),
            told,
            told_usd: total.cost_usd,
            duration_ms: total.duration_ms,
        });
    }

    fn limited(&mut self, limit: &RateLimit<'_>) {
        let kind = limit.kind.unwrap_or_default();
        let told = Limit {
            kind: kind.to_owned(),
            used_percent: limit.utilization.map(|used| (used * 1e4).round() / 100.0),
            resets_at: limit.resets_at,
        };
        match self.limits.iter_mut().find(|known| known.kind == kind) {
            Some(known) => *known = told,
            None => self.limits.push(told),
        }
    }

    fn session_of(&mut self, id: Option<&str>) -> usize {
        id.map_or(usize::MAX, |id| self.sessions.place_of(id))
    }
}

/// Names that are told again and again.
#[derive(Debug, Default)]
struct Names {
    list: Vec<String>,
    places: HashMap<String, usize>,
}

impl Names {
    /// Where a name is in the list, which it is put into if it is not there.
    fn place_of(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.list.push(name.to_owned());
        self.places.insert(name.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}

impl RequestId {
    fn of(answer: Option<&str>, request: Option<&str>) -> Self {
        let hash = |id: Option<&str>| id.map_or(0, |id| hash(id).max(1));
        Self { answer: hash(answer), request: hash(request) }
    }

    /// Under which keys it may be found: by its answer alone, and, as one answer
    /// can have been given to two requests, by both.
    #[must_use]
    pub fn keys(self) -> [u64; 2] {
        [self.answer, hash((self.answer, self.request))]
    }

    /// Copies of an entry may have lost the id of their request.
    #[must_use]
    pub fn is_same(self, other: Self) -> bool {
        let same = self.request == other.request || self.request == 0 || other.request == 0;
        self.answer == other.answer && self.answer != 0 && same
    }

    /// Whether its request is known.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.request != 0
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn time_of(packet: &Packet<'_>) -> Option<Timestamp> {
    packet.timestamp?.parse().ok()
}
