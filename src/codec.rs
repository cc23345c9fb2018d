//! Values as bytes, for what is remembered between runs.
//!
//! The format describes nothing: what was encoded is decoded by the same release, from
//! bytes that were found undamaged. Decoding bytes of any other origin gives `None` or
//! wrong values, and never panics.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Mutex;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::event::Tokens;
use crate::harness::Harness;

/// A value that can be written as bytes.
pub(crate) trait Codec: Sized {
    /// Appends the value.
    fn encode(&self, to: &mut Vec<u8>);

    /// Reads a value; `None` if there is none.
    fn decode(from: &mut Bytes<'_>) -> Option<Self>;
}

/// Encoded bytes that have not been decoded yet.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
    /// CLIs that are not built in, which values may name.
    described: &'static [Harness],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8], described: &'static [Harness]) -> Self {
        Self { rest: bytes, described }
    }

    /// Returns the next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// Returns all bytes that are left.
    pub(crate) fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// Returns the next bytes as a number.
    pub(crate) fn take_fixed(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(size_of::<u64>())?.try_into().ok()?))
    }
}

/// Implements [`Codec`] for a struct whose fields all have one; other fields get their
/// default.
macro_rules! codec_struct {
    ($name:ty { $($field:ident),+ $(,)? } $(.. $rest:expr)?) => {
        impl $crate::codec::Codec for $name {
            fn encode(&self, to: &mut Vec<u8>) {
                $( $crate::codec::Codec::encode(&self.$field, to); )+
            }

            fn decode(from: &mut $crate::codec::Bytes<'_>) -> Option<Self> {
                $( let $field = $crate::codec::Codec::decode(from)?; )+
                Some(Self { $($field,)+ $( ..$rest )? })
            }
        }
    };
}
pub(crate) use codec_struct;

