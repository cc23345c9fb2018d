//! The requests of a session file.
//!
//! A stream reports at its end what it used. A session file does not, or not
//! completely: there every request counts once, however often it was written.
//! Requests are identified by hashes of their ids, so that many files can be
//! compared with about 130 bytes of memory per request.

use jiff::Timestamp;

use super::hash_index::HashIndex;
use super::key::{RequestId, is_unique, stable_hash};
use super::names::NameList;
use super::thread::ThreadTotals;
use super::unattributed::unattributed;
use super::{
    AccountLimit, Estimate, ModelShare, ModelShares, Prices, UsageReport, UsageSource, sum_cost,
};
use crate::codec::codec_struct;
use crate::event::{Event, Message, RateLimit, Tokens, UsageSnapshot};
use crate::harness::Record;

/// The requests of one session file.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    /// Every request once, in order.
    pub(super) requests: Vec<Request>,
    /// The CLI's own counts, in order.
    pub(super) snapshots: Vec<CostSnapshot>,
    /// What was counted before the CLI restarted its count.
    counted_before: (Vec<ModelShare>, Option<f64>),
    models: NameList,
    sessions: NameList,
    /// Indices of requests by the keys of their ids.
    indices: HashIndex<usize>,
    thread: ThreadTotals,
    /// Index of the model that answers, if the session says so.
    model_in_use: Option<usize>,
    /// Number of messages without an id.
    nameless: u64,
    limits: Vec<AccountLimit>,
}

/// A request and what it used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) at: Option<Timestamp>,
    /// Index for [`RequestLog::model`].
    pub(super) model: usize,
    /// Index in [`RequestLog::sessions`].
    pub(super) session: usize,
    pub(super) tokens: Tokens,
    /// The cost that the CLI reports.
    pub(super) cost_usd: Option<f64>,
    /// Whether a subagent made it.
    pub(super) is_sidechain: bool,
    /// Whether the id of its message alone identifies it.
    pub(super) has_unique_id: bool,
}

/// The CLI's own count of everything the session has used so far.
#[derive(Debug)]
pub(super) struct CostSnapshot {
    /// Its number in the file.
    pub(super) index: usize,
    /// What the CLI calls the count.
    name: &'static str,
    /// Number of requests before it, or so far if it precedes those it counts.
    pub(super) request_count: usize,
    is_header: bool,
    /// Index in [`RequestLog::sessions`].
    pub(super) session: usize,
    /// The share of each model.
    pub(super) models: Vec<ModelShare>,
    /// The cost in US dollars.
    pub(super) cost_usd: Option<f64>,
    /// Shares and cost as written, which may have restarted in between.
    written_models: Vec<ModelShare>,
    written_cost_usd: Option<f64>,
    duration_ms: Option<u64>,
}

impl CostSnapshot {
    /// Returns whether both were written with the same counts.
    pub(super) fn is_same_count(&self, other: &Self) -> bool {
        self.written_models == other.written_models
            && self.written_cost_usd == other.written_cost_usd
    }

    /// Returns the share of each model with an input that excludes cached tokens.
    pub(super) fn uncached_models(&self) -> Vec<ModelShare> {
        let uncached = |share: &ModelShare| ModelShare {
            tokens: share.tokens.without_cache_in_input(),
            ..share.clone()
        };
        self.models.iter().map(uncached).collect()
    }
}

codec_struct!(Request { id, at, model, session, tokens, cost_usd, is_sidechain, has_unique_id });

codec_struct!(CostSnapshot {
    index,
    name,
    request_count,
    is_header,
    session,
    models,
    cost_usd,
    written_models,
    written_cost_usd,
    duration_ms,
});

// A decoded log has no indices; see `RequestLog::resume`.
codec_struct!(
    RequestLog {
        requests,
        snapshots,
        counted_before,
        models,
        sessions,
        thread,
        model_in_use,
        nameless,
        limits,
    }..Self::default()
);

impl RequestLog {
    /// Makes a decoded log ready for further records.
    pub(super) fn resume(&mut self) {
        self.models.resume();
        self.sessions.resume();
        self.indices.reserve(self.requests.len());
        for position in 0..self.requests.len() {
            self.index(position);
        }
    }

    /// Releases memory that only further records need.
    pub(super) fn finish(&mut self) {
        self.indices = HashIndex::default();
        self.requests.shrink_to_fit();
    }

