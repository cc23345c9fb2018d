//! Leaves long strings out of a line before it is tokenised.
//!
//! Most bytes of a stream are tool outputs, and most commands do not read them.
//! Long strings are validated here (UTF-8, no control characters, only known
//! escapes) and the tokeniser validates the rest, so a line is accepted with its
//! long strings elided exactly if it is accepted in full. A line with anything
//! unusual in it (surrogates, a raw tab, an unterminated string) is not elided.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

use super::utf8::{Utf8, Utf8Check};

/// Bytes examined at once. A string is long if it contains a whole chunk.
const CHUNK: usize = 64;

/// Shorter lines are tokenised faster than they are searched.
const MIN_LINE: usize = 256;

/// A string that was left out of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elision {
    /// Offset in the shortened line, between the two quotes.
    at: usize,
    /// Offset of the content in the original line.
    start: usize,
    /// Bytes elided up to and including this string.
    total: usize,
}

/// Converts an offset in the shortened line to one in the original line.
pub(super) fn line_offset(elisions: &[Elision], at: usize) -> usize {
    let before = elisions.partition_point(|elision| elision.at < at);
    at + total(&elisions[..before])
}

/// Returns the range in the original line that was elided at the offset `at`.
pub(super) fn elided_range(elisions: &[Elision], at: usize) -> Option<Range<usize>> {
    let index = elisions.binary_search_by_key(&at, |elision| elision.at).ok()?;
    let Elision { start, total: until_here, .. } = elisions[index];
    Some(start..start + until_here - total(&elisions[..index]))
}

/// Returns the number of elided bytes.
fn total(elisions: &[Elision]) -> usize {
    elisions.last().map_or(0, |last| last.total)
}

fn are_utf8(elisions: &[Elision], line: &[u8]) -> bool {
    let mut ranges = elisions.iter().filter_map(|elision| elided_range(elisions, elision.at));
    ranges.all(|range| simdutf8::basic::from_utf8(&line[range]).is_ok())
}

/// Copies `line` without its long strings to `target`, which is at least as
/// long, and returns the length of the copy. Returns `None` if nothing can be
/// elided or the line has to be parsed in full.
pub(super) fn elide(line: &[u8], target: &mut [u8], elisions: &mut Vec<Elision>) -> Option<usize> {
    if line.len() < MIN_LINE {
        return None;
    }
    elisions.clear();
    let mut writer = Writer::new(line, target, elisions);
    let mut elide = |string| writer.elide(string);
    let utf8 = dispatch!(Level::new(), simd => find_long_strings(simd, line, &mut elide))?;
    if writer.elisions.is_empty() {
        return None;
    }
    let length = writer.finish();
    let is_utf8 = match utf8 {
        Utf8::Valid => true,
        Utf8::Invalid => false,
        Utf8::Undecided => are_utf8(elisions, line),
    };
    is_utf8.then_some(length)
}

/// Copies a line with parts left out.
pub(super) struct Writer<'a> {
    line: &'a [u8],
    target: &'a mut [u8],
    elisions: &'a mut Vec<Elision>,
    /// Bytes written to `target`.
    written: usize,
    /// `line[..copied]` is written or elided.
    copied: usize,
}

impl<'a> Writer<'a> {
    /// Copies `line` to `target`, which is at least as long.
    pub(super) fn new(
        line: &'a [u8],
        target: &'a mut [u8],
        elisions: &'a mut Vec<Elision>,
    ) -> Self {
        Self { line, target, elisions, written: 0, copied: 0 }
    }

    /// Leaves out `content` and writes `mark` instead, which starts with an empty string.
    pub(super) fn replace(&mut self, content: Range<usize>, mark: &[u8]) {
        self.copy_up_to(content.start);
        let total = total(self.elisions) + content.len() - mark.len();
        self.elisions.push(Elision { at: self.written + 1, start: content.start, total });
        self.target[self.written..self.written + mark.len()].copy_from_slice(mark);
        self.written += mark.len();
        self.copied = content.end;
    }

    /// Copies the rest and returns the length of the copy.
    pub(super) fn finish(mut self) -> usize {
        self.copy_up_to(self.line.len());
        self.written
    }

