//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate_limit", "too many requests", "quota"],
    auth: &[
        "401",
        "403",
        "unauthorized",
        "api key",
        "api_key",
        "authentication failed",
        "insufficient permission",
    ],
    error_words: &[
        ("model_authentication_failed", Category::Auth),
        ("model_rate_limited", Category::RateLimit),
        ("cancelled", Category::Api),
        ("interrupted", Category::Api),
    ],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[
        ("model_authentication_failed", FailureReason::Authentication),
        ("model_rate_limited", FailureReason::RateLimit),
        ("cancelled", FailureReason::Interrupted),
        ("interrupted", FailureReason::Interrupted),
    ],
    reason_phrases: &[
        ("insufficient permission", FailureReason::Permission),
        ("insufficient_quota", FailureReason::Quota),
        ("prompt is too long", FailureReason::ContextLength),
        ("context window", FailureReason::ContextLength),
        ("overloaded", FailureReason::Overloaded),
        ("connection error", FailureReason::Network),
        ("fetch failed", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before its completion",
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
