//! The stream of `claude -p --output-format stream-json --verbose`, and the single
//! `result` (or array of messages) of `--output-format json`.

use super::{message, partial, result, session, system};
use crate::event::{Event, Evidence, RateLimit, Tokens};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::Value;

/// Types that no other CLI prints.
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

/// Members that every line may have, and those that are missing or null in a line that
/// does not prove its origin.
const COMMON_MEMBERS: &[&str] = &[
    "type",
    "subtype",
    "message",
    "event",
    "result",
    "session_id",
    "sessionId",
    "uuid",
    "parent_tool_use_id",
    "timestamp",
    "duration_ms",
    "cost_usd",
    "harness",
];

pub(in crate::harness) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let Some(kind) = envelope.kind.filter(|_| !envelope.has_parent_uuid) else {
        return Claim::No;
    };
    match kind {
        // Several CLIs print messages of this shape.
        "assistant" | "user" if envelope.message.is_some_and(Value::is_object) => Claim::Typical,
        "stream_event" if envelope.event.is_some_and(Value::is_object) => Claim::Typical,
        "system" => system_claim(envelope),
        // Other CLIs also end with a `result`, with other members.
        "result" if envelope.has_stats => Claim::No,
        "result" => {
            let own =
                ["is_error", "usage", "total_cost_usd", "num_turns", "errors", "structured_output"];
            if envelope.subtype.is_some() || own.iter().any(|key| envelope.has(key)) {
                Claim::Typical
            } else {
                shared_claim(envelope)
            }
        }
        "assistant" | "user" | "stream_event" | "keep_alive" => shared_claim(envelope),
        kind if OWN_TYPES.contains(&kind) => Claim::Certain,
        _ if session::claim(envelope) != Claim::No => Claim::No,
        // Every message has these two. In session files the first is `sessionId`.
        _ if ["session_id", "uuid"].iter().all(|key| envelope.str(key).is_some()) => Claim::Typical,
        _ => Claim::No,
    }
}

/// Other CLIs use the same types with members of their own.
fn shared_claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_common = |key: &str| COMMON_MEMBERS.contains(&key);
    if envelope.object.members().all(|member| is_common(member.key)) {
        Claim::Shared
    } else {
        Claim::No
    }
}

/// Other CLIs describe their sessions in a line with the same type, too. In every release
/// of Claude Code a description with tools has at least one of the members below.
fn system_claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has = |key: &&str| envelope.has(key);
    let own = ["uuid", "apiKeySource", "permissionMode", "mcp_servers", "claude_code_version"];
    match envelope.subtype {
        Some("init") if ["claude_code_version", "permissionMode"].iter().all(has) => Claim::Certain,
        Some("init") if envelope.has("tools") && !own.iter().any(has) => Claim::No,
        Some("init" | "compact_boundary") => Claim::Typical,
        // Others print no reports about themselves, or with their `data` in a member.
        Some(_) if envelope.has_uuid && !envelope.has_data => Claim::Certain,
        Some(_) => Claim::Typical,
        None if envelope.session_id.is_some() => Claim::Typical,
        None => Claim::Shared,
    }
}

pub(in crate::harness) fn decode<'a>(
    envelope: &Envelope<'_, 'a>,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    match envelope.kind {
        Some("assistant") => message::assistant(envelope, events),
        Some("user") => message::user(envelope, events),
        Some("stream_event") => partial::decode(envelope, events),
        Some("system") => system::decode(envelope, events),
        Some("result") => result::decode(envelope, events),
        Some("rate_limit_event") => {
            if let Some(info) = envelope.get("rate_limit_info") {
                events.push(Event::RateLimit(rate_limit(info)));
            }
        }
        _ => {}
    }
    Location {
        session_id: envelope.session_id,
        parent_id: envelope.parent_id,
        ..Location::default()
    }
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

/// Returns what a line says about a failed request.
pub(super) fn evidence<'a>(envelope: &Envelope<'_, 'a>) -> Evidence<'a> {
    let mut evidence = Evidence::default();
    for member in envelope.object.members() {
        let value = member.value;
        match member.key {
            "error" => evidence.category = value.as_str(),
            "api_error_status" | "apiErrorStatus" => {
                evidence.status = value.as_i64().filter(|status| *status >= 0);
            }
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

/// Returns the tokens of a `usage` object. Its input excludes cached tokens.
pub(super) fn tokens(usage: Value<'_, '_>) -> Option<Tokens> {
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
