//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate_limit", "too many requests", "quota"],
    auth: &["401", "403", "api key", "unauthorized", "not authenticated"],
    error_words: &[
        ("auth", Category::Auth),
        ("rate_limit", Category::RateLimit),
        ("max_iterations", Category::Api),
        ("mistake_limit", Category::Api),
        ("aborted", Category::Api),
        ("cancelled", Category::Api),
    ],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[
        ("auth", FailureReason::Authentication),
        ("rate_limit", FailureReason::RateLimit),
        ("max_iterations", FailureReason::MaxTurns),
        ("aborted", FailureReason::Interrupted),
        ("cancelled", FailureReason::Interrupted),
    ],
    reason_phrases: &[
        ("insufficient_quota", FailureReason::Quota),
        ("insufficient balance", FailureReason::Billing),
        ("prompt is too long", FailureReason::ContextLength),
        ("context window", FailureReason::ContextLength),
        ("overloaded", FailureReason::Overloaded),
        ("cannot connect", FailureReason::Network),
        ("fetch failed", FailureReason::Network),
        ("unable to connect", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before its result",
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
