//! Session files: `chats/SESSION.jsonl`, and one file per subagent.
//!
//! Messages are those of the Gemini API. What the CLI measures (requests that failed,
//! durations of calls) is in `ui_telemetry` entries, whose tokens repeat the messages',
//! except those of agents that have no session.

use super::stream::exit_code_in;
use crate::event::{
    Event, Evidence, Finished, Message, Scope, SessionInfo, Tokens, ToolCall, ToolInput,
    ToolResult, ToolStatus,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

/// The parent of an unnamed subagent.
const SIDECHAIN: &str = "sidechain";

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has_parts = || envelope.message.is_some_and(|message| message.get("parts").is_some());
    Claim::certain_if(
        envelope.has_parent_uuid
            && match envelope.kind {
                Some("user" | "assistant" | "tool_result") => has_parts(),
                Some("system") => envelope.has("systemPayload") || envelope.has("provenance"),
                _ => false,
            },
    )
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let is_subagent = envelope.is_true("isSidechain");
    let location = Location {
        session_id: envelope.session_id,
        parent_id: is_subagent.then(|| envelope.str("agentId").unwrap_or(SIDECHAIN)),
        on_disk: true,
        ..Location::default()
    };
    match envelope.kind {
        Some("user") => prompt(envelope, is_subagent, events),
        Some("assistant") => answer(envelope, events),
        Some("tool_result") => tool_result(envelope, events),
        Some("system") => system(envelope, is_subagent, events),
        _ => {}
    }
    location
}

fn parts<'t, 'a>(envelope: &Envelope<'t, 'a>) -> impl Iterator<Item = Value<'t, 'a>> {
    let parts = envelope.message.and_then(|message| message.get("parts"));
    parts.into_iter().flat_map(Value::elements)
}

fn prompt<'a>(envelope: &Envelope<'_, 'a>, is_subagent: bool, events: &mut Vec<Event<'a>>) {
    // Every entry describes the session; once per prompt is enough.
    if !is_subagent {
        events.push(Event::Session(Box::new(SessionInfo {
            cwd: envelope.str("cwd"),
            version: envelope.str("version"),
            forked_from: envelope.get("forkedFrom").and_then(|it| it.get("sessionId")?.as_str()),
            ..SessionInfo::default()
        })));
    }
    let synthetic = envelope.str("provenance").is_some_and(|it| it != "real_user");
    for text in parts(envelope).filter_map(|part| part.get("text")?.as_text()) {
        events.push(Event::Prompt { text, replay: false, synthetic });
    }
}

fn answer<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let id = envelope.str("uuid");
    let usage = envelope.get("usageMetadata").filter(|usage| usage.is_object());
    let usage = usage.map(|usage| tokens(usage, OF_MESSAGE));
    let model = envelope.str("model");
    events.push(Event::Message(Message { id, model, usage, ..Message::default() }));
    for part in parts(envelope) {
        if let Some(call) = part.get("functionCall") {
            events.push(Event::ToolCall(tool_call(call)));
        } else if let Some(text) = part.get("text").and_then(Value::as_text) {
            let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
            events.push(if is_thought {
                Event::Reasoning { text }
            } else {
                Event::Text { message_id: id, text, is_part: false }
            });
        }
    }
}

fn tool_call<'a>(call: Value<'_, 'a>) -> ToolCall<'a> {
    let text = |key| call.get(key).and_then(Value::as_str);
    let input = call.members().find(|member| member.key == "args");
    ToolCall {
        id: text("id"),
        name: text("name"),
        input: input.map_or(ToolInput::None, |member| ToolInput::Json(member.json())),
        starts_agent: text("name") == Some("agent"),
        ..ToolCall::default()
    }
}

