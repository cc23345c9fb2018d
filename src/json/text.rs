//! A text that may remember how it was spelled, so that it can be written as
//! JSON again without escaping it anew; a long one is not even read before
//! somebody asks what it says.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::{Deref, Range};

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x32};
use memchr::memchr;

use super::Json;

/// A text from the stream.
#[derive(Clone, Debug)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Debug)]
enum Form<'a> {
    Read {
        text: Cow<'a, str>,
        spelled: Option<Json<'a>>,
    },
    /// Not read so far, or here.
    Spelled {
        spelled: Json<'a>,
        read: OnceCell<Box<str>>,
    },
}

impl<'a> Text<'a> {
    /// A text that is spelled so in the line.
    #[must_use]
    pub(super) fn spelled(text: &'a str, spelled: Json<'a>) -> Self {
        Self(Form::Read { text: Cow::Borrowed(text), spelled: Some(spelled) })
    }

    /// The same, to be read later: a string that has been checked.
    #[must_use]
    pub(super) fn unread(spelled: Json<'a>) -> Self {
        Self(Form::Spelled { spelled, read: OnceCell::new() })
    }

    /// Several texts as one, a line each; None without any.
    #[must_use]
    pub fn joined(texts: &mut dyn Iterator<Item = Self>) -> Option<Self> {
        let first = texts.next()?;
        let Some(second) = texts.next() else {
            return Some(first);
        };
        let mut memory = Memory::default();
        let mut all = first.read(&mut memory).to_owned();
        for text in std::iter::once(second).chain(texts) {
            all.push('\n');
            all.push_str(text.read(&mut memory));
        }
        Some(all.into())
    }

    /// Its JSON in the line, if it stands there as a whole.
    #[must_use]
    pub fn json(&self) -> Option<Json<'a>> {
        match &self.0 {
            Form::Read { spelled, .. } => *spelled,
            Form::Spelled { spelled, .. } => Some(*spelled),
        }
    }

    /// What it says, read into `memory` if it has to be.
    pub fn read<'m>(&'m self, memory: &'m mut Memory) -> &'m str {
        match &self.0 {
            Form::Spelled { spelled, .. } => memory.unescape(*spelled),
            Form::Read { text, .. } => text,
        }
    }

    /// How it begins: at least `bytes` of it, if it has them, and not much more
    /// than its spelling takes.
    #[must_use]
    pub fn beginning(&self, bytes: usize) -> Cow<'_, str> {
        let Form::Spelled { spelled, .. } = &self.0 else {
            return Cow::Borrowed(&self[..self.floor_char_boundary(bytes)]);
        };
        let inside = inside(*spelled);
        let mut text = String::new();
        for (plain, escaped) in pieces(inside) {
            let enough = plain.start + bytes.saturating_sub(text.len());
            let part = &inside[plain.start..plain.end.min(enough)];
            text.push_str(&String::from_utf8_lossy(part));
            text.extend(escaped);
            if text.len() >= bytes {
                break;
            }
        }
        Cow::Owned(text)
    }

    /// Whether it begins with `prefix`; reads no more than it has to.
    #[must_use]
    pub fn begins_with(&self, prefix: &str) -> bool {
        let Form::Spelled { spelled, .. } = &self.0 else {
            return self.starts_with(prefix);
        };
        let bytes = inside(*spelled);
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
            Form::Read { text, .. } => text,
            Form::Spelled { spelled, read } => {
                read.get_or_init(|| Memory::default().unescape(*spelled).into())
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
        Self(Form::Read { text, spelled: None })
    }
}

fn inside(string: Json<'_>) -> &[u8] {
    let bytes = string.bytes();
    bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default()
}

/// Memory that a text has made larger than this is not kept.
const KEPT: usize = 4 << 20;

/// Memory that texts are read into, one after the other.
#[derive(Debug, Default)]
pub struct Memory {
    bytes: Vec<u8>,
    /// Only where a text is not what it was checked to be.
    mended: String,
}

