//! Masks a text that arrives in parts. What may be the start of a secret is held
//! back until it is complete.

use std::ops::Range;

use super::{REDACTED, Redactor, escape_sequence, patterns};

/// Maximum size of the text that is held back. A longer secret is masked up to the
/// next space.
const MAX_HELD: usize = 16 << 10;

/// Bytes before a secret that its patterns look at.
const CONTEXT: usize = 2;

/// Masks one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextRedactor {
    /// What may be the start of a secret.
    held: String,
    /// The last bytes before it.
    before: Vec<u8>,
    /// Whether the text is inside a secret that exceeds the limit.
    is_inside: bool,
}

impl TextRedactor {
    /// Creates a redactor for a text that is complete.
    pub(super) fn whole(text: &str) -> Self {
        Self { held: text.to_owned(), ..Self::default() }
    }

    /// Adds a part of the text and returns what can be passed on.
    pub(crate) fn push(&mut self, text: &str, redactor: &Redactor) -> String {
        let text = self.after_secret(text);
        self.held.push_str(text);
        self.release(redactor, false)
    }

    /// Ends the text and returns the rest.
    pub(crate) fn finish(&mut self, redactor: &Redactor) -> String {
        let rest = self.release(redactor, true);
        *self = Self::default();
        rest
    }

    /// Returns whether text is held back.
    pub(super) fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns the part of `text` behind a secret that exceeds the limit.
    fn after_secret<'t>(&mut self, text: &'t str) -> &'t str {
        if !self.is_inside {
            return text;
        }
        let rest = text.trim_start_matches(|c: char| !c.is_whitespace());
        self.is_inside = rest.is_empty();
        rest
    }

    fn release(&mut self, redactor: &Redactor, is_end: bool) -> String {
        let plain = PlainText::new(&self.held, &self.before);
        let mut secrets = redactor.secrets(&plain.bytes);
        let end = plain.bytes.len();
        let mut cut = if is_end { end } else { plain.safe_end(redactor, &secrets) };
        // A secret that ends here may continue.
        let is_open = |secret: &&Range<usize>| secret.start < cut && cut <= secret.end && !is_end;
        if let Some(open) = secrets.iter().find(is_open) {
            cut = open.start;
        }
        if end - cut > MAX_HELD {
            self.is_inside = secrets.last().is_some_and(|last| last.end == end);
            cut = end;
        }
        secrets.retain(|secret| secret.start < cut);
        let released = plain.masked(&self.held, &secrets, cut);
        self.held.drain(..plain.offset(cut));
        let context = cut.saturating_sub(CONTEXT);
        self.before = plain.bytes[context..cut].to_vec();
        released
    }
}

/// A text without escape sequences, which may split a secret, with the last bytes
/// before it.
struct PlainText {
    bytes: Vec<u8>,
    /// Number of bytes from before the text.
    before: usize,
    /// Offsets of the bytes in the text, if anything was removed.
    offsets: Option<Vec<usize>>,
    /// Length of the text.
    length: usize,
}

impl PlainText {
    fn new(text: &str, before: &[u8]) -> Self {
        let mut plain = Self {
            bytes: before.to_vec(),
            before: before.len(),
            offsets: None,
            length: text.len(),
        };
        let Some(sequences) = escape_sequence::pattern_for(text.as_bytes()) else {
            plain.bytes.extend_from_slice(text.as_bytes());
            return plain;
        };
        let mut offsets = Vec::with_capacity(text.len());
        let mut keep = |range: Range<usize>| {
            plain.bytes.extend_from_slice(&text.as_bytes()[range.clone()]);
            offsets.extend(range);
        };
        let mut at = 0;
        for sequence in sequences.find_iter(text.as_bytes()) {
            keep(at..sequence.start());
            at = sequence.end();
        }
        keep(at..text.len());
        plain.offsets = Some(offsets);
        plain
    }

    /// Returns the offset of a byte in the text.
    fn offset(&self, at: usize) -> usize {
        let at = at.saturating_sub(self.before);
        match &self.offsets {
            Some(offsets) => offsets.get(at).copied().unwrap_or(self.length),
            None => at,
        }
    }

