//! Sessions of releases before 2026: a file for the session, for each message, and for each
//! part. A part does not say whose message it belongs to; what follows a message of the user
//! is a dialect of its own.

use super::{part, session};
use crate::event::{Event, Message};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};

/// Claims sessions, answers and all parts.
pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_own = |envelope: &Envelope<'_, '_>| {
        let is_answer = session::is_message(envelope.object) && !is_prompt(envelope);
        is_answer || session::is_description(envelope.object)
    };
    Claim::certain_if(is_part(envelope) || envelope.kind.is_none() && is_own(envelope))
}

/// Claims prompts, and the parts that follow.
pub(super) fn claim_prompt(envelope: &Envelope<'_, '_>) -> Claim {
    let is_own = || session::is_message(envelope.object) && is_prompt(envelope);
    Claim::certain_if(is_part(envelope) || envelope.kind.is_none() && is_own())
}

fn is_prompt(envelope: &Envelope<'_, '_>) -> bool {
    envelope.str("role") == Some("user")
}

fn is_part(envelope: &Envelope<'_, '_>) -> bool {
    let has_ids = || ["id", "messageID", "sessionID"].iter().all(|key| envelope.str(key).is_some());
    envelope.kind.is_some() && has_ids()
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let object = envelope.object;
    if envelope.kind == Some("step-finish") {
        // An older message has several steps.
        let (id, request_id) = (envelope.str("messageID"), envelope.str("id"));
        events.push(Event::Message(Message { id, request_id, ..part::step(object) }));
    } else if envelope.kind.is_some() {
        events.extend(part::event(object));
    } else if session::is_message(object) {
        let header = session::header(object);
        events.push(Event::Message(header));
        events.extend(header.model.map(|model| Event::Model { model }));
        events.extend(session::end(object));
    } else {
        events.push(session::describe(object));
        return session::location(object, "id");
    }
    session::location(object, "sessionID")
}

pub(super) fn decode_prompt<'a>(
    envelope: &Envelope<'_, 'a>,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    if envelope.kind.is_some() {
        events.extend(part::prompt(envelope.object));
    }
    session::location(envelope.object, "sessionID")
}
