//! Masks a text that arrives in parts. What may be the start of a secret is held
//! back until it is complete.

use std::borrow::Cow;
use std::ops::Range;

use super::key_block::{self, KeyBlock};
use super::rules::ENCODED_KEY;
use super::search::{Found, Secret};
use super::{REDACTED, Redactor, escape_sequence};

/// Maximum size of the text that is held back. A longer secret is masked up to the
/// next space.
const MAX_HELD: usize = 2 << 10;

/// A longer text is searched in pieces of this size, so that what is found in one, which
/// may take several times its length, does not add up.
const PIECE: usize = 64 << 10;

/// Bytes before a secret that its rules look at.
const CONTEXT: usize = key_block::MAX_PREFIX;

/// Masks one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextRedactor {
    /// What may be the start of a secret, or the last line of a private key.
    held: String,
    /// The last bytes before it.
    before: Vec<u8>,
    inside: Inside,
    /// Bytes of the text before what is held.
    position: usize,
    /// What was masked by the last call.
    masks: Vec<Mask>,
}

/// A part of a text that was masked.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    /// The bytes of the whole text.
    pub(super) range: Range<usize>,
    /// Whether it starts a secret, as opposed to continuing one.
    pub(super) is_start: bool,
}

/// A secret that is masked while its end is not known.
#[derive(Clone, Debug, Default)]
enum Inside {
    #[default]
    Nothing,
    /// It ends at the next space.
    Token,
    /// It ends with the lines that look like a key.
    Key(KeyBlock),
}

impl TextRedactor {
    /// Masks a text that is complete.
    pub(super) fn whole(text: &str, redactor: &Redactor) -> String {
        let (mut whole, mut masked) = (Self::default(), String::with_capacity(text.len()));
        let last = whole.push_pieces(text, redactor, &mut masked);
        whole.held.push_str(last);
        masked + &whole.finish(redactor)
    }

