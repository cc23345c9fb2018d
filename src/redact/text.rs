//! Masks a text that may come in pieces, however it is cut: what could be the
//! beginning of a secret is kept until it is known what it is.

use std::ops::Range;

use super::{BEGUN, REDACTED, Redactor, SEQUENCES, patterns};

/// No more is kept back: what goes on longer and is a secret so far is one to
/// the next space.
const MOST_HELD: usize = 16 << 10;

/// So many bytes before a secret tell whether it begins there.
const CONTEXT: usize = 2;

/// A text on its way.
#[derive(Clone, Debug, Default)]
pub struct TextMask {
    /// What may be the beginning of a secret.
    held: String,
    /// The end of what came before it.
    before: Vec<u8>,
    /// In a secret without end.
    inside: bool,
}

impl TextMask {
    /// A text that comes at once.
    pub(super) fn whole(text: &str) -> Self {
        Self { held: text.to_owned(), ..Self::default() }
    }

    /// More of the text: what of it can be shown.
    #[must_use]
    pub fn push(&mut self, text: &str, redactor: &Redactor) -> String {
        let text = self.behind_secret(text);
        self.held.push_str(text);
        self.show(redactor, false)
    }

    /// The rest, when nothing follows.
    #[must_use]
    pub fn end(&mut self, redactor: &Redactor) -> String {
        let rest = self.show(redactor, true);
        *self = Self::default();
        rest
    }

    /// Whether something is kept back.
    #[must_use]
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// What follows the secret whose beginning has been masked.
    fn behind_secret<'t>(&mut self, text: &'t str) -> &'t str {
        if !self.inside {
            return text;
        }
        let rest = text.trim_start_matches(|c: char| !c.is_whitespace());
        self.inside = rest.is_empty();
        rest
    }

    fn show(&mut self, redactor: &Redactor, ended: bool) -> String {
        let plain = Plain::of(&self.held, &self.before);
        let mut secrets = redactor.secrets(&plain.bytes);
        let end = plain.bytes.len();
        let mut cut = if ended { end } else { plain.cut(redactor, &secrets) };
        // One that ends here may go on.
        let open = |secret: &&Range<usize>| secret.start < cut && cut <= secret.end && !ended;
        if let Some(open) = secrets.iter().find(open) {
            cut = open.start;
        }
        if end - cut > MOST_HELD {
            self.inside = secrets.last().is_some_and(|last| last.end == end);
            cut = end;
        }
        secrets.retain(|secret| secret.start < cut);
        let shown = plain.masked(&self.held, &secrets, cut);
        self.held.drain(..plain.place(cut));
        let context = cut.saturating_sub(CONTEXT);
        self.before = plain.bytes[context..cut].to_vec();
        shown
    }
}

/// A text without colours and the like, which may stand in the middle of a
/// secret, behind the end of what came before it.
struct Plain {
    bytes: Vec<u8>,
    /// How much of it came before.
    before: usize,
    /// Where its bytes stand in the text, if anything was left out.
    places: Option<Vec<usize>>,
    /// The length of the text.
    length: usize,
}

impl Plain {
    fn of(text: &str, before: &[u8]) -> Self {
        let mut plain =
            Self { bytes: before.to_vec(), before: before.len(), places: None, length: text.len() };
        let sequences = SEQUENCES.as_ref().filter(|_| text.contains('\x1b'));
        let Some(sequences) = sequences else {
            plain.bytes.extend_from_slice(text.as_bytes());
            return plain;
        };
        let mut places = Vec::with_capacity(text.len());
        let mut keep = |range: Range<usize>| {
            plain.bytes.extend_from_slice(&text.as_bytes()[range.clone()]);
            places.extend(range);
        };
        let mut at = 0;
        for sequence in sequences.find_iter(text.as_bytes()) {
            keep(at..sequence.start());
            at = sequence.end();
        }
        keep(at..text.len());
        plain.places = Some(places);
        plain
    }

    /// Where a byte of it stands in the text.
    fn place(&self, at: usize) -> usize {
        let at = at.saturating_sub(self.before);
        match &self.places {
            Some(places) => places.get(at).copied().unwrap_or(self.length),
            None => at,
        }
    }

    /// How far it can be shown: up to what may be the beginning of a secret, or
    /// of a sequence.
    fn cut(&self, redactor: &Redactor, secrets: &[Range<usize>]) -> usize {
        let end = self.sequence_begun();
        // A key whose end has begun is not complete; any other secret is.
        let last = secrets.iter().rev().find(|secret| secret.end < end);
        let from = last.map_or(0, |last| match patterns::open(&self.bytes[last.start..end]) {
            Some(0) => last.start,
            _ => last.end,
        });
        let from = from.max(end.saturating_sub(MOST_HELD)).max(self.before).min(end);
        let shape = patterns::open(&self.bytes[from..end]).map(|at| from + at);
        let value = redactor.value_begun(&self.bytes[self.before..end]);
        let value = value.map(|at| self.before + at);
        shape.into_iter().chain(value).min().unwrap_or(end)
    }

