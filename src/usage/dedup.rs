//! Counts every request once over many files.
//!
//! A resumed or forked session copies its history into a new file. A request
//! belongs to the file where it was written first, to the main thread rather than
//! to a subagent, and least of all to a copy that lacks the id of the request.

use super::file::{FileUsage, Used};
use super::hash_index::HashIndex;
use super::requests::Request;

/// The index of a file, and of a request in its log.
pub(super) type RequestPosition = (usize, usize);

/// For every request the one that is counted for it: itself, unless it is a copy.
pub(super) struct Dedup(Vec<Vec<RequestPosition>>);

impl Dedup {
    /// Finds the copies among the requests of files, which are in the order in which
    /// they were started.
    pub(super) fn new(files: &mut [FileUsage]) -> Self {
        let mut dedup = Self(Vec::with_capacity(files.len()));
        let requests = files.iter().filter_map(FileUsage::log).map(|log| log.requests.len());
        let mut index = HashIndex::default();
        index.reserve(requests.sum());
        for file in 0..files.len() {
            let count = files[file].log().map_or(0, |log| log.requests.len());
            dedup.0.push((0..count).map(|request| (file, request)).collect());
            for request in 0..count {
                dedup.insert((file, request), files, &mut index);
            }
        }
        dedup
    }

    /// Returns the request that is counted for this one.
    pub(super) fn original(&self, position: RequestPosition) -> RequestPosition {
        let mut original = position;
        // An original may itself have been replaced by a better one.
        while self.0[original.0][original.1] != original {
            original = self.0[original.0][original.1];
        }
        original
    }

    /// Returns whether the request is not a copy.
    pub(super) fn is_original(&self, position: RequestPosition) -> bool {
        self.0[position.0][position.1] == position
    }

    fn insert(
        &mut self,
        here: RequestPosition,
        files: &mut [FileUsage],
        index: &mut HashIndex<RequestPosition>,
    ) {
        let Some(own) = files.request(here).copied() else { return };
        let keys = own.id.keys();
        let is_same = |position: &RequestPosition| {
            // Copies within one file were found when it was read.
            let other = files.request(*position).filter(|_| position.0 != here.0);
            other.is_some_and(|other| other.id.is_same(own.id))
        };
        let known = keys.iter().find_map(|key| index.get(key).copied().filter(is_same));
        let Some(known) = known else {
            if let Some(key) = keys.iter().find(|key| !index.contains_key(key)) {
                index.insert(*key, here);
            }
            return;
        };
        let Some(other) = files.request(known).copied() else { return };
        let flaws = |request: &Request| (request.is_sidechain, !request.id.is_complete());
        let is_better = flaws(&own) < flaws(&other);
        let (original, copy) = if is_better { (here, known) } else { (known, here) };
        self.0[copy.0][copy.1] = original;
        files.keep_largest(original, [&own, &other]);
        for key in keys {
            if let Some(position) = index.get_mut(&key).filter(|position| **position == known) {
                *position = original;
            }
        }
    }
}

/// Access to requests by their positions.
trait Requests {
    fn request(&self, position: RequestPosition) -> Option<&Request>;
    fn keep_largest(&mut self, position: RequestPosition, copies: [&Request; 2]);
}

impl Requests for [FileUsage] {
    fn request(&self, (file, request): RequestPosition) -> Option<&Request> {
        self[file].log()?.requests.get(request)
    }

    fn keep_largest(&mut self, (file, request): RequestPosition, copies: [&Request; 2]) {
        let Used::Requests(log) = &mut self[file].used else { return };
        if let Some(request) = log.requests.get_mut(request) {
            for copy in copies {
                request.tokens.keep_largest(&copy.tokens);
                request.cost_usd = request.cost_usd.or(copy.cost_usd);
                request.id.request = request.id.request.max(copy.id.request);
            }
        }
    }
}