    /// Elides the content of a string unless it is the name of a member.
    #[inline(never)]
    fn elide(&mut self, content: Range<usize>) {
        if self.is_name(content.end) {
            return;
        }
        self.copy_up_to(content.start);
        let total = total(self.elisions) + content.len();
        self.elisions.push(Elision { at: self.written, start: content.start, total });
        self.copied = content.end;
    }

    /// Returns whether the string with its closing quote at `quote` names a member.
    fn is_name(&self, quote: usize) -> bool {
        let next = self.line[quote + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        next == Some(&b':')
    }

    fn copy_up_to(&mut self, end: usize) {
        let part = &self.line[self.copied..end];
        self.target[self.written..self.written + part.len()].copy_from_slice(part);
        self.written += part.len();
        self.copied = end;
    }
}

/// Passes the content of every long string to `found` and returns whether the line
/// is UTF-8. Returns `None` if a string has an unusual escape or no end, or the line
/// has a control character.
///
/// Inlined into the code that `dispatch` generates for each instruction set.
#[inline(always)]
#[allow(clippy::inline_always)]
fn find_long_strings<S: Simd>(
    simd: S,
    line: &[u8],
    found: &mut impl FnMut(Range<usize>),
) -> Option<Utf8> {
    let mut smallest = u8x64::splat(simd, b' ');
    let mut utf8 = Utf8Check::new(simd);
    let (chunks, rest) = line.as_chunks::<CHUNK>();
    let mut padded = [b' '; CHUNK];
    padded[..rest.len()].copy_from_slice(rest);

    // `inside`: the last quote opened a string. `escaped_next`: the next byte is
    // escaped. `long`: a whole chunk has passed since the last quote.
    let (mut inside, mut escaped_next, mut long) = (false, false, false);
    let mut last_quote = 0;
    for (chunk, start) in chunks.iter().chain([&padded]).zip((0..).step_by(CHUNK)) {
        let bytes = u8x64::from_slice(simd, chunk);
        smallest = smallest.min(bytes);
        utf8.push(bytes);
        let masks = Masks::of(bytes);
        let escaped = masks.escaped(&mut escaped_next);
        if escaped & !masks.common_escapes != 0 && !are_plain_escapes(escaped, line, start) {
            return None;
        }
        let quotes = masks.quotes & !escaped;
        if quotes == 0 {
            long |= inside;
            continue;
        }
        if long {
            found(last_quote + 1..start + quotes.trailing_zeros() as usize);
            long = false;
        }
        last_quote = start + quotes.ilog2() as usize;
        inside ^= quotes.count_ones() % 2 == 1;
    }
    let has_control_character = smallest.simd_lt(b' ').any_true();
    (!inside && !has_control_character).then(|| utf8.finish())
}

/// Classes of the bytes of a chunk, one bit per byte.
struct Masks {
    quotes: u64,
    backslashes: u64,
    /// The bytes that nearly always follow a backslash.
    common_escapes: u64,
}

impl Masks {
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn of<S: Simd>(bytes: u8x64<S>) -> Self {
        let quotes = bytes.simd_eq(b'"').to_bitmask();
        let backslashes = bytes.simd_eq(b'\\').to_bitmask();
        let line_feeds = bytes.simd_eq(b'n').to_bitmask();
        Self { quotes, backslashes, common_escapes: quotes | backslashes | line_feeds }
    }

    /// Returns the bytes behind an unescaped backslash. `carried` transfers the
    /// state from one chunk to the next.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn escaped(&self, carried: &mut bool) -> u64 {
        const ODD_BITS: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let first = u64::from(*carried);
        let escaping = self.backslashes & !first;
        // In a run of backslashes every second one escapes. The subtraction
        // borrows through each run; comparing with the pattern of odd bits gives
        // the alternation, counted from where the run starts.
        let alternating = ((escaping << 1) | ODD_BITS).wrapping_sub(escaping) ^ ODD_BITS;
        *carried = alternating & self.backslashes & (1 << 63) != 0;
        alternating ^ (self.backslashes | first)
    }
}

