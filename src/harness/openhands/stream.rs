//! The stream of `openhands --headless --json`: events, and text for people between them.
//!
//! It contains neither tokens nor the model. The answer is the message of the `finish` tool,
//! or a message of the agent. A failed run has an event about its error, and exits with 0.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::session;
use crate::event::{Event, Evidence, Finished, Scope, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::{Text, Value};

/// The tool that starts a subagent.
const AGENT_TOOL: &str = "task";

/// The tool whose message is the answer.
const FINISH_TOOL: &str = "finish";

/// What precedes the id of the conversation in the text behind the events.
const CONVERSATION_ID: &str = "Conversation ID: ";

/// The folder that contains those of the conversations.
const CONVERSATIONS: &str = "/conversations/";

const SOURCES: [&str; 4] = ["user", "agent", "environment", "hook"];

/// The event with the system prompt, which is stored but not printed.
const SYSTEM_PROMPT: &str = "SystemPromptEvent";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let is_stored = envelope.str("kind") == Some(SYSTEM_PROMPT);
    Claim::certain_if(is_event(envelope) && !is_stored)
}

/// Returns whether an object is an event of a stream or of a conversation.
pub(super) fn is_event(envelope: &Envelope<'_, '_>) -> bool {
    let source = envelope.str("source");
    envelope.kind.is_none()
        && envelope.str("kind").is_some()
        && source.is_some_and(|source| SOURCES.contains(&source))
        && envelope.str("id").is_some()
        && envelope.timestamp.is_some()
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    decode_event(envelope, true, events)
}

/// Decodes an event of a stream, where prompts are echoed, or of a conversation.
pub(super) fn decode_event<'a>(
    envelope: &Envelope<'_, 'a>,
    is_echo: bool,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    let mut location = Location { time: time(envelope), ..Location::default() };
    match envelope.str("kind") {
        Some("MessageEvent") => message(envelope, is_echo, events),
        Some("ActionEvent") => action(envelope, events),
        Some("ObservationEvent") => {
            let observation = envelope.get("observation");
            let folder = observation.and_then(|seen| seen.get("full_output_save_dir")?.as_str());
            location.session_id = folder.and_then(conversation_of);
            events.push(Event::ToolResult(observed(envelope, observation)));
            if envelope.str("tool_name") == Some(FINISH_TOOL) {
                events.push(Event::Finished(Box::<Finished<'_>>::default()));
            }
        }
        Some("AgentErrorEvent") => events.push(Event::ToolResult(ToolResult {
            call: call(envelope, ToolInput::None),
            status: ToolStatus::Failed,
            output: envelope.get("error").and_then(Value::as_text),
            is_error: Some(true),
            ..ToolResult::default()
        })),
        Some("UserRejectObservation") => events.push(Event::ToolResult(ToolResult {
            call: call(envelope, ToolInput::None),
            status: ToolStatus::Denied,
            output: envelope.get("rejection_reason").and_then(Value::as_text),
            ..ToolResult::default()
        })),
        Some("ConversationErrorEvent") => events.push(error(envelope)),
        Some("ConversationStateUpdateEvent") => events.extend(state_update(envelope)),
        Some("Condensation") => {
            let (trigger, before, after, summary) = (None, None, None, None);
            events.push(Event::Compacted { trigger, before, after, summary });
        }
        _ => {}
    }
    location
}

/// Returns the time of an event, which is local time.
fn time(envelope: &Envelope<'_, '_>) -> Option<Timestamp> {
    let time: DateTime = envelope.timestamp?.parse().ok()?;
    time.to_zoned(TimeZone::system()).ok().map(|time| time.timestamp())
}

/// Returns the conversation whose folder contains a path.
pub(super) fn conversation_of(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once(CONVERSATIONS)?;
    rest.split('/').next().filter(|id| !id.is_empty())
}

/// Returns the conversation that a line of text names.
pub(super) fn session_in_text(line: &str) -> Option<&str> {
    let id = line.trim().strip_prefix(CONVERSATION_ID)?;
    id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-').then_some(id)
}

fn non_empty<'a>(value: Value<'_, 'a>) -> Option<Text<'a>> {
    value.as_text().filter(|text| !text.is_empty())
}

/// Returns the text of a list of parts.
fn texts<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |part: Value<'_, 'a>| part.get("text")?.as_text();
    let joined = Text::joined(&mut content.elements().filter_map(part));
    joined.filter(|text| !text.is_empty())
}

