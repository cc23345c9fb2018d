//! Text that keeps its JSON form, so that it can be written as JSON without
//! escaping it again. Long text is unescaped only when it is read.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::{Deref, Range};

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x32};
use memchr::{memchr, memrchr};

use super::Json;

/// A text from the stream.
#[derive(Clone, Debug)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Debug)]
enum Form<'a> {
    Unescaped {
        text: Cow<'a, str>,
        json: Option<Json<'a>>,
    },
    /// Unescaped on the first use of `deref`.
    Escaped {
        json: Json<'a>,
        text: OnceCell<Box<str>>,
    },
}

impl<'a> Text<'a> {
    /// Wraps unescaped text with its JSON form.
    pub(super) fn unescaped(text: &'a str, json: Json<'a>) -> Self {
        Self(Form::Unescaped { text: Cow::Borrowed(text), json: Some(json) })
    }

    /// Wraps a validated JSON string, to be unescaped later.
    pub(crate) fn escaped(json: Json<'a>) -> Self {
        Self(Form::Escaped { json, text: OnceCell::new() })
    }

    /// Joins texts with newlines; `None` without any.
    pub(crate) fn joined(texts: &mut dyn Iterator<Item = Self>) -> Option<Self> {
        let first = texts.next()?;
        let Some(second) = texts.next() else {
            return Some(first);
        };
        let mut scratch = Scratch::default();
        let mut all = first.read(&mut scratch).to_owned();
        for text in std::iter::once(second).chain(texts) {
            all.push('\n');
            all.push_str(text.read(&mut scratch));
        }
        Some(all.into())
    }

    /// Returns the JSON string, unless the text was assembled from several parts.
    #[must_use]
    pub fn json(&self) -> Option<Json<'a>> {
        match &self.0 {
            Form::Unescaped { json, .. } => *json,
            Form::Escaped { json, .. } => Some(*json),
        }
    }

    /// Returns whether the text has no characters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Form::Unescaped { text, .. } => text.is_empty(),
            Form::Escaped { json, .. } => inside(*json).is_empty(),
        }
    }

    /// Returns the length in bytes without unescaping the text.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Unescaped { text, .. } => text.len(),
            Form::Escaped { json, .. } => {
                let length = |(plain, escaped): (Range<usize>, Option<char>)| {
                    plain.len() + escaped.map_or(0, char::len_utf8)
                };
                pieces(inside(*json)).map(length).sum()
            }
        }
    }

    /// Returns whether this is `text`, without unescaping more than differs.
    pub(crate) fn is(&self, text: &str) -> bool {
        match &self.0 {
            Form::Unescaped { text: own, .. } => own == text,
            Form::Escaped { .. } => self.len() == text.len() && self.has_prefix(text),
        }
    }

    /// Returns whether the text has to be unescaped and consists of several parts.
    pub(crate) fn is_long(&self) -> bool {
        matches!(&self.0, Form::Escaped { json, .. } if inside(*json).len() > PART)
    }

    /// Passes the text on in parts, so that a long one is not in memory as a whole.
    pub(crate) fn read_in_parts(&self, scratch: &mut Scratch, mut each: impl FnMut(&str)) {
        match &self.0 {
            Form::Unescaped { text, .. } => each(text),
            Form::Escaped { json, .. } => scratch.unescape_in_parts(*json, each),
        }
    }

    /// Returns a copy of the text.
    pub(crate) fn to_unescaped(&self) -> String {
        let mut text = String::new();
        self.append_to(&mut text, &mut Scratch::default());
        text
    }

    /// Appends the text to `to`. A long one is unescaped in parts, so that it is in memory
    /// once.
    pub(crate) fn append_to(&self, to: &mut String, scratch: &mut Scratch) {
        if let Form::Escaped { json, .. } = &self.0 {
            to.reserve(inside(*json).len());
        }
        self.read_in_parts(scratch, |part| to.push_str(part));
    }

    /// Returns the text, unescaped into `scratch` where necessary. Unlike `deref`
    /// this does not allocate per text.
    pub fn read<'s>(&'s self, scratch: &'s mut Scratch) -> &'s str {
        match &self.0 {
            Form::Escaped { json, .. } => scratch.unescape(*json),
            Form::Unescaped { text, .. } => text,
        }
    }

    /// Returns at least the first `bytes` bytes, if there are so many, without
    /// unescaping the rest.
    pub(crate) fn prefix(&self, bytes: usize) -> Cow<'_, str> {
        let Form::Escaped { json, .. } = &self.0 else {
            return Cow::Borrowed(&self[..self.floor_char_boundary(bytes)]);
        };
        let inside = inside(*json);
        let mut text = String::new();
        for (plain, escaped) in pieces(inside) {
            let end = plain.start + bytes.saturating_sub(text.len());
            let part = &inside[plain.start..plain.end.min(end)];
            text.push_str(&String::from_utf8_lossy(part));
            text.extend(escaped);
            if text.len() >= bytes {
                break;
            }
        }
        Cow::Owned(text)
    }

    /// Returns whether the text starts with `prefix`, without unescaping the rest.
    pub(crate) fn has_prefix(&self, prefix: &str) -> bool {
        let Form::Escaped { json, .. } = &self.0 else {
            return self.starts_with(prefix);
        };
        let bytes = inside(*json);
        let mut wanted = prefix.as_bytes();
        for (plain, escaped) in pieces(bytes) {
            let plain = &bytes[plain];
            let (same, rest) = wanted.split_at(plain.len().min(wanted.len()));
            if !plain.starts_with(same) {
                return false;
            }
            wanted = rest;
            let Some(escaped) = escaped.filter(|_| !wanted.is_empty()) else {
                break;
            };
            let Some(rest) = wanted.strip_prefix(escaped.encode_utf8(&mut [0; 4]).as_bytes())
            else {
                return false;
            };
            wanted = rest;
        }
        wanted.is_empty()
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Form::Unescaped { text, .. } => text,
            Form::Escaped { json, text } => {
                text.get_or_init(|| Scratch::default().unescape(*json).into())
            }
        }
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        "".into()
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Cow::Borrowed(text).into()
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Cow::<str>::Owned(text).into()
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self(Form::Unescaped { text, json: None })
    }
}

