//! The stream of `qwen --output-format stream-json`.
//!
//! Lines have the shape of Claude Code's. Input tokens include what was read from the
//! cache, and a response is printed as several messages, of which the last has the tokens.

use crate::event::{Event, MessagePart, Notice, Retry, Tokens, ToolCall, ToolInput, ToolResult};
use crate::harness::claude::stream as messages;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::Value;

/// Events of partial messages that no other CLI prints.
const OWN_EVENTS: [&str; 3] = ["goal_state", "active_goal", "tool_progress"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_object = |key| envelope.get(key).is_some_and(Value::is_object);
    let certain_or_shared = |is_own| {
        if is_own { Claim::Certain } else { messages::claim(envelope).min(Claim::Shared) }
    };
    match envelope.kind.filter(|_| !envelope.has_parent_uuid) {
        Some("system") if envelope.subtype == Some("init") => {
            Claim::certain_if(envelope.has("qwen_code_version"))
        }
        Some("system") => certain_or_shared(envelope.has_data && envelope.has_uuid),
        Some("assistant") => {
            let id = envelope.message.and_then(|message| message.get("id")).and_then(Value::as_str);
            certain_or_shared(id.is_some() && id == envelope.str("uuid"))
        }
        Some("stream_event") => {
            let kind = envelope.event.and_then(|event| event.get("type")).and_then(Value::as_str);
            certain_or_shared(kind.is_some_and(|kind| OWN_EVENTS.contains(&kind)))
        }
        Some("result") => {
            let counts_all =
                || envelope.get("usage").is_some_and(|it| it.get("total_tokens").is_some());
            let is_own = || is_object("error") || envelope.has("structured_result") || counts_all();
            // The CLI reports no costs.
            certain_or_shared(!envelope.has_cost && is_own() && envelope.has("num_turns"))
        }
        Some("user") => certain_or_shared(false),
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    // The list may already contain events of other lines.
    let first = events.len();
    let location = messages::decode(envelope, events);
    for event in &mut events[first..] {
        match event {
            // The parts of a response are messages of their own, and so the id of the
            // message that is being written is not that of the complete one.
            Event::Message(message) => {
                message.id = None;
                include_cache(&mut message.usage);
            }
            Event::Text { message_id, .. } => *message_id = None,
            Event::Partial { message_id, part } => {
                *message_id = None;
                if let MessagePart::MessageStart(message) = part {
                    message.id = None;
                }
            }
            Event::Finished(finished) => {
                include_cache(&mut finished.usage);
                let document = envelope.object.members().find(|it| it.key == "structured_result");
                let document = document.filter(|document| !document.value.is_null());
                finished.structured_output = document.map(|document| document.json());
            }
            Event::Session(session) => {
                session.permission_mode = envelope.str("permission_mode");
            }
            Event::ToolCall(call) => complete_call(call),
            Event::ToolResult(result) => result.exit_code = exit_code(result),
            _ => {}
        }
    }
    if envelope.kind == Some("system") {
        events.extend(system(envelope));
    }
    location
}

fn include_cache(usage: &mut Option<Tokens>) {
    if let Some(usage) = usage {
        usage.input_has_cache = true;
    }
}

/// Sets what the name and the input say about a call.
fn complete_call(call: &mut ToolCall<'_>) {
    call.starts_agent = call.name == Some("agent");
    call.asks_user = call.name == Some("ask_user_question");
    call.gives_document = call.name == Some("structured_output");
    if let ToolInput::Json(input) = call.input {
        let is_true = |key| input.get(key).is_some_and(|flag| flag.bytes() == b"true");
        call.background = is_true("is_background") || is_true("run_in_background");
    }
}

/// Returns the exit status in the text of a failed shell command.
fn exit_code(result: &ToolResult<'_>) -> Option<i64> {
    let output = result.output.as_ref().filter(|_| result.is_error == Some(true))?;
    exit_code_in(output)
}

/// Returns the exit status in the report of a shell command.
pub(super) fn exit_code_in(report: &str) -> Option<i64> {
    let (_, code) = report.strip_prefix("Command: ")?.split_once("\nExit Code: ")?;
    code.lines().next()?.parse().ok()
}

/// Decodes what the CLI reports about itself.
fn system<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let data = envelope.get("data")?;
    let text = |key| data.get(key).and_then(Value::as_str);
    match envelope.subtype? {
        "retry" => Some(Event::Retry(Retry {
            attempt: count(data.get("attempt")),
            max: count(data.get("maxRetries")),
            delay_ms: count(data.get("delayMs")),
            status: data.get("statusCode").and_then(Value::as_i64),
            message: text("error"),
            is_self_contained: false,
        })),
        "model_fallback" => {
            text("toModel").map(|text| Event::Notice(Notice { text, warning: true }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_status_is_in_the_report_of_a_command() {
        let report = "Command: exit 3\nDirectory: (root)\nError: (none)\nExit Code: 3\nSignal: x";
        assert_eq!(exit_code_in(report), Some(3));
        assert_eq!(exit_code_in("Command: x\nExit Code: (none)\n"), None);
        assert_eq!(exit_code_in("he said:\nExit Code: 3"), None);
    }
}
