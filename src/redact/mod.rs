//! Detects and masks secrets.
//!
//! A line on standard error that contains or announces a secret is replaced as a
//! whole. In a stream (`--redact`) each secret is masked before its line is
//! decoded, so that nothing derived from the line can contain it.

mod clean;
mod copy;
pub(crate) mod escape_sequence;
mod key_block;
mod line;
mod log;
mod names;
mod plausible;
mod rules;
mod search;
mod text;
mod trigrams;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use regex::bytes::Regex;

use crate::harness::Harness;
use names::is_secret_name;
use plausible::is_secret_value;
use search::{Found, Patterns, Secret};

pub(crate) use copy::CopyRedactor;
pub(crate) use line::{LineCheck, LineEffect, LineRedactor};
pub(crate) use log::LogRedactor;
pub(crate) use text::TextRedactor;

/// Replaces a line that contains a secret.
pub(crate) const REDACTED_LINE: &str = "<line redacted: matched auth-leak pattern>";

/// Replaces a secret.
pub(crate) const REDACTED: &str = "<redacted>";

/// Words that announce a secret on standard error.
static LEAK_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let own = Harness::ALL.iter().flat_map(|harness| harness.adapter().program.leak_words);
    let words: Vec<_> =
        ["api_key", "authorization"].iter().chain(own).map(|word| regex::escape(word)).collect();
    Regex::new(&format!("(?i-u){}", words.join("|"))).ok()
});

/// What is detected without values of variables and own patterns.
static RULES_ONLY: LazyLock<Arc<Patterns>> =
    LazyLock::new(|| Arc::new(Patterns::new(&[], Vec::new())));

/// Detects and masks secrets.
#[derive(Clone, Debug)]
pub(crate) struct Redactor {
    patterns: Arc<Patterns>,
    /// Number of secrets by rule.
    counts: Arc<Mutex<BTreeMap<&'static str, u64>>>,
}

impl Default for Redactor {
    fn default() -> Self {
        Self { patterns: Arc::clone(&RULES_ONLY), counts: Arc::default() }
    }
}

impl Redactor {
    /// Detects what the rules describe, these values, and what `own` matches.
    pub fn new(values: impl IntoIterator<Item = Vec<u8>>, own: Vec<Regex>) -> Self {
        let mut values: Vec<_> = values.into_iter().filter(|value| !value.is_empty()).collect();
        // In a line of JSON some characters are escaped.
        let escaped = |value: &Vec<u8>| {
            let text = str::from_utf8(value).ok()?;
            let json = serde_json::to_string(text).ok()?;
            (json.len() != text.len() + 2).then(|| json.as_bytes()[1..json.len() - 1].to_vec())
        };
        let escaped: Vec<_> = values.iter().filter_map(escaped).collect();
        values.extend(escaped);
        if values.is_empty() && own.is_empty() {
            return Self::default();
        }
        Self { patterns: Arc::new(Patterns::new(&values, own)), counts: Arc::default() }
    }

    /// Detects what the rules describe, what `own` matches, and the values of variables
    /// with the name of a secret.
    pub fn of_variables<T: AsRef<OsStr>>(
        variables: impl IntoIterator<Item = (T, T)>,
        own: &[Regex],
    ) -> Self {
        let secrets = variables.into_iter().filter_map(|(name, value)| {
            let value = value.as_ref().as_encoded_bytes();
            let is_named = is_secret_variable(&name.as_ref().to_string_lossy())?;
            is_secret_value(value, is_named).then(|| value.to_vec())
        });
        Self::new(secrets, own.to_vec())
    }