fn inside(string: Json<'_>) -> &[u8] {
    let bytes = string.bytes();
    bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default()
}

/// A buffer that a text has grown beyond this is dropped.
const MAX_RETAINED: usize = 4 << 20;

/// A reusable buffer for unescaped texts.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    /// Used only if the result is not UTF-8, which validation rules out.
    lossy: String,
}

impl Scratch {
    /// Unescapes a string that was validated when its line was tokenised, and passes it on
    /// in parts.
    fn unescape_in_parts(&mut self, string: Json<'_>, mut each: impl FnMut(&str)) {
        let mut rest = inside(string);
        while rest.len() > PART {
            let end = part_end(rest);
            let (part, behind) = rest.split_at(end);
            each(self.unescape_bytes(part));
            rest = behind;
        }
        each(self.unescape_bytes(rest));
    }

    /// Unescapes a string that was validated when its line was tokenised.
    fn unescape(&mut self, string: Json<'_>) -> &str {
        self.unescape_bytes(inside(string))
    }

    fn unescape_bytes(&mut self, escaped: &[u8]) -> &str {
        // Unescaping never makes a string longer.
        let needed = escaped.len() + WORD;
        if self.bytes.len() > MAX_RETAINED && needed <= MAX_RETAINED {
            self.bytes = Vec::new();
        }
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
        let length = unescape(escaped, &mut self.bytes);
        let text = &self.bytes[..length];
        simdutf8::basic::from_utf8(text).unwrap_or_else(|_| {
            self.lossy = String::from_utf8_lossy(text).into_owned();
            &self.lossy
        })
    }
}

/// Bytes of a string that are unescaped at once, if it is passed on in parts.
const PART: usize = 64 << 10;

/// Returns where a part of a string of more than [`PART`] bytes ends: not within a character
/// or an escape.
fn part_end(string: &[u8]) -> usize {
    let starts_character = |end: &usize| string[*end] & 0xc0 != 0x80;
    let end = (0..=PART).rev().find(starts_character).unwrap_or(PART);
    // The last backslash before it starts an escape, or is the second of one.
    match memrchr(b'\\', &string[..end]) {
        None => end,
        Some(last) => {
            let before = string[..last].iter().rev().take_while(|byte| **byte == b'\\').count();
            let start = if before % 2 == 0 { last } else { last - 1 };
            let (_, length) = escaped(&string[start..]);
            if start + length <= end { end } else { start }
        }
    }
}

/// Bytes examined and written at once.
const WORD: usize = 32;

/// Unescapes a string into `text`, which is at least `WORD` bytes longer than the
/// string, and returns the length.
fn unescape(string: &[u8], text: &mut [u8]) -> usize {
    dispatch!(Level::new(), simd => unescape_with(simd, string, text))
}

/// Inlined into the code that `dispatch` generates for each instruction set.
#[inline(always)]
#[allow(clippy::inline_always)]
fn unescape_with<S: Simd>(simd: S, string: &[u8], text: &mut [u8]) -> usize {
    let (mut read, mut written) = (0, 0);
    while read < string.len() {
        let rest = &string[read..];
        let mut padded = [0; WORD];
        let word = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        // Excess bytes are overwritten by the next step.
        text[written..written + WORD].copy_from_slice(word);
        let backslashes = u8x32::from_slice(simd, word).simd_eq(b'\\').to_bitmask();
        let plain = (backslashes.trailing_zeros() as usize).min(word.len()).min(rest.len());
        read += plain;
        written += plain;
        match string.get(read..) {
            Some([b'\\', letter, ..]) if *letter != b'u' => {
                text[written] = UNESCAPED[usize::from(*letter)];
                written += 1;
                read += 2;
            }
            Some(rest @ [b'\\', ..]) => {
                let (escaped, length) = escaped(rest);
                written += escaped.encode_utf8(&mut text[written..]).len();
                read += length;
            }
            _ => {}
        }
    }
    written
}

