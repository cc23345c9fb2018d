//! The description of a session, `meta.json`. Only releases before 3 store the tokens of the
//! session in it.

use crate::event::{Event, ModelUsage, SessionInfo, Tokens, UsageSnapshot};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::Value;

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_described = ["start_time", "environment"].iter().all(|key| envelope.has(key));
    Claim::certain_if(envelope.kind.is_none() && envelope.session_id.is_some() && is_described)
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let environment = envelope.get("environment");
    let configured = |key| envelope.get("config")?.get(key)?.as_str();
    let model = configured("model_name").or_else(|| configured("active_model"));
    if let Some(stats) = envelope.get("stats").filter(|stats| stats.is_object()) {
        events.push(Event::Total(Box::new(total(stats, model))));
    }
    events.push(Event::Session(Box::new(SessionInfo {
        model,
        cwd: environment.and_then(|place| place.get("working_directory")?.as_str()),
        ..SessionInfo::default()
    })));
    let time = envelope.str("end_time").or_else(|| envelope.str("start_time"));
    Location {
        session_id: envelope.session_id,
        on_disk: true,
        time: time.and_then(|time| time.parse().ok()),
        ..Location::default()
    }
}

/// Reads the counts of a session. Input includes what was read from the cache, whose share is
/// not told; the cost is that without a cache.
fn total<'a>(stats: Value<'_, 'a>, model: Option<&'a str>) -> UsageSnapshot<'a> {
    let number = |key| stats.get(key).map_or(0, Value::as_count);
    let tokens = Tokens {
        input: number("session_prompt_tokens"),
        output: number("session_completion_tokens"),
        input_has_cache: true,
        ..Tokens::default()
    };
    let cost_usd = stats.get("session_cost").and_then(Value::as_f64);
    let models = vec![ModelUsage { model: model.unwrap_or_default(), tokens, cost_usd }];
    UsageSnapshot { name: "session", models, cost_usd, ..UsageSnapshot::default() }
}
