//! Uses the CLI's own counts of sessions: the cost, and the tokens that are not
//! tied to a message.
//!
//! A snapshot covers what came before it in its file, and what subagents used in
//! files of their own until the session continued. It grows over the whole
//! session and continues to grow in a fork; there, the parent's count is
//! subtracted.

use std::collections::HashMap;

use jiff::Timestamp;

use super::dedup::RequestPosition;
use super::key::RequestKey;
use super::merge::{ItemKind, Merge, UsageItem};
use super::requests::CostSnapshot;
use super::unattributed::unattributed;
use super::{ModelShare, ModelShares, RequestLog};
use crate::event::Tokens;

/// Adds the items that follow from snapshots. `requests` has, for each session, the
/// positions of its requests and their indices in `items`.
pub(super) fn add_items<'a>(
    merge: &Merge<'a>,
    requests: &[Vec<(RequestPosition, usize)>],
    items: &mut Vec<UsageItem<'a>>,
) {
    let all = SessionSnapshots::all(merge);
    let mut files: HashMap<usize, Vec<usize>> = HashMap::new();
    for snapshots in &all {
        files.entry(snapshots.session).or_default().push(snapshots.file);
    }
    for snapshots in &all {
        // A subagent with a count of its own is not part of its parent's.
        let files = files.get(&snapshots.session).map(Vec::as_slice).unwrap_or_default();
        let is_covered =
            |file: usize| files.len() < 2 || file == snapshots.file || !files.contains(&file);
        let requests = requests[snapshots.session].iter().copied();
        let covered: Vec<_> = requests.filter(|(position, _)| is_covered(position.0)).collect();
        snapshots.add_items(&covered, items);
    }
}

/// The snapshots of one session.
struct SessionSnapshots<'a, 'm> {
    merge: &'m Merge<'a>,
    session: usize,
    /// The file that contains them.
    file: usize,
    log: &'a RequestLog,
    snapshots: Vec<&'a CostSnapshot>,
}

impl<'a, 'm> SessionSnapshots<'a, 'm> {
    /// Returns those of every session, and of every subagent that has its own; of several
    /// files the one written last.
    fn all(merge: &'m Merge<'a>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut indices: HashMap<&str, usize> = HashMap::new();
        for (file, usage) in merge.files.iter().enumerate() {
            let Some(log) = usage.log() else { continue };
            let own = |snapshot: &&CostSnapshot| !is_copy(merge, file, snapshot);
            for snapshot in log.snapshots.iter().filter(own) {
                let id = log.sessions().get(snapshot.session).unwrap_or(&usage.id);
                let session = merge.session(file, snapshot.session);
                let new = || Self { merge, session, file, log, snapshots: Vec::new() };
                let index = *indices.entry(id).or_insert_with(|| {
                    found.push(new());
                    found.len() - 1
                });
                let known = &mut found[index];
                if known.file != file && merge.files[known.file].last <= usage.last {
                    *known = new();
                }
                if known.file == file {
                    known.snapshots.push(snapshot);
                }
            }
        }
        found
    }

    fn add_items(&self, requests: &[(RequestPosition, usize)], items: &mut Vec<UsageItem<'a>>) {
        let base = self.inherited();
        // For each snapshot the requests that it is the first to cover.
        let mut covered = vec![ModelShares::default(); self.snapshots.len()];
        let until: Vec<_> = self.snapshots.iter().map(|snapshot| self.until(snapshot)).collect();
        for (position, index) in requests {
            let item = &mut items[*index];
            let first = if position.0 == self.file {
                self.snapshots.partition_point(|snapshot| snapshot.request_count <= position.1)
            } else {
                until.partition_point(|until| until.is_some_and(|until| until <= item.at))
            };
            if let Some(covered) = covered.get_mut(first) {
                covered.add(item.model, &item.tokens, None);
                item.has_cost = self.snapshots[first].cost_usd.is_some();
            }
        }
        self.add_unattributed(&base, &covered, items);
        self.add_costs(&base, &covered, items);
    }

    fn add_unattributed(
        &self,
        base: &InheritedUsage,
        covered: &[ModelShares],
        items: &mut Vec<UsageItem<'a>>,
    ) {
        let mut requests = ModelShares::default();
        for share in &base.models {
            requests.add(&share.model, &share.tokens, None);
        }
        let so_far: Vec<Vec<ModelShare>> = self
            .snapshots
            .iter()
            .zip(covered)
            .map(|(snapshot, covered)| {
                for share in covered.iter() {
                    requests.add(&share.model, &share.tokens, None);
                }
                unattributed(&snapshot.uncached_models(), &requests)
            })
            .collect();
        let tokens_of = |shares: &[ModelShare], model: &str| {
            let share = shares.iter().find(|share| share.model == model);
            share.map(|share| share.tokens).unwrap_or_default()
        };
        let total = so_far.last().cloned().unwrap_or_default();
        let mut before: &[ModelShare] = &[];
        for (snapshot, missing) in self.snapshots.iter().zip(&so_far) {
            for share in &snapshot.models {
                let limit = tokens_of(&total, &share.model);
                let [now, then] =
                    [missing, before].map(|list| tokens_of(list, &share.model).at_most(&limit));
                let tokens = now.without(&then);
                if tokens.total() > 0 {
                    // A CLI that counts as a whole does not tie tokens to messages.
                    let is_rest = self.log.counts_requests();
                    let kind = if is_rest { ItemKind::Unattributed } else { ItemKind::Sum };
                    items.push(UsageItem {
                        tokens,
                        kind,
                        ..self.item(snapshot, &share.model, "rest")
                    });
                }
            }
            before = missing;
        }
    }

