//! Secrets kept out of what is printed: a pure function of a line.

use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

/// What stands in the place of a line with a secret.
pub const REDACTED_LINE: &str = "<line redacted: matched auth-leak pattern>";

/// Values shorter than this are too common to be recognised.
const SECRET_LENGTH: usize = 8;

static PATTERNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let patterns = [
        // Words that announce a secret.
        r"api_key|authorization|codex_home=",
        // Secrets themselves.
        r"\bsk-(ant|proj|or|live|test)-[a-z0-9_-]{8,}",
        r"\bsk-[a-z0-9_-]{20,}",
        r"\bbearer\s+[a-z0-9._~+/=-]{16,}",
        r"\beyJ[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}\.[a-z0-9_-]*",
        r"\b(gh[opusr]_|github_pat_|glpat-|xox[abprs]-)[a-z0-9_-]{10,}",
    ];
    Regex::new(&format!("(?i-u){}", patterns.join("|"))).ok()
});

/// Recognises lines with secrets.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Values that must not be seen.
    values: Vec<Vec<u8>>,
}

impl Redactor {
    /// Recognises the known patterns, and these very values.
    pub fn new(secrets: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let values = secrets.into_iter().filter(|value| value.len() >= SECRET_LENGTH);
        Self { values: values.collect() }
    }

    /// Whether a line has a secret.
    #[must_use]
    pub fn leaks(&self, line: &[u8]) -> bool {
        PATTERNS.as_ref().is_none_or(|patterns| patterns.is_match(line))
            || self.values.iter().any(|value| memmem::find(line, value).is_some())
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
