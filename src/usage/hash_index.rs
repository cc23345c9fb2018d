//! Maps and sets whose keys need no further hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

/// A map whose keys are hashes already.
pub(super) type HashIndex<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// A set of small numbers.
pub(crate) type NumberSet = HashSet<usize, BuildHasherDefault<IdentityHasher>>;

/// Uses a `u64` as its own hash.
#[derive(Debug, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    /// Indices differ in their low bits only; hash maps also use the high ones.
    fn write_usize(&mut self, index: usize) {
        self.0 = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
