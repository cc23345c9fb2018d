//! Session files: `session-state/ID/events.jsonl`. They contain the events of the stream
//! that are not ephemeral, the tokens of each request, and at the end of each process those
//! of the session.

use super::stream::{Place, decode_event, is_event, tokens};
use crate::event::{Event, ModelUsage, UsageSnapshot};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::Value;

/// The first line shows a session file: the others also occur in a stream. An ephemeral one
/// occurs there only.
pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_event = envelope.kind.is_some_and(|kind| is_event(kind, envelope));
    Claim::certain_if(is_event && !envelope.is_true("ephemeral"))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    if envelope.kind == Some("session.shutdown") {
        events.extend(envelope.get("data").and_then(total));
        return Location { on_disk: true, ..Location::default() };
    }
    decode_event(envelope, Place::Disk, events)
}

/// Decodes the count of everything the session has used, in all its processes and with its
/// subagents.
fn total<'a>(data: Value<'_, 'a>) -> Option<Event<'a>> {
    let models = data.get("modelMetrics")?.members();
    let models = models.filter_map(|member| {
        let tokens = tokens(member.value.get("usage")?);
        Some(ModelUsage { model: member.key, tokens, cost_usd: None })
    });
    let name = "shutdown";
    let snapshot = UsageSnapshot { name, models: models.collect(), ..UsageSnapshot::default() };
    Some(Event::Total(Box::new(snapshot)))
}
