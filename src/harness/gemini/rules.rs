//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "resource_exhausted", "quota"],
    auth: &["401", "403", "unauthenticated", "permission_denied", "api key not valid"],
    error_words: &[("FatalAuthenticationError", Category::Auth)],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[
        ("FatalTurnLimitedError", FailureReason::MaxTurns),
        ("FatalAuthenticationError", FailureReason::Authentication),
        ("FatalInputError", FailureReason::InvalidRequest),
    ],
    reason_phrases: &[
        ("max session turns", FailureReason::MaxTurns),
        ("api key not valid", FailureReason::Authentication),
        ("not found for api version", FailureReason::ModelNotFound),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before its result",
    has_terminal_event: true,
    has_thread_metadata: false,
    // Session files repeat a message whenever it changes.
    prints_snapshots: true,
    writes_summary_as_text: false,
    answers_with_document: false,
    retry_words: RETRY_WORDS,
    retry_seconds_marker: None,
    heuristics: Some(HeuristicRules {
        closing_question: ClosingQuestion::OfSinglePrompt,
        pending_phrases: &[],
    }),
};
