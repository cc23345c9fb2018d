//! Claude Code on disk: `projects/**/*.jsonl`, one file per session and one per
//! subagent. Messages are those of the stream in another envelope; nothing says
//! that a run is over.

use super::claude::result::models;
use super::claude::{message, system};
use super::{Claim, Event, Head, Place, count};
use crate::event::{Finished, Retry, Scope, Session, Total};
use crate::json::{Text, Value};

/// Entries that stand alone, without a link to the one before.
const OWN_TYPES: &[&str] = &[
    "queue-operation",
    "last-prompt",
    "cost-state",
    "file-history-snapshot",
    "api-request",
    "attachment",
    "progress",
];

/// Where a subagent of an old release belongs: it has no name.
const SIDECHAIN: &str = "sidechain";

pub(super) fn claim(head: &Head<'_, '_>) -> Claim {
    match head.kind {
        Some(_) if head.linked => Claim::Certain,
        Some("summary") => Claim::certain_if(head.has("leafUuid")),
        Some("file-history-snapshot") => Claim::certain_if(head.has("snapshot")),
        Some(kind) if OWN_TYPES.contains(&kind) => Claim::certain_if(head.has("sessionId")),
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(head: &Head<'_, 'a>, events: &mut Vec<Event<'a>>) -> Place<'a> {
    let place = Place {
        session_id: head.session_id,
        parent_id: is(head, "isSidechain").then(|| head.str("agentId").unwrap_or(SIDECHAIN)),
        on_disk: true,
    };
    // Those of other lines may stand before.
    let first = events.len();
    match head.kind {
        Some("assistant") => {
            message::assistant(head, events);
            if events[first..].iter().any(is_empty_text) {
                let own = events.split_off(first);
                events.extend(own.into_iter().filter(|event| !is_empty_text(event)));
            }
            if is(head, "isApiErrorMessage") && place.parent_id.is_none() {
                let failed = failed_request(&events[first..]);
                events.push(failed);
            }
        }
        Some("user") => {
            message::user(head, events);
            events[first..].iter_mut().for_each(tell_commands_apart);
            if is(head, "toolEndsTurn") {
                let scope = Scope::Turn;
                events.push(Event::Finished(Box::new(Finished { scope, ..Finished::default() })));
            }
            // Every entry describes the session; prompts are few.
            let is_prompt = |event: &Event<'_>| matches!(event, Event::Prompt { .. });
            if let Some(at) = events[first..].iter().position(is_prompt)
                && place.parent_id.is_none()
            {
                events.insert(first + at, Event::Session(Box::new(session(head))));
            }
        }
        Some("system") if head.subtype == Some("api_error") => events.push(retry(head)),
        Some("system") => system::decode(head, events),
        Some("cost-state") => events.push(total(head)),
        _ => {}
    }
    place
}

fn is(head: &Head<'_, '_>, key: &str) -> bool {
    head.get(key).and_then(Value::as_bool) == Some(true)
}

/// A message without content has an empty text here.
fn is_empty_text(event: &Event<'_>) -> bool {
    let Event::Text { text, .. } = event else {
        return false;
    };
    text.json().map_or(text.is_empty(), |json| json.bytes() == b"\"\"")
}

/// How words for the CLI itself begin, and its answers to them.
const COMMANDS: &[&str] =
    &["<command-name>", "<local-command-", "<bash-", "Unknown slash command:"];

/// What the CLI does itself is no prompt for the agent.
fn tell_commands_apart(event: &mut Event<'_>) {
    if let Event::Prompt { text, synthetic, .. } = event {
        *synthetic |= COMMANDS.iter().any(|command| text.begins_with(command));
    }
}

fn session<'a>(head: &Head<'_, 'a>) -> Session<'a> {
    Session {
        cwd: head.str("cwd"),
        version: head.str("version"),
        permission_mode: head.str("permissionMode"),
        ..Session::default()
    }
}

/// A message in the place of an answer: a request has failed for good.
fn failed_request<'a>(message: &[Event<'a>]) -> Event<'a> {
    let mut finished = Finished { scope: Scope::Request, failed: true, ..Finished::default() };
    let mut text: Option<&Text<'a>> = None;
    for event in message {
        match event {
            Event::Message(header) => finished.error = header.error,
            Event::Text { text: said, .. } => text = text.or(Some(said)),
            _ => {}
        }
    }
    finished.text = text.map(|text| text.to_string().into());
    Event::Finished(Box::new(finished))
}

fn retry<'a>(head: &Head<'_, 'a>) -> Event<'a> {
    let error = head.get("error");
    Event::Retry(Retry {
        attempt: count(head.get("retryAttempt")),
        max: count(head.get("maxRetries")),
        delay_ms: count(head.get("retryInMs")),
        status: error.and_then(|error| error.get("status")).and_then(Value::as_i64),
        message: error.and_then(|error| error.get("formatted")).and_then(Value::as_str),
    })
}

/// The CLI's own account, written whenever it ends.
fn total<'a>(head: &Head<'_, 'a>) -> Event<'a> {
    Event::Total(Box::new(Total {
        models: head.get("modelUsage").and_then(models).unwrap_or_default(),
        cost_usd: head.get("totalCostUSD").and_then(Value::as_f64),
        duration_ms: count(head.get("totalDuration")),
    }))
}
