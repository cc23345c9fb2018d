//! Sessions: rows of the database as lines, and the files of older releases, which start
//! with a description and contain the same messages.
//!
//! Tokens are those of the session. `accumulated_…` is the sum over all requests, the others
//! are those of the last one and used only if there is no sum.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::content::{self, Author};
use super::stream::{model, tokens};
use crate::event::{Event, Message, SessionInfo};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::Value;

/// How a database writes times, in UTC.
const TIME: &str = "%Y-%m-%d %H:%M:%S";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_entry = envelope.kind.is_none();
    Claim::certain_if(is_entry && (is_message(envelope) || is_description(envelope)))
}

fn is_message(envelope: &Envelope<'_, '_>) -> bool {
    let has_time = envelope.get("created").is_some_and(|time| time.as_i64().is_some());
    let has_items = || envelope.get("content").is_some_and(Value::is_array);
    has_time && envelope.has("role") && has_items()
}

fn is_description(envelope: &Envelope<'_, '_>) -> bool {
    let has_folder = envelope.str("working_dir").is_some();
    has_folder && envelope.has("total_tokens") && envelope.has("description")
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let object = envelope.object;
    let mut location =
        Location { on_disk: true, session_id: envelope.session_id, ..Location::default() };
    if is_message(envelope) {
        location.time = created(object);
        events.extend(model(object).map(|model| Event::Model { model }));
        let author = Author::of(object, false);
        let items = envelope.get("content").into_iter().flat_map(Value::elements);
        events.extend(items.filter_map(|item| content::decode(item, author)));
    } else {
        location.session_id = envelope.str("id");
        location.time = envelope.str("updated_at").and_then(updated);
        describe(envelope, events);
    }
    location
}

/// Returns when a message was written. Older releases used milliseconds.
pub(super) fn created(message: Value<'_, '_>) -> Option<Timestamp> {
    const MIN_MILLISECONDS: i64 = 100_000_000_000;
    let time = message.get("created")?.as_i64()?;
    if time < MIN_MILLISECONDS {
        Timestamp::from_second(time).ok()
    } else {
        Timestamp::from_millisecond(time).ok()
    }
}

fn updated(time: &str) -> Option<Timestamp> {
    let civil = DateTime::strptime(TIME, time).ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Decodes the description of a session. Its tokens count once for its id.
fn describe<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let configured = envelope.get("model_config");
    let model = configured.and_then(|config| config.get("model_name")?.as_str());
    let sum = tokens(
        envelope.object,
        ["accumulated_total_tokens", "accumulated_input_tokens", "accumulated_output_tokens"],
    );
    let last = || tokens(envelope.object, ["total_tokens", "input_tokens", "output_tokens"]);
    let usage = sum.or_else(last);
    events.push(Event::Session(Box::new(SessionInfo {
        model,
        cwd: envelope.str("working_dir"),
        ..SessionInfo::default()
    })));
    if usage.is_some() {
        events.push(Event::Message(Message {
            id: envelope.str("id"),
            model,
            usage,
            cost_usd: envelope.get("accumulated_cost").and_then(Value::as_f64),
            ..Message::default()
        }));
    }
}
