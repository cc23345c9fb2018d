//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit", "rate_limited", "quota"],
    auth: &["401", "403", "authentication", "unauthorized", "not authorized"],
    error_words: &[
        ("authentication", Category::Auth),
        ("authorization", Category::Auth),
        ("rate_limit", Category::RateLimit),
        ("quota", Category::RateLimit),
        ("context_limit", Category::Api),
        ("user_initiated", Category::Api),
        ("user_abort", Category::Api),
        ("remote_command", Category::Api),
        ("autopilot_credit_limit", Category::Api),
    ],
    api_error_types: &[
        ("rate_limited", Category::RateLimit),
        ("user_weekly_rate_limited", Category::RateLimit),
        ("user_global_rate_limited", Category::RateLimit),
        ("user_model_rate_limited", Category::RateLimit),
        ("integration_rate_limited", Category::RateLimit),
        ("quota_exceeded", Category::RateLimit),
        ("session_quota_exceeded", Category::RateLimit),
    ],
    failed_reasons: &[],
    reason_words: &[
        ("authentication", FailureReason::Authentication),
        ("authorization", FailureReason::Permission),
        ("quota", FailureReason::Quota),
        ("context_limit", FailureReason::ContextLength),
        ("user_initiated", FailureReason::Interrupted),
        ("user_abort", FailureReason::Interrupted),
        ("remote_command", FailureReason::Interrupted),
        ("autopilot_credit_limit", FailureReason::Budget),
        ("billing_not_configured", FailureReason::Billing),
    ],
    reason_phrases: &[
        ("no authentication information", FailureReason::Authentication),
        ("prompt as too long", FailureReason::ContextLength),
        ("context limit", FailureReason::ContextLength),
        ("overloaded", FailureReason::Overloaded),
        ("fetch failed", FailureReason::Network),
        ("econnrefused", FailureReason::Network),
        ("is not available", FailureReason::ModelNotFound),
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
