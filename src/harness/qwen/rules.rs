//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate_limit", "quota", "throttl"],
    auth: &["401", "403", "api key", "unauthorized", "authentication"],
    error_words: &[
        ("AuthenticationError", Category::Auth),
        ("PermissionDeniedError", Category::Auth),
        ("RateLimitError", Category::RateLimit),
    ],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[
        ("error_max_turns", FailureReason::MaxTurns),
        ("AuthenticationError", FailureReason::Authentication),
        ("PermissionDeniedError", FailureReason::Permission),
        ("NotFoundError", FailureReason::ModelNotFound),
        ("BadRequestError", FailureReason::InvalidRequest),
        ("APIConnectionError", FailureReason::Network),
        ("APIConnectionTimeoutError", FailureReason::RequestTimeout),
    ],
    reason_phrases: &[
        ("missing api key", FailureReason::Authentication),
        ("max session turns", FailureReason::MaxTurns),
        ("budget of", FailureReason::Budget),
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
