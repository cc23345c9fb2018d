//! Errors of the vendors' APIs: what their words mean, and the JSON documents with them.
//!
//! Every CLI passes them on in its error texts, so these tables are the same for all;
//! [`Rules`](crate::harness::Rules) has the wordings of one CLI.

use serde_json::Value;

use crate::event::FailureReason;

/// Types and codes of errors, in lower case. One with an underscore also counts if it
/// occurs in a text.
const WORDS: &[(&str, FailureReason)] = &[
    ("insufficient_quota", FailureReason::Quota),
    ("quota_exceeded", FailureReason::Quota),
    ("context_length_exceeded", FailureReason::ContextLength),
    ("model_not_found", FailureReason::ModelNotFound),
    ("not_found_error", FailureReason::ModelNotFound),
    ("unsupported_model", FailureReason::ModelNotFound),
    ("invalid_model", FailureReason::ModelNotFound),
    ("request_too_large", FailureReason::RequestTooLarge),
    ("billing_error", FailureReason::Billing),
    ("billing_not_active", FailureReason::Billing),
    ("billing_hard_limit_reached", FailureReason::Billing),
    ("content_filter", FailureReason::Refusal),
    ("content_policy_violation", FailureReason::Refusal),
    ("rate_limit_error", FailureReason::RateLimit),
    ("rate_limit_exceeded", FailureReason::RateLimit),
    ("usage_limit_reached", FailureReason::RateLimit),
    ("throttlingexception", FailureReason::RateLimit),
    ("authentication_error", FailureReason::Authentication),
    ("invalid_api_key", FailureReason::Authentication),
    ("unauthenticated", FailureReason::Authentication),
    ("permission_error", FailureReason::Permission),
    ("permission_denied", FailureReason::Permission),
    ("overloaded_error", FailureReason::Overloaded),
    ("server_is_overloaded", FailureReason::Overloaded),
    ("unavailable", FailureReason::Overloaded),
    ("timeout_error", FailureReason::RequestTimeout),
    ("deadline_exceeded", FailureReason::RequestTimeout),
    ("server_error", FailureReason::ServerError),
    ("internal_server_error", FailureReason::ServerError),
    ("internal", FailureReason::ServerError),
    ("invalid_request_error", FailureReason::InvalidRequest),
    ("invalid_request", FailureReason::InvalidRequest),
    ("invalid_argument", FailureReason::InvalidRequest),
    ("invalid_prompt", FailureReason::InvalidRequest),
    ("unsupported_parameter", FailureReason::InvalidRequest),
    ("unsupported_value", FailureReason::InvalidRequest),
    ("unknown_parameter", FailureReason::InvalidRequest),
];

/// Phrases of error texts, in lower case; the first one that occurs counts. `…` stands for
/// a name of at most [`MAX_NAME`] bytes.
const PHRASES: &[(&str, FailureReason)] = &[
    // A quota of a minute is a rate limit.
    ("per minute", FailureReason::RateLimit),
    ("quota", FailureReason::Quota),
    ("rate limit", FailureReason::RateLimit),
    ("too many requests", FailureReason::RateLimit),
    ("context length", FailureReason::ContextLength),
    ("context window", FailureReason::ContextLength),
    ("prompt is too long", FailureReason::ContextLength),
    ("input is too long", FailureReason::ContextLength),
    ("exceeds the maximum number of tokens", FailureReason::ContextLength),
    ("model … not found", FailureReason::ModelNotFound),
    ("model … does not exist", FailureReason::ModelNotFound),
    ("model … not exist", FailureReason::ModelNotFound),
    ("model … is not supported", FailureReason::ModelNotFound),
    ("model … is not available", FailureReason::ModelNotFound),
    ("access to model", FailureReason::ModelNotFound),
    ("access to the model", FailureReason::ModelNotFound),
    ("no such model", FailureReason::ModelNotFound),
    ("unsupported model", FailureReason::ModelNotFound),
    ("unknown model", FailureReason::ModelNotFound),
    ("invalid model", FailureReason::ModelNotFound),
    ("request too large", FailureReason::RequestTooLarge),
    ("credit balance is too low", FailureReason::Billing),
    ("out of credits", FailureReason::Billing),
    ("insufficient credit", FailureReason::Billing),
    ("insufficient balance", FailureReason::Billing),
    ("payment required", FailureReason::Billing),
    ("usage policy", FailureReason::Refusal),
    ("content policy", FailureReason::Refusal),
    ("overloaded", FailureReason::Overloaded),
    ("at capacity", FailureReason::Overloaded),
    ("high demand", FailureReason::Overloaded),
    ("service unavailable", FailureReason::Overloaded),
    ("temporarily unavailable", FailureReason::Overloaded),
    ("request timed out", FailureReason::RequestTimeout),
    ("idle timeout", FailureReason::RequestTimeout),
    ("gateway timeout", FailureReason::RequestTimeout),
    ("connection refused", FailureReason::Network),
    ("connection reset", FailureReason::Network),
    ("connection dropped", FailureReason::Network),
    ("connection failed", FailureReason::Network),
    ("connection error", FailureReason::Network),
    ("unable to connect", FailureReason::Network),
    ("connection was closed", FailureReason::Network),
    ("failed to lookup address", FailureReason::Network),
    ("tls handshake", FailureReason::Network),
    ("server error mid-response", FailureReason::ServerError),
    ("error sending request", FailureReason::Network),
    ("stream disconnected", FailureReason::Network),
    ("fetch failed", FailureReason::Network),
    ("socket hang up", FailureReason::Network),
    ("econnrefused", FailureReason::Network),
    ("econnreset", FailureReason::Network),
    ("enotfound", FailureReason::Network),
    ("etimedout", FailureReason::Network),
    ("eai_again", FailureReason::Network),
    ("internal server error", FailureReason::ServerError),
    ("bad gateway", FailureReason::ServerError),
    ("server had an error", FailureReason::ServerError),
    ("unsupported parameter", FailureReason::InvalidRequest),
    ("unsupported value", FailureReason::InvalidRequest),
    ("unknown parameter", FailureReason::InvalidRequest),
    ("missing required parameter", FailureReason::InvalidRequest),
    ("invalid request", FailureReason::InvalidRequest),
    ("bad request", FailureReason::InvalidRequest),
];

