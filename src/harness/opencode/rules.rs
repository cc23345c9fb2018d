//! The wording of errors.

use super::failure::UNREACHABLE;
use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(crate) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate_limit", "too many requests", "quota"],
    auth: &["401", "403", "api key", "unauthorized", "auth login"],
    error_words: &[
        ("ProviderAuthError", Category::Auth),
        ("MessageAbortedError", Category::Api),
        ("MessageOutputLengthError", Category::Api),
        ("ContextOverflowError", Category::Api),
        ("ContentFilterError", Category::Api),
        ("StructuredOutputError", Category::Api),
    ],
    api_error_types: &[
        ("rate_limit_error", Category::RateLimit),
        ("rate_limit_exceeded", Category::RateLimit),
        ("insufficient_quota", Category::RateLimit),
        ("authentication_error", Category::Auth),
        ("permission_error", Category::Auth),
        ("invalid_api_key", Category::Auth),
    ],
    failed_reasons: &[],
    reason_words: &[
        ("ProviderAuthError", FailureReason::Authentication),
        ("MessageAbortedError", FailureReason::Interrupted),
        ("MessageOutputLengthError", FailureReason::MaxOutputTokens),
        ("ContextOverflowError", FailureReason::ContextLength),
        ("ContentFilterError", FailureReason::Refusal),
        ("StructuredOutputError", FailureReason::StructuredOutput),
        ("length", FailureReason::MaxOutputTokens),
        ("content-filter", FailureReason::Refusal),
        (UNREACHABLE, FailureReason::Network),
    ],
    reason_phrases: &[
        ("session not found", FailureReason::SessionNotFound),
        ("cannot connect to api", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before the last step has finished",
    has_terminal_event: true,
    has_thread_metadata: false,
    prints_snapshots: false,
    writes_summary_as_text: false,
    answers_with_document: false,
    retry_words: RETRY_WORDS,
    retry_seconds_marker: None,
    heuristics: Some(HeuristicRules {
        closing_question: ClosingQuestion::OfSinglePrompt,
        pending_phrases: &[],
    }),
};
