//! The wording of errors.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "ratelimit", "too many requests", "quota"],
    auth: &["401", "403", "unauthorized", "api key", "api_key", "authenticationerror"],
    error_words: &[
        ("AuthenticationError", Category::Auth),
        ("LLMAuthenticationError", Category::Auth),
        ("PermissionDeniedError", Category::Auth),
        ("RateLimitError", Category::RateLimit),
        ("LLMRateLimitError", Category::RateLimit),
        ("LLMServiceUnavailableError", Category::Api),
        ("LLMTimeoutError", Category::Api),
        ("LLMBadRequestError", Category::Api),
        ("LLMContextWindowExceedError", Category::Api),
        ("MaxIterationsReached", Category::Api),
    ],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[
        ("AuthenticationError", FailureReason::Authentication),
        ("LLMAuthenticationError", FailureReason::Authentication),
        ("PermissionDeniedError", FailureReason::Permission),
        ("RateLimitError", FailureReason::RateLimit),
        ("LLMRateLimitError", FailureReason::RateLimit),
        ("LLMServiceUnavailableError", FailureReason::ServerError),
        ("ServiceUnavailableError", FailureReason::ServerError),
        ("InternalServerError", FailureReason::ServerError),
        ("LLMTimeoutError", FailureReason::RequestTimeout),
        ("APIConnectionError", FailureReason::Network),
        ("LLMBadRequestError", FailureReason::InvalidRequest),
        ("BadRequestError", FailureReason::InvalidRequest),
        ("NotFoundError", FailureReason::ModelNotFound),
        ("LLMContextWindowExceedError", FailureReason::ContextLength),
        ("ContextWindowExceededError", FailureReason::ContextLength),
        ("MaxIterationsReached", FailureReason::MaxTurns),
    ],
    reason_phrases: &[
        ("insufficient_quota", FailureReason::Quota),
        ("context window", FailureReason::ContextLength),
        ("maximum iterations", FailureReason::MaxTurns),
        ("overloaded", FailureReason::Overloaded),
        ("connection error", FailureReason::Network),
    ],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream ends before the end of the turn",
    // A run may also end with a message.
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
