//! Tokens and costs at the end of a run. Input excludes what was read from and written to the
//! cache, output includes reasoning. A cost that is missing is unknown.

use crate::event::{Event, Finished, ModelUsage, Notice, Tokens};
use crate::harness::claude::result::models;
use crate::harness::envelope::{self, Envelope, TokenMembers, count};
use crate::json::Value;

/// Ticks of a US dollar.
const TICKS: f64 = 1e10;

/// Returns the counts in `usage`, if it has any.
pub(super) fn tokens(envelope: &Envelope<'_, '_>) -> Option<Tokens> {
    const MEMBERS: TokenMembers =
        ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    let usage = envelope.get("usage").filter(|usage| usage.get("input_tokens").is_some())?;
    let reasoning = count(usage.get("reasoning_tokens"));
    Some(Tokens { reasoning, ..envelope::tokens(usage, MEMBERS) })
}

/// Returns a number of ticks in US dollars.
pub(super) fn ticks(value: Value<'_, '_>) -> Option<f64> {
    value.as_f64().filter(|ticks| *ticks >= 0.0).map(|ticks| ticks / TICKS)
}

/// Adds the end of a run with what it used.
pub(super) fn finish<'a>(
    envelope: &Envelope<'_, 'a>,
    finished: Finished<'a>,
    events: &mut Vec<Event<'a>>,
) {
    let usage = tokens(envelope);
    let mut models = envelope.get("modelUsage").and_then(models).unwrap_or_default();
    if let ([ModelUsage { model, tokens, .. }], Some(usage)) = (&mut *models, usage) {
        events.push(Event::Model { model });
        *tokens = usage;
    }
    let warnings = [
        ("cost_is_partial", "the cost of the run is not complete"),
        ("usage_is_incomplete", "the tokens of the run are not complete"),
    ];
    let warnings = warnings.into_iter().filter(|(flag, _)| envelope.is_true(flag));
    let notice = |(_, text)| Event::Notice(Notice { text, warning: true });
    events.extend(warnings.map(notice));
    if envelope.is_true("cost_is_partial") {
        for model in &mut models {
            model.cost_usd = None;
        }
    }
    let dollars = || envelope.get("total_cost_usd").and_then(Value::as_f64);
    let cost = dollars().or_else(|| envelope.get("total_cost_usd_ticks").and_then(ticks));
    events.push(Event::Finished(Box::new(Finished {
        usage,
        models_total: Some(models).filter(|models| !models.is_empty()),
        cost_usd: cost.filter(|_| !envelope.is_true("cost_is_partial")),
        num_turns: envelope.get("num_turns").and_then(Value::as_i64),
        ..finished
    })));
}