impl Codec for u64 {
    /// Seven bits per byte, the lowest first.
    fn encode(&self, to: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            to.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        to.push(rest.to_le_bytes()[0]);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let [byte] = *from.take(1)? else { return None };
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

impl Codec for i64 {
    fn encode(&self, to: &mut Vec<u8>) {
        // Small numbers of either sign become small numbers.
        ((self << 1) ^ (self >> 63)).cast_unsigned().encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let value = u64::decode(from)?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}

impl Codec for u32 {
    fn encode(&self, to: &mut Vec<u8>) {
        u64::from(*self).encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        u64::decode(from)?.try_into().ok()
    }
}

/// Indices; `usize::MAX` stands for none and becomes zero.
impl Codec for usize {
    fn encode(&self, to: &mut Vec<u8>) {
        (self.wrapping_add(1) as u64).encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some(Self::try_from(u64::decode(from)?).ok()?.wrapping_sub(1))
    }
}

impl Codec for f64 {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.to_bits().to_le_bytes());
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        from.take_fixed().map(Self::from_bits)
    }
}

impl Codec for bool {
    fn encode(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some(from.take(1)? == [1])
    }
}

impl Codec for String {
    fn encode(&self, to: &mut Vec<u8>) {
        self.len().encode(to);
        to.extend_from_slice(self.as_bytes());
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let length = usize::decode(from)?;
        std::str::from_utf8(from.take(length)?).ok().map(str::to_owned)
    }
}

/// Names of which a program has few; they are kept until the process ends.
impl Codec for &'static str {
    fn encode(&self, to: &mut Vec<u8>) {
        (*self).to_owned().encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
        let name = String::decode(from)?;
        let mut names = NAMES.lock().ok()?;
        if let Some(known) = names.iter().find(|known| **known == name) {
            return Some(known);
        }
        let name: &'static str = name.leak();
        names.push(name);
        Some(name)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn encode(&self, to: &mut Vec<u8>) {
        self.is_some().encode(to);
        if let Some(value) = self {
            value.encode(to);
        }
    }

    #[allow(clippy::option_option)] // missing bytes, or no value
    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        if bool::decode(from)? { T::decode(from).map(Some) } else { Some(None) }
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn encode(&self, to: &mut Vec<u8>) {
        encode_all(self.iter(), to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let length = usize::decode(from)?;
        // Every value has at least one byte, so a wrong length reserves little.
        let mut values = Self::with_capacity(length.min(from.rest.len()));
        for _ in 0..length {
            values.push(T::decode(from)?);
        }
        Some(values)
    }
}

impl<T: Codec + Ord> Codec for BTreeSet<T> {
    fn encode(&self, to: &mut Vec<u8>) {
        encode_all(self.iter(), to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some(Vec::decode(from)?.into_iter().collect())
    }
}

impl<T: Codec + Eq + Hash, S: BuildHasher + Default> Codec for HashSet<T, S> {
    fn encode(&self, to: &mut Vec<u8>) {
        encode_all(self.iter(), to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some(Vec::decode(from)?.into_iter().collect())
    }
}

/// Appends values as a list does.
fn encode_all<'v, T: Codec + 'v>(values: impl ExactSizeIterator<Item = &'v T>, to: &mut Vec<u8>) {
    values.len().encode(to);
    for value in values {
        value.encode(to);
    }
}

impl Codec for Date {
    fn encode(&self, to: &mut Vec<u8>) {
        for part in [i64::from(self.year()), i64::from(self.month()), i64::from(self.day())] {
            part.encode(to);
        }
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let mut part = || i64::decode(from);
        let (year, month, day) = (part()?, part()?, part()?);
        Self::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
    }
}

impl<T: Codec, U: Codec> Codec for (T, U) {
    fn encode(&self, to: &mut Vec<u8>) {
        self.0.encode(to);
        self.1.encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        Some((T::decode(from)?, U::decode(from)?))
    }
}

impl Codec for Timestamp {
    fn encode(&self, to: &mut Vec<u8>) {
        self.as_second().encode(to);
        i64::from(self.subsec_nanosecond()).encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let (second, nanosecond) = (i64::decode(from)?, i64::decode(from)?);
        Self::new(second, nanosecond.try_into().ok()?).ok()
    }
}

/// The name, so that the order of the registry may change.
impl Codec for Harness {
    fn encode(&self, to: &mut Vec<u8>) {
        self.name().to_owned().encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let name = String::decode(from)?;
        let described = from.described.iter().copied().find(|harness| harness.name() == name);
        let unknown = || Some(Self::Unknown).filter(|harness| harness.name() == name);
        described.or_else(|| Self::from_name(&name)).or_else(unknown)
    }
}

codec_struct!(Tokens {
    input,
    output,
    cache_read,
    cache_write,
    cache_write_1h,
    reasoning,
    input_has_cache,
});

#[cfg(test)]
mod tests {
    use super::*;

    fn returns<T: Codec + PartialEq + std::fmt::Debug>(value: T) {
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        let mut from = Bytes::new(&bytes, &[]);
        assert_eq!(T::decode(&mut from), Some(value));
        assert!(from.rest.is_empty());
        for length in 0..bytes.len() {
            let _ = T::decode(&mut Bytes::new(&bytes[..length], &[]));
        }
    }

    #[test]
    fn values_are_decoded_as_they_were_encoded() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            returns(number);
            returns(number.cast_signed());
        }
        returns(vec![0, 7, usize::MAX]);
        returns(vec![0.0, -1.5, f64::MAX]);
        returns(vec![(Some("é".to_owned()), true), (None, false)]);
        returns(BTreeSet::from(["a".to_owned(), String::new()]));
        returns(HashSet::<usize>::from([0, 7, usize::MAX]));
        returns(Date::constant(-1, 2, 28));
        for time in ["2026-11-01T09:00:00.123456789Z", "1969-12-31T23:59:59.5Z"] {
            returns(time.parse::<Timestamp>().unwrap());
        }
        for harness in Harness::ALL.iter().chain([&Harness::Unknown]) {
            returns(*harness);
        }
        returns(Tokens {
            input: 1,
            cache_read: Some(0),
            input_has_cache: true,
            ..Tokens::default()
        });
    }

    #[test]
    fn wrong_length_reserves_little() {
        let mut bytes = Vec::new();
        usize::MAX.wrapping_sub(1).encode(&mut bytes);
        assert_eq!(Vec::<u64>::decode(&mut Bytes::new(&bytes, &[])), None);
        assert_eq!(String::decode(&mut Bytes::new(&bytes, &[])), None);
    }
}