    /// Returns the end of the text that can be passed on: the start of what may become
    /// a secret or an escape sequence.
    fn safe_end(&self, redactor: &Redactor, secrets: &[Range<usize>]) -> usize {
        let end = self.incomplete_sequence();
        // A private key with an incomplete end continues; other secrets are complete.
        let last = secrets.iter().rev().find(|secret| secret.end < end);
        let from =
            last.map_or(0, |last| match patterns::find_incomplete(&self.bytes[last.start..end]) {
                Some(0) => last.start,
                _ => last.end,
            });
        let from = from.max(end.saturating_sub(MAX_HELD)).max(self.before).min(end);
        let shape = patterns::find_incomplete(&self.bytes[from..end]).map(|at| from + at);
        let value = redactor.find_incomplete_value(&self.bytes[self.before..end]);
        let value = value.map(|at| self.before + at);
        shape.into_iter().chain(value).min().unwrap_or(end)
    }

    /// Returns the start of an incomplete escape sequence, or the end.
    fn incomplete_sequence(&self) -> usize {
        let end = self.bytes.len();
        let recent = end.saturating_sub(MAX_HELD).max(self.before);
        escape_sequence::find_incomplete(&self.bytes[recent..]).map_or(end, |at| recent + at)
    }

    /// Returns the text up to `cut` with its secrets masked.
    fn masked(&self, text: &str, secrets: &[Range<usize>], cut: usize) -> String {
        let bytes = text.as_bytes();
        let mut masked = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for secret in secrets {
            let start = self.offset(secret.start);
            // A sequence behind the last byte belongs to the next one.
            let last = self.offset(secret.end.min(cut) - 1);
            masked.extend_from_slice(&bytes[at..start.max(at)]);
            masked.extend_from_slice(REDACTED.as_bytes());
            at = last + 1;
        }
        masked.extend_from_slice(&bytes[at..self.offset(cut).max(at)]);
        String::from_utf8(masked)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        Redactor::new([b"hunter2-hunter2".to_vec(), b"hunter2-hunter2-hunter3".to_vec()])
    }

    /// Masks a text that is split at these positions.
    fn in_parts(text: &str, cuts: &[usize]) -> String {
        let redactor = redactor();
        let mut text_redactor = TextRedactor::default();
        let mut masked = String::new();
        let mut at = 0;
        for cut in cuts.iter().copied().chain([text.len()]) {
            masked += &text_redactor.push(&text[at..cut], &redactor);
            at = cut;
        }
        masked + &text_redactor.finish(&redactor)
    }

    const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nabc+/=\n-----END RSA PRIVATE KEY-----";