    fn add_costs(
        &self,
        base: &InheritedUsage,
        covered: &[ModelShares],
        items: &mut Vec<UsageItem<'a>>,
    ) {
        let difference = |one: Option<f64>, less: Option<f64>| Some(one? - less.unwrap_or(0.0));
        let mut before = (base.models.as_slice(), base.cost_usd);
        for (snapshot, covered) in self.snapshots.iter().zip(covered) {
            let mut rest = difference(snapshot.cost_usd, before.1);
            for share in &snapshot.models {
                let known = before.0.iter().find(|known| known.model == share.model);
                let cost_usd = difference(share.cost_usd, known.and_then(|known| known.cost_usd));
                rest = rest.map(|rest| rest - cost_usd.unwrap_or(0.0));
                if cost_usd.is_some_and(|cost| cost != 0.0) {
                    items.push(UsageItem { cost_usd, ..self.item(snapshot, &share.model, "cost") });
                }
            }
            // A cost of zero is also an item, unless it is the cost of nothing.
            let is_cost = |rest: &f64| *rest != 0.0 || !covered.is_empty();
            let rest = rest.map(|rest| if rest.abs() < 1e-9 { 0.0 } else { rest });
            let cost_usd = rest.filter(is_cost);
            items.push(UsageItem { cost_usd, ..self.item(snapshot, "", "cost") });
            before = (&snapshot.models, snapshot.cost_usd);
        }
    }

    /// Returns an empty item at the time of a snapshot; `what` is what it is for.
    fn item(&self, snapshot: &CostSnapshot, model: &'a str, what: &str) -> UsageItem<'a> {
        let file = &self.merge.files[self.file];
        let session = self.log.sessions().get(snapshot.session).unwrap_or(&file.id);
        let index = (snapshot.index as u64).to_le_bytes();
        let parts = [what, session.as_str(), model].map(str::as_bytes);
        UsageItem {
            key: RequestKey::of(&[parts[0], parts[1], parts[2], &index]),
            is_unique: true,
            file,
            own_session: snapshot.session,
            session: self.session,
            at: self.log.time_of(snapshot).unwrap_or(file.last),
            is_undated: file.is_undated,
            model,
            tokens: Tokens::default(),
            cost_usd: None,
            has_cost: snapshot.cost_usd.is_some(),
            kind: ItemKind::Sum,
        }
    }

    /// Returns when the session continued after a snapshot.
    fn until(&self, snapshot: &CostSnapshot) -> Option<Timestamp> {
        self.log.requests[snapshot.request_count..].iter().find_map(|request| request.at)
    }

    /// Returns what a fork's count starts with: the last snapshot of its parent before
    /// the fork, and what the parent used after it.
    fn inherited(&self) -> InheritedUsage {
        let Self { merge, file, log, .. } = self;
        let copies: Vec<(usize, RequestPosition)> = (0..log.requests.len())
            .map(|request| (request, merge.dedup.original((*file, request))))
            .filter(|(_, original)| {
                let session = merge.files[original.0]
                    .log()
                    .map(|log| merge.session(original.0, log.requests[original.1].session));
                session != Some(self.session)
            })
            .collect();
        let Some((_, fork)) = copies.last() else {
            return InheritedUsage::default();
        };
        let parent = merge.files[fork.0].log();
        let snapshots = parent.map(|parent| parent.snapshots.as_slice()).unwrap_or_default();
        let snapshot = snapshots.iter().rev().find(|known| known.request_count <= fork.1 + 1);
        let mut inherited = ModelShares::default();
        for share in snapshot.map(CostSnapshot::uncached_models).unwrap_or_default() {
            inherited.add(&share.model, &share.tokens, share.cost_usd);
        }
        for (request, original) in &copies {
            let is_covered = snapshot.is_some_and(|snapshot| {
                original.0 != fork.0 || original.1 < snapshot.request_count
            });
            if !is_covered {
                let request = &log.requests[*request];
                let tokens = request.tokens.without_cache_in_input();
                inherited.add(log.model(request.model), &tokens, None);
            }
        }
        let base = InheritedUsage {
            models: inherited.iter().cloned().collect(),
            cost_usd: snapshot.and_then(|snapshot| snapshot.cost_usd),
        };
        // A fork may have restarted the count.
        let first = self.snapshots.first();
        if first.is_some_and(|first| base.exceeds(first)) {
            InheritedUsage::default()
        } else {
            base
        }
    }
}

/// Returns whether a snapshot was copied into a file together with the request before it.
fn is_copy(merge: &Merge<'_>, file: usize, snapshot: &CostSnapshot) -> bool {
    let Some(last) = snapshot.request_count.checked_sub(1) else { return false };
    let (original, _) = merge.dedup.original((file, last));
    let log = merge.files[original].log().filter(|_| original != file);
    log.is_some_and(|log| log.snapshots.iter().any(|known| known.is_same_count(snapshot)))
}

/// What a fork's count starts with.
#[derive(Default)]
struct InheritedUsage {
    models: Vec<ModelShare>,
    cost_usd: Option<f64>,
}

impl InheritedUsage {
    fn exceeds(&self, snapshot: &CostSnapshot) -> bool {
        let mut shares = ModelShares::default();
        for share in snapshot.uncached_models() {
            shares.add(&share.model, &share.tokens, None);
        }
        self.cost_usd > snapshot.cost_usd || self.models.iter().any(|share| share.exceeds(&shares))
    }
}
