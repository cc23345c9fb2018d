//! The `result` line.

use super::stream::{evidence, tokens};
use crate::event::{Denial, Event, Finished, ModelUsage, Scope, Tokens};
use crate::harness::envelope::{Envelope, count};
use crate::json::{Text, Value};

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let mut finished = Finished {
        scope: Scope::Result,
        subtype: envelope.subtype,
        error: evidence(envelope),
        ..Finished::default()
    };
    let (mut answer, mut errors, mut is_error, mut old_cost) = (None, None, false, None);
    for member in envelope.object.members() {
        let value = member.value;
        match member.key {
            "uuid" => finished.id = value.as_str(),
            "result" => answer = value.as_text(),
            "errors" => errors = Some(value),
            // Only the boolean counts, neither "true" nor 1.
            "is_error" => is_error = value.as_bool() == Some(true),
            "usage" => finished.usage = tokens(value),
            "modelUsage" => finished.models_total = models(value),
            "model_usage_since_last_result" => finished.models_since = models(value),
            "total_cost_usd" => finished.cost_usd = cost(value),
            "cost_usd" => old_cost = cost(value),
            "num_turns" => finished.num_turns = value.as_i64(),
            "duration_ms" => finished.duration_ms = count(Some(value)),
            "stop_reason" => finished.stop_reason = value.as_str(),
            "terminal_reason" => finished.terminal_reason = value.as_str(),
            "permission_denials" => {
                finished.denials = value.elements().filter_map(denial).collect();
            }
            "structured_output" if !value.is_null() => {
                finished.structured_output = Some(member.json());
            }
            _ => {}
        }
    }
    finished.cost_usd = finished.cost_usd.or(old_cost);
    // Old releases print `error_…` results with `is_error: false`.
    finished.failed = is_error || envelope.subtype.is_some_and(|word| word.starts_with("error"));
    finished.has_answer = answer.as_ref().is_some_and(|text| !text.is_empty());
    finished.text = match answer.filter(|_| finished.has_answer || !finished.failed) {
        Some(text) => Some(text),
        None if finished.failed => error_text(envelope, errors),
        None => None,
    };
    events.push(Event::Finished(Box::new(finished)));
}

fn denial<'a>(call: Value<'_, 'a>) -> Option<Denial<'a>> {
    let text = |key| call.get(key).and_then(Value::as_str);
    call.is_object().then(|| Denial { name: text("tool_name"), tool_id: text("tool_use_id") })
}

/// Returns the error of a failed result that has no text.
fn error_text<'a>(envelope: &Envelope<'_, 'a>, errors: Option<Value<'_, 'a>>) -> Option<Text<'a>> {
    let mut errors = errors.iter().flat_map(|errors| errors.elements()).filter_map(Value::as_text);
    Text::joined(&mut errors).or_else(|| envelope.get("error")?.get("message")?.as_text())
}

/// Returns a cost, which is never negative.
fn cost(value: Value<'_, '_>) -> Option<f64> {
    value.as_f64().filter(|cost| *cost >= 0.0)
}

/// Returns the usage per model. An empty map means that nothing was used.
pub(in crate::harness) fn models<'a>(usage: Value<'_, 'a>) -> Option<Vec<ModelUsage<'a>>> {
    usage.is_object().then(|| {
        let models = usage.members().filter(|member| member.value.is_object());
        models
            .map(|member| ModelUsage {
                model: member.key,
                tokens: Tokens {
                    input: member.value.get("inputTokens").map_or(0, Value::as_count),
                    output: member.value.get("outputTokens").map_or(0, Value::as_count),
                    cache_read: count(member.value.get("cacheReadInputTokens")),
                    cache_write: count(member.value.get("cacheCreationInputTokens")),
                    cache_write_1h: count(member.value.get("cacheCreationEphemeral1hInputTokens")),
                    reasoning: count(member.value.get("thinkingTokens")),
                    input_has_cache: false,
                },
                cost_usd: member.value.get("costUSD").and_then(cost),
            })
            .collect()
    })
}
