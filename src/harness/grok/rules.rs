//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit", "too many requests", "quota"],
    auth: &["401", "403", "unauthorized", "api key", "not logged in", "grok login"],
    error_words: &[
        ("cancelled", Category::Api),
        ("max_tokens", Category::Api),
        ("max_turn_requests", Category::Api),
        ("refusal", Category::Api),
    ],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[
        ("cancelled", FailureReason::Interrupted),
        ("max_tokens", FailureReason::MaxOutputTokens),
        ("max_turn_requests", FailureReason::MaxTurns),
        ("refusal", FailureReason::Refusal),
        ("error_max_turns", FailureReason::MaxTurns),
        ("error_max_structured_output_retries", FailureReason::StructuredOutput),
    ],
    reason_phrases: &[
        ("not logged in", FailureReason::Authentication),
        ("credits", FailureReason::Billing),
        ("maximum prompt length", FailureReason::ContextLength),
        ("context window", FailureReason::ContextLength),
        ("overloaded", FailureReason::Overloaded),
        ("error sending request", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before its `end` line",
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
