//! The rows of the index and what they contain.

use super::sample::Sample;
use super::stamp::Stamp;
use crate::codec::{Bytes, Codec};

/// A row of the table.
pub(super) struct IndexRow {
    /// Whether it stays when the file is deleted.
    pub(super) is_kept: bool,
    /// A sealed [`IndexEntry`].
    pub(super) entry: Vec<u8>,
    /// Sealed bytes of the caller.
    pub(super) details: Option<Vec<u8>>,
}

/// What is remembered of a session.
pub(super) struct IndexEntry<'a> {
    /// A hash of the options that affect what is counted.
    pub(super) options: u64,
    pub(super) stamp: Stamp,
    /// Where reading can continue.
    pub(super) sample: Option<Sample>,
    pub(super) content: &'a [u8],
}

impl<'a> IndexEntry<'a> {
    /// Returns the entry as bytes with a checksum.
    pub(super) fn seal(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.content.len() + 128);
        self.options.encode(&mut bytes);
        self.stamp.encode(&mut bytes);
        self.sample.encode(&mut bytes);
        bytes.extend_from_slice(self.content);
        seal(&bytes)
    }

    /// Returns the entry, if it is undamaged.
    pub(super) fn unseal(sealed: &'a [u8]) -> Option<Self> {
        let mut from = Bytes::new(unseal(sealed)?, &[]);
        let (options, stamp) = (Codec::decode(&mut from)?, Codec::decode(&mut from)?);
        let sample = Codec::decode(&mut from)?;
        Some(Self { options, stamp, sample, content: from.take_rest() })
    }
}

/// Returns bytes with a checksum before them.
pub(super) fn seal(bytes: &[u8]) -> Vec<u8> {
    [&checksum(bytes).to_le_bytes(), bytes].concat()
}

/// Returns bytes without their checksum, if that is right.
pub(super) fn unseal(sealed: &[u8]) -> Option<&[u8]> {
    let (sum, bytes) = sealed.split_first_chunk()?;
    (checksum(bytes) == u32::from_le_bytes(*sum)).then_some(bytes)
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_found() {
        let sealed = seal(b"content");
        assert_eq!(unseal(&sealed), Some(&b"content"[..]));
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(unseal(&damaged), None, "{at}");
        }
        for length in 0..sealed.len() {
            assert_eq!(unseal(&sealed[..length]), None, "{length}");
        }
    }
}
