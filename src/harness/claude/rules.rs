//! Constants of the contract and of the releases that the run uses.

use crate::event::{Category, FailureReason};
use crate::harness::Rules;
use crate::harness::models::without_suffixes;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &[
        "429",
        "rate limit",
        "rate-limit",
        // The wordings for a used-up plan.
        "hit your limit",
        "usage limit reached",
        "hour limit reached",
        "weekly limit reached",
        "spending cap reached",
    ],
    auth: &[
        "401",
        "403",
        "unauthorized",
        "authentication",
        "auth error",
        "anthropic_api_key",
        "invalid api key",
        "not logged in",
        "please run /login",
        "oauth token",
    ],
    error_words: &[
        ("rate_limit", Category::RateLimit),
        ("authentication_failed", Category::Auth),
        ("oauth_org_not_allowed", Category::Auth),
        ("account_on_hold", Category::Auth),
        ("verification_required", Category::Auth),
        ("cloud_credential_error", Category::Auth),
        ("billing_error", Category::Api),
        ("invalid_request", Category::Api),
        ("model_not_found", Category::Api),
        ("server_error", Category::Api),
        ("overloaded", Category::Api),
        ("max_output_tokens", Category::Api),
    ],
    api_error_types: &[
        ("rate_limit_error", Category::RateLimit),
        ("authentication_error", Category::Auth),
        ("permission_error", Category::Auth),
    ],
    failed_reasons: &[
        "max_turns",
        "budget_exhausted",
        "structured_output_retry_exhausted",
        "prompt_too_long",
        "image_error",
        "aborted_tools",
        "aborted_streaming",
    ],
    reason_words: &[
        ("rate_limit", FailureReason::RateLimit),
        ("overloaded", FailureReason::Overloaded),
        ("authentication_failed", FailureReason::Authentication),
        ("cloud_credential_error", FailureReason::Authentication),
        ("oauth_org_not_allowed", FailureReason::Permission),
        ("account_on_hold", FailureReason::Permission),
        ("verification_required", FailureReason::Permission),
        ("image_error", FailureReason::InvalidRequest),
        ("max_output_tokens", FailureReason::MaxOutputTokens),
        ("prompt_too_long", FailureReason::ContextLength),
        ("max_turns", FailureReason::MaxTurns),
        ("error_max_turns", FailureReason::MaxTurns),
        ("budget_exhausted", FailureReason::Budget),
        ("error_max_budget_usd", FailureReason::Budget),
        ("structured_output_retry_exhausted", FailureReason::StructuredOutput),
        ("error_max_structured_output_retries", FailureReason::StructuredOutput),
        ("aborted_tools", FailureReason::Interrupted),
        ("aborted_streaming", FailureReason::Interrupted),
        ("refusal", FailureReason::Refusal),
    ],
    reason_phrases: &[
        ("[request interrupted by user", FailureReason::Interrupted),
        ("output token maximum", FailureReason::MaxOutputTokens),
        ("safeguards flagged", FailureReason::Refusal),
        ("no conversation found", FailureReason::SessionNotFound),
        ("issue with the selected model", FailureReason::ModelNotFound),
    ],
    aborted_reason: Some("aborted"),
    truncated: " ... (truncated)",
    missing_end: Some("stream-json ended without a 'result' message; token usage unavailable"),
    stopped: "the stream ends without a 'result' message",
    has_terminal_event: true,
    has_thread_metadata: false,
    prints_snapshots: true,
    writes_summary_as_text: false,
    answers_with_document: false,
    retry_words: RETRY_WORDS,
    retry_seconds_marker: Some("limit reached|"),
    heuristics: Some(HeuristicRules {
        closing_question: ClosingQuestion::OfSingleRequest { end_of_turn: "end_turn" },
        pending_phrases: &[
            "waiting on",
            "still waiting",
            "continuing",
            "in progress",
            "in the background",
        ],
    }),
};

/// Returns the base name of a model. Accepts the names of cloud providers:
/// `us.anthropic.claude-opus-4-1-v1:0`.
pub(super) fn base_model(model: &str) -> Option<String> {
    let name = model.split_once("anthropic.").map_or(model, |(_, name)| name);
    let base = without_suffixes(name);
    base.starts_with("claude").then(|| base.replace('.', "-"))
}
