//! Detects and masks secrets.
//!
//! A line on standard error that contains or announces a secret is replaced as a
//! whole. In a stream (`--redact`) each secret is masked before its line is
//! decoded, so that nothing derived from the line can contain it.

pub(crate) mod escape_sequence;
mod line;
mod patterns;
mod text;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use crate::harness::Harness;

pub(crate) use line::LineRedactor;
pub(crate) use text::TextRedactor;

/// Replaces a line that contains a secret.
pub(crate) const REDACTED_LINE: &str = "<line redacted: matched auth-leak pattern>";

/// Replaces a secret.
pub(crate) const REDACTED: &str = "<redacted>";

/// Shorter values are too common to be secrets.
const MIN_SECRET: usize = 6;

/// Words that announce a secret on standard error.
static LEAK_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let own = Harness::ALL.iter().flat_map(|harness| harness.adapter().program.leak_words);
    let words: Vec<_> =
        ["api_key", "authorization"].iter().chain(own).map(|word| regex::escape(word)).collect();
    Regex::new(&format!("(?i-u){}", words.join("|"))).ok()
});

/// Detects and masks secrets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redactor {
    /// Values that are secret, in lower case.
    values: Vec<Vec<u8>>,
}

impl Redactor {
    /// Detects the known patterns and these values.
    pub fn new(secrets: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let values = secrets.into_iter().filter(|value| value.len() >= MIN_SECRET);
        Self { values: values.map(|value| value.to_ascii_lowercase()).collect() }
    }

    /// Detects the known patterns and the values of variables with the name of a
    /// secret.
    pub fn of_variables<T: AsRef<OsStr>>(variables: impl IntoIterator<Item = (T, T)>) -> Self {
        let secret = |name: &T| is_secret_variable(&name.as_ref().to_string_lossy());
        let secrets = variables.into_iter().filter(|(name, _)| secret(name));
        Self::new(secrets.map(|(_, value)| value.as_ref().as_encoded_bytes().to_vec()))
    }

    /// Masks the secrets in a text.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if patterns::is_clean(text.as_bytes()) && !self.may_differ(text.as_bytes()) {
            return Cow::Borrowed(text);
        }
        let masked = TextRedactor::whole(text).finish(self);
        if masked == text { Cow::Borrowed(text) } else { Cow::Owned(masked) }
    }

    /// Returns whether a line of JSON certainly has no secret.
    fn is_clean(&self, line: &[u8]) -> bool {
        // An escape may split a secret.
        let has_escape =
            memmem::find(line, b"\\u").is_some() || memmem::find(line, b"\\/").is_some();
        let is_escaped =
            |value: &Vec<u8>| value.iter().any(|byte| matches!(byte, b'"' | b'\\' | ..0x20));
        !has_escape
            && !self.values.iter().any(is_escaped)
            && patterns::is_clean(line)
            && !self.may_differ(line)
    }

    /// Returns whether a text has one of the values, or an escape sequence.
    fn may_differ(&self, text: &[u8]) -> bool {
        text.contains(&0x1b) || !self.values.is_empty() && self.has_value(text)
    }

    /// Returns whether a line contains or announces a secret.
    pub fn leaks(&self, line: &[u8]) -> bool {
        // Without the pattern everything is redacted.
        let announces = |line: &[u8]| LEAK_WORDS.as_ref().is_none_or(|words| words.is_match(line));
        self.has_secret(line) || announces(line) || announces(&escape_sequence::strip(line))
    }

    /// Returns whether a line contains a secret.
    pub fn has_secret(&self, line: &[u8]) -> bool {
        self.has_plain_secret(line) || {
            let plain = escape_sequence::strip(line);
            plain.len() < line.len() && self.has_plain_secret(&plain)
        }
    }

    /// Returns the ranges of the secrets in a text, in order.
    fn secrets(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = patterns::secrets(text);
        if !self.values.is_empty() {
            let text = text.to_ascii_lowercase();
            for value in &self.values {
                let starts = memmem::find_iter(&text, value);
                found.extend(starts.map(|at| at..at + value.len()));
            }
        }
        merged(found)
    }

    /// Returns where at the end of a text one of the values may start.
    fn find_incomplete_value(&self, text: &[u8]) -> Option<usize> {
        let starts = self.values.iter().filter_map(|value| {
            let longest = text.len().min(value.len() - 1);
            (text.len() - longest..text.len())
                .find(|at| value[..text.len() - at].eq_ignore_ascii_case(&text[*at..]))
        });
        starts.min()
    }

    fn has_plain_secret(&self, line: &[u8]) -> bool {
        patterns::has_token(line) || !self.values.is_empty() && self.has_value(line)
    }

    fn has_value(&self, text: &[u8]) -> bool {
        let text = text.to_ascii_lowercase();
        self.values.iter().any(|value| memmem::find(&text, value).is_some())
    }
}

/// Sorts ranges and merges those that overlap.
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

/// Returns whether a variable of this name probably holds a secret.
fn is_secret_variable(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_detected_in_any_case() {
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
    fn ordinary_lines_are_kept() {
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
    fn secret_variables_are_detected_by_name() {
        for name in ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "db_password", "AWS_SECRET_ACCESS_KEY"] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in ["HOME", "PATH", "SSH_AUTH_SOCK", "LANG"] {
            assert!(!is_secret_variable(name), "{name}");
        }
    }
}
