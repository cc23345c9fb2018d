//! The stream of `amp --execute … --stream-json`.
//!
//! Lines have the shape of Claude Code's; the session id is that of a thread, `T-…`.
//! Tokens are those of each message, and input excludes the cache.

use crate::event::{Denial, Event, Evidence, Finished, ToolResult};
use crate::harness::claude::stream as messages;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::{Json, Value};

/// How the id of a thread starts.
const THREAD: &str = "T-";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_thread = envelope.session_id.is_some_and(|id| id.starts_with(THREAD));
    let is_own = is_thread && !envelope.has_parent_uuid;
    let is_message = matches!(envelope.kind, Some("system" | "assistant" | "user" | "result"));
    Claim::certain_if(is_own && is_message)
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    // The list may already contain events of other lines.
    let first = events.len();
    let location = messages::decode(envelope, events);
    for event in &mut events[first..] {
        match event {
            Event::Finished(finished) => complete_result(envelope, finished),
            Event::ToolResult(result) => result.exit_code = exit_code(result),
            _ => {}
        }
    }
    location
}

/// Sets what a result says in another way: its error is a text, and denials are names.
fn complete_result<'a>(envelope: &Envelope<'_, 'a>, finished: &mut Finished<'a>) {
    if let Some(error) = envelope.text("error") {
        finished.error = Evidence::default();
        finished.text = finished.text.take().or(Some(error));
    }
    let denials = envelope.get("permission_denials");
    let names = denials.into_iter().flat_map(Value::elements).filter_map(Value::as_str);
    finished.denials.extend(names.map(|name| Denial { name: Some(name), tool_id: None }));
}

/// Returns the exit status of a command, whose output is a JSON object in a text.
fn exit_code(result: &ToolResult<'_>) -> Option<i64> {
    let output = result.output.as_deref().filter(|output| output.starts_with('{'))?;
    let code = Json::new(output.as_bytes()).get("exitCode")?;
    str::from_utf8(code.bytes()).ok()?.parse().ok()
}
