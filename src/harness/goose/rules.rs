//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit", "too many requests", "quota"],
    auth: &["401", "403", "unauthorized", "authentication", "api key"],
    error_words: &[("creditsExhausted", Category::Api)],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[("creditsExhausted", FailureReason::Billing)],
    reason_phrases: &[
        ("authentication error", FailureReason::Authentication),
        ("authentication failed", FailureReason::Authentication),
        ("rate limit", FailureReason::RateLimit),
        ("context length exceeded", FailureReason::ContextLength),
        ("context limit", FailureReason::ContextLength),
        ("credits exhausted", FailureReason::Billing),
        ("server error", FailureReason::ServerError),
        ("network error", FailureReason::Network),
        ("error sending request", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before its `complete` line",
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