    /// Adds a part of the text and returns what can be passed on.
    pub(crate) fn push<'t>(&mut self, text: &'t str, redactor: &Redactor) -> Cow<'t, str> {
        self.masks.clear();
        let is_plain = self.held.is_empty() && !self.is_inside();
        if is_plain && redactor.is_harmless(&self.before, text.as_bytes()) {
            self.position += text.len();
            self.set_before(text.as_bytes());
            return Cow::Borrowed(text);
        }
        let text = self.after_token(text);
        let mut released = String::new();
        let last = self.push_pieces(text, redactor, &mut released);
        self.held.push_str(last);
        Cow::Owned(released + &self.release(redactor, MAX_HELD, false))
    }

    /// Adds all pieces of a text but the last, which it returns. What is held back has no
    /// limit, since more follows: the result does not depend on where pieces end.
    fn push_pieces<'t>(
        &mut self,
        mut text: &'t str,
        redactor: &Redactor,
        released: &mut String,
    ) -> &'t str {
        loop {
            // What is held back is searched again, so there are twice as many new bytes.
            let size = PIECE.max(2 * self.held.len());
            if text.len() <= size {
                return text;
            }
            let (piece, rest) = text.split_at(text.ceil_char_boundary(size));
            self.held.push_str(piece);
            *released += &self.release(redactor, usize::MAX, false);
            text = rest;
        }
    }

    /// Keeps the last bytes that were passed on.
    fn set_before(&mut self, passed: &[u8]) {
        if passed.len() < CONTEXT {
            let excess = (self.before.len() + passed.len()).saturating_sub(CONTEXT);
            self.before.drain(..excess.min(self.before.len()));
        } else {
            self.before.clear();
        }
        self.before.extend_from_slice(&passed[passed.len().saturating_sub(CONTEXT)..]);
    }

    /// Ends the text and returns the rest.
    pub(crate) fn finish(&mut self, redactor: &Redactor) -> String {
        let rest = self.release(redactor, MAX_HELD, true);
        *self = Self::default();
        rest
    }

    /// Returns the rest of a text that another line interrupts. If it continues within a
    /// secret, so does its mask.
    pub(super) fn interrupt(&mut self, redactor: &Redactor) -> String {
        self.masks.clear();
        let rest = self.release(redactor, MAX_HELD, true);
        let Self { inside, position, masks, .. } = std::mem::take(self);
        *self = Self { inside, position, masks, ..Self::default() };
        rest
    }

    /// Returns what the last call masked, and the number of bytes that are decided.
    pub(super) fn decided(&self) -> (&[Mask], usize) {
        (&self.masks, self.position)
    }

    /// Returns whether text is held back.
    pub(super) fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns whether the text ended in a secret that may continue.
    pub(super) fn is_inside(&self) -> bool {
        !matches!(self.inside, Inside::Nothing)
    }

    /// Returns the part of `text` behind a token that exceeds the limit.
    fn after_token<'t>(&mut self, text: &'t str) -> &'t str {
        if !matches!(self.inside, Inside::Token) {
            return text;
        }
        let rest = text.trim_start_matches(|c: char| !c.is_whitespace());
        self.skip(text.len() - rest.len());
        if !rest.is_empty() {
            self.inside = Inside::Nothing;
        }
        rest
    }

    /// Removes the lines of a private key, and returns whether its end was found.
    fn skip_key(&mut self, is_end: bool) -> bool {
        let Inside::Key(block) = &mut self.inside else { return true };
        let plain = PlainText::new(&self.held, b"");
        let extent = block.extend(&plain.bytes, is_end);
        let length = plain.offset(extent.length);
        self.held.drain(..length);
        self.skip(length);
        if extent.is_complete {
            self.inside = Inside::Nothing;
            self.before = b"-".to_vec();
        }
        extent.is_complete
    }

    /// Counts bytes that continue a secret.
    fn skip(&mut self, length: usize) {
        let range = self.position..self.position + length;
        self.position = range.end;
        if length > 0 {
            self.masks.push(Mask { range, is_start: false });
        }
    }

    fn release(&mut self, redactor: &Redactor, max_held: usize, is_end: bool) -> String {
        if !self.skip_key(is_end) {
            return String::new();
        }
        let plain = PlainText::new(&self.held, &self.before);
        let end = plain.bytes.len();
        // A sequence that is incomplete may be within a secret.
        let complete = if is_end { end } else { plain.incomplete_sequence() };
        let bytes = &plain.bytes[..complete];
        let Found { mut secrets, open, block, .. } = if is_end {
            redactor.search(bytes, plain.before)
        } else {
            redactor.search_part(bytes, plain.before)
        };
        let block = block.filter(|_| !is_end);
        let mut cut = match (&block, open) {
            _ if is_end => end,
            // The first line is masked now, the others when they come.
            (Some((_, lines)), _) => *lines,
            (None, open) => open.unwrap_or(complete),
        };
        if let Some((block, lines)) = block {
            secrets.retain(|secret| secret.range.start < lines);
            self.inside = Inside::Key(block);
        } else if !is_end {
            // A secret that ends here may continue.
            let is_open = |secret: &&Secret| secret.range.start < cut && cut <= secret.range.end;
            if let Some(open) = secrets.iter().find(is_open) {
                cut = open.from;
            }
        }
        let last = secrets.last().filter(|last| last.range.end == end);
        if end - cut > max_held && !matches!(self.inside, Inside::Key(_)) {
            self.inside = match last {
                Some(last) if last.rule == ENCODED_KEY => Inside::Key(KeyBlock::new(b"")),
                Some(_) => Inside::Token,
                None => Inside::Nothing,
            };
            cut = end;
        } else if is_end && last.is_some() {
            self.inside = Inside::Token;
        }
        secrets.retain(|secret| secret.range.start < cut);
        redactor.count(&secrets);
        let released = plain.masked(&self.held, &secrets, cut);
        let ranges = secrets.iter().map(|secret| plain.raw(&secret.range, cut));
        let shifted = |range: Range<usize>| self.position + range.start..self.position + range.end;
        let masks = ranges.map(|range| Mask { range: shifted(range), is_start: true });
        self.masks.extend(masks.collect::<Vec<_>>());
        let decided = plain.offset(cut);
        self.position += decided;
        self.held.drain(..decided);
        let context = cut.saturating_sub(CONTEXT);
        self.before = plain.bytes[context..cut].to_vec();
        if matches!(self.inside, Inside::Key(_)) && !is_end {
            self.skip_key(false);
        }
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

    /// Returns the bytes of a secret in the text.
    fn raw(&self, secret: &Range<usize>, cut: usize) -> Range<usize> {
        // A sequence behind the last byte belongs to the next one.
        self.offset(secret.start)..self.offset(secret.end.min(cut) - 1) + 1
    }

    /// Returns the start of an incomplete escape sequence, or the end.
    fn incomplete_sequence(&self) -> usize {
        let end = self.bytes.len();
        let recent = end.saturating_sub(MAX_HELD).max(self.before);
        escape_sequence::find_incomplete(&self.bytes[recent..]).map_or(end, |at| recent + at)
    }

    /// Returns the text up to `cut` with its secrets masked.
    fn masked(&self, text: &str, secrets: &[Secret], cut: usize) -> String {
        let bytes = text.as_bytes();
        let mut masked = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for Secret { range, .. } in secrets {
            let raw = self.raw(range, cut);
            masked.extend_from_slice(&bytes[at..raw.start.max(at)]);
            masked.extend_from_slice(REDACTED.as_bytes());
            at = raw.end;
        }
        masked.extend_from_slice(&bytes[at..self.offset(cut).max(at)]);
        String::from_utf8(masked)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::redact::rules::RULES;
    use crate::redact::rules::tests::example;

    fn redactor() -> Redactor {
        static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
            Redactor::new(
                [b"hunter2-hunter2".to_vec(), b"hunter2-hunter2-hunter3".to_vec()],
                Vec::new(),
            )
        });
        REDACTOR.clone()
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
            ("Authorization: Bearer abc.def-123\nnext", "Authorization: Bearer <redacted>\nnext"),
            ("header bearer abcdefghijklmnop1", "header bearer <redacted>"),
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
        texts.extend(RULES.iter().map(example));
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

    /// Secrets are longer than what is held back of a text that arrives in parts.
    #[test]
    fn long_text_is_masked_as_in_one_piece() {
        let token = format!("sk-ant-api03-{}", "Ab1_".repeat(1500));
        let key = KEY.replace("abc+/=", &"abc+/=AB\n".repeat(3000));
        for (text, masked) in [
            (format!("a {token} b\n"), "a <redacted> b\n"),
            (format!("a {key}\nand b\n"), "a <redacted>\nand b\n"),
            (format!("é{}\u{1b}[m password=hunter2x ", "é".repeat(1000)), ""),
        ] {
            let masked = if masked.is_empty() {
                text.replace("hunter2x", "<redacted>")
            } else {
                masked.to_owned()
            };
            let count = 3 * PIECE / text.len() + 2;
            let expected = masked.repeat(count);
            assert!(redactor().mask(&text.repeat(count)) == expected, "{}", &text[..20]);
            assert!(in_parts(&text.repeat(count), &[]) == expected, "{}", &text[..20]);
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
            "token = response.data.accessToken; failed (auth): litellm.AuthenticationError: no key",
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
        assert_eq!(text.push("ob", &redactor), "sob");
        assert_eq!(text.push(".\n", &redactor), ".\n");
    }

    #[test]
    fn endless_secret_is_not_held_back() {
        let redactor = redactor();
        let mut text = TextRedactor::default();
        let mut masked = text.push("x sk-ant-", &redactor).into_owned();
        for _ in 0..1000 {
            masked += &text.push(&"a1".repeat(100), &redactor);
            assert!(text.held.len() <= MAX_HELD);
        }
        masked += &text.push("a1 and then", &redactor);
        masked += &text.finish(&redactor);
        assert_eq!(masked, "x <redacted> and then");
        // Text that only starts like a secret is passed on in the end.
        let mut masked = text.push("-----begin ", &redactor).into_owned();
        for _ in 0..1000 {
            masked += &text.push(&"word ".repeat(40), &redactor);
            assert!(text.held.len() <= MAX_HELD);
        }
        masked += &text.finish(&redactor);
        assert_eq!(masked.len(), 11 + 1000 * 200);
    }
}
