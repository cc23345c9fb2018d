//! The skeleton of a line: the line without what stands in its long strings.
//!
//! Most bytes of a stream are what tools have printed, and most questions are
//! not about them. They are checked while they are left out (UTF-8, no control
//! characters, only escapes that exist), the tokeniser checks the skeleton, and
//! together that is what it would check in the whole line: a line is accepted
//! with its long strings left out exactly if it is accepted as it is. Whatever
//! is out of the ordinary (surrogates, a tab, a string without end)
//! is left to the tokeniser as it came.

mod encoding;

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

use self::encoding::{Encoding, Verdict};

/// Lines are looked through in chunks of so many bytes. A string is long if
/// one of them is all in it.
const CHUNK: usize = 64;

/// Shorter lines are tokenised faster than they are looked through.
const WORTHWHILE: usize = 256;

/// A part of a line that was left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Where it is in the skeleton: between two quotes.
    at: usize,
    /// Where what was left out starts in the line.
    start: usize,
    /// How many bytes were left out, the gaps before it included.
    total: usize,
}

/// Where in the line stands what stands at `at` in the skeleton.
pub(super) fn in_line(gaps: &[Gap], at: usize) -> usize {
    let before = gaps.partition_point(|gap| gap.at < at);
    at + total(&gaps[..before])
}

/// What was left out at `at` of the skeleton, as a part of the line.
pub(super) fn left_out(gaps: &[Gap], at: usize) -> Option<Range<usize>> {
    let index = gaps.binary_search_by_key(&at, |gap| gap.at).ok()?;
    let Gap { start, total: until_here, .. } = gaps[index];
    Some(start..start + until_here - total(&gaps[..index]))
}

/// How many bytes were left out.
fn total(gaps: &[Gap]) -> usize {
    gaps.last().map_or(0, |last| last.total)
}

fn are_utf8(gaps: &[Gap], line: &[u8]) -> bool {
    let mut parts = gaps.iter().filter_map(|gap| left_out(gaps, gap.at));
    parts.all(|part| simdutf8::basic::from_utf8(&line[part]).is_ok())
}

/// Writes the skeleton of `line` into `room`, which is at least as long, and
/// answers how long it is. None: there is nothing to leave out, or the line
/// has to be read as it is.
pub(super) fn write(line: &[u8], room: &mut [u8], gaps: &mut Vec<Gap>) -> Option<usize> {
    if line.len() < WORTHWHILE {
        return None;
    }
    gaps.clear();
    let mut writer = Writer { line, room, gaps, written: 0, copied: 0 };
    let mut leave_out = |string| writer.leave_out(string);
    let verdict = dispatch!(Level::new(), simd => long_strings(simd, line, &mut leave_out))?;
    if writer.gaps.is_empty() {
        return None;
    }
    writer.copy_up_to(line.len());
    let length = writer.written;
    let is_utf8 = match verdict {
        Verdict::Utf8 => true,
        Verdict::Other => false,
        Verdict::Unsure => are_utf8(gaps, line),
    };
    is_utf8.then_some(length)
}

struct Writer<'a> {
    line: &'a [u8],
    room: &'a mut [u8],
    gaps: &'a mut Vec<Gap>,
    written: usize,
    /// Up to here the line is written or left out.
    copied: usize,
}

impl Writer<'_> {
    /// Leaves a string's content out, unless the string is a name.
    #[inline(never)]
    fn leave_out(&mut self, content: Range<usize>) {
        if self.is_name(content.end) {
            return;
        }
        self.copy_up_to(content.start);
        let total = total(self.gaps) + content.len();
        self.gaps.push(Gap { at: self.written, start: content.start, total });
        self.copied = content.end;
    }

    /// Whether the string whose closing quote is at `quote` names a member.
    fn is_name(&self, quote: usize) -> bool {
        let next = self.line[quote + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        next == Some(&b':')
    }

    fn copy_up_to(&mut self, end: usize) {
        let part = &self.line[self.copied..end];
        self.room[self.written..self.written + part.len()].copy_from_slice(part);
        self.written += part.len();
        self.copied = end;
    }
}