    /// Masks the secrets in a text.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_split = text.as_bytes().contains(&0x1b);
        if !is_split && self.search(text.as_bytes(), 0).secrets.is_empty() {
            return Cow::Borrowed(text);
        }
        let masked = TextRedactor::whole(text).finish(self);
        if masked == text { Cow::Borrowed(text) } else { Cow::Owned(masked) }
    }

    /// Returns whether a line on standard error contains or announces a secret that
    /// makes all of it unfit to print.
    pub fn leaks(&self, line: &[u8]) -> bool {
        // Without the pattern everything is redacted.
        let announces = |line: &[u8]| LEAK_WORDS.as_ref().is_none_or(|words| words.is_match(line));
        let plain = escape_sequence::strip(line);
        announces(line) || announces(&plain) || self.has_token(line) || self.has_token(&plain)
    }

    /// Returns whether a text contains a secret that is recognised by itself.
    pub fn has_token(&self, text: &[u8]) -> bool {
        self.search(text, 0).secrets.iter().any(|secret| secret.is_token)
    }

    /// Masks the secrets in the arguments of a command.
    pub fn mask_arguments(&self, arguments: &[OsString]) -> Vec<String> {
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let options = std::iter::once("").chain(words.iter().map(AsRef::as_ref));
        let pairs = options.zip(&words);
        pairs.map(|(option, word)| self.mask_argument(option, word)).collect()
    }

    /// Masks an argument that follows another one, which may be an option.
    fn mask_argument(&self, option: &str, word: &str) -> String {
        let is_option = option.starts_with('-') && !option.contains('=') && !word.starts_with('-');
        let is_named = || option.starts_with("--") && is_secret_name(option).is_some();
        // `-u user:password` is a secret for some commands.
        let is_pair = || {
            let pair = format!("curl {option} {word}");
            self.mask(&pair) != pair
        };
        match self.mask(word) {
            _ if self.has_token(word.as_bytes()) => REDACTED.to_owned(),
            Cow::Borrowed(_) if is_option && (is_named() || is_pair()) => REDACTED.to_owned(),
            masked => masked.into_owned(),
        }
    }

    /// Returns whether a line of JSON contains a secret, and counts what it contains. A
    /// secret that continues on other lines is not found.
    pub fn finds_secret(&self, line: &[u8]) -> bool {
        matches!(line::masked_json(line, self), Cow::Owned(_))
    }

    /// Returns the number of secrets that were masked or found, by rule.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(rule, count)| (*rule, *count)).collect()
    }

    fn search(&self, text: &[u8], start: usize) -> Found {
        self.patterns.search(text, start)
    }

    fn search_part(&self, text: &[u8], start: usize) -> Found {
        self.patterns.search_part(text, start)
    }

    /// Returns whether a part of a text, behind `before`, neither contains nor starts
    /// anything that may be part of a secret.
    fn is_harmless(&self, before: &[u8], text: &[u8]) -> bool {
        self.patterns.is_harmless(before, text)
    }

    /// Returns whether a line of JSON certainly has no secret.
    fn is_clean(&self, line: &[u8]) -> bool {
        self.patterns.is_clean(line)
    }

    fn count(&self, secrets: &[Secret]) {
        for secret in secrets {
            self.count_rule(secret.rule);
        }
    }

    fn count_rule(&self, rule: &'static str) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(rule).or_default() += 1;
    }
}

/// Returns whether the last word of a variable's name, or else another one, is that of a
/// secret.
fn is_secret_variable(variable: &str) -> Option<bool> {
    const WORDS: &[&str] = &[
        "KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASS",
        "PASSPHRASE",
        "PWD",
        "CREDENTIAL",
    ];
    let name = variable.to_ascii_uppercase();
    let last = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_' || c == 'S');
    let is_pass = |word: &&&str| matches!(**word, "PASS" | "PWD");
    let is_named = WORDS.iter().any(|word| last.ends_with(word.trim_end_matches('S')));
    let is_directory = matches!(name.as_str(), "PWD" | "OLDPWD");
    let mut others = WORDS.iter().filter(|word| !is_pass(word));
    if is_named && !is_directory {
        Some(true)
    } else {
        others.any(|word| name.contains(word)).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_detected_in_any_case() {
        let redactor = Redactor::new([b"hunter2-hunter2".to_vec()], Vec::new());
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
        let redactor = Redactor::default();
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
            assert_eq!(is_secret_variable(name), Some(true), "{name}");
        }
        for name in ["HOME", "PATH", "SSH_AUTH_SOCK", "LANG", "PWD", "OLDPWD"] {
            assert_eq!(is_secret_variable(name), None, "{name}");
        }
    }

    #[test]
    fn variable_with_a_common_word_masks_nothing() {
        let redactor = |name, value| Redactor::of_variables([(name, value)], &[]);
        for (name, value) in [
            ("SECRET_BACKEND", "github"),
            ("SECRET_BACKEND", "aws-secrets-manager"),
            ("KEY_FILE", "/etc/keys/app1.pem"),
            ("API_KEY", "none"),
            ("API_KEY", "disabled"),
            ("TOKEN", "xxxxxxxxxxxx"),
            ("DB_PASSWORD", ""),
        ] {
            let text = format!("it is {value}.");
            assert_eq!(redactor(name, value).mask(&text), text, "{name}");
        }
        for (name, value) in [
            ("DB_PASSWORD", "hunter2"),
            ("DB_PASS", "correct horse battery staple"),
            ("ADMIN_PWD", "opensesame"),
            ("SECRET_FOR_DEPLOYS", "q8Zk3vT0pLx9"),
        ] {
            let text = format!("it is {value}.");
            assert_eq!(redactor(name, value).mask(&text), "it is <redacted>.", "{name}");
        }
    }
}
