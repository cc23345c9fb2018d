//! Keys of requests that are the same on every machine and in every release.

use std::fmt;
use std::hash::Hasher;

use super::hash_index::hash;
use crate::codec::{Bytes, Codec};

/// Hashes of the ids of a message and of its request; 0 if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestId {
    message: u64,
    pub(super) request: u64,
}

/// Hashes are not smaller as numbers of variable length.
impl Codec for RequestId {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.message.to_le_bytes());
        to.extend(self.request.to_le_bytes());
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some(Self { message: from.take_fixed()?, request: from.take_fixed()? })
    }
}

/// Ids of messages that are at least this long are random. Some CLIs have short ones,
/// which identify a request only together with another id.
const UNIQUE_ID: usize = 20;

/// Returns whether the id of a message is long enough to be unique.
pub(super) fn is_unique(id: &str) -> bool {
    id.len() >= UNIQUE_ID
}

impl RequestId {
    pub(super) fn new(message: &str, request: Option<&str>) -> Self {
        let hash = |id: &str| stable_hash(&[id.as_bytes()]);
        Self { message: hash(message), request: request.map_or(0, hash) }
    }

    /// Returns the id of a request from the hash of what identifies it.
    pub(super) fn of_message(message: u64) -> Self {
        Self { message, request: 0 }
    }

    /// Returns the key of the request; `None` if it has no id.
    pub(super) fn key(self) -> Option<RequestKey> {
        let Self { message, request } = self;
        self.is_known().then_some(RequestKey { message, request })
    }

    /// Returns whether there is an id.
    pub(super) fn is_known(self) -> bool {
        self.message != 0
    }

    /// Returns the keys under which it may be indexed: by its message, and by both
    /// ids, since two requests can have the same message.
    pub(super) fn keys(self) -> [u64; 2] {
        [self.message, hash((self.message, self.request))]
    }

    /// Returns whether both identify the same request. Copies may lack the id of
    /// the request.
    pub(super) fn is_same(self, other: Self) -> bool {
        let same = self.request == other.request || self.request == 0 || other.request == 0;
        self.message == other.message && self.is_known() && same
    }

    /// Returns whether the id of the request is known.
    pub(super) fn is_complete(self) -> bool {
        self.request != 0
    }
}

/// Identifies something that was used: hashes of the ids of a message and of its
/// request, the latter 0 if it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct RequestKey {
    pub(super) message: u64,
    pub(super) request: u64,
}

impl RequestKey {
    /// Returns the key of what has no id, from everything that distinguishes it.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        Self { message: stable_hash(parts), request: 0 }
    }

    /// Returns the key without the request.
    pub(crate) fn of_message(self) -> Self {
        Self { request: 0, ..self }
    }
}

impl fmt::Display for RequestKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:016x}", self.message)?;
        if self.request != 0 {
            write!(to, ".{:016x}", self.request)?;
        }
        Ok(())
    }
}

/// Hashes parts and their lengths; never 0.
pub(super) fn stable_hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = StableHasher::default();
    for part in parts {
        hasher.write(&(part.len() as u64).to_le_bytes());
        hasher.write(part);
    }
    hasher.finish().max(1)
}

/// SipHash-2-4 with a key of zeros. The hasher of the standard library may change.
#[derive(Default)]
struct StableHasher {
    state: Option<[u64; 4]>,
    /// Bytes that are not hashed yet; always fewer than eight.
    tail: u64,
    length: u64,
}

impl StableHasher {
    const START: [u64; 4] = [
        0x736f_6d65_7073_6575,
        0x646f_7261_6e64_6f6d,
        0x6c79_6765_6e65_7261,
        0x7465_6462_7974_6573,
    ];

    fn add_word(state: &mut [u64; 4], word: u64) {
        state[3] ^= word;
        rounds(state, 2);
        state[0] ^= word;
    }
}

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        let state = self.state.get_or_insert(Self::START);
        for byte in bytes {
            self.tail |= u64::from(*byte) << (8 * (self.length % 8));
            self.length += 1;
            if self.length.is_multiple_of(8) {
                Self::add_word(state, self.tail);
                self.tail = 0;
            }
        }
    }

    fn finish(&self) -> u64 {
        let mut state = self.state.unwrap_or(Self::START);
        Self::add_word(&mut state, self.tail | (self.length << 56));
        state[2] ^= 0xff;
        rounds(&mut state, 4);
        state[0] ^ state[1] ^ state[2] ^ state[3]
    }
}

fn rounds(state: &mut [u64; 4], count: usize) {
    let [mut a, mut b, mut c, mut d] = *state;
    for _ in 0..count {
        a = a.wrapping_add(b);
        c = c.wrapping_add(d);
        b = b.rotate_left(13) ^ a;
        d = d.rotate_left(16) ^ c;
        a = a.rotate_left(32).wrapping_add(d);
        c = c.wrapping_add(b);
        d = d.rotate_left(21) ^ a;
        b = b.rotate_left(17) ^ c;
        c = c.rotate_left(32);
    }
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys are stored elsewhere, so they must never change.
    #[test]
    fn keys_stay_the_same() {
        // Published vectors have another key: the deprecated hasher has this one.
        #[allow(deprecated)]
        let expected = |bytes: &[u8]| {
            let mut hasher = std::hash::SipHasher::new();
            hasher.write(bytes);
            hasher.finish()
        };
        let bytes: Vec<u8> = (0..100).collect();
        for length in 0..bytes.len() {
            let mut hasher = StableHasher::default();
            hasher.write(&bytes[..length / 3]);
            hasher.write(&bytes[length / 3..length]);
            assert_eq!(hasher.finish(), expected(&bytes[..length]), "{length}");
        }
        let key =
            RequestKey { message: stable_hash(&[b"msg_1"]), request: stable_hash(&[b"req_1"]) };
        assert_eq!(key.to_string(), "cc61ed19a6861fbc.7f3ba9d2180be263");
    }
}
