//! Whether a line of JSON certainly has no secret: most lines have none, and are not decoded
//! to find that out.
//!
//! The words of all rules are searched in the bytes of the line. Where one occurs, its rule
//! is tried on the string it is in, escapes decoded, exactly as on a decoded text. What
//! cannot be decided without the decoded text counts as a secret.

use std::ops::Range;

use memchr::{memchr, memmem};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::{Anchored, Input};

use super::key_block::KeyStart;
use super::plausible::Follows;
use super::rules::{Place, RULES};
use super::search::{MAX_VALUE, Patterns, compiled, is_cut_token};

impl Patterns {
    /// Returns whether a line of JSON certainly has no secret in its strings.
    pub(super) fn is_clean(&self, line: &[u8]) -> bool {
        !has_escaped_ascii(line)
            && memchr(0x1b, line).is_none()
            && !self.own.iter().any(|own| own.is_match(line))
            && self.all_words_of_line(line, |word, rule| {
                rule.is_some_and(|rule| !may_match(rule, line, word))
            })
    }
}

/// Returns whether an escape in a line may stand for a character of a word: an ASCII
/// character in hexadecimal, or a slash.
fn has_escaped_ascii(line: &[u8]) -> bool {
    let is_ascii = |at: usize| matches!(line.get(at + 4), Some(b'0'..=b'7'));
    memmem::find_iter(line, br"\u00").any(is_ascii) || memmem::find(line, br"\/").is_some()
}

/// Returns whether a rule may match at a word of a line of JSON, once its strings are
/// decoded, or the word is the name of a member with a secret.
fn may_match(index: usize, line: &[u8], word: Range<usize>) -> bool {
    let rule = &RULES[index];
    if !allows(rule.follows, &line[..word.start]) {
        return false;
    }
    let compiled = compiled(index);
    let start = match rule.place {
        Place::KeyBlock => return !matches!(KeyStart::of(&line[word.start..]), KeyStart::None),
        Place::AtWord => word.start,
        Place::Behind(_) if is_name(line, word.end) => return true,
        Place::Behind(_) => match StringWalk::new(compiled.context(), line, word.end, MAX_VALUE) {
            StringWalk::Undecided => return true,
            StringWalk::Done { end: None, .. } => return false,
            StringWalk::Done { end: Some(end), .. } => end,
        },
    };
    match StringWalk::new(compiled.secret.as_ref(), line, start, rule.limit()) {
        StringWalk::Undecided => true,
        StringWalk::Done { end: Some(end), .. } if line[start..end].contains(&b'\\') => true,
        StringWalk::Done { end: Some(end), .. } => (rule.accepts)(line, start..end),
        // A token that the end of the string cuts.
        StringWalk::Done { end: None, stop } => {
            line.get(stop).is_none_or(|byte| *byte == b'"') && is_cut_token(&line[start..stop])
        }
    }
}

