//! Classifies failures.
//!
//! Structured evidence comes first (HTTP status, the CLI's own category, the API's
//! error type, why the run ended), then the contracts' keywords.

use super::api_error::{self, ErrorDocument};
use crate::event::{Category, Evidence, FailureReason};
use crate::harness::{Harness, Rules};

/// The text of an error that has none.
pub(crate) const NO_DETAIL: &str = "API error (no detail)";

/// Maximum length of an error text in characters.
const MAX_TEXT: usize = 4096;

/// Bytes of a text that contain as many characters and one more.
pub(super) const MAX_TEXT_BYTES: usize = 4 * (MAX_TEXT + 1);

/// Returns the text of an error: never empty, and truncated at the limit.
pub(super) fn error_text(harness: Harness, text: Option<&str>) -> String {
    let text = text.filter(|text| !text.is_empty()).unwrap_or(NO_DETAIL);
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => text[..end].to_owned() + harness.rules().truncated,
        None => text.to_owned(),
    }
}

/// What a failed run or request says about its failure.
#[derive(Debug, Default)]
pub(super) struct Evident<'a> {
    /// Structured evidence, the best first.
    pub(super) evidence: &'a [Evidence<'a>],
    /// Why the run ended.
    pub(super) terminal_reason: Option<&'a str>,
    /// Why the last message ended.
    pub(super) stop_reason: Option<&'a str>,
    /// The CLI's word for how the run ended.
    pub(super) subtype: Option<&'a str>,
    /// The error text.
    pub(super) text: &'a str,
}

/// What follows from the evidence.
#[derive(Debug)]
pub(super) struct Classified {
    pub(super) category: Category,
    pub(super) reason: Option<FailureReason>,
    pub(super) status: Option<i64>,
    /// Time when the exceeded limit is reset, in seconds since 1970.
    pub(super) resets_at: Option<i64>,
}

/// Classifies a failure by the best evidence.
pub(super) fn classify(harness: Harness, given: &Evident<'_>) -> Classified {
    let rules = harness.rules();
    let document = ErrorDocument::in_text(given.text);
    let status = given.evidence.iter().find_map(|evidence| evidence.status);
    let status = status.or_else(|| status_in(given.text)).or(document.status);
    let category = category(rules, given, &document);
    let reason = reason(rules, given, &document, status, category);
    Classified { category, reason, status, resets_at: document.resets_at }
}

fn category(rules: &Rules, given: &Evident<'_>, document: &ErrorDocument) -> Category {
    let api_type = |word| find(rules.api_error_types, word).unwrap_or(Category::Api);
    let is_failure = |reason: &&str| rules.failed_reasons.contains(reason);
    let evidence = given.evidence;
    let found = [
        evidence.iter().find_map(|given| by_status(given.status?)),
        evidence.iter().find_map(|given| find(rules.error_words, given.category?)),
        evidence.iter().find_map(|given| given.api_type.map(api_type)),
        given.terminal_reason.filter(is_failure).map(|_| Category::Api),
    ];
    let mut found = found.into_iter().flatten();
    match found.next() {
        None => match by_keywords(rules, given.text) {
            Category::Api => by_document(document),
            category => category,
        },
        // Further evidence may explain a plain 400 or 500.
        Some(Category::Api) => found.find(|more| *more != Category::Api).unwrap_or(Category::Api),
        Some(category) => category,
    }
}

/// Returns the category that a document of the API names.
fn by_document(document: &ErrorDocument) -> Category {
    let by_reason = document.reasons.iter().map(|reason| category_of(*reason));
    let mut found = by_reason.chain(document.status.and_then(by_status));
    found.find(|category| *category != Category::Api).unwrap_or(Category::Api)
}

/// Returns the reason for a failure by the best evidence: structured words, phrases of the
/// text, the HTTP status, the category.
fn reason(
    rules: &Rules,
    given: &Evident<'_>,
    document: &ErrorDocument,
    status: Option<i64>,
    category: Category,
) -> Option<FailureReason> {
    let text = given.text.to_lowercase();
    let words = given.evidence.iter().flat_map(|given| [given.category, given.api_type]);
    let words = words.chain([given.terminal_reason, given.stop_reason, given.subtype]).flatten();
    let of_word = |word| find(rules.reason_words, word).or_else(|| api_error::reason_of_word(word));
    let own_phrase = rules.reason_phrases.iter().find(|(phrase, _)| text.contains(phrase));
    let found = words
        .filter_map(of_word)
        .chain(document.reasons.iter().copied())
        .chain(own_phrase.map(|(_, reason)| *reason))
        .chain(api_error::reasons_in(&text))
        .chain(status.and_then(reason_of_status));
    // What explains another category does not explain this failure. Not every contract
    // has a keyword for a quota.
    let mut found = found.filter(|reason| {
        category_of(*reason) == category
            || (*reason == FailureReason::Quota && category == Category::Api)
    });
    let by_category = match category {
        Category::RateLimit => Some(FailureReason::RateLimit),
        Category::Auth => Some(FailureReason::Authentication),
        _ => None,
    };
    // Further evidence may explain a plain 400 or 500.
    let is_vague = |reason: &FailureReason| {
        matches!(reason, FailureReason::InvalidRequest | FailureReason::ServerError)
    };
    match found.next() {
        Some(vague) if is_vague(&vague) => {
            Some(found.find(|reason| !is_vague(reason)).unwrap_or(vague))
        }
        found => found.or(by_category),
    }
}

