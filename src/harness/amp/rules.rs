//! The wording of errors.

use crate::event::FailureReason;
use crate::harness::Rules;
use crate::harness::rules::{ClosingQuestion, HeuristicRules, RETRY_WORDS};

pub(super) static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit"],
    auth: &["401", "403", "unauthorized", "amp_api_key", "not logged in"],
    error_words: &[],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[("error_max_turns", FailureReason::MaxTurns)],
    reason_phrases: &[("unauthorized", FailureReason::Authentication)],
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
