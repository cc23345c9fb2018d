//! The stream of `opencode run --format json`: every line has a time, a session and a part of
//! a message, or an error.
//!
//! Texts and calls are printed when they have ended, calls with their results. The tokens of
//! a request are those of its step. Work of subagents is not printed, and the end of a run is
//! the step that ends for another reason than calls.

use jiff::Timestamp;

use super::{failure, part};
use crate::event::{Event, Finished, MessagePart, Scope};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::{Text, Value};

/// The reason for the end of a step that is followed by another one.
const TOOL_CALLS: &str = "tool-calls";

/// Returns whether an object is a line of OpenCode and not of its fork.
pub(crate) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    Claim::certain_if(is_line(envelope) && !is_line_of_kilo(envelope))
}

/// Most lines of the fork are the same as those of OpenCode: they belong to it if the stream
/// has shown it.
pub(crate) fn claim_kilo(envelope: &Envelope<'_, '_>) -> Claim {
    let is_step_end = envelope.kind == Some("step_finish");
    Claim::certain_if(is_line(envelope) && (!is_step_end || is_line_of_kilo(envelope)))
}

fn is_line(envelope: &Envelope<'_, '_>) -> bool {
    let is_number = |value: Value<'_, '_>| value.as_i64().is_some();
    envelope.str("sessionID").is_some()
        && envelope.get("timestamp").is_some_and(is_number)
        && match envelope.kind {
            Some("error") => envelope.has("error"),
            Some(_) => envelope.get("part").is_some_and(Value::is_object),
            None => false,
        }
}

/// Returns whether a line has a member that only the fork prints: the speed of a step, how a
/// call was approved, an error that is a text.
fn is_line_of_kilo(envelope: &Envelope<'_, '_>) -> bool {
    let part = envelope.get("part");
    let in_part = |key| part.and_then(|part| part.get(key));
    match envelope.kind {
        Some("step_finish") => in_part("metrics").is_some(),
        Some("tool_use") => {
            let metadata = in_part("state").and_then(|state| state.get("metadata"));
            metadata.is_some_and(|metadata| metadata.get("approval").is_some())
        }
        Some("error") => envelope.get("error").is_some_and(Value::is_string),
        _ => false,
    }
}

pub(crate) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let time = envelope.get("timestamp").and_then(time);
    let location = Location { session_id: envelope.str("sessionID"), time, ..Location::default() };
    let Some(part) = envelope.get("part") else {
        let error = envelope.get("error").filter(|_| envelope.kind == Some("error"));
        events.extend(error.map(|error| failure::finished(error, Scope::Result, time)));
        return location;
    };
    match envelope.kind {
        Some("step_start") => events.push(Event::TurnStarted { id: None }),
        Some("step_finish") => {
            let part = MessagePart::MessageDelta(part::step(part));
            events.push(Event::Partial { message_id: None, part });
            events.extend(run_end(envelope));
        }
        // A call that ended before is printed again when its output has been removed.
        Some("tool_use") if part::is_compacted(part) => {}
        _ => events.extend(part::event(part)),
    }
    location
}

/// Returns the time of a number of milliseconds.
pub(super) fn time(milliseconds: Value<'_, '_>) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds.as_i64()?).ok()
}

/// Returns the end of the run, if a step ends it.
fn run_end<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let reason = envelope.get("part")?.get("reason")?.as_str()?;
    finished(reason, Scope::Result)
}

/// Returns the end that the reason for the end of a step or a message means, if it is one.
pub(super) fn finished(reason: &str, scope: Scope) -> Option<Event<'_>> {
    if reason == TOOL_CALLS {
        return None;
    }
    let failure = match reason {
        "length" => Some("the answer is longer than the model's limit"),
        "content-filter" => Some("a content filter stopped the answer"),
        "error" => Some("the request failed"),
        _ => None,
    };
    Some(Event::Finished(Box::new(Finished {
        scope,
        failed: failure.is_some(),
        text: failure.map(Text::from),
        stop_reason: Some(reason),
        ..Finished::default()
    })))
}
