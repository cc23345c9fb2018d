//! The parts of messages, which streams and sessions contain in the same form.

use crate::event::{Event, Message, Retry, Tokens, ToolCall, ToolResult, ToolStatus};
use crate::harness::envelope::{count, tool_input};
use crate::json::{Text, Value};

/// The tool that starts a subagent.
const AGENT_TOOL: &str = "task";

/// The tool that asks the user.
const QUESTION_TOOL: &str = "question";

/// Stands for a tool that does not exist, or whose input is wrong.
const INVALID_TOOL: &str = "invalid";

/// How the error of a call starts that was denied: by the user, by a rule, or because there is
/// no terminal to ask on.
const DENIED: [&str; 3] = [
    "The user rejected permission to use this specific tool call",
    "The user has specified a rule which prevents you from using this specific tool call",
    "The user dismissed this question",
];

/// Decodes a part of an answer: text, reasoning, a call, or a repeated request.
pub(super) fn event<'a>(part: Value<'_, 'a>) -> Option<Event<'a>> {
    let message_id = part.get("messageID").and_then(Value::as_str);
    Some(match part.get("type")?.as_str()? {
        "text" => Event::Text { message_id, text: text(part)?, is_part: false },
        "reasoning" => Event::Reasoning { text: text(part)? },
        "tool" => tool(part)?,
        "retry" => Event::Retry(Retry {
            attempt: count(part.get("attempt")),
            status: part.get("error")?.get("data")?.get("statusCode").and_then(Value::as_i64),
            message: part.get("error")?.get("data")?.get("message").and_then(Value::as_str),
            ..Retry::default()
        }),
        _ => return None,
    })
}

/// Decodes a part of a prompt. The CLI itself writes synthetic parts.
pub(super) fn prompt<'a>(part: Value<'_, 'a>) -> Option<Event<'a>> {
    let is_true = |key| part.get(key).and_then(Value::as_bool) == Some(true);
    match part.get("type")?.as_str()? {
        "text" => {
            let synthetic = is_true("synthetic") || is_true("ignored");
            Some(Event::Prompt { text: text(part)?, replay: false, synthetic })
        }
        "compaction" => {
            let trigger = if is_true("auto") { "auto" } else { "manual" };
            let (before, after, summary) = (None, None, None);
            Some(Event::Compacted { trigger: Some(trigger), before, after, summary })
        }
        _ => None,
    }
}

fn text<'a>(part: Value<'_, 'a>) -> Option<Text<'a>> {
    part.get("text")?.as_text().filter(|text| !text.is_empty())
}

/// Returns the tokens, the cost and the end of a step.
pub(super) fn step<'a>(part: Value<'_, 'a>) -> Message<'a> {
    let counts = part.get("tokens").filter(|counts| counts.is_object());
    Message {
        usage: counts.map(tokens),
        cost_usd: part.get("cost").and_then(Value::as_f64),
        stop_reason: part.get("reason").and_then(Value::as_str),
        ..Message::default()
    }
}

/// Reads the counts of a request. Input lacks what was read from and written to the cache;
/// output lacks reasoning, which is added to it.
pub(super) fn tokens(counts: Value<'_, '_>) -> Tokens {
    let number = |key| counts.get(key).map_or(0, Value::as_count);
    let cache = counts.get("cache").filter(|cache| cache.is_object());
    let cached = |key| count(cache.and_then(|cache| cache.get(key)));
    let reasoning = count(counts.get("reasoning"));
    Tokens {
        input: number("input"),
        output: number("output").saturating_add(reasoning.unwrap_or(0)),
        reasoning,
        cache_read: cached("read"),
        cache_write: cached("write"),
        ..Tokens::default()
    }
}

/// Returns whether the output of a call has been removed from the conversation.
pub(super) fn is_compacted(part: Value<'_, '_>) -> bool {
    let time = part.get("state").and_then(|state| state.get("time"));
    time.is_some_and(|time| time.get("compacted").is_some())
}

/// Decodes a call, with its result if it has ended.
fn tool<'a>(part: Value<'_, 'a>) -> Option<Event<'a>> {
    let state = part.get("state")?;
    let name = part.get("tool").and_then(Value::as_str);
    let call = ToolCall {
        id: part.get("callID").and_then(Value::as_str),
        name,
        input: tool_input(state, "input"),
        starts_agent: name == Some(AGENT_TOOL),
        asks_user: name == Some(QUESTION_TOOL),
        ..ToolCall::default()
    };
    let is_error = match state.get("status")?.as_str()? {
        "completed" => false,
        "error" => true,
        _ => return Some(Event::ToolCall(call)),
    };
    let output = state.get(if is_error { "error" } else { "output" }).and_then(Value::as_text);
    let is_denied = || {
        let is_start = |start: &&str| output.as_ref().is_some_and(|text| text.has_prefix(start));
        DENIED.iter().any(is_start)
    };
    let status = match is_error {
        true if is_denied() => ToolStatus::Denied,
        true => ToolStatus::Failed,
        false if name == Some(INVALID_TOOL) => ToolStatus::Failed,
        false => ToolStatus::Completed,
    };
    let metadata = state.get("metadata");
    let time = |key| state.get("time")?.get(key)?.as_i64();
    let duration = time("end").zip(time("start")).and_then(|(end, start)| end.checked_sub(start));
    Some(Event::ToolResult(ToolResult {
        is_agents_answer: call.starts_agent && !is_error,
        call,
        status,
        output,
        exit_code: metadata.and_then(|metadata| metadata.get("exit")?.as_i64()),
        is_error: Some(is_error),
        duration_ms: duration.and_then(|duration| u64::try_from(duration).ok()),
        ..ToolResult::default()
    }))
}
