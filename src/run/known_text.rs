//! A text that was seen, to be compared with later ones.

use std::hash::{BuildHasher, RandomState};

/// Longer texts are kept as a hash, so that they are not in memory a second time.
const MAX_KEPT: usize = 64 << 10;

/// A text that was seen. Its memory is reused for the next one.
#[derive(Debug, Default)]
pub(super) struct KnownText {
    /// The text, if it is not long.
    text: String,
    long: Option<LongText>,
}

#[derive(Clone, Debug)]
struct LongText {
    length: usize,
    /// A hash with a key of its own, so that no input has a given one.
    hash: u64,
    key: RandomState,
}

impl KnownText {
    /// Replaces the text.
    pub(super) fn set(&mut self, text: &str) {
        if text.len() <= MAX_KEPT {
            self.long = None;
            text.clone_into(&mut self.text);
            return;
        }
        let key = self.long.take().map(|long| long.key).unwrap_or_default();
        let hash = key.hash_one(text);
        self.long = Some(LongText { length: text.len(), hash, key });
        self.text.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.long.is_none() && self.text.is_empty()
    }

    /// Returns what follows the known text in `text`, if it is a prefix.
    pub(super) fn rest_of<'t>(&self, text: &'t str) -> Option<&'t str> {
        let Some(LongText { length, hash, key }) = &self.long else {
            return text.strip_prefix(self.text.as_str());
        };
        let (start, rest) = text.split_at_checked(*length)?;
        (key.hash_one(start) == *hash).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_follows_short_and_long_texts() {
        let mut known = KnownText::default();
        assert!(known.is_empty());
        for length in [1, MAX_KEPT, MAX_KEPT + 1, 3, 3 * MAX_KEPT, 2 * MAX_KEPT] {
            let text = "é".repeat(length / 2) + "x";
            known.set(&text);
            assert!(!known.is_empty());
            assert_eq!(known.rest_of(&text), Some(""));
            assert_eq!(known.rest_of(&(text.clone() + "yz")), Some("yz"));
            assert_eq!(known.rest_of(&text[..text.len() - 1]), None);
            assert_eq!(known.rest_of(&("w".to_owned() + &text)), None);
            assert_eq!(known.rest_of(&"é".repeat(length)), None, "{length}");
        }
        known.set("");
        assert!(known.is_empty());
    }
}