/// Returns the category that a reason belongs to.
fn category_of(reason: FailureReason) -> Category {
    match reason {
        FailureReason::RateLimit | FailureReason::Quota => Category::RateLimit,
        FailureReason::Authentication | FailureReason::Permission => Category::Auth,
        _ => Category::Api,
    }
}

fn reason_of_status(status: i64) -> Option<FailureReason> {
    match status {
        401 => Some(FailureReason::Authentication),
        402 => Some(FailureReason::Billing),
        403 => Some(FailureReason::Permission),
        408 | 504 => Some(FailureReason::RequestTimeout),
        413 => Some(FailureReason::RequestTooLarge),
        429 => Some(FailureReason::RateLimit),
        503 | 529 => Some(FailureReason::Overloaded),
        // The same request may succeed later: a conflict, or too early.
        409 | 425 => None,
        400..500 => Some(FailureReason::InvalidRequest),
        500..600 => Some(FailureReason::ServerError),
        _ => None,
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

/// Returns whether a prompt is the CLI's note that the user interrupted the turn.
pub(super) fn is_interruption(harness: Harness, prompt: &str) -> bool {
    let phrases = harness.rules().reason_phrases.iter();
    let mut notes = phrases.filter(|(_, reason)| *reason == FailureReason::Interrupted);
    notes.any(|(note, _)| {
        prompt.get(..note.len()).is_some_and(|start| start.eq_ignore_ascii_case(note))
    })
}

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, found)| *found)
}

/// Applies the contracts' keywords: first limits, then credentials.
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

/// Returns whether `word` occurs in `text`; a number must stand alone.
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

