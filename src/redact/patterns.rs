//! Patterns of secrets.
//!
//! [`secrets`] finds the secrets in a text, and [`find_incomplete`] what may become
//! one at its end.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

/// Secrets with a typical shape. They start at a word boundary, or behind an escape
/// in a JSON string.
const SHAPES: &[&str] = &[
    r"sk-(?:ant|proj|or|live|test)-[a-z0-9_-]+",
    r"sk-[a-z0-9_-]{20,}",
    r"[sr]k_(?:live|test)_[a-z0-9]{10,}",
    r"bearer\s+[a-z0-9._~+/=-]*[0-9][a-z0-9._~+/=-]*",
    r"bearer\s+[a-z0-9._~+/=-]{16,}",
    r"eyJ[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}\.[a-z0-9_-]*",
    r"(?:gh[opusr]_|github_pat_|glpat-|xox[abprs]-|npm_|pypi-)[a-z0-9_-]{10,}",
    r"(?-i:A[KS]IA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35})",
];

/// Fixed prefixes of those secrets, followed by [`MORE`].
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "rk_",
    "eyj",
    "gho_",
    "ghp_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "npm_",
    "pypi-",
    "akia",
    "asia",
    "aiza",
];
const MORE: &str = "[a-z0-9._~+/=-]*";

/// A private key, complete or without its end.
const PRIVATE_KEY: &str = r"-----begin [a-z0-9 ]{0,40}private key-----(?:[a-z0-9+/=\s\\]*-----end [a-z0-9 ]{0,40}private key-----|[a-z0-9+/=\s\\]*)";

/// Names that are followed by `:` or `=` and a secret.
const NAMES: &[&str] = &[
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "secret_key",
    "secret-key",
    "secretkey",
    "private_key",
    "private-key",
    "privatekey",
    "auth_token",
    "auth-token",
    "authtoken",
    "access_token",
    "access-token",
    "accesstoken",
    "refresh_token",
    "refresh-token",
    "refreshtoken",
    "secret",
    "password",
    "passwd",
    "authorization",
];

const MAX_NAME: usize = "authorization".len();

/// What may be between a name and its value: quotes, escaped or not, around the
/// sign, and an authorization scheme.
const QUOTES: &str = r#"["'\\]{0,4}"#;
const SPACE: &str = r"\s{0,8}";
const SIGN: &str = r"\s{0,8}[:=]\s{0,8}";
const SCHEME: &str = r"(?:basic|token|bearer)\s+";
const VALUE: &str = r"[a-z0-9._~+/=$!@%^*-]";

/// A shorter value, or one without a digit, is a word, a type or a variable.
const MIN_VALUE: usize = 8;

static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = SHAPES.join("|");
    let boundary = r"(?:^|[^a-z0-9]|\\[bfnrt])";
    Regex::new(&format!("(?i-u){boundary}({shapes})|({PRIVATE_KEY})")).ok()
});

static NAMED_VALUES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = NAMES.join("|");
    Regex::new(&format!("(?i-u)(?:{names}){QUOTES}{SIGN}{QUOTES}({SCHEME})?({VALUE}+)")).ok()
});

/// A password in a URL: `https://user:password@host`.
static URL_PASSWORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?-u)://[^/\s:@"'\\]*:([^/\s@"'\\]+)@"#).ok());

static ANY_NAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?i-u){}", NAMES.join("|"))).ok());

static NAME_SUFFIX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?i-u)(?:{})$", NAMES.join("|"))).ok());

static INCOMPLETE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = format!("[:=](?:{SPACE}{QUOTES}(?:{SCHEME})?{VALUE}*)?");
    let name = format!("{QUOTES}(?:{SPACE}(?:{value})?)?");
    let label = r"[a-z0-9 ]*-{0,5}";
    let key = format!(r"{label}[a-z0-9+/=\s\\]*-{{0,5}}{label}");
    let mut open: Vec<_> = PREFIXES.iter().map(|word| prefix_of(word, MORE)).collect();
    open.extend(NAMES.iter().map(|word| prefix_of(word, &name)));
    open.push(prefix_of("bearer", &format!(r"\s*{MORE}")));
    open.push(prefix_of("-----begin ", &key));
    open.push(prefix_of("://", r#"[^/\s@"'\\]*"#));
    Regex::new(&format!("(?i-u)(?:{})$", open.join("|"))).ok()
});

