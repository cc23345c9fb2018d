//! Session files: `updates.jsonl` contains updates of the Agent Client Protocol with a time,
//! `summary.json` describes the session.
//!
//! The end of a turn has the tokens of its prompt. Input includes what was read from and
//! written to the cache.

use jiff::Timestamp;

use super::spend;
use crate::event::{Event, Message, SessionInfo, Tokens};
use crate::harness::acp::{self, update};
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count};
use crate::json::Value;

/// The methods of lines: the protocol's and that of an extension.
const METHODS: [&str; 2] = ["session/update", "_x.ai/session/update"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    if envelope.kind.is_some() {
        return Claim::No;
    }
    Claim::certain_if(match envelope.str("method") {
        Some(method) => {
            let has_time = || envelope.get("timestamp").is_some_and(|at| at.as_i64().is_some());
            METHODS.contains(&method) && has_time() && notification(envelope).is_some()
        }
        None => is_summary(envelope) || notification(envelope).is_some(),
    })
}

/// Returns the notification of a line. Very old lines are the notification itself.
fn notification<'t, 'a>(envelope: &Envelope<'t, 'a>) -> Option<Value<'t, 'a>> {
    let is_notification = |value: &Value<'_, '_>| {
        let update = value.get("update").and_then(|update| update.get("sessionUpdate"));
        update.is_some() && value.get("sessionId").is_some()
    };
    let inner = envelope.get("params").filter(is_notification);
    inner.or_else(|| Some(envelope.object).filter(is_notification))
}

fn is_summary(envelope: &Envelope<'_, '_>) -> bool {
    let has = |key| envelope.get("info").is_some_and(|info| info.get(key).is_some());
    has("id") && has("cwd") && envelope.has("session_summary")
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let time = envelope.get("timestamp").and_then(Value::as_i64);
    let time = time.and_then(|time| Timestamp::from_second(time).ok());
    let mut location = Location { on_disk: true, time, ..Location::default() };
    let word = |value: Value<'_, 'a>, key: &str| value.get(key).and_then(Value::as_str);
    if let Some(notification) = notification(envelope) {
        location.session_id = word(notification, "sessionId");
        let Some(changed) = notification.get("update") else { return location };
        if word(changed, "sessionUpdate") == Some("turn_completed") {
            turn_completed(changed, events);
        } else {
            update::decode(changed, update::Origin::Session, events);
        }
    } else if let Some(info) = envelope.get("info") {
        location.session_id = word(info, "id");
        events.push(Event::Session(Box::new(SessionInfo {
            model: envelope.str("current_model_id"),
            cwd: word(info, "cwd"),
            forked_from: envelope.str("parent_session_id"),
            ..SessionInfo::default()
        })));
    }
    location
}

/// Decodes the end of a turn. Its tokens count once for their prompt, also in a fork.
fn turn_completed<'a>(update: Value<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let word = |key| update.get(key).and_then(Value::as_str);
    if let Some(usage) = update.get("usage").filter(|usage| usage.is_object()) {
        let mut models = usage.get("modelUsage").into_iter().flat_map(Value::members);
        let model = models.next().map(|member| member.key).filter(|_| models.next().is_none());
        let is_partial = usage.get("costIsPartial").and_then(Value::as_bool) == Some(true);
        let cost = usage.get("costUsdTicks").and_then(spend::ticks);
        events.push(Event::Message(Message {
            id: word("prompt_id"),
            model,
            usage: Some(tokens(usage)),
            cost_usd: cost.filter(|_| !is_partial),
            ..Message::default()
        }));
    }
    let reason = word("stop_reason").unwrap_or("end_turn");
    events.push(acp::finished(reason, None));
}

fn tokens(usage: Value<'_, '_>) -> Tokens {
    const MEMBERS: TokenMembers =
        ["inputTokens", "outputTokens", "cachedReadTokens", "cacheCreationTokens"];
    Tokens {
        reasoning: count(usage.get("reasoningTokens")),
        input_has_cache: true,
        ..envelope::tokens(usage, MEMBERS)
    }
}