/// Returns whether each escape of the chunk at `start` stands for one character;
/// surrogates do not.
#[cold]
fn are_plain_escapes(mut escaped: u64, line: &[u8], start: usize) -> bool {
    while escaped != 0 {
        let at = start + escaped.trailing_zeros() as usize;
        escaped &= escaped - 1;
        let plain = match line.get(at..).unwrap_or_default() {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => true,
            [b'u', first @ (b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F'), rest @ ..] => {
                let hex = rest.iter().take(3).filter(|digit| digit.is_ascii_hexdigit()).count();
                let surrogate =
                    matches!(first, b'd' | b'D') && !matches!(rest.first(), Some(b'0'..=b'7'));
                hex == 3 && !surrogate
            }
            _ => false,
        };
        if !plain {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Parser, Value};

    /// Collects every string of a value with its bytes in the line.
    fn strings(value: Value<'_, '_>, all: &mut Vec<(String, Vec<u8>)>) {
        if let Some(text) = value.as_text() {
            all.push((text.to_string(), text.json().unwrap().bytes().to_vec()));
        }
        for member in value.members() {
            all.push((member.key.to_owned(), member.json().bytes().to_vec()));
            strings(member.value, all);
        }
        value.elements().for_each(|element| strings(element, all));
    }

    fn read(value: Value<'_, '_>) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        strings(value, &mut all);
        all
    }

    /// Parts of strings; the first ten are common.
    const PIECES: &[&[u8]] = &[
        b"plain text of some length ",
        b"plain text of some length ",
        b"and some more of it, so that strings become long ",
        "größer … naïve — 漢字 ".as_bytes(),
        b"\\n",
        b"\\\"",
        b"\\\\",
        b"\\t\\r\\b\\f\\/",
        b"\\u00e9",
        b"\\u001b[0m",
        b"\\ud83d\\ude00",
        b"\\ud83d",
        b"\\DEAD",
        b"\\u12",
        b"\\x",
        b"\"",
        b"\\",
        b"\t",
        b"\x00",
        b"\x7f",
        b"\xff",
        b"\xc3",
    ];

    fn string() -> impl Strategy<Value = Vec<u8>> {
        let common = prop::sample::select(&PIECES[..10]);
        let rare = prop::sample::select(PIECES);
        let piece = prop_oneof![30 => common, 1 => rare];
        prop::collection::vec(piece, 0..40)
            .prop_map(|pieces| [b"\"".as_slice(), &pieces.concat(), b"\""].concat())
    }

    fn line() -> impl Strategy<Value = Vec<u8>> {
        let space = prop::sample::select(vec!["", " ", "  "]);
        let member = (string(), string(), space, 0..4).prop_map(|(name, value, space, kind)| {
            let space = space.as_bytes();
            let value = match kind {
                0 => [b"[1.5,".as_slice(), &value, b",null]"].concat(),
                1 => [b"{\"in\" :".as_slice(), &value, b"}"].concat(),
                _ => value,
            };
            [&name, space, b":", space, &value].concat()
        });
        prop::collection::vec(member, 0..6)
            .prop_map(|members| [b"{".as_slice(), &members.join(b",".as_slice()), b"}"].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn elided_line_has_the_same_strings_as_the_full_line(line in line()) {
            let full = Parser::default().parse(&line, |document| {
                (!document.repaired).then(|| read(document.root))
            });
            let elided = Parser::default().parse_elided(&line, |document| read(document.root));
            if let Some(elided) = elided {
                prop_assert_eq!(Some(elided), full.unwrap());
            }
        }
    }

    fn long_line(content: &str) -> String {
        format!(r#"{{"type":"x","id":"{content}","last":"y"}}"#)
    }

    #[test]
    fn long_strings_are_elided() {
        for content in ["word ".repeat(80), "größer\\n\\\"\\u001b".repeat(40)] {
            let line = long_line(&content);
            let json = Parser::default().parse_elided(line.as_bytes(), |document| {
                let text = document.root.get("id").and_then(Value::as_text).unwrap();
                assert!(!document.root.touched_elided());
                text.json().unwrap().bytes().to_vec()
            });
            assert_eq!(json.unwrap(), format!("\"{content}\"").as_bytes());
        }
    }

    #[test]
    fn reading_an_elided_string_is_recorded() {
        let line = long_line(&"word ".repeat(80));
        let read = Parser::default().parse_elided(line.as_bytes(), |document| {
            let root = document.root;
            assert_eq!(root.get("last").and_then(Value::as_str), Some("y"));
            assert!(!root.touched_elided());
            (root.get("id").and_then(Value::as_str).map(str::len), root.touched_elided())
        });
        assert_eq!(read, Some((Some(0), true)));
    }
}