/// Returns a pattern for every prefix of `word`, and for all of it followed by
/// `more`.
fn prefix_of(word: &str, more: &str) -> String {
    word.chars().rev().fold(more.to_owned(), |rest, letter| {
        format!("{}(?:{rest})?", regex::escape(&letter.to_string()))
    })
}

/// Returns the ranges of the secrets in a text.
pub(super) fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (Some(tokens), Some(named), Some(passwords)) =
        (TOKENS.as_ref(), NAMED_VALUES.as_ref(), URL_PASSWORDS.as_ref())
    else {
        // Without the patterns everything is masked.
        return std::iter::once(0..text.len()).collect();
    };
    for captures in tokens.captures_iter(text) {
        found.extend(captures.get(1).or(captures.get(2)).map(|secret| secret.range()));
    }
    let mut at = 0;
    while let Some(captures) = named.captures_at(text, at) {
        let Some(value) = captures.get(2).map(|value| value.range()) else { break };
        if looks_random(&text[value.clone()], captures.get(1).is_some()) {
            at = value.end;
            found.push(value);
        } else {
            // The value may end with another name.
            at = value.end.saturating_sub(MAX_NAME).max(value.start);
        }
    }
    found.extend(passwords.captures_iter(text).filter_map(|all| Some(all.get(1)?.range())));
    found
}

/// Returns whether a text has a secret with a typical shape.
pub(super) fn has_token(text: &[u8]) -> bool {
    TOKENS.as_ref().is_none_or(|tokens| tokens.is_match(text))
}

/// A text up to this length is searched for words in less time than it takes to
/// compile the patterns.
const MAX_SHORT: usize = 1024;

/// Returns whether a text has neither a secret nor the name of one.
pub(super) fn is_clean(text: &[u8]) -> bool {
    if text.len() <= MAX_SHORT && !may_match(text) {
        return true;
    }
    [&TOKENS, &ANY_NAME, &URL_PASSWORDS]
        .iter()
        .all(|pattern| pattern.as_ref().is_some_and(|pattern| !pattern.is_match(text)))
}

/// Returns whether a text has one of the words that every match contains.
fn may_match(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let others = &["bearer", "-----begin ", "://"];
    let mut words = PREFIXES.iter().chain(NAMES).chain(others);
    words.any(|word| memmem::find(&text, word.as_bytes()).is_some())
}

/// Returns whether a member of this name holds a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    NAME_SUFFIX.as_ref().is_none_or(|named| named.is_match(name.as_bytes()))
}

/// Returns where at the end of a text a secret may start that continues.
pub(super) fn find_incomplete(text: &[u8]) -> Option<usize> {
    INCOMPLETE.as_ref().map_or(Some(0), |pattern| pattern.find(text).map(|found| found.start()))
}

/// Returns whether a value is more than a word.
fn looks_random(value: &[u8], is_credential: bool) -> bool {
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let is_mixed = value.iter().skip(1).any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase);
    value.len() >= MIN_VALUE && (has_digit || is_credential && is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_with_a_secret_is_not_clean() {
        let more = "0123456789ABCDEFabcdef0123456789ABCDEFG";
        let prefixes = PREFIXES.iter().map(|word| format!("{word}live_{more}"));
        let names = NAMES.iter().map(|name| format!("{name} = {more}"));
        let others = [
            "Bearer 0123".to_owned(),
            format!("AKIA{}", &more[..16]),
            format!("ASIA{}", &more[..16]),
            format!("AIza{}", &more[..35]),
            format!("eyJhbGciOiJI.{more}.x"),
            "-----BEGIN EC PRIVATE KEY-----".to_owned(),
            "ftp://me:mine@host".to_owned(),
        ];
        for text in prefixes.chain(names).chain(others) {
            for text in [text.to_uppercase(), text] {
                let found = !secrets(text.as_bytes()).is_empty();
                assert!(!found || !is_clean(text.as_bytes()), "{text}");
            }
        }
        assert!(is_clean(b"run.jsonl:17: not JSON: expected value at byte 0"));
    }
}
