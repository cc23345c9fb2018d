//! Constants of the contract and of the releases that the run uses.

use crate::event::FailureReason;
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &[
        "rate limit",
        "rate-limit",
        "quota",
        "429",
        "you've hit your usage limit",
        "you\u{2019}ve hit your usage limit",
    ],
    auth: &[
        "401",
        "403",
        "unauthorized",
        "openai_api_key",
        "invalid api key",
        "not supported when using codex with a chatgpt account",
    ],
    error_words: &[],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[],
    reason_phrases: &[
        ("hit your usage limit", FailureReason::RateLimit),
        ("reason: max_output_tokens", FailureReason::MaxOutputTokens),
        ("not supported when using codex", FailureReason::ModelNotFound),
        ("missing environment variable", FailureReason::Authentication),
    ],
    aborted_reason: None,
    truncated: "...(truncated)",
    missing_end: None,
    stopped: "the stream ends in the middle of a turn",
    has_terminal_event: true,
    has_thread_metadata: true,
    prints_snapshots: false,
    writes_summary_as_text: true,
    answers_with_document: true,
    retry_words: RETRY_WORDS,
    retry_seconds_marker: None,
    heuristics: Some(HeuristicRules {
        closing_question: ClosingQuestion::OfSinglePrompt,
        pending_phrases: &[],
    }),
};