/// Returns the HTTP status in an error text: `API Error: 529 …`, `unexpected status
/// 401 …`, `last status: 429`. Some releases report it nowhere else.
fn status_in(text: &str) -> Option<i64> {
    ["API Error: ", "status ", "status: ", "Request rejected ("].iter().find_map(|prefix| {
        let (_, rest) = text.split_once(prefix)?;
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
        classify(Harness::Claude, &Evident { text, ..Evident::default() }).category
    }

    fn codex(text: &str) -> Category {
        classify(Harness::Codex, &Evident { text, ..Evident::default() }).category
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
    fn number_is_a_keyword_only_if_it_stands_alone() {
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
    fn used_up_plan_is_a_rate_limit_with_either_apostrophe() {
        assert_eq!(codex("You've hit your usage limit."), Category::RateLimit);
        assert_eq!(codex("You’ve hit your usage limit."), Category::RateLimit);
        assert_eq!(claude("You've hit your limit · resets 3pm"), Category::RateLimit);
        assert_eq!(claude("Spending cap reached resets Dec 1, 12am"), Category::RateLimit);
    }

    #[test]
    fn chatgpt_account_without_the_model_is_auth() {
        let text = "The 'x' model is NOT SUPPORTED when using Codex with a ChatGPT Account.";
        assert_eq!(codex(text), Category::Auth);
        assert_eq!(codex("See ChatGPT's account documentation"), Category::Api);
    }

    #[test]
    fn structured_evidence_beats_keywords() {
        let status = |status| Evidence { status: Some(status), ..Evidence::default() };
        let word = |word| Evidence { category: Some(word), ..Evidence::default() };
        let decide = |evidence: &[Evidence<'_>]| {
            let text = "talks of 429 and authentication";
            classify(Harness::Claude, &Evident { evidence, text, ..Evident::default() }).category
        };
        assert_eq!(decide(&[status(429)]), Category::RateLimit);
        assert_eq!(decide(&[status(403)]), Category::Auth);
        assert_eq!(decide(&[status(500)]), Category::Api);
        assert_eq!(decide(&[word("rate_limit")]), Category::RateLimit);
        assert_eq!(decide(&[word("authentication_failed")]), Category::Auth);
        assert_eq!(decide(&[word("billing_error")]), Category::Api);
        assert_eq!(decide(&[status(400), word("rate_limit")]), Category::RateLimit);
        assert_eq!(decide(&[word("unknown")]), Category::RateLimit, "keywords decide");
        let ended =
            Evident { terminal_reason: Some("max_turns"), text: "429", ..Evident::default() };
        assert_eq!(classify(Harness::Claude, &ended).category, Category::Api);
    }

    #[test]
    fn specific_reason_beats_a_vague_one() {
        let of = |words: &[&'static str], status, text| {
            let words = words.iter().copied().map(Some);
            let mut evidence: Vec<_> =
                words.map(|category| Evidence { category, ..Evidence::default() }).collect();
            evidence.push(Evidence { status, ..Evidence::default() });
            let given = Evident { evidence: &evidence, text, ..Evident::default() };
            classify(Harness::Claude, &given).reason
        };
        let plain = Some(FailureReason::InvalidRequest);
        assert_eq!(of(&["invalid_request"], Some(400), ""), plain);
        let long = Some(FailureReason::ContextLength);
        assert_eq!(of(&["invalid_request", "prompt_too_long"], Some(400), ""), long);
        assert_eq!(of(&["invalid_request"], None, "Prompt is too long"), long);
        let billing = Some(FailureReason::Billing);
        assert_eq!(of(&["billing_error", "invalid_request_error"], Some(400), ""), billing);
        assert_eq!(of(&["server_error"], Some(529), ""), Some(FailureReason::Overloaded));
        assert_eq!(of(&["unheard_of"], None, "other"), None, "an unknown word says nothing");
    }

    #[test]
    fn conflict_is_not_permanent() {
        let of = |text| classify(Harness::Codex, &Evident { text, ..Evident::default() }).reason;
        assert_eq!(of("unexpected status 409 Conflict"), None);
        assert_eq!(of("unexpected status 422 Unprocessable"), Some(FailureReason::InvalidRequest));
        assert_eq!(of("tls handshake eof"), Some(FailureReason::Network));
    }

    #[test]
    fn reason_agrees_with_the_category() {
        // The example of the contract: a rate limit in a result with another subtype.
        let limit =
            "API Error: Request rejected (429). Your organization has exceeded the rate limit.";
        let reason = |text| {
            let subtype = Some("error_max_turns");
            classify(Harness::Claude, &Evident { subtype, text, ..Evident::default() }).reason
        };
        assert_eq!(reason(limit), Some(FailureReason::RateLimit));
        assert_eq!(reason("stopped"), Some(FailureReason::MaxTurns));
    }

    #[test]
    fn category_is_the_last_resort_for_a_reason() {
        let of = |text| classify(Harness::Codex, &Evident { text, ..Evident::default() }).reason;
        assert_eq!(of("401"), Some(FailureReason::Authentication));
        assert_eq!(of("429"), Some(FailureReason::RateLimit));
        assert_eq!(of("text"), None);
    }

    #[test]
    fn document_of_the_api_explains_what_keywords_do_not() {
        let of = |text: &str| {
            let found = classify(Harness::Codex, &Evident { text, ..Evident::default() });
            (found.category, found.reason)
        };
        let error = |kind: &str| format!(r#"{{"error": {{"message": "m", "type": "{kind}"}}}}"#);
        for (kind, category, reason) in [
            ("invalid_request_error", Category::Api, FailureReason::InvalidRequest),
            ("authentication_error", Category::Auth, FailureReason::Authentication),
            ("rate_limit_error", Category::RateLimit, FailureReason::RateLimit),
            ("insufficient_quota", Category::RateLimit, FailureReason::Quota),
        ] {
            assert_eq!(of(&error(kind)), (category, Some(reason)), "{kind}");
        }
    }

    #[test]
    fn texts_are_truncated_with_each_contracts_suffix() {
        let long = "é".repeat(5000);
        let text = error_text(Harness::Claude, Some(&long));
        assert_eq!(text, "é".repeat(4096) + " ... (truncated)");
        let text = error_text(Harness::Codex, Some(&long));
        assert_eq!(text, "é".repeat(4096) + "...(truncated)");
        let exact = "é".repeat(4096);
        assert_eq!(error_text(Harness::Claude, Some(&exact)), exact);
        assert_eq!(error_text(Harness::Claude, Some("")), NO_DETAIL);
        assert_eq!(error_text(Harness::Codex, None), NO_DETAIL);
    }

    #[test]
    fn status_is_found_in_texts() {
        assert_eq!(status_in("API Error: 529 {\"type\":\"error\"}"), Some(529));
        assert_eq!(status_in("unexpected status 401 Unauthorized: x"), Some(401));
        assert_eq!(status_in("exceeded retry limit, last status: 429 Too Many"), Some(429));
        assert_eq!(status_in("API Error: Request rejected (429) · x"), Some(429));
        assert_eq!(status_in("API Error: 5000 tokens"), None);
        assert_eq!(status_in("Internal server error"), None);
    }
}