    /// Texts, and the same texts masked.
    fn texts() -> Vec<(String, String)> {
        let plain = [
            ("key sk-ant-api03-AbC_d-9, done", "key <redacted>, done"),
            ("sk-proj-abc", "<redacted>"),
            ("(sk-abcdefghijklmnopqrstuvwx)", "(<redacted>)"),
            ("rk_live_0123456789abcdef.", "<redacted>."),
            ("Authorization: Bearer abc.def-123\nnext", "Authorization: <redacted>\nnext"),
            ("header bearer abcdefghijklmnop", "header <redacted>"),
            ("eyJhbGciOiJI.eyJzdWIiOiIx.abc x", "<redacted> x"),
            ("ghp_abcdefghij0 and glpat-abcdefghij1", "<redacted> and <redacted>"),
            ("AKIAIOSFODNN7EXAMPLE", "<redacted>"),
            ("it was hunter2-HUNTER2!", "it was <redacted>!"),
            ("hunter2-hunter2-hunter3.", "<redacted>."),
            ("OPENAI_API_KEY=abc12345 rest", "OPENAI_API_KEY=<redacted> rest"),
            ("x-api-key: 'abcdefgh1'", "x-api-key: '<redacted>'"),
            (r#"{\"password\" : \"pa55word!\"}"#, r#"{\"password\" : \"<redacted>\"}"#),
            ("password=abcsecret=1234567890", "password=<redacted>"),
            ("password: mysecret: abcd1234", "password: mysecret: <redacted>"),
            ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic <redacted>"),
            (
                "git clone https://me:hunter2@host/x.git",
                "git clone https://me:<redacted>@host/x.git",
            ),
            ("sk-\u{1b}[1mant-api03\u{1b}[0m-AAAA\u{1b}[m end", "<redacted>\u{1b}[m end"),
            (r"a\nsk-ant-api03-AbC\ttab", r"a\n<redacted>\ttab"),
            ("é sk-ant-a 世界 ghu_0123456789 é", "é <redacted> 世界 <redacted> é"),
        ];
        let mut texts: Vec<_> =
            plain.into_iter().map(|(text, masked)| (text.to_owned(), masked.to_owned())).collect();
        texts.push((format!("a {KEY}\nand more words"), "a <redacted>\nand more words".to_owned()));
        texts.push((KEY.replace('\n', "\\n") + ".", "<redacted>.".to_owned()));
        texts.push((KEY[..50].to_owned() + ".", "<redacted>.".to_owned()));
        texts
    }

    #[test]
    fn only_secrets_are_masked() {
        for (text, masked) in texts() {
            assert_eq!(redactor().mask(&text), masked);
        }
    }

    #[test]
    fn secret_is_masked_wherever_its_text_is_split() {
        for (text, masked) in texts() {
            let cuts: Vec<usize> =
                (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            assert_eq!(in_parts(&text, &cuts), masked, "every character");
            for (at, first) in cuts.iter().enumerate() {
                assert_eq!(in_parts(&text, &[*first]), masked, "{first}");
                for second in cuts.iter().skip(at).take(24) {
                    assert_eq!(in_parts(&text, &[*first, *second]), masked, "{first} {second}");
                }
            }
        }
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        for text in [
            "",
            "Missing bearer or basic authentication in header",
            "task-skills are loaded, mask-proj-ect too",
            "the ask-anything skill",
            "risk-adjusted disk-usage report for desk-1234567890-abcdefghij",
            "let password: String = prompt()?; secret: SecretString, apiKey: process.env.API_KEY",
            "Authorization: required. Password: see below",
            "apiKeySource: ANTHROPIC_API_KEY, \"apiKeySource\":\"none\"",
            "max_tokens: 1234567890123, input_tokens=99999999",
            "0199a213-81c0-7800-8aa1-bbab2a035a53 msg_01AbCdEfGh toolu_01AbCdEfGhIjKl",
            "commit 3f2b8c1e94d74a528f105b6c7d8e9fa03f2b8c1e",
            "std::io::Error https://example.com:8080/a@b http://[::1]:80/",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
            "-------------- a rule",
            "asia-southeast1 Asiapacificregions1234",
            "\u{1b}[31mred\u{1b}[0m and \u{1b} alone",
        ] {
            assert_eq!(redactor().mask(text), text);
            let cuts: Vec<usize> =
                (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            assert_eq!(in_parts(text, &cuts), text);
        }
    }

    #[test]
    fn ordinary_text_is_not_held_back() {
        let redactor = redactor();
        let mut text = TextRedactor::default();
        assert_eq!(text.push("Hello, I will look", &redactor), "Hello, I will look");
        assert_eq!(text.push(" at it: s", &redactor), " at it: ");
        assert_eq!(text.push("it", &redactor), "sit");
        assert_eq!(text.push(".\n", &redactor), ".\n");
    }

    #[test]
    fn endless_secret_is_not_held_back() {
        let redactor = redactor();
        let mut text = TextRedactor::default();
        let mut masked = text.push("x sk-ant-", &redactor);
        for _ in 0..1000 {
            masked += &text.push(&"a1".repeat(100), &redactor);
            assert!(text.held.len() <= MAX_HELD);
        }
        masked += &text.push("a1 and then", &redactor);
        masked += &text.finish(&redactor);
        assert_eq!(masked, "x <redacted> and then");
        // Text that only starts like a secret is passed on in the end.
        let mut masked = text.push("-----begin ", &redactor);
        for _ in 0..1000 {
            masked += &text.push(&"word ".repeat(40), &redactor);
            assert!(text.held.len() <= MAX_HELD);
        }
        masked += &text.finish(&redactor);
        assert_eq!(masked.len(), 11 + 1000 * 200);
    }
}