    /// Where a sequence begins that is not complete; the end, if none does.
    fn sequence_begun(&self) -> usize {
        let end = self.bytes.len();
        let recent = end.saturating_sub(MOST_HELD).max(self.before);
        let begun = BEGUN.as_ref().and_then(|begun| begun.find(&self.bytes[recent..]));
        begun.map_or(end, |begun| recent + begun.start())
    }

    /// The text up to `cut` with its secrets masked.
    fn masked(&self, text: &str, secrets: &[Range<usize>], cut: usize) -> String {
        let bytes = text.as_bytes();
        let mut shown = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for secret in secrets {
            let start = self.place(secret.start);
            // What stands between its last byte and the next belongs to that.
            let last = self.place(secret.end.min(cut) - 1);
            shown.extend_from_slice(&bytes[at..start.max(at)]);
            shown.extend_from_slice(REDACTED.as_bytes());
            at = last + 1;
        }
        shown.extend_from_slice(&bytes[at..self.place(cut).max(at)]);
        String::from_utf8(shown)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        Redactor::new([b"hunter2-hunter2".to_vec(), b"hunter2-hunter2-hunter3".to_vec()])
    }

    /// A text in pieces, cut at these places.
    fn in_pieces(text: &str, cuts: &[usize]) -> String {
        let redactor = redactor();
        let mut mask = TextMask::default();
        let mut shown = String::new();
        let mut at = 0;
        for cut in cuts.iter().copied().chain([text.len()]) {
            shown += &mask.push(&text[at..cut], &redactor);
            at = cut;
        }
        shown + &mask.end(&redactor)
    }

    const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nabc+/=\n-----END RSA PRIVATE KEY-----";

    /// Texts, and what they are without their secrets.
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
            plain.into_iter().map(|(text, shown)| (text.to_owned(), shown.to_owned())).collect();
        texts.push((format!("a {KEY}\nand more words"), "a <redacted>\nand more words".to_owned()));
        texts.push((KEY.replace('\n', "\\n") + ".", "<redacted>.".to_owned()));
        texts.push((KEY[..50].to_owned() + ".", "<redacted>.".to_owned()));
        texts
    }

    #[test]
    fn secrets_are_masked_and_nothing_else() {
        for (text, shown) in texts() {
            assert_eq!(redactor().mask(&text), shown);
        }
    }

    #[test]
    fn a_secret_is_masked_wherever_its_text_is_cut() {
        for (text, shown) in texts() {
            let cuts: Vec<usize> =
                (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            assert_eq!(in_pieces(&text, &cuts), shown, "letter by letter");
            for (at, first) in cuts.iter().enumerate() {
                assert_eq!(in_pieces(&text, &[*first]), shown, "{first}");
                for second in cuts.iter().skip(at).take(24) {
                    assert_eq!(in_pieces(&text, &[*first, *second]), shown, "{first} {second}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_secret_passes() {
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
            assert_eq!(in_pieces(text, &cuts), text);
        }
    }

    #[test]
    fn what_cannot_be_a_secret_does_not_wait() {
        let redactor = redactor();
        let mut mask = TextMask::default();
        assert_eq!(mask.push("Hello, I will look", &redactor), "Hello, I will look");
        assert_eq!(mask.push(" at it: s", &redactor), " at it: ");
        assert_eq!(mask.push("it", &redactor), "sit");
        assert_eq!(mask.push(".\n", &redactor), ".\n");
    }

    #[test]
    fn a_secret_without_end_is_not_kept() {
        let redactor = redactor();
        let mut mask = TextMask::default();
        let mut shown = mask.push("x sk-ant-", &redactor);
        for _ in 0..1000 {
            shown += &mask.push(&"a1".repeat(100), &redactor);
            assert!(mask.held.len() <= MOST_HELD);
        }
        shown += &mask.push("a1 and then", &redactor);
        shown += &mask.end(&redactor);
        assert_eq!(shown, "x <redacted> and then");
        // What only begins like one is shown after a while.
        let mut shown = mask.push("-----begin ", &redactor);
        for _ in 0..1000 {
            shown += &mask.push(&"word ".repeat(40), &redactor);
            assert!(mask.held.len() <= MOST_HELD);
        }
        shown += &mask.end(&redactor);
        assert_eq!(shown.len(), 11 + 1000 * 200);
    }
}
