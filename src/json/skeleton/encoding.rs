//! Whether a line is UTF-8, told in passing: a byte that begins a character of
//! two or three bytes says where that has to go on, and nowhere else may one.
//! What needs a closer look is left to somebody who takes it.

use fearless_simd::prelude::*;
use fearless_simd::{mask8x64, u8x64};

/// What has passed so far.
pub(super) struct Encoding<S: Simd> {
    /// Something other than ASCII.
    beyond_ascii: bool,
    /// Where the next chunk has to go on with a character.
    carried: u64,
    /// Where one should go on and does not, or does and should not.
    wrong: u64,
    /// Bytes behind which not every byte may follow.
    special: mask8x64<S>,
    greatest: u8x64<S>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Utf8,
    Other,
    /// To be looked at more closely.
    Unsure,
}

impl<S: Simd> Encoding<S> {
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn new(simd: S) -> Self {
        let special = mask8x64::splat(simd, false);
        let greatest = u8x64::splat(simd, 0);
        Self { beyond_ascii: false, carried: 0, wrong: 0, special, greatest }
    }

    /// The next chunk. Lines in ASCII cost next to nothing; in others every chunk
    /// costs the same, since nobody can guess which of them are.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn pass(&mut self, chunk: u8x64<S>) {
        let high = chunk.simd_ge(0x80).to_bitmask();
        self.beyond_ascii |= high != 0;
        if !self.beyond_ascii {
            return;
        }
        let begin = chunk.simd_ge(0xc0).to_bitmask();
        let begin_three = chunk.simd_ge(0xe0).to_bitmask();
        let expected = begin << 1 | begin_three << 2 | self.carried;
        self.carried = begin >> 63 | begin_three >> 62;
        self.wrong |= expected ^ (high & !begin);
        // Here begins what may be spelled longer than it has to be, or a surrogate.
        self.special |= (chunk & 0xfe).simd_eq(0xc0) | chunk.simd_eq(0xe0) | chunk.simd_eq(0xed);
        self.greatest = self.greatest.max(chunk);
    }

    pub(super) fn verdict(self) -> Verdict {
        let four_bytes = self.greatest.simd_ge(0xf0);
        if (self.special | four_bytes).any_true() {
            Verdict::Unsure
        } else if self.wrong | self.carried == 0 {
            Verdict::Utf8
        } else {
            Verdict::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    use super::*;

    fn verdict(bytes: &[u8]) -> Verdict {
        let look = |chunks: &[[u8; 64]]| {
            dispatch!(Level::new(), simd => {
                let mut encoding = Encoding::new(simd);
                for chunk in chunks {
                    encoding.pass(u8x64::from_slice(simd, chunk));
                }
                encoding.verdict()
            })
        };
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(64), b' ');
        look(padded.as_chunks().0)
    }

    fn agrees(bytes: &[u8]) -> bool {
        match verdict(bytes) {
            Verdict::Utf8 => std::str::from_utf8(bytes).is_ok(),
            Verdict::Other => std::str::from_utf8(bytes).is_err(),
            Verdict::Unsure => true,
        }
    }

    #[test]
    fn every_pair_of_bytes_is_judged_rightly_wherever_it_stands() {
        for first in 0..=255 {
            for second in 0..=255 {
                for place in [0, 30, 61, 62, 63] {
                    let mut bytes = [b'x'; 128];
                    bytes[place..place + 2].copy_from_slice(&[first, second]);
                    assert!(agrees(&bytes), "{first:x} {second:x} at {place}");
                    bytes[place + 2] = 0x80;
                    assert!(agrees(&bytes), "{first:x} {second:x} 80 at {place}");
                }
            }
        }
        assert!(agrees(&[&[b'x'; 63][..], &[0xc3]].concat()), "cut at the end");
    }

    #[test]
    fn ordinary_texts_are_known_at_once() {
        for text in ["plain", "größer … naïve — 漢字", "\u{7ff}\u{800}\u{ffff}"] {
            let bytes = text.repeat(40).into_bytes();
            let expected = if text.contains('\u{800}') { Verdict::Unsure } else { Verdict::Utf8 };
            assert_eq!(verdict(&bytes), expected, "{text}");
            assert_ne!(verdict(&[&bytes[..], b"\xa0"].concat()), Verdict::Utf8, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_with_a_byte_changed_is_judged_rightly(
            text in "[a-zä-ü…一-龥🦀]{1,99}", at: prop::sample::Index, byte: u8,
        ) {
            let mut bytes = text.into_bytes();
            prop_assert!(agrees(&bytes));
            let at = at.index(bytes.len());
            bytes[at] = byte;
            prop_assert!(agrees(&bytes));
        }
    }
}
