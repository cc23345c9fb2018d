//! Conversations on disk: a file for each event, and `base_state.json` with the workspace and
//! the tokens of each request. The first event is the system prompt, which streams lack.

use super::stream::{self, conversation_of, is_event};
use crate::event::{
    Event, Evidence, Finished, Message, ModelUsage, Scope, SessionInfo, Tokens, UsageSnapshot,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count};
use crate::json::Value;

/// The system prompt and the state show a conversation; other events may be those of a
/// stream, and belong to what comes before.
pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    Claim::certain_if(is_event(envelope) || is_state(envelope))
}

fn is_state(envelope: &Envelope<'_, '_>) -> bool {
    let keys = ["id", "agent", "workspace", "execution_status", "stats"];
    envelope.kind.is_none() && keys.iter().all(|key| envelope.has(key))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    if !is_state(envelope) {
        let location = stream::decode_event(envelope, false, events);
        return Location { on_disk: true, ..location };
    }
    state(envelope, events);
    let conversation = envelope.str("persistence_dir").and_then(conversation_of);
    Location {
        session_id: conversation.or_else(|| envelope.str("id")),
        on_disk: true,
        ..Location::default()
    }
}

/// Decodes the state of a conversation: its requests, and their sum with the cost.
fn state<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let model = envelope.get("agent").and_then(|agent| agent.get("llm")?.get("model")?.as_str());
    let folder = envelope.get("workspace").and_then(|place| place.get("working_dir")?.as_str());
    let info = SessionInfo { model, cwd: folder, ..SessionInfo::default() };
    events.push(Event::Session(Box::new(info)));
    let mut total = UsageSnapshot { name: "session", ..UsageSnapshot::default() };
    for metrics in envelope.get("stats").into_iter().flat_map(metrics) {
        let requests = metrics.get("token_usages").into_iter().flat_map(Value::elements);
        events.extend(requests.map(request));
        total.models.extend(model_usage(metrics));
    }
    let costs = total.models.iter().filter_map(|usage| usage.cost_usd);
    total.cost_usd = costs.reduce(|sum, cost| sum + cost);
    if !total.models.is_empty() {
        events.push(Event::Total(Box::new(total)));
    }
    let (category, text) = match envelope.str("execution_status") {
        Some(status @ "error") => (status, "the conversation failed"),
        Some(status @ "stuck") => (status, "the agent is stuck"),
        _ => return,
    };
    events.push(Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: true,
        text: Some(text.into()),
        error: Evidence { category: Some(category), ..Evidence::default() },
        ..Finished::default()
    })));
}

/// Returns the metrics of each purpose for which a model was used.
fn metrics<'t, 'a>(stats: Value<'t, 'a>) -> impl Iterator<Item = Value<'t, 'a>> {
    let purposes = stats.get("usage_to_metrics").into_iter().flat_map(Value::members);
    purposes.map(|purpose| purpose.value)
}

/// Returns the tokens of a conversation by its `stats`, if a model was used.
pub(super) fn total_tokens(stats: Value<'_, '_>) -> Option<Tokens> {
    let counts = metrics(stats).filter_map(|metrics| metrics.get("accumulated_token_usage"));
    counts.map(tokens).reduce(|mut total, more| {
        total.add(&more);
        total
    })
}

fn request<'a>(usage: Value<'_, 'a>) -> Event<'a> {
    let text = |key| usage.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (id, model) = (text("response_id"), text("model"));
    Event::Message(Message { id, model, usage: Some(tokens(usage)), ..Message::default() })
}

/// Reads the sum for a model. A cost of nothing is that of a model without a known price.
fn model_usage<'a>(metrics: Value<'_, 'a>) -> Option<ModelUsage<'a>> {
    let tokens = tokens(metrics.get("accumulated_token_usage")?);
    let cost_usd = metrics.get("accumulated_cost").and_then(Value::as_f64);
    let model = metrics.get("model_name").and_then(Value::as_str).unwrap_or_default();
    let is_used = tokens.input > 0 || tokens.output > 0;
    let cost_usd = cost_usd.filter(|cost| *cost > 0.0);
    is_used.then_some(ModelUsage { model, tokens, cost_usd })
}

/// Reads the counts of a request or of a conversation. Input includes what was read from and
/// written to the cache, output what was spent on reasoning.
fn tokens(counts: Value<'_, '_>) -> Tokens {
    const MEMBERS: TokenMembers =
        ["prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens"];
    Tokens {
        reasoning: count(counts.get("reasoning_tokens")),
        input_has_cache: true,
        ..envelope::tokens(counts, MEMBERS)
    }
}