    /// Counts a record.
    pub fn apply(&mut self, record: &Record<'_>) {
        for event in record.events {
            match event {
                Event::Message(message) => self.message(record, message),
                Event::Session(info) => {
                    let has_parent = info.forked_from.or(info.started_by).is_some();
                    self.thread.start(record, has_parent);
                }
                Event::TurnStarted { id } => self.thread.start_turn(*id),
                Event::Model { model } => {
                    let index = self.models.index_of(model);
                    self.thread.model = index;
                    self.model_in_use = Some(index);
                }
                Event::Usage { total, last } => self.thread_total(record, total, last.as_ref()),
                Event::Total(snapshot) => self.snapshot(record, snapshot),
                Event::RateLimit(limit) => self.limit(limit),
                _ => {}
            }
        }
    }

    /// Returns whether nothing was used.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.snapshots.is_empty()
    }

    /// Returns whether requests are counted one by one, and not only as a whole.
    pub(super) fn counts_requests(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Returns the time of the last request before a snapshot.
    pub(super) fn time_of(&self, snapshot: &CostSnapshot) -> Option<Timestamp> {
        self.requests[..snapshot.request_count].iter().rev().find_map(|request| request.at)
    }

    /// Returns the time of the last request.
    pub fn last_time(&self) -> Option<Timestamp> {
        self.requests.iter().rev().find_map(|request| request.at)
    }

    /// Returns a model by its index; empty if unknown.
    pub(super) fn model(&self, index: usize) -> &str {
        self.models.get(index)
    }

    /// Returns the sessions that the requests belong to; a file can have several.
    pub(super) fn sessions(&self) -> &[String] {
        self.sessions.list()
    }

    /// Returns the last state of the account's limits.
    pub fn limits(&self) -> &[AccountLimit] {
        &self.limits
    }

    /// Adds up everything. A count of the CLI itself is exact, and the part of it
    /// that no request covers is reported separately.
    pub fn report(&self) -> UsageReport {
        let mut shares = self.shares(&self.requests);
        let Some(snapshot) = self.snapshots.last() else {
            let has_totals = self.thread.has_totals();
            let source = if has_totals { UsageSource::Turns } else { UsageSource::Messages };
            return UsageReport::of_shares(source, &shares);
        };
        let mut rest = Tokens::default();
        for share in self.unattributed(snapshot) {
            shares.add(&share.model, &share.tokens, None);
            rest.add(&share.tokens);
        }
        // Requests after the count are not part of its cost.
        let later = self.shares(&self.requests[snapshot.request_count..]);
        shares.add_costs(snapshot.models.iter().filter(|share| !later.has_model(&share.model)));
        // A count of nothing before the first request adds nothing to the messages.
        let has_figures = snapshot.cost_usd.is_some_and(|cost| cost > 0.0)
            || snapshot.models.iter().any(|share| share.tokens.total() > 0);
        let is_used = has_figures || snapshot.request_count > 0 || self.requests.is_empty();
        let source =
            if is_used { UsageSource::Snapshot(snapshot.name) } else { UsageSource::Messages };
        let report = UsageReport::of_shares(source, &shares);
        let cost_usd = snapshot.cost_usd.or(report.cost_usd);
        let is_complete = later.iter().all(|share| share.tokens.total() == 0);
        UsageReport {
            unattributed: Some(rest).filter(|rest| rest.total() > 0 && self.counts_requests()),
            cost_usd: cost_usd.filter(|_| is_complete),
            partial_cost_usd: cost_usd.filter(|cost| !is_complete && *cost > 0.0),
            duration_ms: snapshot.duration_ms,
            ..report
        }
    }

    /// Estimates the cost of everything.
    pub fn estimate(&self, prices: &Prices) -> Estimate {
        let mut total = Estimate::default();
        for request in &self.requests {
            total.add(&prices.estimate_request(self.model(request.model), &request.tokens));
        }
        for share in self.snapshots.last().map(|last| self.unattributed(last)).unwrap_or_default() {
            total.add(&prices.estimate(&share.model, &share.tokens));
        }
        total
    }

    /// Returns the part of a snapshot that no request before it covers.
    fn unattributed(&self, snapshot: &CostSnapshot) -> Vec<ModelShare> {
        let covered = self.shares(&self.requests[..snapshot.request_count]);
        unattributed(&snapshot.models, &covered)
    }

    fn shares(&self, requests: &[Request]) -> ModelShares {
        let mut shares = ModelShares::default();
        for request in requests {
            shares.add(self.model(request.model), &request.tokens, request.cost_usd);
        }
        shares
    }

    fn message(&mut self, record: &Record<'_>, message: &Message<'_>) {
        let Some(tokens) = message.usage.filter(|_| !message.synthetic) else {
            return;
        };
        let id = match message.id {
            Some(id) => RequestId::new(id, message.request_id),
            None => self.nameless_id(record, &tokens),
        };
        let is_sidechain = record.parent_id.is_some();
        if let Some(request) = self.find(id) {
            request.tokens.keep_largest(&tokens);
            request.cost_usd = message.cost_usd.or(request.cost_usd);
            request.is_sidechain &= is_sidechain;
            request.id.request = request.id.request.max(id.request);
            return;
        }
        let named = message.model.map(|model| self.models.index_of(model));
        let model = named.or(self.model_in_use).unwrap_or(usize::MAX);
        let session = self.session_index(record.session_id);
        self.insert(Request {
            id,
            at: record.time(),
            model,
            session,
            tokens,
            cost_usd: message.cost_usd,
            is_sidechain,
            has_unique_id: message.id.is_none_or(is_unique),
        });
    }

    /// Returns an id for a message without one: its session and its position, so that the
    /// message is the same in a copy of the file. Without either, it has no id.
    fn nameless_id(&mut self, record: &Record<'_>, tokens: &Tokens) -> RequestId {
        let (session, at) = (record.session_id.unwrap_or_default(), record.time());
        if session.is_empty() && at.is_none() {
            return RequestId::default();
        }
        self.nameless += 1;
        let at = at.map_or(0, Timestamp::as_nanosecond).to_le_bytes();
        let counts = [self.nameless, tokens.input, tokens.output].map(u64::to_le_bytes).concat();
        RequestId::of_message(stable_hash(&[session.as_bytes(), &at, &counts]))
    }

    /// Counts the growth of a thread's total; it may also be a repetition.
    fn thread_total(&mut self, record: &Record<'_>, total: &Tokens, last: Option<&Tokens>) {
        let Some(tokens) = self.thread.growth(record, total, last) else {
            return;
        };
        let id = RequestId::of_message(self.thread.state_id(total));
        let model = self.thread.model;
        let session = self.thread.id().map_or(usize::MAX, |id| self.sessions.index_of(id));
        self.insert(Request {
            id,
            at: record.time(),
            model,
            session,
            tokens,
            cost_usd: None,
            is_sidechain: false,
            has_unique_id: true,
        });
    }

    fn insert(&mut self, request: Request) {
        self.requests.push(request);
        self.index(self.requests.len() - 1);
        if let Some(last) = self.snapshots.last_mut().filter(|last| last.is_header) {
            last.request_count = self.requests.len();
        }
    }

    /// Makes a request findable, by the first of its keys that no other one has.
    fn index(&mut self, position: usize) {
        let mut keys = self.requests[position].id.keys().into_iter();
        if let Some(key) = keys.find(|key| !self.indices.contains_key(key)) {
            self.indices.insert(key, position);
        }
    }

    /// Returns the same request, if it is known. Messages without an id cannot be
    /// distinguished: each counts.
    fn find(&mut self, id: RequestId) -> Option<&mut Request> {
        let keys = id.keys().into_iter().filter(|_| id.is_known());
        let mut indices = keys.filter_map(|key| self.indices.get(&key).copied());
        let index = indices.find(|index| self.requests[*index].id.is_same(id))?;
        self.requests.get_mut(index)
    }

    fn snapshot(&mut self, record: &Record<'_>, snapshot: &UsageSnapshot<'_>) {
        let session = self.session_index(record.session_id);
        let mut shares = ModelShares::default();
        shares.add_all(&snapshot.models);
        // Some releases restart their count when a session is resumed.
        if let Some(last) = self.snapshots.last()
            && (snapshot.cost_usd < last.written_cost_usd
                || last.written_models.iter().any(|share| share.exceeds(&shares)))
        {
            self.counted_before = (last.models.clone(), last.cost_usd);
        }
        let written_models: Vec<ModelShare> = shares.iter().cloned().collect();
        let (models_before, cost_before) = &self.counted_before;
        for share in models_before {
            shares.add(&share.model, &share.tokens, share.cost_usd);
        }
        self.snapshots.push(CostSnapshot {
            index: self.snapshots.len(),
            name: snapshot.name,
            request_count: self.requests.len(),
            is_header: snapshot.is_header,
            session,
            models: shares.iter().cloned().collect(),
            cost_usd: sum_cost(snapshot.cost_usd, *cost_before),
            written_models,
            written_cost_usd: snapshot.cost_usd,
            duration_ms: snapshot.duration_ms,
        });
    }

    fn limit(&mut self, limit: &RateLimit<'_>) {
        let kind = limit.kind.unwrap_or_default();
        let current = AccountLimit {
            kind: kind.to_owned(),
            used_percent: limit.utilization.map(|used| (used * 1e4).round() / 100.0),
            resets_at: limit.resets_at,
        };
        match self.limits.iter_mut().find(|known| known.kind == kind) {
            Some(known) => *known = current,
            None => self.limits.push(current),
        }
    }

    fn session_index(&mut self, id: Option<&str>) -> usize {
        id.map_or(usize::MAX, |id| self.sessions.index_of(id))
    }
}
