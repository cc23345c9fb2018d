//! The stream of `droid exec --output-format stream-json`.
//!
//! Messages are printed as a whole. The tokens in the last line are those of the session:
//! after a resume they include the earlier runs. A run that fails ends with a line about an
//! error of the `cli` instead.

use jiff::Timestamp;

use super::outcome;
use crate::event::{
    Event, Evidence, Finished, Scope, SessionInfo, Tokens, ToolCall, ToolInput, ToolResult,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{self, Envelope, Location, TokenMembers, count, tool_input};
use crate::json::{Text, Value};

/// The tool that starts a subagent.
const AGENT_TOOL: &str = "Task";

/// The tool that asks the user.
const QUESTION_TOOL: &str = "AskUser";

/// Members of the first line of CLIs that use the same type.
const MEMBERS_OF_OTHERS: [&str; 6] = [
    "uuid",
    "mcp_servers",
    "permissionMode",
    "apiKeySource",
    "claude_code_version",
    "qwen_code_version",
];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has = |keys: &[&str]| keys.iter().all(|key| envelope.has(key));
    Claim::certain_if(match envelope.kind {
        Some("system") => {
            envelope.subtype == Some("init")
                && has(&["session_id", "cwd", "tools", "model"])
                && !MEMBERS_OF_OTHERS.iter().any(|key| envelope.has(key))
        }
        Some("message") => has(&["role", "id", "text"]),
        Some("reasoning") => has(&["id", "text", "timestamp", "session_id"]),
        Some("tool_call") => has(&["toolId", "toolName", "parameters"]),
        Some("tool_result") => has(&["toolId", "isError"]),
        Some("error") => has(&["source", "message"]) && time(envelope).is_some(),
        Some("completion") => has(&["finalText"]),
        _ => false,
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    match envelope.kind {
        Some("system") if envelope.subtype == Some("init") => {
            let tools = envelope.object.members().find(|member| member.key == "tools");
            events.push(Event::Session(Box::new(SessionInfo {
                model: envelope.str("model"),
                cwd: envelope.str("cwd"),
                tools: tools.map(|member| member.json()),
                ..SessionInfo::default()
            })));
        }
        Some("message") => events.extend(message(envelope)),
        Some("reasoning") => {
            let text = envelope.get("text").and_then(Value::as_text);
            events.extend(text.map(|text| Event::Reasoning { text }));
        }
        Some("tool_call") => events.push(Event::ToolCall(tool_call(
            envelope.str("id"),
            envelope.str("toolName"),
            tool_input(envelope.object, "parameters"),
        ))),
        Some("tool_result") => events.push(Event::ToolResult(result(envelope))),
        Some("error") => events.push(error(envelope)),
        Some("completion") => events.push(finished(envelope)),
        _ => {}
    }
    Location { session_id: envelope.session_id, time: time(envelope), ..Location::default() }
}

/// Returns the time of a line, in milliseconds.
fn time(envelope: &Envelope<'_, '_>) -> Option<Timestamp> {
    Timestamp::from_millisecond(envelope.get("timestamp")?.as_i64()?).ok()
}

fn message<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let text = envelope.get("text")?.as_text().filter(|text| !text.is_empty())?;
    match envelope.str("role")? {
        "assistant" => Some(Event::Text { message_id: envelope.str("id"), text, is_part: false }),
        "user" => Some(Event::Prompt { text, replay: true, synthetic: false }),
        _ => None,
    }
}

pub(super) fn tool_call<'a>(
    id: Option<&'a str>,
    name: Option<&'a str>,
    input: ToolInput<'a>,
) -> ToolCall<'a> {
    ToolCall {
        id,
        name,
        input,
        starts_agent: name == Some(AGENT_TOOL),
        asks_user: name == Some(QUESTION_TOOL),
        ..ToolCall::default()
    }
}

/// Decodes a result: a value, or an error with a message.
fn result<'a>(envelope: &Envelope<'_, 'a>) -> ToolResult<'a> {
    let name = envelope.str("toolId");
    let is_error = envelope.is_true("isError");
    let value = envelope.object.members().find(|member| member.key == "value");
    let value = value.map(|member| match member.value.as_text() {
        Some(text) => text,
        None => Text::from(String::from_utf8_lossy(member.json().bytes()).into_owned()),
    });
    let message = || envelope.get("error")?.get("message")?.as_text();
    ToolResult {
        call: tool_call(envelope.str("id"), name, ToolInput::None),
        is_agents_answer: name == Some(AGENT_TOOL) && !is_error,
        ..outcome::result(value.or_else(message), is_error)
    }
}

/// Decodes an error. The first one tells what failed; that of the CLI itself is the last
/// line.
fn error<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let message = envelope.str("message");
    let error = Evidence { status: message.and_then(status), ..Evidence::default() };
    if envelope.str("source") != Some("cli") {
        return Event::Error { message, error };
    }
    let text = message.map(Text::from);
    let scope = Scope::Turn;
    Event::Finished(Box::new(Finished { scope, failed: true, text, error, ..Finished::default() }))
}

/// Returns the HTTP status at the start of a message: `429 Rate limit reached`.
pub(super) fn status(message: &str) -> Option<i64> {
    let status = message.split(' ').next()?.parse().ok();
    status.filter(|status| (400..600).contains(status))
}

fn finished<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let failed = envelope.is_true("isError");
    let text = envelope.text("finalText").filter(|text| failed && !text.is_empty());
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed,
        text,
        usage: envelope.get("usage").map(|usage| tokens(usage, TOKENS, "thinking_tokens")),
        num_turns: envelope.get("numTurns").and_then(Value::as_i64),
        duration_ms: count(envelope.get("durationMs")),
        ..Finished::default()
    }))
}

const TOKENS: TokenMembers =
    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

/// Reads the counts of a session. Input lacks what was read from and written to the cache;
/// output lacks what was spent on thinking, if that is told.
pub(super) fn tokens(counts: Value<'_, '_>, members: TokenMembers, thinking: &str) -> Tokens {
    let tokens = envelope::tokens(counts, members);
    let reasoning = count(counts.get(thinking)).filter(|count| *count > 0);
    let output = tokens.output.saturating_add(reasoning.unwrap_or(0));
    Tokens { output, reasoning, ..tokens }
}
