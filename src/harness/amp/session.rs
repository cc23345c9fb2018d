//! Threads on disk: one document each, `threads/T-….json`.
//!
//! Tokens are those of the messages. Older threads have a ledger, too, or instead: what it has
//! beyond the messages counts.

use jiff::Timestamp;

use crate::event::{
    Event, Message, ModelUsage, SessionInfo, Tokens, ToolCall, ToolInput, ToolResult, ToolStatus,
    UsageSnapshot,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Text, Value};

pub(super) fn claim_document(envelope: &Envelope<'_, '_>) -> Claim {
    let is_list = |key| envelope.get(key).is_some_and(Value::is_array);
    let is_thread = || envelope.str("id").is_some_and(|id| id.starts_with("T-"));
    Claim::certain_if(envelope.kind.is_none() && is_list("messages") && is_thread())
}

/// Decodes the header of a thread; its messages follow as objects of their own.
pub(super) fn decode_document<'a>(
    envelope: &Envelope<'_, 'a>,
    events: &mut Vec<Event<'a>>,
) -> Location<'a> {
    let trees = envelope.get("env").and_then(|env| env.get("initial")?.get("trees"));
    let tree = trees.and_then(|trees| trees.elements().next());
    let folder = tree.and_then(|tree| tree.get("uri")?.as_str()?.strip_prefix("file://"));
    let cwd = folder.or_else(|| tree?.get("displayName")?.as_str());
    events.push(Event::Session(Box::new(SessionInfo { cwd, ..SessionInfo::default() })));
    events.extend(ledger(envelope));
    let created = envelope.get("created").and_then(Value::as_i64);
    Location {
        session_id: envelope.str("id"),
        on_disk: true,
        time: created.and_then(|created| Timestamp::from_millisecond(created).ok()),
        ..Location::default()
    }
}

/// Returns the sum of the ledger of a thread.
fn ledger<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let entries = envelope.get("usageLedger")?.get("events")?;
    let entry = |entry: Value<'_, 'a>| {
        let tokens = entry.get("tokens")?;
        let number = |key| tokens.get(key).map_or(0, Value::as_count);
        let tokens = Tokens {
            input: number("input"),
            output: number("output"),
            cache_read: count(tokens.get("cacheReadInputTokens")),
            cache_write: count(tokens.get("cacheCreationInputTokens")),
            ..Tokens::default()
        };
        Some(ModelUsage { model: entry.get("model")?.as_str()?, tokens, cost_usd: None })
    };
    let models: Vec<_> = entries.elements().filter_map(entry).collect();
    let is_header = true;
    let snapshot = UsageSnapshot { name: "ledger", models, is_header, ..UsageSnapshot::default() };
    Some(Event::Total(Box::new(snapshot)))
}

/// A message has a number as its id.
pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has_number = || envelope.get("messageId").is_some_and(|id| id.as_i64().is_some());
    let has_blocks = || envelope.get("content").is_some_and(Value::is_array);
    let is_message = envelope.kind.is_none() && envelope.has("role");
    Claim::certain_if(is_message && has_number() && has_blocks())
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let usage = envelope.get("usage").filter(|usage| usage.is_object());
    let is_answer = envelope.str("role") == Some("assistant");
    if is_answer {
        let model = usage.and_then(|usage| usage.get("model")?.as_str());
        let usage = usage.map(tokens);
        events.push(Event::Message(Message { model, usage, ..Message::default() }));
    }
    for block in envelope.get("content").into_iter().flat_map(Value::elements) {
        events.extend(decode_block(block, is_answer));
    }
    let written = usage.and_then(|usage| usage.get("timestamp")?.as_str());
    let sent = || envelope.get("meta")?.get("sentAt")?.as_i64();
    let sent = || Timestamp::from_millisecond(sent()?).ok();
    Location {
        on_disk: true,
        time: written.and_then(|written| written.parse().ok()).or_else(sent),
        ..Location::default()
    }
}

fn decode_block<'a>(block: Value<'_, 'a>, is_answer: bool) -> Option<Event<'a>> {
    let word = |key| block.get(key).and_then(Value::as_str);
    let text = |key| block.get(key).and_then(Value::as_text);
    match word("type")? {
        "text" if is_answer => {
            Some(Event::Text { message_id: None, text: text("text")?, is_part: false })
        }
        "text" => Some(Event::Prompt { text: text("text")?, replay: false, synthetic: false }),
        "thinking" => Some(Event::Reasoning { text: text("thinking")? }),
        "tool_use" => {
            let input = block.members().find(|member| member.key == "input");
            Some(Event::ToolCall(ToolCall {
                id: word("id"),
                name: word("name"),
                input: input.map_or(ToolInput::None, |input| ToolInput::Json(input.json())),
                starts_agent: word("name") == Some("Task"),
                ..ToolCall::default()
            }))
        }
        "tool_result" => Some(Event::ToolResult(tool_result(block))),
        _ => None,
    }
}

/// Decodes a result. Newer threads keep the run of the tool, older ones its text.
fn tool_result<'a>(block: Value<'_, 'a>) -> ToolResult<'a> {
    let word = |key| block.get(key).and_then(Value::as_str);
    let run = block.get("run");
    let status = run.and_then(|run| run.get("status")?.as_str());
    let is_error = block.get("is_error").and_then(Value::as_bool);
    let result = run.and_then(|run| run.get("result").or_else(|| run.get("error")));
    let content = block.get("content").and_then(Value::as_text);
    let exit_code = result.and_then(|result| result.get("exitCode")?.as_i64());
    ToolResult {
        call: ToolCall { id: word("tool_use_id").or(word("toolUseID")), ..ToolCall::default() },
        status: match status {
            Some("error") => ToolStatus::Failed,
            Some("cancelled" | "rejected-by-user") => ToolStatus::Denied,
            Some("in-progress" | "queued" | "blocked-on-user") => ToolStatus::Pending,
            _ if is_error == Some(true) => ToolStatus::Failed,
            _ => ToolStatus::Completed,
        },
        output: content.or_else(|| result.and_then(result_text)),
        exit_code,
        is_error,
        ..ToolResult::default()
    }
}

/// Returns a result as text: itself, its output, or its message.
fn result_text<'a>(result: Value<'_, 'a>) -> Option<Text<'a>> {
    let member = |key| result.get(key).and_then(Value::as_text);
    result.as_text().or_else(|| member("output")).or_else(|| member("message"))
}

/// Reads the counts of a request; input excludes the cache.
fn tokens(usage: Value<'_, '_>) -> Tokens {
    let number = |key| usage.get(key).map_or(0, Value::as_count);
    Tokens {
        input: number("inputTokens"),
        output: number("outputTokens"),
        cache_read: count(usage.get("cacheReadInputTokens")),
        cache_write: count(usage.get("cacheCreationInputTokens")),
        ..Tokens::default()
    }
}
