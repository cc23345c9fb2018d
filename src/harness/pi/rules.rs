//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate_limit", "too many requests", "quota"],
    auth: &["401", "403", "no api key", "unauthorized", "authentication"],
    error_words: &[("aborted", Category::Api)],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[("aborted", FailureReason::Interrupted)],
    reason_phrases: &[
        ("no api key", FailureReason::Authentication),
        ("insufficient_quota", FailureReason::Quota),
        ("usage limit", FailureReason::Quota),
        ("prompt is too long", FailureReason::ContextLength),
        ("context length", FailureReason::ContextLength),
        ("context window", FailureReason::ContextLength),
        ("overloaded", FailureReason::Overloaded),
        ("no session found", FailureReason::SessionNotFound),
        ("connection error", FailureReason::Network),
        ("fetch failed", FailureReason::Network),
        ("stream ended without", FailureReason::Network),
        ("terminated", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before the agent has settled",
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