/// Returns whether the word that ends at `end` ends the name of a member that is not a
/// number.
fn is_name(line: &[u8], end: usize) -> bool {
    let value = line[end..].strip_prefix(b"\"").map(<[u8]>::trim_ascii_start);
    let value = value.and_then(|value| value.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
    value.is_some_and(|value| matches!(value, [b'"' | b'[' | b'{', ..]))
}

/// A walk of an automaton over a string in a line, escapes decoded.
enum StringWalk {
    /// It stopped at an offset of the line; the longest match ends at `end`.
    Done { end: Option<usize>, stop: usize },
    /// An escape cannot be decoded alone, or there is no automaton.
    Undecided,
}

impl StringWalk {
    /// Walks from `start` over at least `limit` characters, and not beyond the string.
    fn new(
        automaton: Option<&dense::DFA<Vec<u32>>>,
        line: &[u8],
        start: usize,
        limit: usize,
    ) -> Self {
        let Some(dfa) = automaton else { return Self::Undecided };
        let input = Input::new(line).anchored(Anchored::Yes).range(start..);
        let Ok(mut state) = dfa.start_state_forward(&input) else { return Self::Undecided };
        let (mut at, mut end) = (start, None);
        // An escape has two bytes.
        let last = line.len().min(start.saturating_add(2 * limit));
        while at < last && line[at] != b'"' {
            let Some((byte, length)) = unescaped(&line[at..]) else { return Self::Undecided };
            state = dfa.next_state(state, byte);
            if dfa.is_special_state(state) {
                if dfa.is_dead_state(state) {
                    return Self::Done { end, stop: at };
                }
                // A match is reported one byte after its end.
                if dfa.is_match_state(state) {
                    end = Some(at);
                }
            }
            at += length;
        }
        if dfa.is_match_state(dfa.next_eoi_state(state)) {
            end = Some(at);
        }
        Self::Done { end, stop: at }
    }
}

/// Returns the first byte of a string in a line, and its length with its escape. `None` for
/// an escape in hexadecimal.
fn unescaped(string: &[u8]) -> Option<(u8, usize)> {
    match string {
        [b'\\', letter, ..] => {
            let byte = match letter {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b'"' | b'\\' | b'/' => *letter,
                _ => return None,
            };
            Some((byte, 2))
        }
        [byte, ..] => Some((*byte, 1)),
        [] => None,
    }
}

/// Bytes of the longest escape.
const MAX_ESCAPE: usize = 6;

/// Returns whether the text before a word allows a match, given the line up to it.
fn allows(follows: Follows, line: &[u8]) -> bool {
    let recent = &line[line.len().saturating_sub(MAX_ESCAPE * follows.reach())..];
    if !recent.contains(&b'\\') {
        return follows.allows(recent);
    }
    // The first bytes may be the rest of an escape, and are decoded in another way, but the
    // rule does not look that far back.
    let (mut text, mut rest) = (Vec::with_capacity(recent.len()), recent);
    while !rest.is_empty() {
        // A character in hexadecimal is no letter of a word.
        let (byte, length) = unescaped(rest).unwrap_or((0xff, MAX_ESCAPE));
        text.push(byte);
        rest = &rest[length.min(rest.len())..];
    }
    follows.allows(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;
    use crate::redact::rules::tests::example;

    /// Texts around a secret that do not prevent its detection.
    const AROUND: [(&str, &str); 8] = [
        ("", ""),
        ("é\u{2014}", "\u{2014}é"),
        ("line\n", "\nline"),
        ("tab\t", "\t"),
        ("\\", "\\"),
        ("say \"", "\" to"),
        ("a \\\n", "\r\n"),
        ("\u{7f}\u{80}", "\u{1f600}"),
    ];

    /// Returns the line with a string as several encoders write it.
    fn encoded(text: &str) -> [String; 2] {
        let line = serde_json::json!({"type": "x", "text": text, "last": 1}).to_string();
        let ascii = line.chars().map(|c| match u32::from(c) {
            code @ 0x80..=0xffff => format!("\\u{code:04x}"),
            0x1_0000.. => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units);
                format!("\\u{:04x}\\u{:04x}", units[0], units[1])
            }
            _ => c.to_string(),
        });
        let ascii = ascii.collect();
        [line, ascii]
    }

    #[test]
    fn no_line_with_a_secret_is_clean() {
        let redactor = Redactor::default();
        for rule in RULES {
            let (text, _) = example(rule);
            for (before, after) in AROUND {
                let text = format!("{before}{text}{after}");
                if redactor.mask(&text) == text {
                    continue;
                }
                for line in encoded(&text) {
                    assert!(!redactor.is_clean(line.as_bytes()), "{}: {line}", rule.name);
                    let long = line.replacen('x', &"x ".repeat(500), 1);
                    assert!(!redactor.is_clean(long.as_bytes()), "{}: {long}", rule.name);
                }
            }
        }
    }

    #[test]
    fn lines_of_tools_are_clean() {
        let redactor = Redactor::default();
        for text in [
            "path\\to\\file and C:\\pat\n",
            "test returns\nself.test.\nst.\n",
            "\"password\" is \"asked\" for\n",
            "let token = self.next_token();\n",
            "src/auth.rs:12: pub fn auth(",
            "input_tokens: 12, api-version",
            "naïve — größer",
        ] {
            for line in encoded(&text.repeat(9)) {
                assert!(redactor.is_clean(line.as_bytes()), "{line}");
            }
        }
        let usage =
            br#"{"type":"x","usage":{"input_tokens":4,"cache_read_tokens":7},"token":null}"#;
        assert!(redactor.is_clean(usage));
    }
}
