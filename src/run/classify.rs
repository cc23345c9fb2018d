//! What kind of failure is it? Pure: evidence in, category out.
//!
//! Structured evidence comes first (HTTP status, the harness' own word, the
//! API's error type, why the run ended), the contracts' keywords last.

use crate::event::Evidence;
use crate::harness::{Harness, Rules};

/// The kinds of failure a script can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Category {
    /// Too many requests, or a quota used up: try again later.
    RateLimit,
    /// Not logged in, a wrong key, no permission.
    Auth,
    /// Any other failure of the request or of the run.
    Api,
    /// The process failed without the stream saying so.
    Subprocess,
    /// It took too long.
    Timeout,
    /// The agent asked a question nobody could answer (heuristic).
    Interactive,
    /// The agent left work behind in the background (heuristic).
    BackgroundTask,
    /// The stream just stops.
    Incomplete,
}

impl Category {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Auth => "auth",
            Self::Api => "api",
            Self::Subprocess => "subprocess",
            Self::Timeout => "timeout",
            Self::Interactive => "interactive",
            Self::BackgroundTask => "background-task",
            Self::Incomplete => "incomplete",
        }
    }
}

/// What an error without a text is called.
pub const NO_DETAIL: &str = "API error (no detail)";

/// Error texts are kept up to this many characters.
const TEXT_LIMIT: usize = 4096;

/// The error text as it is kept: never empty, never over the limit.
#[must_use]
pub fn kept_text(harness: Harness, text: Option<&str>) -> String {
    let text = text.filter(|text| !text.is_empty()).unwrap_or(NO_DETAIL);
    match text.char_indices().nth(TEXT_LIMIT) {
        Some((end, _)) => text[..end].to_owned() + harness.rules().truncated,
        None => text.to_owned(),
    }
}

/// The category of a failure, from the best evidence there is.
#[must_use]
pub fn category(
    harness: Harness,
    evidence: &[Evidence<'_>],
    terminal_reason: Option<&str>,
    kept_text: &str,
) -> Category {
    let told = [
        evidence.iter().find_map(|given| by_status(given.status?)),
        evidence.iter().find_map(|given| by_word(given.category?)),
        evidence.iter().find_map(|given| given.api_type.map(by_api_type)),
        terminal_reason.and_then(by_terminal_reason),
    ];
    let mut told = told.into_iter().flatten();
    match told.next() {
        None => by_keywords(harness.rules(), kept_text),
        // A plain 400 or 500 may still be explained by what follows.
        Some(Category::Api) => told.find(|found| *found != Category::Api).unwrap_or(Category::Api),
        Some(found) => found,
    }
}

fn by_status(status: i64) -> Option<Category> {
    match status {
        429 => Some(Category::RateLimit),
        401 | 403 => Some(Category::Auth),
        400.. => Some(Category::Api),
        _ => None,
    }
}

fn by_word(word: &str) -> Option<Category> {
    match word {
        "rate_limit" => Some(Category::RateLimit),
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "account_on_hold"
        | "verification_required"
        | "cloud_credential_error" => Some(Category::Auth),
        "billing_error" | "invalid_request" | "model_not_found" | "server_error" | "overloaded"
        | "max_output_tokens" => Some(Category::Api),
        _ => None,
    }
}

fn by_api_type(word: &str) -> Category {
    match word {
        "rate_limit_error" => Category::RateLimit,
        "authentication_error" | "permission_error" => Category::Auth,
        _ => Category::Api,
    }
}

/// Reasons that leave no doubt; `api_error` and `completed` say nothing.
fn by_terminal_reason(reason: &str) -> Option<Category> {
    matches!(
        reason,
        "max_turns"
            | "budget_exhausted"
            | "structured_output_retry_exhausted"
            | "prompt_too_long"
            | "image_error"
            | "aborted_tools"
            | "aborted_streaming"
    )
    .then_some(Category::Api)
}

/// The contracts' keywords; a limit before a refusal before everything else.
fn by_keywords(rules: &Rules, text: &str) -> Category {
    let text = text.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| mentions(&text, word));
    if any(rules.rate_limit) {
        Category::RateLimit
    } else if any(rules.auth) {
        Category::Auth
    } else {
        Category::Api
    }
}

/// Whether `word` is in `text`; a number only where it stands alone.
fn mentions(text: &str, word: &str) -> bool {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part_of_word(before) && !part_of_word(after)
    })
}

