//! Finds where a word may start, by its first bytes: tables without a branch or a dependency
//! between bytes, since most texts have few words or none.

use std::ops::Range;

/// Bytes of a word by which it is found.
const LENGTH: usize = 3;

/// Positions that are examined at once.
const CHUNK: usize = 16;

/// Slots of the table of trigrams.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 11;

/// Finds the first three bytes of words in any case.
#[derive(Debug)]
pub(super) struct Trigrams {
    /// For each pair of bytes, in groups, those that may follow it.
    pairs: Box<[u8; 1 << 16]>,
    /// The group of each byte.
    groups: [u8; 256],
    entries: Vec<Entry>,
    /// The number of an entry plus one in the slot of its trigram, or in the next free one.
    slots: Vec<u16>,
}

/// The words that start with a trigram.
#[derive(Debug)]
struct Entry {
    trigram: [u8; LENGTH],
    /// The numbers of the words.
    words: Range<usize>,
    /// The bytes that may follow.
    followers: Followers,
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Followers([u64; 4]);

impl Trigrams {
    /// Finds these words, which are in order and in lower case. `None` if one is too short.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w [u8]>) -> Option<Self> {
        let mut pairs: Box<[u8; 1 << 16]> = vec![0; 1 << 16].into_boxed_slice().try_into().ok()?;
        let mut groups = [0; 256];
        let mut entries: Vec<Entry> = Vec::new();
        let mut group_count = 0;
        for (number, word) in words.enumerate() {
            let (trigram, rest) = word.split_first_chunk()?;
            if entries.last().is_none_or(|last| last.trigram != *trigram) {
                let (words, followers) = (number..number, Followers::default());
                entries.push(Entry { trigram: *trigram, words, followers });
            }
            let entry = entries.last_mut()?;
            entry.words.end = number + 1;
            entry.followers.add(rest.first().copied());
            let [first, second, third] = *trigram;
            if groups[usize::from(third)] == 0 {
                for third in cases(third) {
                    groups[usize::from(third)] = 1 << (group_count % 8);
                }
                group_count += 1;
            }
            for first in cases(first) {
                for second in cases(second) {
                    pairs[pair(first, second)] |= groups[usize::from(third)];
                }
            }
        }
        let mut slots = vec![0; SLOTS];
        // At least half of the slots stay free.
        if entries.len() > SLOTS / 2 {
            return None;
        }
        for (number, entry) in (1..).zip(&entries) {
            let mut slot = slot_of(entry.trigram);
            while slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = number;
        }
        Some(Self { pairs, groups, entries, slots })
    }

    /// Calls `each` with the offset of every place in `text` where words may start, and the
    /// indices of these words, until it returns false. Returns whether it never did.
    pub(super) fn all(
        &self,
        text: &[u8],
        mut each: impl FnMut(usize, Range<usize>) -> bool,
    ) -> bool {
        let mut at = 0;
        while let Some(bytes) = text[at..].first_chunk::<{ CHUNK + LENGTH - 1 }>() {
            let candidates: [u8; CHUNK] = std::array::from_fn(|start| {
                self.pairs[pair(bytes[start], bytes[start + 1])]
                    & self.groups[usize::from(bytes[start + 2])]
            });
            let mut candidates = u128::from_le_bytes(candidates);
            while candidates != 0 {
                let byte = candidates.trailing_zeros() / 8;
                candidates &= !(0xff << (8 * byte));
                if !self.check(text, at + byte as usize, &mut each) {
                    return false;
                }
            }
            at += CHUNK;
        }
        (at..text.len()).all(|at| self.check(text, at, &mut each))
    }

    /// Returns whether a word may start with `start`, judged by two bytes.
    pub(super) fn has_start(&self, start: &[u8]) -> bool {
        match start {
            [first, second, ..] => self.pairs[pair(*first, *second)] != 0,
            _ => true,
        }
    }

    /// Returns the indices of the words that start with these bytes, which are in lower case.
    pub(super) fn words(&self, start: [u8; LENGTH]) -> Range<usize> {
        self.entry(start).map_or(0..0, |entry| entry.words.clone())
    }

    /// Calls `each` if words may start at `at`.
    fn check(
        &self,
        text: &[u8],
        at: usize,
        each: &mut impl FnMut(usize, Range<usize>) -> bool,
    ) -> bool {
        let Some((bytes, rest)) = text[at..].split_first_chunk() else { return true };
        let entry = self.entry(bytes.map(|byte| byte.to_ascii_lowercase()));
        let entry = entry.filter(|entry| entry.followers.contains(rest.first().copied()));
        entry.is_none_or(|entry| each(at, entry.words.clone()))
    }

    fn entry(&self, trigram: [u8; LENGTH]) -> Option<&Entry> {
        let mut slot = slot_of(trigram);
        loop {
            let number = usize::from(self.slots[slot]).checked_sub(1)?;
            let entry = &self.entries[number];
            if entry.trigram == trigram {
                return Some(entry);
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

/// Returns the first slot to look for a trigram.
fn slot_of([first, second, third]: [u8; LENGTH]) -> usize {
    let key = u32::from_le_bytes([first, second, third, 0]);
    // The multiplier is that of Knuth, which spreads all bits to the highest ones.
    (key.wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOT_BITS)) as usize
}

/// Returns the index of a pair of bytes.
fn pair(first: u8, second: u8) -> usize {
    usize::from(u16::from_le_bytes([first, second]))
}

fn cases(byte: u8) -> [u8; 2] {
    [byte, byte.to_ascii_uppercase()]
}

impl Followers {
    /// Adds a byte and its upper case; `None` stands for all bytes and for none.
    fn add(&mut self, byte: Option<u8>) {
        match byte {
            Some(byte) => cases(byte).iter().for_each(|byte| {
                self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
            }),
            None => self.0 = [u64::MAX; 4],
        }
    }

    fn contains(&self, byte: Option<u8>) -> bool {
        match byte {
            Some(byte) => self.0[usize::from(byte / 64)] & 1 << (byte % 64) != 0,
            None => self.0 == [u64::MAX; 4],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str], text: &str) -> Vec<usize> {
        let mut words = words.to_vec();
        words.sort_unstable();
        let trigrams = Trigrams::new(words.iter().map(|word| word.as_bytes())).unwrap();
        let mut found = Vec::new();
        assert!(trigrams.all(text.as_bytes(), |at, _| {
            found.push(at);
            true
        }));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn every_trigram_is_found_at_every_offset() {
        let words = ["token", "tok", "okta", "aaab", "-u-", "aba"];
        for length in 0..60 {
            for word in ["tok", "TOKen", "okta", "AAAB", "-U-", "aba"] {
                for start in 0..=length {
                    let text = ".".repeat(start) + word + &"x".repeat(length - start);
                    assert!(found(&words, &text).contains(&start), "{text}");
                }
            }
        }
    }

    #[test]
    fn trigrams_may_overlap() {
        assert_eq!(found(&["aaa", "tok", "okt", "kta"], "oktokta aaaa"), [0, 2, 3, 4, 8, 9]);
        assert_eq!(found(&["aba", "bab"], "ababab"), [0, 1, 2, 3]);
        assert_eq!(found(&["abc"], "ababc abd aBC"), [2, 10]);
        assert!(found(&["abc"], "ab").is_empty());
    }

    #[test]
    fn byte_behind_the_trigram_is_compared() {
        assert_eq!(found(&["pass", "pat"], "path past passe PASSE pas"), [0, 10, 16]);
    }

    #[test]
    fn words_of_two_bytes_are_refused() {
        assert!(Trigrams::new([b"ab".as_slice()].into_iter()).is_none());
    }
}