/// Decodes the reasoning in an answer: as a text, or as blocks.
fn reasoning<'a>(answer: Value<'_, 'a>, events: &mut Vec<Event<'a>>) {
    if let Some(text) = answer.get("reasoning_content").and_then(non_empty) {
        return events.push(Event::Reasoning { text });
    }
    let blocks = answer.get("thinking_blocks").into_iter().flat_map(Value::elements);
    let texts = blocks.filter_map(|block| non_empty(block.get("thinking")?));
    events.extend(texts.map(|text| Event::Reasoning { text }));
}

fn message<'a>(envelope: &Envelope<'_, 'a>, is_echo: bool, events: &mut Vec<Event<'a>>) {
    let Some(message) = envelope.get("llm_message") else { return };
    let text = message.get("content").and_then(texts);
    let source = envelope.str("source");
    if source == Some("agent") {
        reasoning(message, events);
        let message_id = envelope.str("llm_response_id");
        events.extend(text.map(|text| Event::Text { message_id, text, is_part: false }));
    } else {
        let (replay, synthetic) = (is_echo, source != Some("user"));
        events.extend(text.map(|text| Event::Prompt { text, replay, synthetic }));
    }
}

/// Decodes a call, with what the agent said before it. Of several calls in one answer only
/// the first has that.
fn action<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    reasoning(envelope.object, events);
    let message_id = envelope.str("llm_response_id");
    let thought = envelope.get("thought").and_then(texts);
    let text = |text| Event::Text { message_id, text, is_part: false };
    events.extend(thought.map(text));
    let arguments = envelope.get("tool_call").and_then(|call| {
        let member = call.members().find(|member| member.key == "arguments");
        member.filter(|member| member.value.is_string())
    });
    let input = arguments.map_or(ToolInput::None, |member| ToolInput::Encoded(member.json()));
    let answer = envelope.get("action").filter(|_| envelope.str("tool_name") == Some(FINISH_TOOL));
    events.extend(answer.and_then(|answer| non_empty(answer.get("message")?)).map(text));
    events.push(Event::ToolCall(call(envelope, input)));
}

fn call<'a>(envelope: &Envelope<'_, 'a>, input: ToolInput<'a>) -> ToolCall<'a> {
    let name = envelope.str("tool_name");
    let starts_agent = name == Some(AGENT_TOOL);
    let id = envelope.str("tool_call_id");
    ToolCall { id, name, input, starts_agent, ..ToolCall::default() }
}

/// Decodes a result. A command whose exit status is not 0 is no error; its status is a member
/// of its own, which is -1 while it runs.
fn observed<'a>(envelope: &Envelope<'_, 'a>, observation: Option<Value<'_, 'a>>) -> ToolResult<'a> {
    let member = |key| observation.and_then(|observation| observation.get(key));
    let is_error = member("is_error").and_then(Value::as_bool);
    let has_failed = is_error == Some(true);
    let call = call(envelope, ToolInput::None);
    ToolResult {
        is_agents_answer: call.starts_agent && !has_failed,
        call,
        status: if has_failed { ToolStatus::Failed } else { ToolStatus::Completed },
        output: member("content").and_then(texts),
        exit_code: member("exit_code").and_then(Value::as_i64).filter(|code| *code >= 0),
        is_error,
        ..ToolResult::default()
    }
}

/// Decodes the counts of the conversation, which only some ways to run it print.
fn state_update<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let value = envelope.get("value")?;
    let stats = match envelope.str("key")? {
        "stats" => value,
        "full_state" => value.get("stats")?,
        _ => return None,
    };
    Some(Event::Usage { total: session::total_tokens(stats)?, last: None })
}

fn error<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let category = envelope.str("code");
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: true,
        text: envelope.str("detail").or(category).map(Text::from),
        error: Evidence { category, ..Evidence::default() },
        ..Finished::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversation_is_named_in_a_path_and_in_text() {
        assert_eq!(conversation_of("/h/.openhands/conversations/ab12/observations"), Some("ab12"));
        assert_eq!(conversation_of("/h/other/ab12"), None);
        assert_eq!(session_in_text("Conversation ID: ab12"), Some("ab12"));
        assert_eq!(session_in_text("Conversation ID: a quoted line"), None);
        assert_eq!(session_in_text("│ Conversation ID: ab12 │"), None);
    }
}
