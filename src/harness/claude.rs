//! Claude Code: `claude -p --output-format stream-json --verbose`, and the
//! single `result` (or array of messages) of `--output-format json`.

pub(super) mod message;
mod partial;
pub(super) mod result;
pub(super) mod system;

pub(super) use partial::growth;

use super::{Claim, Event, Growth, Head, Place, Rules, count};
use crate::event::{Evidence, RateLimit, Tokens};
use crate::json::Value;

pub(super) static RULES: Rules = Rules {
    rate_limit: &[
        "429",
        "rate limit",
        "rate-limit",
        // How the CLI words a used-up plan.
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
    truncated: " ... (truncated)",
    missing_end: Some("stream-json ended without a 'result' message; token usage unavailable"),
    just_stops: "the stream ends without a 'result' message",
    thread_metadata: false,
    answers_with_document: false,
    heuristics: true,
};

/// Types no other CLI prints.
const OWN_TYPES: &[&str] = &[
    "rate_limit_event",
    "control_request",
    "control_response",
    "control_cancel_request",
    "tool_progress",
    "tool_use_summary",
    "auth_status",
    "prompt_suggestion",
    "command_lifecycle",
    "conversation_reset",
];

pub(super) fn claim(head: &Head<'_, '_>) -> Claim {
    let Some(kind) = head.kind.filter(|_| !head.linked) else {
        return Claim::No;
    };
    match kind {
        "assistant" | "user" if head.message.is_some_and(Value::is_object) => Claim::Certain,
        "stream_event" if head.event.is_some_and(Value::is_object) => Claim::Certain,
        "system" if head.subtype.is_some() || head.session_id.is_some() => Claim::Certain,
        // Others end with a `result` too, and say it in other words.
        "result" if head.has("stats") || head.has("exitCode") => Claim::No,
        "result" => {
            let told = ["is_error", "usage", "total_cost_usd", "num_turns", "errors"];
            if head.subtype.is_some() || told.iter().any(|key| head.has(key)) {
                Claim::Certain
            } else {
                Claim::Shared
            }
        }
        "assistant" | "user" | "system" | "stream_event" | "keep_alive" => Claim::Shared,
        kind if OWN_TYPES.contains(&kind) => Claim::Certain,
        // The envelope of every message, whatever its type.
        _ => Claim::certain_if(head.session_id.is_some() && head.str("uuid").is_some()),
    }
}

pub(super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) -> Place<'a> {
    match head.kind {
        Some("assistant") => message::assistant(head, events),
        Some("user") => message::user(head, events),
        Some("stream_event") => partial::decode(head, events),
        Some("system") => system::decode(head, events),
        Some("result") => result::decode(head, events),
        Some("rate_limit_event") => {
            if let Some(info) = head.get("rate_limit_info") {
                events.push(Event::RateLimit(rate_limit(info)));
            }
        }
        _ => {}
    }
    Place { session_id: head.session_id, parent_id: head.parent_id, on_disk: false }
}

fn rate_limit<'a>(info: Value<'_, 'a>) -> RateLimit<'a> {
    let text = |key| info.get(key).and_then(Value::as_str);
    RateLimit {
        status: text("status"),
        kind: text("rateLimitType"),
        resets_at: info.get("resetsAt").and_then(Value::as_i64),
        utilization: info.get("utilization").and_then(Value::as_f64),
    }
}

/// What a line says about a failed request.
fn evidence<'a>(head: &Head<'_, 'a>) -> Evidence<'a> {
    let mut evidence = Evidence::default();
    for member in head.object.members() {
        let value = member.value;
        match member.key {
            "error" => evidence.category = value.as_str(),
            "api_error_status" | "apiErrorStatus" => evidence.status = value.as_i64(),
            "api_error_type" | "apiErrorType" => evidence.api_type = value.as_str(),
            "api_error_params" | "apiErrorParams" => {
                let limit = value.get("rate_limit_info");
                evidence.resets_at = limit.and_then(|info| rate_limit(info).resets_at);
            }
            _ => {}
        }
    }
    evidence
}

/// The tokens of a `usage` object; its input excludes what touched the cache.
fn tokens(usage: Value<'_, '_>) -> Option<Tokens> {
    if !usage.is_object() {
        return None;
    }
    let mut tokens = Tokens::default();
    for member in usage.members() {
        let value = member.value;
        match member.key {
            "input_tokens" => tokens.input = value.as_count(),
            "output_tokens" => tokens.output = value.as_count(),
            "cache_read_input_tokens" => tokens.cache_read = count(Some(value)),
            "cache_creation_input_tokens" => tokens.cache_write = count(Some(value)),
            "cache_creation" => {
                tokens.cache_write_1h = count(value.get("ephemeral_1h_input_tokens"));
            }
            "output_tokens_details" => tokens.reasoning = count(value.get("thinking_tokens")),
            _ => {}
        }
    }
    Some(tokens)
}
