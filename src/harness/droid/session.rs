//! Session files: `ID.jsonl` with the messages, and `ID.settings.json` with the model and the
//! tokens of the session.

use super::outcome;
use super::stream::{status, tokens, tool_call};
use crate::event::{
    Event, Evidence, Finished, Message, ModelUsage, Notice, Scope, SessionInfo, ToolCall,
    ToolResult, UsageSnapshot,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, TokenMembers, tool_input};
use crate::json::{Text, Value};

/// What precedes the error of a request in a message to the user.
const REQUEST_ERROR: &str = "Error: ";

/// How the id of a message starts that the CLI has written to the model.
const OWN_IDS: [&str; 2] = ["context-", "__internal__"];

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has = |keys: &[&str]| keys.iter().all(|key| envelope.has(key));
    Claim::certain_if(match envelope.kind {
        Some("session_start") => has(&["id", "cwd"]) || has(&["id", "title"]) || has(&["session"]),
        Some("message") => {
            let is_own = |message: Value<'_, '_>| {
                let has = |key| message.get(key).is_some();
                // Messages of another CLI have a time of their own.
                has("role") && has("content") && !has("timestamp")
            };
            envelope.timestamp.is_some() && has(&["id"]) && envelope.message.is_some_and(is_own)
        }
        Some("agent_turn_outcome") => has(&["turnId", "reason"]),
        Some("todo_state") => has(&["todos"]),
        Some("compaction_state") => has(&["timestamp"]),
        None => has(&["tokenUsage", "model"]),
        _ => false,
    })
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location { on_disk: true, ..Location::default() };
    match envelope.kind {
        Some("session_start") => {
            // Some releases describe the session in a member.
            let inner = envelope.get("session").filter(|session| session.is_object());
            let session = inner.unwrap_or(envelope.object);
            let text = |key| session.get(key).and_then(Value::as_str);
            location.session_id = text("id");
            let cwd = text("cwd").or_else(|| text("workspace_root"));
            events.push(Event::Session(Box::new(SessionInfo { cwd, ..SessionInfo::default() })));
        }
        Some("message") => {
            if let Some(message) = envelope.message {
                decode_message(message, envelope.str("id"), events);
            }
        }
        Some("agent_turn_outcome") => events.push(outcome_of_turn(envelope)),
        Some("compaction_state") => {
            let (trigger, before, after, summary) = (None, None, None, None);
            events.push(Event::Compacted { trigger, before, after, summary });
        }
        None => settings(envelope, events),
        _ => {}
    }
    location
}

const TOKENS: TokenMembers =
    ["inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"];

/// Decodes the settings, with the tokens of the session. Those of subagents are in their own
/// settings.
fn settings<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let model = envelope.str("model");
    events.extend(model.map(|model| Event::Model { model }));
    let Some(usage) = envelope.get("tokenUsage").filter(|usage| usage.is_object()) else { return };
    let tokens = tokens(usage, TOKENS, "thinkingTokens");
    let models = vec![ModelUsage { model: model.unwrap_or_default(), tokens, cost_usd: None }];
    let total = UsageSnapshot { name: "session", models, ..UsageSnapshot::default() };
    events.push(Event::Total(Box::new(total)));
}

/// Decodes a message. Those to the user only are about problems; results of tools are
/// messages of the user.
fn decode_message<'a>(message: Value<'_, 'a>, id: Option<&'a str>, events: &mut Vec<Event<'a>>) {
    let word = |key| message.get(key).and_then(Value::as_str);
    let mut blocks = message.get("content").into_iter().flat_map(Value::elements);
    if word("visibility") == Some("user_only") {
        let text = blocks.find_map(|block| block.get("text")?.as_str());
        events.extend(text.map(problem));
        return;
    }
    if word("role") == Some("assistant") {
        let model = word("modelId");
        events.push(Event::Message(Message { id, model, ..Message::default() }));
        events.extend(blocks.filter_map(|block| answer(block, id)));
        return;
    }
    let is_own = id.is_some_and(|id| OWN_IDS.iter().any(|start| id.starts_with(start)));
    let synthetic = is_own || word("visibility").is_some();
    let prompt = |text| Event::Prompt { text, replay: false, synthetic };
    events.extend(message.get("content").and_then(texts).map(prompt));
    let is_result = |block: &Value<'_, '_>| block.get("tool_use_id").is_some();
    events.extend(blocks.filter(is_result).map(|block| Event::ToolResult(result(block))));
}

/// Returns the text of a message or a result: a string or a list of blocks.
fn texts<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |block: Value<'_, 'a>| block.get("text")?.as_text();
    content.as_text().or_else(|| Text::joined(&mut content.elements().filter_map(part)))
}

fn answer<'a>(block: Value<'_, 'a>, message_id: Option<&'a str>) -> Option<Event<'a>> {
    let text = |key| block.get(key)?.as_text().filter(|text: &Text<'_>| !text.is_empty());
    let word = |key| block.get(key).and_then(Value::as_str);
    Some(match word("type")? {
        "text" => Event::Text { message_id, text: text("text")?, is_part: false },
        "thinking" | "reasoning" | "thought" => {
            Event::Reasoning { text: text("thinking").or_else(|| text("text"))? }
        }
        "tool_use" => {
            Event::ToolCall(tool_call(word("id"), word("name"), tool_input(block, "input")))
        }
        _ => return None,
    })
}

fn result<'a>(block: Value<'_, 'a>) -> ToolResult<'a> {
    let output = block.get("content").and_then(texts);
    let is_error = block.get("is_error").and_then(Value::as_bool) == Some(true);
    let id = block.get("tool_use_id").and_then(Value::as_str);
    ToolResult { call: ToolCall { id, ..ToolCall::default() }, ..outcome::result(output, is_error) }
}

/// Decodes a message to the user: the error of a request, or a note.
fn problem(text: &str) -> Event<'_> {
    let first = text.lines().next().unwrap_or_default();
    let Some((_, error)) = first.split_once(REQUEST_ERROR) else {
        return Event::Notice(Notice { text, warning: true });
    };
    Event::Finished(Box::new(Finished {
        scope: Scope::Request,
        failed: true,
        text: Some(error.into()),
        error: Evidence { status: status(error), ..Evidence::default() },
        ..Finished::default()
    }))
}

fn outcome_of_turn<'a>(envelope: &Envelope<'_, 'a>) -> Event<'a> {
    let reason = envelope.str("reason").filter(|reason| *reason != "completed");
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: reason.is_some(),
        text: reason.map(|reason| format!("the turn ended: {reason}").into()),
        error: Evidence { category: reason, ..Evidence::default() },
        ..Finished::default()
    }))
}
