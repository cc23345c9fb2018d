//! Sessions: a description, then every message with its parts. Rows of the database are read
//! in the form of `opencode export`.

use super::part;
use super::stream::{finished, time};
use super::{failure, stream};
use crate::event::{Event, Evidence, Message, Scope, SessionInfo};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::{Member, Value};

/// The member of an exported session that contains the messages.
pub(crate) const ELEMENTS: &str = "messages";

pub(crate) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let Some(info) = envelope.get("info").filter(|_| envelope.kind.is_none()) else {
        return Claim::No;
    };
    let is_message = envelope.has("parts") && is_message(info);
    Claim::certain_if(is_message || is_description(info))
}

/// Returns whether an object is a message.
pub(super) fn is_message(info: Value<'_, '_>) -> bool {
    ["id", "sessionID", "role"].iter().all(|key| info.get(key).is_some_and(Value::is_string))
}

/// Returns whether an object describes a session.
pub(super) fn is_description(info: Value<'_, '_>) -> bool {
    let is_session = |id: &str| id.starts_with("ses_");
    let id = info.get("id").and_then(Value::as_str);
    id.is_some_and(is_session) && info.get("directory").is_some() && info.get("time").is_some()
}

pub(crate) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let Some(info) = envelope.get("info") else { return Location::default() };
    let Some(parts) = envelope.get("parts") else {
        events.push(describe(info));
        return location(info, "id");
    };
    let role = info.get("role").and_then(Value::as_str);
    match role {
        Some("assistant") => answer(info, parts, events),
        Some("user") => events.extend(parts.elements().filter_map(part::prompt)),
        _ => {}
    }
    location(info, "sessionID")
}

/// Returns where an object belongs whose member `id` names the session.
pub(super) fn location<'a>(info: Value<'_, 'a>, id: &str) -> Location<'a> {
    Location {
        session_id: info.get(id).and_then(Value::as_str),
        on_disk: true,
        time: info.get("time").and_then(|times| time(times.get("created")?)),
        ..Location::default()
    }
}

/// Decodes the description of a session.
pub(super) fn describe<'a>(info: Value<'_, 'a>) -> Event<'a> {
    let text = |key| info.get(key).and_then(Value::as_str);
    Event::Session(Box::new(SessionInfo {
        cwd: text("directory"),
        version: text("version"),
        started_by: text("parentID"),
        ..SessionInfo::default()
    }))
}

fn answer<'a>(info: Value<'_, 'a>, parts: Value<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let header = header(info);
    events.push(Event::Message(header));
    let is_summary = info.get("summary").and_then(Value::as_bool) == Some(true);
    let mut steps = parts.elements().filter(|part| is_step(*part)).peekable();
    if steps.peek().is_none() {
        events.extend(request(info, info));
    }
    for part in parts.elements() {
        let event = if is_step(part) { request(info, part) } else { part::event(part) };
        let event = event.map(|event| match event {
            Event::Text { text, is_part, .. } => {
                Event::Text { message_id: header.id, text, is_part }
            }
            event => event,
        });
        // The summary of a conversation is no answer.
        events.extend(event.filter(|event| !is_summary || !matches!(event, Event::Text { .. })));
    }
    events.extend(end(info));
}

/// Returns the header of a message, without its tokens: they are those of its last step.
pub(super) fn header<'a>(info: Value<'_, 'a>) -> Message<'a> {
    let text = |key| info.get(key).and_then(Value::as_str);
    let error = info.get("error").filter(|error| error.is_object());
    let evidence = |error: Value<'_, 'a>| Evidence {
        category: error.get("name").and_then(Value::as_str),
        ..error.get("data").map(|data| failure::evidence(data, None)).unwrap_or_default()
    };
    Message {
        id: text("id"),
        model: text("modelID"),
        stop_reason: text("finish"),
        error: error.map(evidence).unwrap_or_default(),
        ..Message::default()
    }
}

/// Returns how a message ended, or that it is still being written.
pub(super) fn end<'a>(info: Value<'_, 'a>) -> Option<Event<'a>> {
    let times = info.get("time");
    let at = |key| times.and_then(|times| times.get(key));
    if let Some(error) = info.get("error").filter(|error| error.is_object()) {
        let failed = at("completed").or_else(|| at("created")).and_then(stream::time);
        return Some(failure::finished(error, Scope::Request, failed));
    }
    match info.get("finish").and_then(Value::as_str) {
        Some(reason) => finished(reason, Scope::Turn),
        None => at("completed").is_none().then_some(Event::TurnStarted { id: None }),
    }
}

fn is_step(part: Value<'_, '_>) -> bool {
    part.get("type").and_then(Value::as_str) == Some("step-finish")
}

/// Returns the request of a step, or of a message without steps. A fork of a session copies
/// messages with new ids: the time of the message and the counts identify a request.
fn request<'a>(info: Value<'_, 'a>, step: Value<'_, 'a>) -> Option<Event<'a>> {
    let json = |member: Member<'_, 'a>| std::str::from_utf8(member.json().bytes()).ok();
    let member = |object: Value<'_, 'a>, key| {
        let found = object.members().find(|member| member.key == key);
        found.and_then(json)
    };
    let used = part::step(step);
    used.usage?;
    Some(Event::Message(Message {
        id: info.get("time").and_then(|times| member(times, "created")),
        request_id: member(step, "tokens"),
        model: info.get("modelID").and_then(Value::as_str),
        ..used
    }))
}