/// Hands on the content of every long string. None: a string has an escape
/// that is not simple, or no end, or there is a control character.
///
/// Inlined, so that it is made for the instructions the processor has.
#[inline(always)]
#[allow(clippy::inline_always)]
fn long_strings<S: Simd>(
    simd: S,
    line: &[u8],
    found: &mut impl FnMut(Range<usize>),
) -> Option<Verdict> {
    let mut least = u8x64::splat(simd, b' ');
    let mut encoding = Encoding::new(simd);
    let (chunks, rest) = line.as_chunks::<CHUNK>();
    let mut padded = [b' '; CHUNK];
    padded[..rest.len()].copy_from_slice(rest);

    // The last quote opened a string; the next byte is escaped; a whole chunk
    // has passed since that quote.
    let (mut inside, mut escaped_next, mut long) = (false, false, false);
    let mut last_quote = 0;
    for (chunk, start) in chunks.iter().chain([&padded]).zip((0..).step_by(CHUNK)) {
        let bytes = u8x64::from_slice(simd, chunk);
        least = least.min(bytes);
        encoding.pass(bytes);
        let marks = Marks::of(bytes);
        let escaped = marks.escaped(&mut escaped_next);
        if escaped & !marks.simple != 0 && !are_simple_escapes(escaped, line, start) {
            return None;
        }
        let quotes = marks.quotes & !escaped;
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
    let control_characters = least.simd_lt(b' ').any_true();
    (!inside && !control_characters).then(|| encoding.verdict())
}

/// Which bytes of a chunk are what, one bit each.
struct Marks {
    quotes: u64,
    backslashes: u64,
    /// What nearly always follows a backslash.
    simple: u64,
}

impl Marks {
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn of<S: Simd>(bytes: u8x64<S>) -> Self {
        let quotes = bytes.simd_eq(b'"').to_bitmask();
        let backslashes = bytes.simd_eq(b'\\').to_bitmask();
        let line_ends = bytes.simd_eq(b'n').to_bitmask();
        Self { quotes, backslashes, simple: quotes | backslashes | line_ends }
    }

    /// The bytes behind a backslash that is not itself behind one. `carried`
    /// is that bit from one chunk to the next.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn escaped(&self, carried: &mut bool) -> u64 {
        /// Every second byte.
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let first = u64::from(*carried);
        let escaping = self.backslashes & !first;
        // In a run of backslashes every second one escapes. Subtracting the run
        // from itself moved by one borrows through it, and what differs from
        // the pattern of every second byte is where the run counts from.
        let alternating = ((escaping << 1) | ODD).wrapping_sub(escaping) ^ ODD;
        *carried = alternating & self.backslashes & (1 << 63) != 0;
        alternating ^ (self.backslashes | first)
    }
}

/// Whether each of the bytes that are escaped in the chunk that starts at
/// `start` stands for one character, which a surrogate does not.
#[cold]
fn are_simple_escapes(mut escaped: u64, line: &[u8], start: usize) -> bool {
    while escaped != 0 {
        let at = start + escaped.trailing_zeros() as usize;
        escaped &= escaped - 1;
        let simple = match line.get(at..).unwrap_or_default() {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => true,
            [b'u', first @ (b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F'), rest @ ..] => {
                let hex = rest.iter().take(3).filter(|digit| digit.is_ascii_hexdigit()).count();
                let surrogate =
                    matches!(first, b'd' | b'D') && !matches!(rest.first(), Some(b'0'..=b'7'));
                hex == 3 && !surrogate
            }
            _ => false,
        };
        if !simple {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Parser, Value};

    /// Every string of a value, read as a text, with its spelling.
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

    /// What strings are made of: the ordinary, and all that goes wrong.
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
        fn a_line_is_skimmed_only_if_it_is_json_and_says_the_same_then(line in line()) {
            let whole = Parser::default().parse(&line, |document| {
                (!document.mended).then(|| read(document.root))
            });
            if let Some(skimmed) = Parser::default().skim(&line, |document| read(document.root)) {
                prop_assert_eq!(Some(skimmed), whole.unwrap());
            }
        }
    }

    fn long_line(content: &str) -> String {
        format!(r#"{{"type":"x","id":"{content}","last":"y"}}"#)
    }

    #[test]
    fn ordinary_lines_with_long_strings_are_skimmed() {
        for content in ["word ".repeat(80), "größer\\n\\\"\\u001b".repeat(40)] {
            let line = long_line(&content);
            let spelled = Parser::default().skim(line.as_bytes(), |document| {
                let text = document.root.get("id").and_then(Value::as_text).unwrap();
                assert!(!document.root.lacks(), "a text is there");
                text.json().unwrap().bytes().to_vec()
            });
            assert_eq!(spelled.unwrap(), format!("\"{content}\"").as_bytes());
        }
    }

    #[test]
    fn who_asks_for_a_string_that_was_left_out_learns_of_it() {
        let line = long_line(&"word ".repeat(80));
        let asked = Parser::default().skim(line.as_bytes(), |document| {
            let root = document.root;
            assert_eq!(root.get("last").and_then(Value::as_str), Some("y"));
            assert!(!root.lacks());
            (root.get("id").and_then(Value::as_str).map(str::len), root.lacks())
        });
        assert_eq!(asked, Some((Some(0), true)));
    }
}
