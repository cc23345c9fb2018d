//! Secrets, kept out of what is printed.
//!
//! Two ways: a line of a program's standard error that has a secret, or
//! announces one, is replaced whole; in a stream (`--redact`) each secret is
//! masked where it stands, before anybody reads its line, so that whatever is
//! made of the line (text, records, a page, a record in a file) cannot show it.

mod lines;
mod patterns;
mod text;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

pub use lines::LineMask;
pub use text::TextMask;

/// What stands in the place of a line with a secret.
pub const REDACTED_LINE: &str = "<line redacted: matched auth-leak pattern>";

/// What stands in the place of a secret.
pub const REDACTED: &str = "<redacted>";

/// Values shorter than this are too common to be recognised.
const SECRET_LENGTH: usize = 6;

/// Words that announce a secret.
static WORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("(?i-u)api_key|authorization|codex_home=").ok());

/// Colours and the like, which may stand in the middle of anything.
static SEQUENCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-Z\\^-~])").ok()
});

/// One of them that is not complete.
static BEGUN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)\x1b(\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[ -/]*)?$").ok());

/// Recognises secrets.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Values that must not be seen, in lower case.
    values: Vec<Vec<u8>>,
}

impl Redactor {
    /// Recognises the known patterns, and these very values.
    pub fn new(secrets: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let values = secrets.into_iter().filter(|value| value.len() >= SECRET_LENGTH);
        Self { values: values.map(|value| value.to_ascii_lowercase()).collect() }
    }

    /// Recognises the values of the variables that are likely to hold secrets.
    pub fn of_variables<T: AsRef<OsStr>>(variables: impl IntoIterator<Item = (T, T)>) -> Self {
        let secret = |name: &T| names_a_secret(&name.as_ref().to_string_lossy());
        let secrets = variables.into_iter().filter(|(name, _)| secret(name));
        Self::new(secrets.map(|(_, value)| value.as_ref().as_encoded_bytes().to_vec()))
    }

    /// A text without its secrets.
    #[must_use]
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if patterns::is_innocent(text.as_bytes()) && !self.may_differ(text.as_bytes()) {
            return Cow::Borrowed(text);
        }
        let masked = TextMask::whole(text).end(self);
        if masked == text { Cow::Borrowed(text) } else { Cow::Owned(masked) }
    }

    /// Whether nothing in a line of JSON can be a secret, as far as its spelling
    /// tells.
    fn passes(&self, line: &[u8]) -> bool {
        // Escapes that may stand in the middle of one.
        let hidden = memmem::find(line, b"\\u").is_some() || memmem::find(line, b"\\/").is_some();
        let spelled =
            |value: &Vec<u8>| value.iter().any(|byte| matches!(byte, b'"' | b'\\' | ..0x20));
        let spelled = self.values.iter().any(spelled);
        !hidden && !spelled && patterns::is_innocent(line) && !self.may_differ(line)
    }

    /// Whether a text has one of the values, or sequences in between.
    fn may_differ(&self, text: &[u8]) -> bool {
        text.contains(&0x1b) || !self.values.is_empty() && self.has_value(text)
    }

    /// Whether a line has a secret, or announces one.
    #[must_use]
    pub fn leaks(&self, line: &[u8]) -> bool {
        let announced = |line: &[u8]| matches(&WORDS, line);
        self.has_secret(line) || announced(line) || announced(&without_sequences(line))
    }

    /// Whether a line has a secret.
    #[must_use]
    pub fn has_secret(&self, line: &[u8]) -> bool {
        self.has_plain_secret(line) || {
            let plain = without_sequences(line);
            plain.len() < line.len() && self.has_plain_secret(&plain)
        }
    }

    /// Where the secrets in a text are, one behind the other.
    fn secrets(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = patterns::secrets(text);
        if !self.values.is_empty() {
            let text = text.to_ascii_lowercase();
            for value in &self.values {
                let places = memmem::find_iter(&text, value);
                found.extend(places.map(|at| at..at + value.len()));
            }
        }
        merged(found)
    }

    /// Where at its end one of the values may have begun.
    fn value_begun(&self, text: &[u8]) -> Option<usize> {
        let begun = self.values.iter().filter_map(|value| {
            let longest = text.len().min(value.len() - 1);
            (text.len() - longest..text.len())
                .find(|at| value[..text.len() - at].eq_ignore_ascii_case(&text[*at..]))
        });
        begun.min()
    }

    fn has_plain_secret(&self, line: &[u8]) -> bool {
        patterns::has_token(line) || !self.values.is_empty() && self.has_value(line)
    }

    fn has_value(&self, text: &[u8]) -> bool {
        let text = text.to_ascii_lowercase();
        self.values.iter().any(|value| memmem::find(&text, value).is_some())
    }
}

/// The same ranges in order, those that overlap as one.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Better too much redacted than too little.
fn matches(pattern: &LazyLock<Option<Regex>>, line: &[u8]) -> bool {
    pattern.as_ref().is_none_or(|pattern| pattern.is_match(line))
}

fn without_sequences(line: &[u8]) -> Cow<'_, [u8]> {
    match SEQUENCES.as_ref() {
        Some(sequences) if line.contains(&0x1b) => sequences.replace_all(line, b"".as_slice()),
        _ => Cow::Borrowed(line),
    }
}

/// Whether a variable of this name is likely to hold a secret.
#[must_use]
pub fn names_a_secret(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_recognised_in_any_case() {
        let redactor = Redactor::new([b"hunter2-hunter2".to_vec(), b"short".to_vec()]);
        for line in [
            "OPENAI_API_KEY=x",
            "Codex_Api_Key=y",
            "codex_home=/root/.codex",
            "ANTHROPIC_API_KEY is missing",
            "authorization: Basic abc",
            "key sk-ant-api03-abcdefgh",
            "key sk-proj-abcdefgh",
            "sk-abcdefghijklmnopqrstuvwx",
            "header Bearer abcdefghijklmnop1234",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
            "ghp_abcdefghijklmnopqrst",
            "it was hunter2-hunter2!",
            "it was HUNTER2-hunter2!",
            "Bearer abc123",
            "sk-ant-abc",
            "token_sk-proj-abcdefgh",
            "\x1b[31msk-ant-api03-AAAABBBBCCCCDDDD\x1b[0m",
            "\x1b[1mghp_abcdefghijklmnopqrst",
            "sk-\x1b[1mant-api03\x1b[0m-AAAABBBB",
            "api\x1b[1m_key: x",
            r#"{"m":"header\nsk-ant-api03-AAAABBBB"}"#,
        ] {
            assert!(redactor.leaks(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn ordinary_lines_pass() {
        let redactor = Redactor::new([b"short".to_vec()]);
        for line in [
            "Reading prompt from stdin...",
            "a short line",
            "Missing bearer or basic authentication in header",
            "task-skills are loaded",
            "mask-proj-ect",
            "",
        ] {
            assert!(!redactor.leaks(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn secret_variables_are_known_by_their_names() {
        for name in ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "db_password", "AWS_SECRET_ACCESS_KEY"] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in ["HOME", "PATH", "SSH_AUTH_SOCK", "LANG"] {
            assert!(!names_a_secret(name), "{name}");
        }
    }
}