/// Splits a string into plain ranges, each with the escaped character behind it.
fn pieces(string: &[u8]) -> impl Iterator<Item = (Range<usize>, Option<char>)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let Some(plain) = memchr(b'\\', &string[start..]) else {
            next = None;
            return Some((start..string.len(), None));
        };
        let backslash = start + plain;
        let (escaped, length) = escaped(&string[backslash..]);
        next = Some(backslash + length);
        Some((start..backslash, Some(escaped)))
    })
}

/// The character for each letter behind a backslash, except `u`. A table avoids
/// branches that cannot be predicted.
static UNESCAPED: [u8; 256] = {
    let mut table = [0; 256];
    let mut letter = 0;
    while letter < table.len() {
        #[allow(clippy::cast_possible_truncation)] // less than 256
        let own = letter as u8;
        table[letter] = match own {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => own,
        };
        letter += 1;
    }
    table
};

/// Returns the character escaped at the start of `string`, and the length of the
/// escape.
fn escaped(string: &[u8]) -> (char, usize) {
    match string.get(1) {
        Some(b'u') => {
            let digits = string.get(2..6).and_then(|digits| str::from_utf8(digits).ok());
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let character = code.and_then(char::from_u32);
            (character.unwrap_or(char::REPLACEMENT_CHARACTER), 6.min(string.len()))
        }
        Some(letter) => (char::from(UNESCAPED[usize::from(*letter)]), 2),
        None => ('\\', 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_and_unescaped_text_are_equal() {
        let mut scratch = Scratch::default();
        for text in [
            "",
            "plain",
            "plain, and longer than a word is",
            "a\"b\\c/d\u{8}\u{c}\n\r\t",
            "\u{1}é…\u{1f600}\\u0041",
            "\\",
            "seven..\nand\none\n\n\n\\more",
            "eight...\n",
            "[\u{1}[ one bit beside a backslash ]\\]",
        ] {
            let json = serde_json::to_string(text).unwrap();
            let escaped = Text::escaped(Json::new(json.as_bytes()));
            assert_eq!(escaped.read(&mut scratch), text);
            assert_eq!(&*escaped, text);
        }
    }

    #[test]
    fn long_text_is_appended_in_parts() {
        for unit in ["x", "é", "\u{1f600}", "\n", "\\", "a\\\"é\n", "\u{1}\u{1}", "ab\u{7f}\u{b}c"]
        {
            for offset in 0..8 {
                let text = "y".repeat(offset) + &unit.repeat(3 * PART / unit.len());
                let json = serde_json::to_string(&text).unwrap();
                let escaped = Text::escaped(Json::new(json.as_bytes()));
                let mut scratch = Scratch::default();
                let mut whole = String::from("before ");
                escaped.append_to(&mut whole, &mut scratch);
                assert!(whole.strip_prefix("before ") == Some(&text), "{unit:?}, {offset}");
                assert!(scratch.bytes.len() <= PART + WORD);
                assert_eq!(escaped.len(), text.len());
                assert!(escaped.is(&text));
                let other = "z".to_owned() + &text[text.ceil_char_boundary(1)..];
                assert!(!escaped.is(&other) && !escaped.is(&(text + "z")));
            }
        }
    }

    #[test]
    fn prefix_is_unescaped_alone() {
        let long = format!("Exit code: 3\nOutput:\n{}", "ü".repeat(1000));
        let json = serde_json::to_string(&long).unwrap();
        for text in [Text::escaped(Json::new(json.as_bytes())), Text::from(&*long)] {
            let prefix = text.prefix(30);
            assert!(prefix.starts_with("Exit code: 3\nOutput:\nüü"), "{prefix}");
            assert!(prefix.len() < 40);
        }
        assert_eq!(Text::escaped(Json::new(b"\"a\\nb\"")).prefix(30), "a\nb");
    }

    #[test]
    fn prefix_is_found_behind_any_escapes() {
        for (json, expected) in [
            (r#""Async agent""#, true),
            (r#""\u0041sync agent""#, true),
            (r#""As\u0079nc""#, true),
            (r#""A\u0073ync agent""#, true),
            (r#""\u0041\u0073\u0079\u006e\u0063""#, true),
            (r#""Async\n""#, true),
            (r#""\"Async""#, false),
            (r#""Asyn""#, false),
            (r#""Asyn\n""#, false),
            (r#""A\nync""#, false),
            (r#""""#, false),
        ] {
            let text = Text::escaped(Json::new(json.as_bytes()));
            assert_eq!(text.has_prefix("Async"), expected, "{json}");
        }
    }
}
