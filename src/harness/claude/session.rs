//! Session files: `projects/**/*.jsonl`, one per session and one per subagent.
//! Messages are those of the stream with other header members; there is no
//! terminal event.

use super::result::models;
use super::{message, system};
use crate::event::{Event, Finished, Retry, Scope, SessionInfo, UsageSnapshot};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

/// Types of entries that have no `parentUuid`.
const OWN_TYPES: &[&str] = &[
    "queue-operation",
    "last-prompt",
    "cost-state",
    "file-history-snapshot",
    "api-request",
    "api-request-shape",
    "api-request-blob",
    "atis-latch",
    "tools-used",
    "attachment",
    "progress",
];

/// The parent of an unnamed subagent in old releases.
const SIDECHAIN: &str = "sidechain";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    match envelope.kind {
        // Another CLI has the same header and messages of another form.
        Some("user" | "assistant") if envelope.has_parent_uuid => {
            let message = envelope.message.and_then(|message| message.get("parts"));
            Claim::certain_if(message.is_none())
        }
        Some(_) if envelope.has_parent_uuid => {
            Claim::certain_if(!["systemPayload", "provenance"].iter().any(|key| envelope.has(key)))
        }
        Some("summary") => Claim::certain_if(envelope.has("leafUuid")),
        Some("file-history-snapshot") => Claim::certain_if(envelope.has("snapshot")),
        Some(kind) if OWN_TYPES.contains(&kind) => Claim::certain_if(envelope.has("sessionId")),
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let location = Location {
        session_id: envelope.session_id,
        parent_id: envelope
            .is_true("isSidechain")
            .then(|| envelope.str("agentId").unwrap_or(SIDECHAIN)),
        on_disk: true,
        ..Location::default()
    };
    // The list may already contain events of other lines.
    let first = events.len();
    match envelope.kind {
        Some("assistant") => {
            message::assistant(envelope, events);
            if events[first..].iter().any(is_empty_text) {
                let own = events.split_off(first);
                events.extend(own.into_iter().filter(|event| !is_empty_text(event)));
            }
            if envelope.is_true("isApiErrorMessage") && location.parent_id.is_none() {
                let failed = failed_request(&events[first..]);
                events.push(failed);
            }
        }
        Some("user") => {
            message::user(envelope, events);
            events[first..].iter_mut().for_each(mark_commands);
            if envelope.is_true("toolEndsTurn") {
                let scope = Scope::Turn;
                events.push(Event::Finished(Box::new(Finished { scope, ..Finished::default() })));
            }
            // Every entry describes the session; once per prompt is enough.
            let is_prompt = |event: &Event<'_>| matches!(event, Event::Prompt { .. });
            if let Some(at) = events[first..].iter().position(is_prompt)
                && location.parent_id.is_none()
            {
                events.insert(first + at, Event::Session(Box::new(session(envelope))));
            }
        }
        Some("system") if envelope.subtype == Some("api_error") => events.push(retry(envelope)),
        Some("system") => system::decode(envelope, events),
        Some("cost-state") => events.push(total(envelope)),
        Some("attachment") if location.parent_id.is_none() => events.extend(turn_limit(envelope)),
        _ => {}
    }
    location
}

/// Returns whether the event is the empty text of a message without content.
fn is_empty_text(event: &Event<'_>) -> bool {
    let Event::Text { text, .. } = event else {
        return false;
    };
    text.json().map_or(text.is_empty(), |json| json.bytes() == b"\"\"")
}

/// How commands for the CLI itself and their outputs start.
const COMMANDS: &[&str] =
    &["<command-name>", "<local-command-", "<bash-", "Unknown slash command:"];

/// Marks commands for the CLI itself as synthetic prompts.
fn mark_commands(event: &mut Event<'_>) {
    if let Event::Prompt { text, synthetic, .. } = event {
        *synthetic |= COMMANDS.iter().any(|command| text.has_prefix(command));
    }
}

fn session<'a>(envelope: &Envelope<'_, 'a>) -> SessionInfo<'a> {
    SessionInfo {
        cwd: envelope.str("cwd"),
        version: envelope.str("version"),
        permission_mode: envelope.str("permissionMode"),
        ..SessionInfo::default()
    }
}

/// Returns the end of a request that was answered by an error message.
fn failed_request<'a>(message: &[Event<'a>]) -> Event<'a> {
    let mut finished = Finished { scope: Scope::Request, failed: true, ..Finished::default() };
    let mut text: Option<&Text<'a>> = None;
    for event in message {
        match event {
            Event::Message(header) => finished.error = header.error,
            Event::Text { text: first, .. } => text = text.or(Some(first)),
            _ => {}
        }
    }
    finished.text = text.cloned();
    Event::Finished(Box::new(finished))
}

/// Returns the end of a run that has reached its limit of turns, as the stream's result
/// reports it.
fn turn_limit<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let attachment = envelope.get("attachment")?;
    if attachment.get("type")?.as_str()? != "max_turns_reached" {
        return None;
    }
    let limit = count(attachment.get("maxTurns"));
    let text = "Reached maximum number of turns";
    Some(Event::Finished(Box::new(Finished {
        scope: Scope::Result,
        failed: true,
        subtype: Some("error_max_turns"),
        text: Some(limit.map_or(text.into(), |limit| format!("{text} ({limit})").into())),
        num_turns: attachment.get("turnCount").and_then(Value::as_i64),
        terminal_reason: Some("max_turns"),
        ..Finished::default()
    })))
}

fn retry<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let error = envelope.get("error");
    Event::Retry(Retry {
        attempt: count(envelope.get("retryAttempt")),
        max: count(envelope.get("maxRetries")),
        delay_ms: count(envelope.get("retryInMs")),
        status: error.and_then(|error| error.get("status")).and_then(Value::as_i64),
        message: error.and_then(|error| error.get("formatted")).and_then(Value::as_str),
        is_self_contained: false,
    })
}

/// Returns the CLI's own count, which it writes whenever it exits.
fn total<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    Event::Total(Box::new(UsageSnapshot {
        name: "cost-state",
        models: envelope.get("modelUsage").and_then(models).unwrap_or_default(),
        cost_usd: envelope.get("totalCostUSD").and_then(Value::as_f64),
        duration_ms: count(envelope.get("totalDuration")),
        ..UsageSnapshot::default()
    }))
}
