//! Writes a JSON object member by member. Members without a value are omitted,
//! except where `null` is requested.

use std::io::Write;
use std::time::Duration;

use crate::json::Text;

/// Writes a JSON object.
pub(crate) struct ObjectWriter<'a> {
    to: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Writes an object with the members that `members` adds.
    pub fn write(to: &'a mut Vec<u8>, members: impl FnOnce(&mut ObjectWriter<'_>)) {
        to.push(b'{');
        let mut object = ObjectWriter { to, is_empty: true };
        members(&mut object);
        object.to.push(b'}');
    }

    /// Writes a string, if there is one.
    pub fn text<'t>(&mut self, name: &'static str, text: impl Into<Option<&'t str>>) -> &mut Self {
        if let Some(text) = text.into() {
            string(self.name(name), text);
        }
        self
    }

    /// Writes a text of the stream, if there is one, with its original escapes.
    pub fn stream_text(&mut self, name: &'static str, text: Option<&Text<'_>>) -> &mut Self {
        match text.map(|text| (text, text.json())) {
            Some((_, Some(json))) => self.raw(name, json.bytes()),
            Some((text, None)) => self.text(name, &**text),
            None => self,
        }
    }

    /// Writes a string or null.
    pub fn text_or_null(&mut self, name: &'static str, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(name, text),
            None => self.raw(name, b"null".as_slice()),
        }
    }

    /// Writes an integer, if there is one.
    pub fn integer(&mut self, name: &'static str, number: impl Into<Option<i128>>) -> &mut Self {
        if let Some(number) = number.into() {
            // Writing to a vector cannot fail.
            let _ = write!(self.name(name), "{number}");
        }
        self
    }

    /// Writes a count, if there is one.
    pub fn count(&mut self, name: &'static str, number: impl Into<Option<u64>>) -> &mut Self {
        self.integer(name, number.into().map(i128::from))
    }

    /// Writes a number, if there is one that is finite.
    pub fn number(&mut self, name: &'static str, number: impl Into<Option<f64>>) -> &mut Self {
        let number = number.into().and_then(serde_json::Number::from_f64);
        if let Some(number) = number {
            self.name(name).extend_from_slice(number.to_string().as_bytes());
        }
        self
    }

    /// Writes an amount of US dollars, if there is one that is finite.
    ///
    /// Sums have digits that no price has (`0.058258000000000004`): the amount is rounded
    /// to twelve digits.
    pub fn cost(&mut self, name: &'static str, usd: impl Into<Option<f64>>) -> &mut Self {
        self.number(name, usd.into().map(round_cost))
    }

    /// Writes a duration in seconds, rounded up to milliseconds.
    pub fn seconds(&mut self, name: &'static str, duration: Duration) -> &mut Self {
        let milliseconds = duration.as_nanos().div_ceil(1_000_000);
        let digits = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
        let digits = digits.trim_end_matches('0');
        let zero = if digits.ends_with('.') { "0" } else { "" };
        self.name(name).extend_from_slice([digits, zero].concat().as_bytes());
        self
    }

    /// Writes a boolean, if there is one.
    pub fn flag(&mut self, name: &'static str, flag: impl Into<Option<bool>>) -> &mut Self {
        if let Some(flag) = flag.into() {
            self.name(name).extend_from_slice(if flag { b"true" } else { b"false" });
        }
        self
    }

    /// Writes a value that is JSON already, if there is one.
    pub fn raw<'j>(&mut self, name: &'static str, json: impl Into<Option<&'j [u8]>>) -> &mut Self {
        if let Some(json) = json.into() {
            self.name(name).extend_from_slice(json);
        }
        self
    }

    /// Writes an object.
    pub fn object(
        &mut self,
        name: &'static str,
        members: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> &mut Self {
        self.name(name);
        ObjectWriter::write(self.to, members);
        self
    }

    /// Writes a list; `element` writes each element.
    pub fn list<T>(
        &mut self,
        name: &'static str,
        elements: impl IntoIterator<Item = T>,
        mut element: impl FnMut(&mut Vec<u8>, T),
    ) -> &mut Self {
        self.name(name).push(b'[');
        for (at, item) in elements.into_iter().enumerate() {
            if at > 0 {
                self.to.push(b',');
            }
            element(self.to, item);
        }
        self.to.push(b']');
        self
    }

    /// Writes a list of strings.
    pub fn texts<T: AsRef<str>>(
        &mut self,
        name: &'static str,
        texts: impl IntoIterator<Item = T>,
    ) -> &mut Self {
        self.list(name, texts, |to, text| string(to, text.as_ref()))
    }

    /// Writes a name and returns the target for its value.
    fn name(&mut self, name: &'static str) -> &mut Vec<u8> {
        debug_assert!(!name.bytes().any(needs_escape), "{name}");
        let to = &mut *self.to;
        to.reserve(name.len() + 4);
        if !std::mem::replace(&mut self.is_empty, false) {
            to.push(b',');
        }
        to.push(b'"');
        to.extend_from_slice(name.as_bytes());
        to.extend_from_slice(b"\":");
        to
    }
}

