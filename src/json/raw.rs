//! Byte ranges of values inside a line that is known to be JSON. Used where
//! bytes must pass through unchanged (`events`, a tool's input) and to look up
//! members in rows that streamj prints.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};

/// One JSON value as the original bytes, without surrounding white space.
///
/// The bytes must be valid JSON. For other bytes the methods return unspecified
/// values, but never panic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(&'a [u8]);

impl std::fmt::Debug for Json<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", bstr::BStr::new(self.0))
    }
}

impl<'a> Json<'a> {
    /// Wraps `bytes` without the white space around them.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.trim_ascii())
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Iterates over the members of an object: the name with its quotes, and the
    /// value.
    pub fn members(self) -> impl Iterator<Item = (Json<'a>, Json<'a>)> {
        let mut at = self.inside(b'{');
        std::iter::from_fn(move || {
            at = skip_comma(self.0, at);
            if self.0.get(at) != Some(&b'"') {
                return None;
            }
            let key = Json(&self.0[at..skip_string(self.0, at)]);
            let value = value_after_key(self.0, at);
            at = self.offset_of(value) + value.0.len();
            Some((key, value))
        })
    }

    /// Iterates over the elements of an array.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let mut at = self.inside(b'[');
        std::iter::from_fn(move || {
            at = skip_comma(self.0, at);
            if matches!(self.0.get(at), None | Some(b']')) {
                return None;
            }
            let end = skip_value(self.0, at);
            let element = Json(&self.0[at..end]);
            at = end;
            Some(element)
        })
    }

    /// Returns the offset of `part`, which must be a part of this value.
    #[must_use]
    pub fn offset_of(self, part: Json<'_>) -> usize {
        part.0.as_ptr().addr() - self.0.as_ptr().addr()
    }

    /// Returns the position behind the opening bracket, or the end if the value
    /// starts with something else.
    fn inside(self, bracket: u8) -> usize {
        if self.0.first() == Some(&bracket) { 1 } else { self.0.len() }
    }

    /// Returns the member `key`; the last one if there are several.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        self.members().filter(|(name, _)| name.is_string(key)).last().map(|(_, value)| value)
    }

    /// Returns the text of a string.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        if memchr::memchr(b'\\', inner).is_none() {
            return Some(String::from_utf8_lossy(inner));
        }
        let text = serde_json::from_slice(self.0).ok();
        // Fails for a lone surrogate, and for invalid UTF-8 beside an escape.
        let repaired = || serde_json::from_slice(&super::repair::repair(self.0).ok()?.text).ok();
        text.or_else(repaired).map(Cow::Owned)
    }

    /// Resolves a JSON pointer (RFC 6901).
    #[must_use]
    pub fn pointer(self, pointer: &str) -> Option<Json<'a>> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value.0.first() {
                Some(b'[') => {
                    let canonical = step == "0" || !step.starts_with(['0', '+']);
                    let index = step.parse().ok().filter(|_| canonical)?;
                    value.elements().nth(index)
                }
                _ => value.get(&step),
            }
        })
    }

    fn is_string(self, text: &str) -> bool {
        self.as_str().is_some_and(|own| own == text)
    }
}

/// Returns the value of the member whose name has its opening quote at `key`.
pub(super) fn value_after_key(text: &[u8], key: usize) -> Json<'_> {
    let colon = skip_space(text, skip_string(text, key));
    let start = skip_space(text, colon.saturating_add(1)).min(text.len());
    Json(&text[start..skip_value(text, start)])
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

fn skip_comma(text: &[u8], at: usize) -> usize {
    let at = skip_space(text, at);
    if text.get(at) == Some(&b',') { skip_space(text, at + 1) } else { at }
}

/// Returns the string with its opening quote at `start` and `length` bytes of
/// unescaped text. Escapes only make it longer, so the search for the closing
/// quote starts behind that many bytes.
pub(super) fn string_at(text: &[u8], start: usize, length: usize) -> Json<'_> {
    let first = start + 1;
    let inside = text.get(first..first + length).unwrap_or_default();
    // After an odd number of backslashes the next byte is escaped.
    let backslashes = inside.iter().rev().take_while(|byte| **byte == b'\\').count();
    Json(&text[start..string_end(text, first + length + backslashes % 2)])
}

/// Returns the end of the string with its opening quote at `start`.
fn skip_string(text: &[u8], start: usize) -> usize {
    string_end(text, start.saturating_add(1))
}

/// Returns the end of the string that contains `at`.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// Returns the end of the value that starts at `start`.
fn skip_value(text: &[u8], start: usize) -> usize {
    match text.get(start) {
        Some(b'"') => skip_string(text, start),
        Some(b'{') => skip_nested(text, start, b'{', b'}'),
        Some(b'[') => skip_nested(text, start, b'[', b']'),
        _ => {
            let ends =
                |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            let rest = text.get(start..).unwrap_or_default();
            start + rest.iter().position(ends).unwrap_or(rest.len())
        }
    }
}

/// Returns the end of an object or array. Counting its own kind of bracket is
/// enough, since the line is valid JSON.
fn skip_nested(text: &[u8], start: usize, open: u8, close: u8) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(found) = text.get(at..).and_then(|rest| memchr3(b'"', open, close, rest)) {
        at += found;
        if text[at] == b'"' {
            at = skip_string(text, at);
            continue;
        }
        depth = if text[at] == open { depth + 1 } else { depth - 1 };
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: Option<Json<'_>>) -> Option<String> {
        json.map(|json| String::from_utf8(json.bytes().to_vec()).unwrap())
    }

    #[test]
    fn members_keep_their_bytes() {
        let json = Json::new(br#" { "a" : 1.50 , "b\"":{"c":[1,"]"]},"a":"\u0041" } "#);
        let members: Vec<_> = json
            .members()
            .map(|(key, value)| (shown(Some(key)).unwrap(), shown(Some(value)).unwrap()))
            .collect();
        let expected =
            [(r#""a""#, "1.50"), (r#""b\"""#, r#"{"c":[1,"]"]}"#), (r#""a""#, r#""\u0041""#)];
        assert_eq!(members, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
        assert_eq!(json.get("a").unwrap().as_str().unwrap(), "A");
    }

    #[test]
    fn a_pointer_finds_members_and_elements() {
        let json = Json::new(br#"{"a":{"b/c":[10,{"~":"x"}]},"":0}"#);
        assert_eq!(shown(json.pointer("/a/b~1c/1/~0")).as_deref(), Some("\"x\""));
        assert_eq!(shown(json.pointer("/a/b~1c/0")).as_deref(), Some("10"));
        assert_eq!(shown(json.pointer("/")).as_deref(), Some("0"));
        assert!(shown(json.pointer("")).unwrap().starts_with('{'));
        for absent in ["/x", "/a/b~1c/2", "/a/b~1c/00", "/a/b~1c/+1", "/a/b~1c/-", "a"] {
            assert_eq!(shown(json.pointer(absent)), None, "{absent}");
        }
    }

    #[test]
    fn invalid_json_does_not_panic() {
        for bytes in
            ["", "{", "[", "{\"a", "{\"a\"", "{\"a\":", "[1,", "\"\\", "]", "{}}", "{\"a\":}"]
        {
            let json = Json::new(bytes.as_bytes());
            json.members().take(9).for_each(drop);
            json.elements().take(9).for_each(drop);
            let _ = (json.as_str(), json.pointer("/a/0"));
        }
    }
}
