//! The stream of `grok -p … --output-format streaming-messages-json`, whose lines have the
//! shape of Claude Code's. Counts of zero are unknown.

use crate::event::{Event, Tokens};
use crate::harness::claude::stream as messages;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};

/// Members of the first line of other CLIs with messages of this shape.
const FOREIGN: [&str; 4] = ["claude_code_version", "qwen_code_version", "agents", "output_style"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has = |key: &&str| envelope.has(key);
    match (envelope.kind.filter(|_| !envelope.has_parent_uuid), envelope.subtype) {
        (Some("system"), Some("init")) => {
            let is_own = ["skills", "apiKeySource", "uuid"].iter().all(has);
            Claim::certain_if(is_own && !FOREIGN.iter().any(has))
        }
        (Some("system" | "assistant" | "user" | "stream_event" | "result"), _) => {
            messages::claim(envelope).min(Claim::Shared)
        }
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    // The list may already contain events of other lines.
    let first = events.len();
    let location = messages::decode(envelope, events);
    let is_known = |tokens: &Tokens| tokens.total() > 0;
    for event in &mut events[first..] {
        match event {
            Event::Message(message) => message.usage = message.usage.filter(is_known),
            Event::Finished(finished) => {
                finished.usage = finished.usage.filter(is_known);
                finished.cost_usd = finished.cost_usd.filter(|cost| *cost > 0.0);
                let models = finished.models_total.take();
                finished.models_total =
                    models.filter(|all| all.iter().any(|model| is_known(&model.tokens)));
            }
            _ => {}
        }
    }
    location
}
