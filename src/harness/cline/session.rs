//! Sessions: `ID.messages.json`, a document with the messages, and `ID.json`, which
//! describes the session and how it ended. Subagents have documents of their own.

use jiff::Timestamp;

use super::outcome::Outcome;
use super::stream::tokens;
use crate::event::{
    Event, Evidence, Finished, Message, ModelUsage, Scope, SessionInfo, ToolCall, ToolResult,
    UsageSnapshot,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, tool_input};
use crate::json::{Text, Value};

/// What surrounds a prompt in a message.
const PROMPT: (&str, &str) = ("<user_input", "</user_input>");

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    if envelope.kind.is_some() {
        return Claim::No;
    }
    Claim::certain_if(is_message(envelope) || is_header(envelope) || is_description(envelope))
}

fn is_message(envelope: &Envelope<'_, '_>) -> bool {
    let has_time = envelope.get("ts").is_some_and(|time| time.as_i64().is_some());
    has_time && envelope.has("role") && envelope.has("content")
}

/// Returns whether an object is what a document contains before or behind its messages.
fn is_header(envelope: &Envelope<'_, '_>) -> bool {
    envelope.has("origin") && envelope.has("updated_at") && envelope.session_id.is_some()
}

fn is_description(envelope: &Envelope<'_, '_>) -> bool {
    let keys = ["started_at", "workspace_root", "status"];
    envelope.session_id.is_some() && keys.iter().all(|key| envelope.has(key))
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut location = Location { on_disk: true, ..Location::default() };
    if is_message(envelope) {
        location.time = time(envelope);
        message(envelope, events);
    } else if is_description(envelope) {
        location.session_id = envelope.session_id;
        describe(envelope, events);
    } else if let Some(origin) = envelope.get("origin") {
        location.session_id = envelope.session_id;
        // The main agent is described in a file of its own.
        let starter = origin.get("parentThreadId").and_then(Value::as_str);
        events.extend(starter.map(|starter| {
            let version = origin.get("version").and_then(Value::as_str);
            let started_by = Some(starter);
            Event::Session(Box::new(SessionInfo { version, started_by, ..SessionInfo::default() }))
        }));
    }
    location
}

fn time(envelope: &Envelope<'_, '_>) -> Option<Timestamp> {
    Timestamp::from_millisecond(envelope.get("ts")?.as_i64()?).ok()
}

/// Decodes the description of a session, its tokens and its end. Messages lack the tokens of
/// failed requests.
fn describe<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let metadata = envelope.get("metadata");
    let origin = metadata.and_then(|data| data.get("sessionHistoryOrigin"));
    if let Some(usage) = metadata.and_then(|data| data.get("usage")) {
        let model = envelope.str("model").unwrap_or_default();
        let models = vec![ModelUsage { model, tokens: tokens(usage), cost_usd: None }];
        let total = UsageSnapshot { name: "session", models, ..UsageSnapshot::default() };
        events.push(Event::Total(Box::new(total)));
    }
    events.push(Event::Session(Box::new(SessionInfo {
        model: envelope.str("model"),
        cwd: envelope.str("cwd"),
        version: origin.and_then(|origin| origin.get("version")?.as_str()),
        started_by: envelope.str("parent_session_id"),
        ..SessionInfo::default()
    })));
    let (message, category) = match envelope.str("status") {
        Some("completed") => (None, None),
        Some(status @ "failed") => (Some("the session failed"), Some(status)),
        Some(status @ "cancelled") => (Some("the session was cancelled"), Some(status)),
        Some("running") => return events.push(Event::TurnStarted { id: None }),
        _ => return,
    };
    events.push(Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: message.is_some(),
        text: message.map(Text::from),
        error: Evidence { category, ..Evidence::default() },
        ..Finished::default()
    })));
}

/// Decodes a message. Results of tools are messages of the user, and errors of requests are
/// messages of the assistant.
fn message<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let id = envelope.str("id");
    let content = envelope.get("content");
    let role = envelope.get("metadata").and_then(|data| data.get("displayRole")?.as_str());
    match (envelope.str("role"), role) {
        (Some("assistant"), Some("error")) => {
            let text = content.and_then(text);
            let scope = Scope::Request;
            let failed = Finished { scope, failed: true, text, ..Finished::default() };
            events.push(Event::Finished(Box::new(failed)));
        }
        (Some("assistant"), _) => {
            let model = envelope.get("modelInfo").and_then(|model| model.get("id")?.as_str());
            let metrics = envelope.get("metrics").filter(|metrics| metrics.is_object());
            events.push(Event::Message(Message {
                id,
                model,
                usage: metrics.map(tokens),
                cost_usd: metrics.and_then(|metrics| metrics.get("cost")?.as_f64()),
                ..Message::default()
            }));
            let blocks = content.into_iter().flat_map(Value::elements);
            events.extend(blocks.filter_map(|block| answer(block, id)));
        }
        (Some("user"), _) => user(content, events),
        _ => {}
    }
}

fn answer<'a>(block: Value<'_, 'a>, message_id: Option<&'a str>) -> Option<Event<'a>> {
    let part = |key| block.get(key).and_then(Value::as_text);
    Some(match block.get("type")?.as_str()? {
        "text" => {
            let text = part("text").filter(|text| !text.is_empty())?;
            Event::Text { message_id, text, is_part: false }
        }
        "thinking" => Event::Reasoning { text: part("thinking")? },
        "tool_use" => Event::ToolCall(ToolCall {
            id: block.get("id").and_then(Value::as_str),
            name: block.get("name").and_then(Value::as_str),
            input: tool_input(block, "input"),
            ..ToolCall::default()
        }),
        _ => return None,
    })
}

/// Decodes a prompt, or the results of tools.
fn user<'a>(content: Option<Value<'_, 'a>>, events: &mut Vec<Event<'a>>) {
    let Some(content) = content else { return };
    let before = events.len();
    events.extend(content.elements().filter_map(result).map(Event::ToolResult));
    if events.len() == before {
        let prompt = |text| Event::Prompt { text, replay: false, synthetic: false };
        events.extend(text(content).map(unwrapped).map(prompt));
    }
}

fn result<'a>(block: Value<'_, 'a>) -> Option<ToolResult<'a>> {
    let id = block.get("tool_use_id")?.as_str();
    let content = block.members().find(|member| member.key == "content");
    let outcome = content.map(|member| Outcome::new(member.json())).unwrap_or_default();
    let is_error = block.get("is_error").and_then(Value::as_bool) == Some(true);
    let call = ToolCall { id, ..ToolCall::default() };
    Some(ToolResult { call, ..outcome.into_result(is_error) })
}

/// Returns the text of a message: a string or a list of blocks.
fn text<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |block: Value<'_, 'a>| block.get("text")?.as_text();
    content.as_text().or_else(|| Text::joined(&mut content.elements().filter_map(part)))
}

/// Removes what surrounds a prompt.
fn unwrapped(text: Text<'_>) -> Text<'_> {
    let (start, end) = PROMPT;
    let inner = || text.strip_prefix(start)?.split_once('>')?.1.strip_suffix(end);
    match inner().map(str::to_owned) {
        Some(prompt) => prompt.into(),
        None => text,
    }
}
