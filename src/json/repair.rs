//! Validates and repairs lines that simd-json rejects.
//!
//! A rejected line is either not JSON, and the error says what is wrong and
//! where; or it is JSON with something simd-json does not accept (invalid UTF-8
//! inside a string, a lone surrogate, a number that no `f64` can hold), and the
//! result is the line with exactly that replaced. The validator is iterative,
//! so no input can exhaust the stack.

use std::fmt;
use std::ops::Range;

use super::density;
use super::foreign::Foreign;
use super::parser::MAX_DEPTH;

/// Why a line is not JSON, for example `not JSON: expected value at byte 0`.
/// Never contains anything of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    problem: Problem,
    offset: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Expected(&'static str),
    TooDeep,
    Foreign(Foreign),
    TooDense,
}

impl Malformed {
    /// For a line that the validator accepts and simd-json does not. No test
    /// has found one.
    pub(super) const REJECTED: Self =
        Self { problem: Problem::Expected("a line the tokeniser accepts"), offset: 0 };

    /// Returns the command that makes text of the data that was found instead.
    pub(crate) fn converter(&self) -> Option<&'static str> {
        match self.problem {
            Problem::Foreign(format) => format.converter(),
            Problem::Expected(_) | Problem::TooDeep | Problem::TooDense => None,
        }
    }

    /// For a long line with too many values.
    pub(super) const TOO_DENSE: Self = Self { problem: Problem::TooDense, offset: 0 };

    /// Returns whether the line has too many values; it may be JSON.
    pub(crate) fn is_too_dense(self) -> bool {
        self.problem == Problem::TooDense
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::Expected(what) => {
                write!(formatter, "not JSON: expected {what} at byte {}", self.offset)
            }
            Problem::Foreign(format) => write!(formatter, "not JSON: {}", format.name()),
            Problem::TooDeep => write!(formatter, "nested deeper than {MAX_DEPTH} levels"),
            Problem::TooDense => {
                let (values, bytes) = (density::MAX_VALUES, density::BYTES_PER_VALUE);
                write!(
                    formatter,
                    "too dense: more than {values} values, and one for each {bytes} bytes"
                )
            }
        }
    }
}

impl std::error::Error for Malformed {}

/// A line that was repaired for the tokeniser.
pub(super) struct Repaired {
    /// The line as valid UTF-8 without lone surrogates.
    pub(super) text: Vec<u8>,
    /// Ranges of the numbers that no `f64` can hold.
    out_of_range: Vec<Range<usize>>,
}

impl Repaired {
    /// Returns the text with every number that is out of range replaced by a zero
    /// of the same length, so that offsets stay valid.
    pub(super) fn representable(&self) -> Vec<u8> {
        let mut text = self.text.clone();
        for range in &self.out_of_range {
            text[range.clone()].fill(b' ');
            text[range.start] = b'0';
        }
        text
    }
}

/// Validates `line` and replaces what simd-json does not accept.
pub(super) fn repair(line: &[u8]) -> Result<Repaired, Malformed> {
    let mut validator = Validator {
        line,
        at: 0,
        copied: 0,
        repaired: Repaired { text: Vec::with_capacity(line.len()), out_of_range: Vec::new() },
    };
    validator.document()?;
    validator.repaired.text.extend_from_slice(&line[validator.copied..]);
    Ok(validator.repaired)
}

/// Returns whether a line is JSON that needs no repair.
pub(super) fn is_intact(line: &[u8]) -> bool {
    let repaired = Repaired { text: Vec::new(), out_of_range: Vec::new() };
    let mut validator = Validator { line, at: 0, copied: 0, repaired };
    validator.document().is_ok()
        && validator.copied == 0
        && validator.repaired.out_of_range.is_empty()
}

/// Returns a repaired line that simd-json accepts.
pub(crate) fn repair_line(line: &[u8]) -> Result<Vec<u8>, Malformed> {
    repair(line).map(|repaired| repaired.representable())
}

/// Returns a line with `\ufffd` in place of every lone surrogate.
pub(crate) fn replace_lone_surrogates(line: &str) -> Result<Vec<u8>, Malformed> {
    repair(line.as_bytes()).map(|repaired| repaired.text)
}

#[derive(Clone, Copy, PartialEq)]
enum Container {
    Object,
    Array,
}

struct Validator<'a> {
    line: &'a [u8],
    at: usize,
    /// `line[..copied]` is in `repaired.text`.
    copied: usize,
    repaired: Repaired,
}

