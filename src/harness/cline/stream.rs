//! The stream of `cline --json`: every line has a time, a type, and mostly an event of the
//! agent.
//!
//! Text arrives in parts and then as a whole. The tokens of a request are printed after it,
//! with those of subagents, which the total at the end lacks.
//!
//! The events of a subagent do not name it. The lines about hooks in between do: they tell
//! whether what follows is a subagent's, which is a dialect of its own.

use std::borrow::Cow;

use super::outcome::Outcome;
use crate::event::{
    Event, Evidence, Finished, Message, MessagePart, Notice, Scope, SessionInfo, Tokens, ToolCall,
    ToolInput, ToolResult,
};
use crate::harness::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count, tool_input};
use crate::json::Value;

/// Stands for the call that started a subagent, which its lines do not name.
const SUBAGENT: &str = "subagent";

/// The tool that starts a subagent.
const AGENT_TOOL: &str = "spawn_agent";

/// The tool that asks the user.
const QUESTION_TOOL: &str = "ask_question";

/// What the error of an iteration contains in which calls failed.
const TOOL_ERROR: &str = " tool call(s) failed: ";

const TYPES: &[&str] = &[
    "agent_event",
    "hook_event",
    "team_event",
    "team_restored",
    "run_start",
    "run_result",
    "run_aborted",
    "run_abort_requested",
    "error",
];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    Claim::certain_if(is_line(envelope) && !is_hook_of_subagent(envelope))
}

/// A subagent goes on until a line about a hook of the main agent.
pub(super) fn claim_subagent(envelope: &Envelope<'_, '_>) -> Claim {
    let may_continue = || envelope.kind == Some("agent_event");
    Claim::certain_if(is_line(envelope) && (may_continue() || is_hook_of_subagent(envelope)))
}

fn is_line(envelope: &Envelope<'_, '_>) -> bool {
    let is_known = envelope.kind.is_some_and(|kind| TYPES.contains(&kind));
    is_known && envelope.get("ts").is_some_and(Value::is_string)
}

fn is_hook_of_subagent(envelope: &Envelope<'_, '_>) -> bool {
    envelope.kind == Some("hook_event") && envelope.str("parentAgentId").is_some()
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    decode_line(envelope, None, events)
}

pub(super) fn decode_subagent<'a>(
    envelope: &Envelope<'_, 'a>,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    decode_line(envelope, Some(SUBAGENT), events)
}

fn decode_line<'a>(
    envelope: &Envelope<'_, 'a>,
    agent: Option<&'a str>,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    let time = envelope.str("ts").and_then(|time| time.parse().ok());
    let mut location = Location { parent_id: agent, time, ..Location::default() };
    match (envelope.kind, envelope.event) {
        (Some("agent_event"), Some(event)) => {
            // Only some releases name the agent.
            if event.get("parentAgentId").is_some_and(Value::is_string) {
                location.parent_id = event.get("agentId").and_then(Value::as_str).or(agent);
            }
            agent_event(event, location.parent_id.is_none(), events);
        }
        // The tokens of a teammate are also printed as those of an agent.
        (Some("team_event"), Some(event)) => {
            let inner = event.get("event").filter(|inner| inner.is_object());
            location.parent_id = event.get("agentId").and_then(Value::as_str);
            let is_usage = |inner: &Value<'_, '_>| is_kind(*inner, "usage");
            if let Some(inner) = inner.filter(|inner| !is_usage(inner)) {
                agent_event(inner, false, events);
            }
        }
        (Some("run_start"), _) => {
            location.session_id = envelope.session_id;
            let model = envelope.str("modelId");
            events.push(Event::Session(Box::new(SessionInfo { model, ..SessionInfo::default() })));
        }
        (Some("run_result"), _) => finished(envelope, events),
        (Some("run_aborted"), _) => events.push(aborted(envelope)),
        (Some("error"), _) => {
            let message = envelope.str("message");
            events.push(Event::Error { message, error: Evidence::default() });
        }
        _ => {}
    }
    location
}

fn is_kind(event: Value<'_, '_>, kind: &str) -> bool {
    event.get("type").and_then(Value::as_str) == Some(kind)
}