fn tool_result<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) {
    let details = envelope.get("toolCallResult");
    for response in parts(envelope).filter_map(|part| part.get("functionResponse")) {
        let text = |key| response.get(key).and_then(Value::as_str);
        let output = response.get("response");
        let output = output.and_then(|it| it.get("output").or_else(|| it.get("error"))?.as_text());
        let detail = |key| details.and_then(|details| details.get(key));
        let status = match detail("status").and_then(Value::as_str) {
            Some("error") => ToolStatus::Failed,
            Some("cancelled") => ToolStatus::Denied,
            _ => ToolStatus::Completed,
        };
        let shown = detail("resultDisplay").and_then(|shown| shown.get("exitCode")?.as_i64());
        let in_text = || exit_code_in(output.as_deref()?);
        events.push(Event::ToolResult(ToolResult {
            call: ToolCall { id: text("id"), name: text("name"), ..ToolCall::default() },
            status,
            exit_code: shown.or_else(in_text),
            is_error: Some(status != ToolStatus::Completed),
            output,
            ..ToolResult::default()
        }));
    }
}

fn system<'a>(envelope: &Envelope<'_, 'a>, is_subagent: bool, events: &mut Vec<Event<'a>>) {
    let payload = envelope.get("systemPayload");
    match envelope.subtype {
        Some("ui_telemetry") => {
            let event = payload.and_then(|payload| payload.get("uiEvent"));
            events.extend(event.and_then(|event| telemetry(event, is_subagent)));
        }
        Some("chat_compression") => {
            let info = payload.and_then(|payload| payload.get("info"));
            let tokens = |key| count(info.and_then(|info| info.get(key)));
            events.push(Event::Compacted {
                trigger: None,
                before: tokens("originalTokenCount"),
                after: tokens("newTokenCount"),
                summary: None,
            });
        }
        _ => {}
    }
}

/// How the names of the CLI's own agents start, which have no session. The one that extracts
/// memories works after the answer.
const OWN_AGENTS: &str = "managed-";

/// Decodes a measurement: a request that failed or is recorded nowhere else, or how a call
/// ended.
fn telemetry<'a>(event: Value<'_, 'a>, is_subagent: bool) -> Option<Event<'a>> {
    let text = |key| event.get(key).and_then(Value::as_str);
    match text("event.name")? {
        "qwen-code.api_error" if !is_subagent => Some(Event::Finished(Box::new(Finished {
            scope: Scope::Request,
            failed: true,
            text: text("error_message").map(Text::from),
            error: Evidence {
                category: text("error_type"),
                status: event.get("status_code").and_then(Value::as_i64),
                ..Evidence::default()
            },
            ..Finished::default()
        }))),
        "qwen-code.api_response" if text("subagent_name")?.starts_with(OWN_AGENTS) => {
            let usage = Some(tokens(event, MEASURED));
            let (id, model) = (text("response_id"), text("model"));
            Some(Event::Message(Message { id, model, usage, ..Message::default() }))
        }
        "qwen-code.tool_call" => Some(Event::ToolStatus {
            tool_id: Some(text("call_id")?),
            status: match (text("decision"), event.get("success").and_then(Value::as_bool)) {
                (Some("reject"), _) => ToolStatus::Denied,
                (_, Some(false)) => ToolStatus::Failed,
                _ => ToolStatus::Completed,
            },
            exit_code: None,
            duration_ms: count(event.get("duration_ms")),
        }),
        _ => None,
    }
}

/// The members with the input, the output, what was read from the cache, what was spent on
/// reasoning, and the total.
type TokenMembers = [&'static str; 5];

const OF_MESSAGE: TokenMembers = [
    "promptTokenCount",
    "candidatesTokenCount",
    "cachedContentTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
];

const MEASURED: TokenMembers = [
    "input_token_count",
    "output_token_count",
    "cached_content_token_count",
    "thoughts_token_count",
    "total_token_count",
];

/// Reads the counts of a request. Input includes what was read from the cache, and output
/// what was spent on reasoning unless the total says otherwise.
fn tokens(counts: Value<'_, '_>, members: TokenMembers) -> Tokens {
    let number = |key| counts.get(key).map_or(0, Value::as_count);
    let [input, output, cache_read, thoughts, total] = members.map(number);
    let has_thoughts_apart = total >= input + output + thoughts;
    Tokens {
        input,
        output: if has_thoughts_apart { output.saturating_add(thoughts) } else { output },
        cache_read: Some(cache_read),
        reasoning: Some(thoughts),
        input_has_cache: true,
        ..Tokens::default()
    }
}