impl Validator<'_> {
    fn document(&mut self) -> Result<(), Malformed> {
        let mut open = Vec::new();
        loop {
            // A value is expected here.
            match self.peek() {
                Some(b'{') => {
                    self.enter(&mut open, Container::Object)?;
                    if self.take(b'}') {
                        open.pop();
                    } else {
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.enter(&mut open, Container::Array)?;
                    if self.take(b']') {
                        open.pop();
                    } else {
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.literal(b"true")?,
                Some(b'f') => self.literal(b"false")?,
                Some(b'n') => self.literal(b"null")?,
                _ => return Err(self.expected("value")),
            }
            // A value is complete: close the containers that end here.
            loop {
                match open.last() {
                    None => {
                        return match self.peek() {
                            None => Ok(()),
                            Some(_) => Err(self.expected("the end of the line")),
                        };
                    }
                    Some(Container::Object) if self.take(b'}') => {
                        open.pop();
                    }
                    Some(Container::Array) if self.take(b']') => {
                        open.pop();
                    }
                    Some(container) => {
                        let object = *container == Container::Object;
                        if !self.take(b',') {
                            let what = if object { "',' or '}'" } else { "',' or ']'" };
                            return Err(self.expected(what));
                        }
                        if object {
                            self.key()?;
                        }
                        break;
                    }
                }
            }
        }
    }

    fn enter(&mut self, open: &mut Vec<Container>, kind: Container) -> Result<(), Malformed> {
        if open.len() == MAX_DEPTH {
            return Err(Malformed { problem: Problem::TooDeep, offset: self.at });
        }
        open.push(kind);
        self.at += 1;
        Ok(())
    }

    fn key(&mut self) -> Result<(), Malformed> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a member name"));
        }
        self.string()?;
        if self.take(b':') { Ok(()) } else { Err(self.expected("':'")) }
    }

    fn literal(&mut self, word: &'static [u8]) -> Result<(), Malformed> {
        if self.line[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.expected("value"))
        }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        self.at += usize::from(self.line[self.at] == b'-');
        match self.line.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.line.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.line.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.line.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let number = std::str::from_utf8(&self.line[start..self.at]).unwrap_or_default();
        if number.parse().is_ok_and(f64::is_infinite) {
            let offset = self.repaired.text.len() + start - self.copied;
            self.repaired.out_of_range.push(offset..offset + number.len());
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let rest = &self.line[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.expected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Malformed> {
        self.at += 1;
        loop {
            match self.line.get(self.at) {
                None => return Err(self.expected("the end of a string")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => {
                    return Err(self.expected("an escape instead of a control character"));
                }
                Some(0x20..0x80) => self.at += 1,
                Some(_) => match bstr::decode_utf8(&self.line[self.at..]) {
                    (Some(_), length) => self.at += length,
                    (None, length) => self.replace(length, "\u{fffd}".as_bytes()),
                },
            }
        }
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        match self.line.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                let unit = self.code_unit(self.at)?;
                let follows = self.line[self.at + 6..].starts_with(b"\\u");
                match unit {
                    0xD800..0xDC00 if follows => {
                        if (0xDC00..0xE000).contains(&self.code_unit(self.at + 6)?) {
                            self.at += 12;
                        } else {
                            self.replace(6, br"\ufffd");
                        }
                    }
                    0xD800..0xE000 => self.replace(6, br"\ufffd"),
                    _ => self.at += 6,
                }
                Ok(())
            }
            _ => Err(self.expected("an escape sequence")),
        }
    }

    /// Returns the UTF-16 code unit of the `\uXXXX` at `start`.
    fn code_unit(&self, start: usize) -> Result<u16, Malformed> {
        let digits = self.line.get(start + 2..start + 6);
        digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
            .ok_or(Malformed {
                problem: Problem::Expected("four hexadecimal digits"),
                offset: start + 2,
            })
    }

    /// Replaces the next `length` bytes by `with`.
    fn replace(&mut self, length: usize, with: &[u8]) {
        self.repaired.text.extend_from_slice(&self.line[self.copied..self.at]);
        self.repaired.text.extend_from_slice(with);
        self.at += length;
        self.copied = self.at;
    }

    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.line.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.line.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &'static str) -> Malformed {
        let foreign = Foreign::of(self.line).filter(|_| self.at == 0);
        let problem = foreign.map_or(Problem::Expected(what), Problem::Foreign);
        Malformed { problem, offset: self.at.min(self.line.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        repair(line.as_bytes()).err().map(|malformed| malformed.to_string()).unwrap_or_default()
    }

    #[test]
    fn error_says_what_was_expected_and_where() {
        for (line, expected) in [
            ("this is not json", "expected value at byte 0"),
            ("", "expected value at byte 0"),
            ("{\"a\":NaN}", "expected value at byte 5"),
            ("{\"a\":1", "expected ',' or '}' at byte 6"),
            ("{\"a\":1}{\"b\":2}", "expected the end of the line at byte 7"),
            ("[1 2]", "expected ',' or ']' at byte 3"),
            ("{broken", "expected a member name at byte 1"),
            ("{\"a\" 1}", "expected ':' at byte 5"),
            ("{\"a\":\"cut", "expected the end of a string at byte 9"),
            ("\"\\x\"", "expected an escape sequence at byte 1"),
            ("\"\\u12g4\"", "expected four hexadecimal digits at byte 3"),
            ("\"\u{1}\"", "expected an escape instead of a control character at byte 1"),
            ("01", "expected the end of the line at byte 1"),
            ("-", "expected a digit at byte 1"),
            ("1.", "expected a digit at byte 2"),
            ("nul", "expected value at byte 0"),
            ("\0\0\0", "NUL bytes"),
            ("PK\u{3}\u{4}", "a ZIP archive"),
        ] {
            assert_eq!(error(line), format!("not JSON: {expected}"), "{line:?}");
        }
    }

    #[test]
    fn valid_json_is_unchanged() {
        for line in [
            "{}",
            "[]",
            " [ 1 , {\"a\" : [ ] } ] ",
            "\"\\u00e9\\ud83d\\ude00\\/\"",
            "-0.5e-10",
            "null",
        ] {
            assert_eq!(repair(line.as_bytes()).unwrap().text, line.as_bytes(), "{line}");
        }
    }

    #[test]
    fn only_the_broken_part_is_replaced() {
        let repaired =
            repair(b"{\"a\":\"\xc3\xa9\xc3\",\"b\":\"\\udc00\\ud800\\u0041\",\"n\":-1e999}")
                .unwrap();
        let text = "{\"a\":\"é\u{fffd}\",\"b\":\"\\ufffd\\ufffd\\u0041\",\"n\":-1e999}";
        assert_eq!(repaired.text, text.as_bytes());
        assert!(repaired.representable().ends_with(b"\"n\":0     }"));
    }
}