/// Rounds to twelve significant digits, and less than 1e-12 to nothing.
fn round_cost(usd: f64) -> f64 {
    if usd.abs() < 1e-12 {
        return 0.0;
    }
    format!("{usd:.11e}").parse().unwrap_or(usd)
}

/// Writes a JSON string, eight bytes at a time where none has to be escaped.
fn string(to: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    to.reserve(written_length(bytes));
    to.push(b'"');
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        at += match bytes[at..].first_chunk() {
            Some(word) => match clean_bytes(u64::from_le_bytes(*word)) {
                8 => {
                    at += 8;
                    continue;
                }
                clean => clean,
            },
            None => bytes[at..].iter().take_while(|byte| !needs_escape(**byte)).count(),
        };
        to.extend_from_slice(&bytes[copied..at]);
        if let Some(byte) = bytes.get(at) {
            escape(to, *byte);
            at += 1;
        }
        copied = at;
    }
    to.extend_from_slice(&bytes[copied..]);
    to.push(b'"');
}

/// Returns the space to reserve for a JSON string. That of a long one is exact, because a
/// buffer that grows is twice as large.
fn written_length(bytes: &[u8]) -> usize {
    const LONG: usize = 1 << 20;
    let escapes = if bytes.len() < LONG {
        0
    } else {
        let length = |byte: &u8| match byte {
            b'"' | b'\\' | b'\n' | b'\t' | b'\r' | 0x08 | 0x0c => 1,
            byte if needs_escape(*byte) => 5,
            _ => 0,
        };
        bytes.iter().map(length).sum()
    };
    bytes.len() + escapes + 2
}

/// Returns the number of bytes before the first that needs an escape.
fn clean_bytes(word: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    let found = control | zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5c));
    // A carry can only affect bytes behind the first match.
    (found.trailing_zeros() / 8) as usize
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn escape(to: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        _ => return to.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
    };
    to.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_like_serde_json() {
        let mut texts: Vec<String> = (0..0x180u32)
            .filter_map(char::from_u32)
            .flat_map(|c| (0..18).map(move |at| "x".repeat(at) + &c.to_string() + "yyyyyyyyy\"z"))
            .collect();
        texts.push("\u{1f600}\\\\\n\u{0}\u{1}\u{7f}\u{80}".repeat(9));
        for text in texts {
            let mut written = Vec::new();
            string(&mut written, &text);
            assert_eq!(written, serde_json::to_vec(&text).unwrap(), "{text:?}");
        }
    }

    #[test]
    fn costs_have_the_digits_of_their_prices() {
        for (cost, written) in [
            (0.1 + 0.2, "0.3"),
            (0.058_258_000_000_000_004, "0.058258"),
            (0.1 + 0.2 - 0.3, "0.0"),
            (0.0, "0.0"),
            (-0.000_1, "-0.0001"),
            (98_765.4 + 0.032_1, "98765.4321"),
            (0.000_000_003_75, "3.75e-9"),
            (1e300, "1e+300"),
        ] {
            let mut json = Vec::new();
            ObjectWriter::write(&mut json, |object| {
                object.cost("c", cost);
            });
            assert_eq!(String::from_utf8(json).unwrap(), format!("{{\"c\":{written}}}"));
        }
    }

    #[test]
    fn durations_are_in_whole_milliseconds() {
        for (duration, written) in [
            (Duration::ZERO, "0.0"),
            (Duration::from_nanos(9654), "0.001"),
            (Duration::from_micros(57_887), "0.058"),
            (Duration::from_millis(86_400_123), "86400.123"),
        ] {
            let mut json = Vec::new();
            ObjectWriter::write(&mut json, |object| {
                object.seconds("d", duration);
            });
            assert_eq!(String::from_utf8(json).unwrap(), format!("{{\"d\":{written}}}"));
        }
    }

    #[test]
    fn members_without_a_value_are_omitted() {
        let mut json = Vec::new();
        ObjectWriter::write(&mut json, |object| {
            object
                .text("a", "x\"\n")
                .text("b", None)
                .text_or_null("c", None)
                .count("d", 7)
                .number("e", 0.25)
                .number("f", f64::NAN)
                .flag("g", Some(true))
                .raw("h", b"[1]".as_slice())
                .object("i", |_| ())
                .texts("j", ["x", "y"])
                .integer("k", Some(-1));
        });
        let expected =
            r#"{"a":"x\"\n","c":null,"d":7,"e":0.25,"g":true,"h":[1],"i":{},"j":["x","y"],"k":-1}"#;
        assert_eq!(String::from_utf8(json).unwrap(), expected);
    }
}
