//! What secrets look like, and what could become one.
//!
//! [`secrets`] finds those in a text, [`open`] where at its end one may have
//! begun.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

/// Secrets by their shape. The first character is not inside a word; an escape
/// in a JSON string is none.
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

/// How they begin, as far as it is always the same; what follows is more of
/// [`MORE`].
const BEGINNINGS: &[&str] = &[
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

/// A private key, with its end or as far as it goes.
const PRIVATE_KEY: &str = r"-----begin [a-z0-9 ]{0,40}private key-----(?:[a-z0-9+/=\s\\]*-----end [a-z0-9 ]{0,40}private key-----|[a-z0-9+/=\s\\]*)";

/// Names of secrets: what follows them and `:` or `=` is one.
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

const LONGEST_NAME: usize = "authorization".len();

/// What may stand between a name and its value: quotes, escaped or not, around
/// the sign, and the scheme of an authorization.
const QUOTES: &str = r#"["'\\]{0,4}"#;
const SPACE: &str = r"\s{0,8}";
const SIGN: &str = r"\s{0,8}[:=]\s{0,8}";
const SCHEME: &str = r"(?:basic|token|bearer)\s+";
const VALUE: &str = r"[a-z0-9._~+/=$!@%^*-]";

/// A value that is shorter, or has no digit, is a word in a sentence, a type
/// or a variable.
const VALUE_LENGTH: usize = 8;

static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = SHAPES.join("|");
    let boundary = r"(?:^|[^a-z0-9]|\\[bfnrt])";
    Regex::new(&format!("(?i-u){boundary}({shapes})|({PRIVATE_KEY})")).ok()
});

static ANNOUNCED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let names = NAMES.join("|");
    Regex::new(&format!("(?i-u)(?:{names}){QUOTES}{SIGN}{QUOTES}({SCHEME})?({VALUE}+)")).ok()
});

/// A password in an address: `https://user:password@host`.
static IN_ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?-u)://[^/\s:@"'\\]*:([^/\s@"'\\]+)@"#).ok());

static MENTIONED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?i-u){}", NAMES.join("|"))).ok());

static NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?i-u)(?:{})$", NAMES.join("|"))).ok());

static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = format!("[:=](?:{SPACE}{QUOTES}(?:{SCHEME})?{VALUE}*)?");
    let name = format!("{QUOTES}(?:{SPACE}(?:{value})?)?");
    let label = r"[a-z0-9 ]*-{0,5}";
    let key = format!(r"{label}[a-z0-9+/=\s\\]*-{{0,5}}{label}");
    let mut open: Vec<_> = BEGINNINGS.iter().map(|word| beginning_of(word, MORE)).collect();
    open.extend(NAMES.iter().map(|word| beginning_of(word, &name)));
    open.push(beginning_of("bearer", &format!(r"\s*{MORE}")));
    open.push(beginning_of("-----begin ", &key));
    open.push(beginning_of("://", r#"[^/\s@"'\\]*"#));
    Regex::new(&format!("(?i-u)(?:{})$", open.join("|"))).ok()
});

/// A regular expression for every beginning of `word`, and for the whole of it
/// with `more` behind it.
fn beginning_of(word: &str, more: &str) -> String {
    word.chars().rev().fold(more.to_owned(), |rest, letter| {
        format!("{}(?:{rest})?", regex::escape(&letter.to_string()))
    })
}

/// Where the secrets in a text are.
pub(super) fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (Some(tokens), Some(announced), Some(in_address)) =
        (TOKENS.as_ref(), ANNOUNCED.as_ref(), IN_ADDRESS.as_ref())
    else {
        // Better too much redacted than too little.
        return std::iter::once(0..text.len()).collect();
    };
    for captures in tokens.captures_iter(text) {
        found.extend(captures.get(1).or(captures.get(2)).map(|secret| secret.range()));
    }
    let mut at = 0;
    while let Some(captures) = announced.captures_at(text, at) {
        let Some(value) = captures.get(2).map(|value| value.range()) else { break };
        if looks_random(&text[value.clone()], captures.get(1).is_some()) {
            at = value.end;
            found.push(value);
        } else {
            // It may end with another name.
            at = value.end.saturating_sub(LONGEST_NAME).max(value.start);
        }
    }
    found.extend(in_address.captures_iter(text).filter_map(|all| Some(all.get(1)?.range())));
    found
}

/// Whether a text has a secret by its shape.
pub(super) fn has_token(text: &[u8]) -> bool {
    TOKENS.as_ref().is_none_or(|tokens| tokens.is_match(text))
}

/// A text that is not longer is searched for words in less time than the patterns
/// take to be made.
const SHORT: usize = 1024;

/// Whether a text has nothing to do with secrets: no name of one either.
pub(super) fn is_innocent(text: &[u8]) -> bool {
    if text.len() <= SHORT && !may_match(text) {
        return true;
    }
    [&TOKENS, &MENTIONED, &IN_ADDRESS]
        .iter()
        .all(|pattern| pattern.as_ref().is_some_and(|pattern| !pattern.is_match(text)))
}

/// Whether a text has one of the words without which no pattern matches.
fn may_match(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let others = &["bearer", "-----begin ", "://"];
    let mut words = BEGINNINGS.iter().chain(NAMES).chain(others);
    words.any(|word| memmem::find(&text, word.as_bytes()).is_some())
}

/// Whether a member of this name holds a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    NAMED.as_ref().is_none_or(|named| named.is_match(name.as_bytes()))
}

/// Where at its end a secret may have begun that goes on in what follows.
pub(super) fn open(text: &[u8]) -> Option<usize> {
    OPEN.as_ref().map_or(Some(0), |open| open.find(text).map(|found| found.start()))
}

/// Whether a value is more than a word.
fn looks_random(value: &[u8], is_credential: bool) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let mixed = value.iter().skip(1).any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase);
    value.len() >= VALUE_LENGTH && (digit || is_credential && mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_innocent_however_short_the_text() {
        let more = "0123456789ABCDEFabcdef0123456789ABCDEFG";
        let beginnings = BEGINNINGS.iter().map(|word| format!("{word}live_{more}"));
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
        for text in beginnings.chain(names).chain(others) {
            for text in [text.to_uppercase(), text] {
                let found = !secrets(text.as_bytes()).is_empty();
                assert!(!found || !is_innocent(text.as_bytes()), "{text}");
            }
        }
        assert!(is_innocent(b"run.jsonl:17: not JSON: expected value at byte 0"));
    }
}
