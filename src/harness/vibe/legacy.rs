//! Releases before 3: a line is a chat message, with all members in the stream and without
//! those that are null in the file of a session.

use super::stream::{texts, tool_call};
use crate::event::{Event, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::Value;

/// How the output of a call starts that failed, or that the user refused.
const FAILED: &str = "<tool_error>";
const REFUSED: &str = "<user_cancellation>";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_marked = envelope.get("injected").is_some_and(|flag| flag.as_bool().is_some());
    let role = envelope.str("role").filter(|_| envelope.kind.is_none() && is_marked);
    Claim::certain_if(matches!(role, Some("system" | "user" | "assistant" | "tool")))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    match envelope.str("role") {
        Some("user") => {
            let synthetic = envelope.is_true("injected");
            let text = envelope.get("content").and_then(texts);
            events.extend(text.map(|text| Event::Prompt { text, replay: true, synthetic }));
        }
        Some("assistant") => answer(envelope, events),
        Some("tool") => events.push(Event::ToolResult(result(envelope))),
        _ => {}
    }
    let on_disk = !envelope.object.members().any(|member| member.value.is_null());
    Location { on_disk, ..Location::default() }
}

fn answer<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let message_id = envelope.str("message_id");
    let reasoning = envelope.get("reasoning_content").and_then(texts);
    events.extend(reasoning.map(|text| Event::Reasoning { text }));
    let text = envelope.get("content").and_then(texts);
    events.extend(text.map(|text| Event::Text { message_id, text, is_part: false }));
    let calls = envelope.get("tool_calls").into_iter().flat_map(Value::elements);
    events.extend(calls.map(|call| Event::ToolCall(function_call(call))));
}

/// Decodes a call, whose arguments are a string that contains JSON.
fn function_call<'a>(call: Value<'_, 'a>) -> ToolCall<'a> {
    let function = call.get("function");
    let arguments =
        function.and_then(|function| function.members().find(|member| member.key == "arguments"));
    let arguments = arguments.filter(|member| member.value.is_string());
    let input = arguments.map_or(ToolInput::None, |member| ToolInput::Encoded(member.json()));
    let name = function.and_then(|function| function.get("name")?.as_str());
    tool_call(call.get("id").and_then(Value::as_str), name, input)
}

/// Decodes a result. Only its text tells how the call ended.
fn result<'a>(envelope: &Envelope<'_, 'a>) -> ToolResult<'a> {
    let output = envelope.get("content").and_then(texts);
    let text = output.as_deref().unwrap_or_default();
    let status = if text.starts_with(FAILED) {
        ToolStatus::Failed
    } else if text.starts_with(REFUSED) {
        ToolStatus::Denied
    } else {
        ToolStatus::Completed
    };
    let (id, name) = (envelope.str("tool_call_id"), envelope.str("name"));
    ToolResult {
        call: tool_call(id, name, ToolInput::None),
        status,
        output,
        ..ToolResult::default()
    }
}