impl Memory {
    /// What a string says that was checked when its line was tokenised.
    fn unescape(&mut self, string: Json<'_>) -> &str {
        let spelled = inside(string);
        // No text is longer than its spelling.
        let enough = spelled.len() + WORD;
        // A huge one has come and gone.
        if self.bytes.len() > KEPT && enough <= KEPT {
            self.bytes = Vec::new();
        }
        if self.bytes.len() < enough {
            self.bytes.resize(enough, 0);
        }
        let length = unescape(spelled, &mut self.bytes);
        let text = &self.bytes[..length];
        simdutf8::basic::from_utf8(text).unwrap_or_else(|_| {
            self.mended = String::from_utf8_lossy(text).into_owned();
            &self.mended
        })
    }
}

/// Bytes that are looked at, and written, at once.
const WORD: usize = 32;

/// Writes what is spelled so into `text`, which is a word longer than that at
/// least. How much it is.
fn unescape(spelled: &[u8], text: &mut [u8]) -> usize {
    dispatch!(Level::new(), simd => unescape_with(simd, spelled, text))
}

/// Inlined, so that it is made for the instructions the processor has.
#[inline(always)]
#[allow(clippy::inline_always)]
fn unescape_with<S: Simd>(simd: S, spelled: &[u8], text: &mut [u8]) -> usize {
    let (mut read, mut written) = (0, 0);
    while read < spelled.len() {
        let rest = &spelled[read..];
        let mut padded = [0; WORD];
        let word = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        // Whatever is written too much is written over.
        text[written..written + WORD].copy_from_slice(word);
        let backslashes = u8x32::from_slice(simd, word).simd_eq(b'\\').to_bitmask();
        let plain = (backslashes.trailing_zeros() as usize).min(word.len()).min(rest.len());
        read += plain;
        written += plain;
        match spelled.get(read..) {
            Some([b'\\', letter, ..]) if *letter != b'u' => {
                text[written] = MEANT[usize::from(*letter)];
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

/// What is spelled plainly, and the character that is escaped behind it.
fn pieces(spelled: &[u8]) -> impl Iterator<Item = (Range<usize>, Option<char>)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let Some(plain) = memchr(b'\\', &spelled[start..]) else {
            next = None;
            return Some((start..spelled.len(), None));
        };
        let backslash = start + plain;
        let (escaped, length) = escaped(&spelled[backslash..]);
        next = Some(backslash + length);
        Some((start..backslash, Some(escaped)))
    })
}

/// What a letter behind a backslash means, but for `u`: a table, since nobody
/// can guess which one comes next.
static MEANT: [u8; 256] = {
    let mut meant = [0; 256];
    let mut letter = 0;
    while letter < meant.len() {
        #[allow(clippy::cast_possible_truncation)] // there are 256
        let own = letter as u8;
        meant[letter] = match own {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => own,
        };
        letter += 1;
    }
    meant
};

/// The character that is escaped at the start of `spelled`, and the length of
/// that escape.
fn escaped(spelled: &[u8]) -> (char, usize) {
    match spelled.get(1) {
        Some(b'u') => {
            let digits = spelled.get(2..6).and_then(|digits| str::from_utf8(digits).ok());
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let character = code.and_then(char::from_u32);
            (character.unwrap_or(char::REPLACEMENT_CHARACTER), 6.min(spelled.len()))
        }
        Some(letter) => (char::from(MEANT[usize::from(*letter)]), 2),
        None => ('\\', 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_yet_says_the_same() {
        let mut memory = Memory::default();
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
            let spelled = serde_json::to_string(text).unwrap();
            let unread = Text::unread(Json::new(spelled.as_bytes()));
            assert_eq!(unread.read(&mut memory), text);
            assert_eq!(&*unread, text);
        }
    }

    #[test]
    fn a_beginning_is_read_alone() {
        let long = format!("Exit code: 3\nOutput:\n{}", "ü".repeat(1000));
        let spelled = serde_json::to_string(&long).unwrap();
        for text in [Text::unread(Json::new(spelled.as_bytes())), Text::from(&*long)] {
            let beginning = text.beginning(30);
            assert!(beginning.starts_with("Exit code: 3\nOutput:\nüü"), "{beginning}");
            assert!(beginning.len() < 40);
        }
        assert_eq!(Text::unread(Json::new(b"\"a\\nb\"")).beginning(30), "a\nb");
    }

    #[test]
    fn a_beginning_is_known_however_it_is_spelled() {
        for (spelled, begins) in [
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
            let text = Text::unread(Json::new(spelled.as_bytes()));
            assert_eq!(text.begins_with("Async"), begins, "{spelled}");
        }
    }
}