/// Maximum length of what `…` stands for: a name, not a sentence.
const MAX_NAME: usize = 80;

/// Returns what a type or code of an error means.
pub(super) fn reason_of_word(word: &str) -> Option<FailureReason> {
    WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, reason)| *reason)
}

/// Returns what a text in lower case may mean, the best first.
pub(super) fn reasons_in(text: &str) -> impl Iterator<Item = FailureReason> {
    let words = WORDS.iter().filter(|(word, _)| word.contains('_') && text.contains(word));
    let phrases = PHRASES.iter().filter(|(phrase, _)| contains(text, phrase));
    words.chain(phrases).map(|(_, reason)| *reason)
}

/// Returns whether `phrase`, which may contain `…`, occurs in `text`.
fn contains(text: &str, phrase: &str) -> bool {
    let Some((start, end)) = phrase.split_once('…') else {
        return text.contains(phrase);
    };
    text.match_indices(start.trim_end()).any(|(at, found)| {
        let rest = &text[at + found.len()..];
        let rest = &rest[..rest.floor_char_boundary(MAX_NAME + end.len())];
        let sentence = rest.split_once(". ").map_or(rest, |(sentence, _)| sentence);
        sentence.contains(end)
    })
}

/// What the JSON in an error text says: the body of the API's response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ErrorDocument {
    /// The HTTP status.
    pub(super) status: Option<i64>,
    /// The reasons that its type, code and status name.
    pub(super) reasons: Vec<FailureReason>,
    /// Time when the exceeded limit is reset, in seconds since 1970.
    pub(super) resets_at: Option<i64>,
}

/// Maximum number of documents in one text, and in the messages of documents.
const MAX_DOCUMENTS: usize = 4;

impl ErrorDocument {
    /// Reads the first document in a text, and one that its message contains.
    pub(super) fn in_text(text: &str) -> Self {
        let mut document = Self::default();
        document.read(text, MAX_DOCUMENTS);
        document
    }

    fn read(&mut self, text: &str, depth: usize) {
        let Some(value) = first_object(text).filter(|_| depth > 0) else { return };
        let error = value.get("error").filter(|error| error.is_object()).unwrap_or(&value);
        let status = |member: &Value| member.as_i64().filter(|code| (400..600).contains(code));
        for member in ["type", "code", "status"].iter().filter_map(|name| error.get(name)) {
            self.status = self.status.or(status(member));
            self.reasons.extend(member.as_str().and_then(reason_of_word));
        }
        self.resets_at = self.resets_at.or(error.get("resets_at").and_then(Value::as_i64));
        let message = error.get("message").or(value.get("error")).and_then(Value::as_str);
        if let Some(message) = message {
            self.read(message, depth - 1);
        }
    }
}

/// Returns the first JSON object in a text.
fn first_object(text: &str) -> Option<Value> {
    let starts = text.match_indices('{').take(MAX_DOCUMENTS);
    let mut values = starts.filter_map(|(at, _)| {
        serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()
    });
    values.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_in_a_text_names_status_type_and_code() {
        let text = r#"unexpected status 400: {"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded","resets_at":7}}, url: x"#;
        let document = ErrorDocument::in_text(text);
        let reasons = [FailureReason::InvalidRequest, FailureReason::ContextLength];
        assert_eq!((document.status, document.reasons), (None, reasons.to_vec()));
        assert_eq!(document.resets_at, Some(7));
    }

    #[test]
    fn document_in_the_message_of_a_document_is_read() {
        let inner = r#"{"error":{"code":503,"status":"UNAVAILABLE"}}"#;
        let outer = serde_json::json!({"error": {"message": inner, "code": "x"}});
        let document = ErrorDocument::in_text(&format!("[API Error: {outer}]"));
        assert_eq!(document.status, Some(503));
        assert_eq!(document.reasons, [FailureReason::Overloaded]);
    }

    #[test]
    fn text_without_a_document_says_nothing() {
        for text in ["", "plain", "{", "{x}", "{\"error\"", "{{{{{\"a\":1}", "{\"code\":12}"] {
            assert_eq!(ErrorDocument::in_text(text), ErrorDocument::default(), "{text}");
        }
    }

    #[test]
    fn name_between_two_parts_of_a_phrase_is_short() {
        assert!(contains("the model `gpt-9` does not exist", "model … does not exist"));
        assert!(contains("model not found", "model … not found"));
        let long = format!("model {} not found", "é".repeat(MAX_NAME));
        assert!(!contains(&long, "model … not found"));
        assert!(!contains("model gpt-9. file not found", "model … not found"));
        assert!(!contains("file not found by the model", "model … not found"));
    }

    #[test]
    fn tables_are_in_lower_case() {
        for (word, _) in WORDS.iter().chain(PHRASES) {
            assert_eq!(*word, word.to_lowercase());
        }
    }
}
