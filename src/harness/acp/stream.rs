//! Lines of JSON-RPC: what the agent sends, and what the client sends if both were recorded.
//!
//! A response does not name its request. Which one it answers follows from its members: the
//! end of a turn has a `stopReason`, a new session its id.

use super::update;
use crate::event::{Event, Evidence, Finished, Notice, Scope, SessionInfo, Tokens};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

/// The code for a method that the other side does not have; not all are required.
const UNKNOWN_METHOD: i64 = -32601;

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    if envelope.kind.is_some() || envelope.str("jsonrpc") != Some("2.0") {
        return Claim::No;
    }
    let is_number = |value: Value<'_, '_>| value.as_i64().is_some();
    // Other protocols name their versions by dates.
    let has_version = |value: Value<'_, '_>| value.get("protocolVersion").is_some_and(is_number);
    if let Some(method) = envelope.str("method") {
        let params = envelope.get("params");
        let has = |key| params.is_some_and(|params| params.get(key).is_some());
        // With a time in seconds the line is from a session file.
        let is_stored = envelope.get("timestamp").is_some_and(is_number);
        return Claim::certain_if(match method {
            "session/update" => has("update") && has("sessionId") && !is_stored,
            "session/new" => has("cwd"),
            "initialize" => params.is_some_and(has_version),
            _ if method.starts_with("session/") => has("sessionId"),
            _ if method.starts_with("fs/") || method.starts_with("terminal/") => has("sessionId"),
            _ => false,
        });
    }
    let Some(result) = envelope.get("result") else {
        return if envelope.has("error") { Claim::Shared } else { Claim::No };
    };
    let is_string = |key| result.get(key).is_some_and(Value::is_string);
    // The answer of the client to a question for permission.
    let is_permission = || result.get("outcome").is_some_and(|it| it.get("outcome").is_some());
    if is_string("stopReason") || has_version(result) || is_permission() {
        return Claim::Certain;
    }
    if is_string("sessionId") { Claim::Typical } else { Claim::Shared }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let params = envelope.get("params");
    let result = envelope.get("result");
    match envelope.str("method") {
        Some(method) => request(method, params, events),
        None => response(envelope, result, events),
    }
    let id = |value: Value<'_, 'a>| value.get("sessionId")?.as_str();
    Location { session_id: params.and_then(id).or(result.and_then(id)), ..Location::default() }
}

fn request<'a>(method: &str, params: Option<Value<'_, 'a>>, events: &mut Vec<Event<'a>>) {
    let Some(params) = params else { return };
    match method {
        "session/update" => {
            if let Some(update) = params.get("update") {
                update::decode(update, update::Origin::Stream, events);
            }
        }
        "session/new" | "session/load" | "session/resume" => {
            let cwd = params.get("cwd").and_then(Value::as_str);
            events.push(Event::Session(Box::new(SessionInfo { cwd, ..SessionInfo::default() })));
        }
        "session/prompt" => {
            events.push(Event::TurnStarted { id: None });
            let blocks = params.get("prompt").into_iter().flat_map(Value::elements);
            let texts = blocks.filter_map(|block| block.get("text")?.as_text());
            let prompt = |text| Event::Prompt { text, replay: false, synthetic: false };
            events.extend(texts.map(prompt));
        }
        _ => {}
    }
}

fn response<'a>(
    envelope: &Envelope<'_, 'a>,
    result: Option<Value<'_, 'a>>,
    events: &mut Vec<Event<'a>>,
) {
    if let Some(result) = result {
        let version = result.get("agentInfo").and_then(|agent| agent.get("version")?.as_str());
        let model = model(result);
        if version.or(model).is_some() {
            let info = SessionInfo { model, version, ..SessionInfo::default() };
            events.push(Event::Session(Box::new(info)));
        }
        let reason = result.get("stopReason").and_then(Value::as_str);
        events.extend(reason.map(|reason| finished(reason, result.get("usage"))));
    }
    events.extend(envelope.get("error").map(error));
}

/// Returns the model of a new session, which not all agents tell.
fn model<'a>(result: Value<'_, 'a>) -> Option<&'a str> {
    let current = || result.get("models")?.get("currentModelId")?.as_str();
    let mut options = result.get("configOptions").into_iter().flat_map(Value::elements);
    let mut option = || {
        let is_model = |option: &Value<'_, 'a>| {
            option.get("category").and_then(Value::as_str) == Some("model")
        };
        options.find(is_model)?.get("currentValue")?.as_str()
    };
    current().or_else(&mut option)
}

/// Decodes the end of a turn.
pub(in crate::harness) fn finished<'a>(reason: &'a str, usage: Option<Value<'_, 'a>>) -> Event<'a> {
    let message = failure(reason);
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: message.is_some(),
        text: message.map(Text::from),
        usage: usage.filter(|usage| usage.is_object()).map(tokens),
        stop_reason: Some(reason),
        error: Evidence { category: message.and(Some(reason)), ..Evidence::default() },
        ..Finished::default()
    }))
}

/// Describes the reason for the end of a turn if that is a failure.
pub(in crate::harness) fn failure(reason: &str) -> Option<&'static str> {
    match reason {
        "max_tokens" => Some("the answer reached its limit of tokens"),
        "max_turn_requests" => Some("the turn reached its limit of requests"),
        "refusal" => Some("the agent refused to continue"),
        "cancelled" => Some("the turn was cancelled"),
        _ => None,
    }
}

/// Reads the counts of a session. Whether input includes the cache, and output the reasoning,
/// is up to the agent and follows from the total.
fn tokens(usage: Value<'_, '_>) -> Tokens {
    let number = |key| count(usage.get(key));
    let sum = |a: Option<u64>, b: Option<u64>| a.unwrap_or(0).saturating_add(b.unwrap_or(0));
    let (input, output) = (number("inputTokens"), number("outputTokens"));
    let (read, write) = (number("cachedReadTokens"), number("cachedWriteTokens"));
    let (cached, reasoning) = (sum(read, write), number("thoughtTokens"));
    let thoughts = reasoning.unwrap_or(0);
    // What the total has beyond input and output.
    let rest = number("totalTokens").map(|total| total.saturating_sub(sum(input, output)));
    let is_apart = rest.is_some_and(|rest| rest == thoughts || rest == cached + thoughts);
    Tokens {
        input: input.unwrap_or(0),
        output: sum(output, reasoning.filter(|_| is_apart)),
        cache_read: read,
        cache_write: write,
        reasoning,
        input_has_cache: rest.is_some_and(|rest| rest < cached),
        ..Tokens::default()
    }
}

/// Decodes the error of a request. The message is often general, and the data has details.
fn error<'a>(error: Value<'_, 'a>) -> Event<'a> {
    let code = error.get("code").and_then(Value::as_i64);
    let data = error.get("data");
    let member = |key| data.and_then(|data| data.get(key)?.as_str());
    let details = data.and_then(Value::as_str).or_else(|| member("details"));
    let message = details.or_else(|| member("message"));
    let message = message.or_else(|| error.get("message")?.as_str());
    if let Some(text) = message.filter(|_| code == Some(UNKNOWN_METHOD)) {
        return Event::Notice(Notice { text, warning: true });
    }
    let category = match code {
        Some(-32000) => Some("auth_required"),
        Some(-32002) => Some("not_found"),
        Some(-32602) => Some("invalid_params"),
        Some(-32800) => Some("cancelled"),
        _ => None,
    };
    let status = data.and_then(|data| data.get("status")?.as_i64());
    Event::Error { message, error: Evidence { category, status, ..Evidence::default() } }
}
