//! The wording of errors.

use crate::event::FailureReason;
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate_limit", "too many requests", "quota"],
    auth: &["401", "403", "unauthorized", "api key", "api_key", "missing credentials"],
    error_words: &[],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[],
    reason_phrases: &[
        ("stopped: turn_limit", FailureReason::MaxTurns),
        ("turn limit", FailureReason::MaxTurns),
        ("stopped: price_limit", FailureReason::Budget),
        ("price limit", FailureReason::Budget),
        ("stopped: token_limit", FailureReason::Budget),
        ("stopped: terminated", FailureReason::Interrupted),
        ("stopped: interrupted", FailureReason::Interrupted),
        ("context window", FailureReason::ContextLength),
        ("too many tokens", FailureReason::ContextLength),
        ("overloaded", FailureReason::Overloaded),
        ("network error", FailureReason::Network),
        ("connection error", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before the end of the turn",
    // The error of a run is on standard error, and a run that succeeded ends with an answer.
    has_terminal_event: false,
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