/// The HTTP status an error text mentions, for releases that tell it nowhere
/// else: `API Error: 529 …`, `unexpected status 401 …`, `last status: 429`.
#[must_use]
pub fn status_in(text: &str) -> Option<i64> {
    ["API Error: ", "status ", "status: ", "Request rejected ("].iter().find_map(|lead| {
        let (_, rest) = text.split_once(lead)?;
        let digits = rest.get(..3)?;
        let ends = !rest[3..].starts_with(|c: char| c.is_alphanumeric());
        let status = digits.parse().ok().filter(|_| ends)?;
        (400..600).contains(&status).then_some(status)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude(text: &str) -> Category {
        category(Harness::Claude, &[], None, text)
    }

    fn codex(text: &str) -> Category {
        category(Harness::Codex, &[], None, text)
    }

    #[test]
    fn rate_limit_comes_before_auth_before_api() {
        assert_eq!(claude("401 and then 429"), Category::RateLimit);
        assert_eq!(claude("Unauthorized"), Category::Auth);
        assert_eq!(claude("Internal server error"), Category::Api);
        assert_eq!(codex("rate limit hit; 401 unauthorized fallback"), Category::RateLimit);
        assert_eq!(codex("project QUOTA exhausted"), Category::RateLimit);
    }

    #[test]
    fn a_number_is_a_keyword_only_when_it_stands_alone() {
        for text in ["request id 14290 failed", "req_429abc", "4290", "x401"] {
            assert_eq!(claude(text), Category::Api, "{text}");
            assert_eq!(codex(text), Category::Api, "{text}");
        }
        for text in ["(429)", "status=429", "429", "got 429."] {
            assert_eq!(claude(text), Category::RateLimit, "{text}");
        }
    }

    #[test]
    fn not_logged_in_is_auth_for_claude() {
        assert_eq!(claude("Not logged in · Please run /login"), Category::Auth);
        assert_eq!(claude("Invalid API key · Fix external API key"), Category::Auth);
    }

    #[test]
    fn a_used_up_plan_is_a_rate_limit_with_either_apostrophe() {
        assert_eq!(codex("You've hit your usage limit."), Category::RateLimit);
        assert_eq!(codex("You’ve hit your usage limit."), Category::RateLimit);
        assert_eq!(claude("You've hit your limit · resets 3pm"), Category::RateLimit);
        assert_eq!(claude("Spending cap reached resets Dec 1, 12am"), Category::RateLimit);
    }

    #[test]
    fn a_chatgpt_account_that_lacks_the_model_is_auth() {
        let text = "The 'x' model is NOT SUPPORTED when using Codex with a ChatGPT Account.";
        assert_eq!(codex(text), Category::Auth);
        assert_eq!(codex("See ChatGPT's account documentation"), Category::Api);
    }

    #[test]
    fn structured_evidence_beats_keywords() {
        let status = |status| Evidence { status: Some(status), ..Evidence::default() };
        let word = |word| Evidence { category: Some(word), ..Evidence::default() };
        let decide = |evidence: &[Evidence<'_>]| {
            category(Harness::Claude, evidence, None, "talks of 429 and authentication")
        };
        assert_eq!(decide(&[status(429)]), Category::RateLimit);
        assert_eq!(decide(&[status(403)]), Category::Auth);
        assert_eq!(decide(&[status(500)]), Category::Api);
        assert_eq!(decide(&[word("rate_limit")]), Category::RateLimit);
        assert_eq!(decide(&[word("authentication_failed")]), Category::Auth);
        assert_eq!(decide(&[word("billing_error")]), Category::Api);
        assert_eq!(decide(&[status(400), word("rate_limit")]), Category::RateLimit);
        assert_eq!(decide(&[word("unknown")]), Category::RateLimit, "no evidence: keywords");
        let ended = category(Harness::Claude, &[], Some("max_turns"), "429");
        assert_eq!(ended, Category::Api);
    }

    #[test]
    fn texts_are_capped_in_characters_with_each_contracts_suffix() {
        let long = "é".repeat(5000);
        let kept = kept_text(Harness::Claude, Some(&long));
        assert_eq!(kept, "é".repeat(4096) + " ... (truncated)");
        let kept = kept_text(Harness::Codex, Some(&long));
        assert_eq!(kept, "é".repeat(4096) + "...(truncated)");
        let exact = "é".repeat(4096);
        assert_eq!(kept_text(Harness::Claude, Some(&exact)), exact);
        assert_eq!(kept_text(Harness::Claude, Some("")), NO_DETAIL);
        assert_eq!(kept_text(Harness::Codex, None), NO_DETAIL);
    }

    #[test]
    fn a_status_is_found_in_the_texts_that_tell_it() {
        assert_eq!(status_in("API Error: 529 {\"type\":\"error\"}"), Some(529));
        assert_eq!(status_in("unexpected status 401 Unauthorized: x"), Some(401));
        assert_eq!(status_in("exceeded retry limit, last status: 429 Too Many"), Some(429));
        assert_eq!(status_in("API Error: Request rejected (429) · x"), Some(429));
        assert_eq!(status_in("API Error: 5000 tokens"), None);
        assert_eq!(status_in("Internal server error"), None);
    }
}