/// Decodes an event of the agent. Content is text, reasoning or the call of a tool.
fn agent_event<'a>(event: Value<'_, 'a>, is_main: bool, events: &mut Vec<Event<'a>>) {
    let text = |key| event.get(key).and_then(Value::as_str);
    let content = text("contentType");
    match (text("type"), content) {
        (Some("iteration_start"), _) => {
            let part = MessagePart::MessageStart(Message::default());
            events.push(Event::Partial { message_id: None, part });
        }
        (Some("content_start"), Some("text")) => events.extend(text("text").map(|text| {
            Event::Partial { message_id: None, part: MessagePart::Text { index: 0, text } }
        })),
        (Some("content_start"), Some("reasoning")) => {
            events.extend(text("reasoning").map(|text| Event::Partial {
                message_id: None,
                part: MessagePart::Reasoning { index: 1, text },
            }));
        }
        (Some("content_start"), Some("tool")) => events.push(Event::ToolCall(call(event))),
        (Some("content_end"), Some("text")) => {
            let text = event.get("text").and_then(Value::as_text).filter(|text| !text.is_empty());
            let whole = |text| Event::Text { message_id: None, text, is_part: false };
            events.extend(text.map(whole));
            // Parts that follow are those of another text.
            let part = MessagePart::MessageStop { abandoned: false };
            events.push(Event::Partial { message_id: None, part });
        }
        (Some("content_end"), Some("reasoning")) => {
            let text = event.get("reasoning").and_then(Value::as_text);
            events.extend(text.map(|text| Event::Reasoning { text }));
        }
        (Some("content_end"), Some("tool")) => events.push(Event::ToolResult(result(event))),
        (Some("usage"), _) => events.push(Event::Message(Message {
            usage: Some(tokens(event)),
            cost_usd: event.get("cost").and_then(Value::as_f64),
            ..Message::default()
        })),
        (Some("error"), _) => events.extend(error(event, is_main)),
        (Some("notice"), _) => {
            let warning = text("noticeType") != Some("status");
            events.extend(text("message").map(|text| Event::Notice(Notice { text, warning })));
        }
        _ => {}
    }
}

fn call<'a>(event: Value<'_, 'a>) -> ToolCall<'a> {
    let name = event.get("toolName").and_then(Value::as_str);
    ToolCall {
        id: event.get("toolCallId").and_then(Value::as_str),
        name,
        input: tool_input(event, "input"),
        starts_agent: name == Some(AGENT_TOOL),
        asks_user: name == Some(QUESTION_TOOL),
        ..ToolCall::default()
    }
}

fn result<'a>(event: Value<'_, 'a>) -> ToolResult<'a> {
    let output = event.members().find(|member| member.key == "output");
    let outcome = output.map(|member| Outcome::new(member.json())).unwrap_or_default();
    let is_error = event.get("error").is_some_and(Value::is_string);
    let call = ToolCall { input: ToolInput::None, ..call(event) };
    ToolResult {
        is_agents_answer: call.starts_agent,
        call,
        duration_ms: count(event.get("durationMs")),
        ..outcome.into_result(is_error)
    }
}

/// Reads the counts of a request. Input includes what was read from and written to the
/// cache.
pub(super) fn tokens(counts: Value<'_, '_>) -> Tokens {
    const MEMBERS: TokenMembers =
        ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
    Tokens { input_has_cache: true, ..envelope::tokens(counts, MEMBERS) }
}

/// Decodes an error. That of a tool is also the result of its call; that of a subagent, or
/// one that the agent recovers from, does not fail the run.
fn error<'a>(event: Value<'_, 'a>, is_main: bool) -> Option<Event<'a>> {
    let message = event.get("error").and_then(|error| error.get("message")?.as_str());
    let is_recoverable = event.get("recoverable").and_then(Value::as_bool) == Some(true);
    if is_recoverable || !is_main {
        let notice = message.filter(|text| !text.contains(TOOL_ERROR));
        return notice.map(|text| Event::Notice(Notice { text, warning: true }));
    }
    let category = event.get("errorClass").and_then(Value::as_str);
    Some(Event::Error { message, error: Evidence { category, ..Evidence::default() } })
}

/// Decodes the last line. The reason for a failed request was told before.
fn finished<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let model = envelope.get("model").and_then(|model| model.get("id")?.as_str());
    events.extend(model.map(|model| Event::Model { model }));
    let reason = envelope.str("finishReason");
    let failed = reason != Some("completed");
    events.push(Event::Finished(Box::new(Finished {
        scope: if failed { Scope::Turn } else { Scope::Result },
        failed,
        subtype: reason,
        text: envelope.text("text"),
        num_turns: envelope.get("iterations").and_then(Value::as_i64),
        duration_ms: count(envelope.get("durationMs")),
        error: Evidence { category: reason.filter(|_| failed), ..Evidence::default() },
        ..Finished::default()
    })));
}

fn aborted<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: true,
        text: envelope.text("message"),
        error: Evidence { category: Some("aborted"), ..Evidence::default() },
        ..Finished::default()
    }))
}

/// Returns what a line adds to a text, to reasoning, or to the output of a command.
pub(super) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    if kind != "agent_event" || line.get("ts").is_none() {
        return TextDelta::None;
    }
    let Some(event) = line.get("event") else { return TextDelta::None };
    let text = |key| event.get(key).and_then(Value::as_str);
    let content = Cow::Borrowed(text("contentType").unwrap_or_default());
    let id = || Cow::Borrowed(text("toolCallId").unwrap_or_default());
    match (text("type"), &*content) {
        (Some("content_start"), "text") => {
            TextDelta::append_to(content, 0, event.get("text"), event.get("accumulated"))
        }
        (Some("content_start"), "reasoning") => {
            TextDelta::append(content, 0, event.get("reasoning"))
        }
        (Some("content_update"), "tool") => {
            TextDelta::append(id(), 0, event.get("update").and_then(|update| update.get("chunk")))
        }
        (Some("content_end"), "tool") => TextDelta::EndThread(id()),
        (Some("content_end"), _) => TextDelta::EndThread(content),
        (Some("iteration_start" | "iteration_end"), _) => TextDelta::EndAll,
        _ => TextDelta::None,
    }
}
