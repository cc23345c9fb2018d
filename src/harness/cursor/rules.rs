//! The wording of errors.

use crate::event::FailureReason;
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit", "usage limit", "too many requests"],
    auth: &["401", "403", "unauthorized", "authentication", "cursor_api_key", "not logged in"],
    error_words: &[],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[],
    reason_phrases: &[
        ("usage limit", FailureReason::Quota),
        ("authentication required", FailureReason::Authentication),
        ("not logged in", FailureReason::Authentication),
        ("cannot use this model", FailureReason::ModelNotFound),
        ("workspace trust required", FailureReason::Permission),
        ("connection lost", FailureReason::Network),
        ("connection stalled", FailureReason::Network),
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
