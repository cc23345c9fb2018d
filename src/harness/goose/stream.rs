//! The stream of `goose run --output-format stream-json`.
//!
//! Text arrives in parts, and a message is never printed as a whole. The last line has the
//! tokens of the session, which a resumed session goes on counting; input includes what was
//! read from and written to the cache. It is printed after a failure, too.

use std::borrow::Cow;

use super::content::{self, Author};
use crate::event::{Event, Evidence, Finished, Scope, Tokens};
use crate::harness::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::Value;

/// The texts of a run: one is complete when another one starts.
const THREAD: &str = "goose";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    match envelope.kind {
        Some("message") => {
            let has = |key| envelope.message.is_some_and(|it| it.get(key).is_some());
            Claim::certain_if(has("created") && has("content") && has("metadata"))
        }
        Some("notification") => Claim::certain_if(envelope.has("extension_id")),
        Some("complete") => Claim::certain_if(envelope.has("total_tokens")),
        // Errors of other CLIs have further members.
        Some("error") if envelope.str("error").is_some() => {
            let members = 2 + usize::from(envelope.is_tagged);
            let is_bare = envelope.object.members().count() == members;
            if is_bare { Claim::Typical } else { Claim::No }
        }
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location::default();
    match (envelope.kind, envelope.message) {
        (Some("message"), Some(message)) => {
            let author = Author::of(message, true);
            location.time = super::session::created(message);
            events.extend(model(message).map(|model| Event::Model { model }));
            let items = message.get("content").into_iter().flat_map(Value::elements);
            events.extend(items.filter_map(|item| content::decode(item, author)));
        }
        (Some("error"), _) => {
            let message = envelope.str("error");
            events.push(Event::Error { message, error: Evidence::default() });
        }
        (Some("complete"), _) => events.push(Event::Finished(Box::new(Finished {
            scope: Scope::Turn,
            usage: tokens(envelope.object, ["total_tokens", "input_tokens", "output_tokens"]),
            ..Finished::default()
        }))),
        _ => {}
    }
    location
}

/// Returns the model that wrote a message, if that is known.
pub(super) fn model<'a>(message: Value<'_, 'a>) -> Option<&'a str> {
    let inference = message.get("metadata")?.get("inference")?;
    let name = |key| inference.get(key).and_then(Value::as_str);
    name("resolvedModel").or_else(|| name("requestedModel"))
}

/// Reads the total, the input and the output. What they lack is reasoning, or unknown.
pub(super) fn tokens(counts: Value<'_, '_>, members: [&str; 3]) -> Option<Tokens> {
    let [total, input, output] = members.map(|key| count(counts.get(key)));
    total.or(input).or(output)?;
    let (total, written) = (total.unwrap_or(0), output.unwrap_or(0));
    let read = input.unwrap_or_else(|| total.saturating_sub(written));
    let reasoning = total.saturating_sub(read).saturating_sub(written);
    Some(Tokens {
        input: read,
        output: written.saturating_add(reasoning),
        reasoning: Some(reasoning).filter(|reasoning| *reasoning > 0),
        input_has_cache: true,
        ..Tokens::default()
    })
}

/// Returns what a line adds to the text or to the reasoning of a message.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    if kind == "complete" && line.get("total_tokens").is_some() {
        return TextDelta::EndThread(Cow::Borrowed(THREAD));
    }
    let message = line.get("message").filter(|_| kind == "message");
    let message = message.filter(|message| message.get("metadata").is_some());
    let Some(items) = message.and_then(|message| message.get("content")) else {
        return TextDelta::None;
    };
    let mut items = items.elements();
    let (Some(item), None) = (items.next(), items.next()) else {
        return TextDelta::EndThread(Cow::Borrowed(THREAD));
    };
    match item.get("type").and_then(Value::as_str) {
        Some("text") => TextDelta::append(Cow::Borrowed(THREAD), 0, item.get("text")),
        Some("thinking") => TextDelta::append(Cow::Borrowed(THREAD), 1, item.get("thinking")),
        _ => TextDelta::EndAll,
    }
}
