//! Messages, which the stream and session files contain in the same form.

use jiff::Timestamp;

use crate::event::{
    Event, Evidence, Finished, Message, Scope, Tokens, ToolCall, ToolResult, ToolStatus,
};
use crate::harness::envelope::{self, TokenMembers, count, tool_input};
use crate::json::{Text, Value};

/// What precedes the exit status at the end of a failed command's output.
const EXIT_STATUS: &str = "Command exited with code ";

/// The ids under which a message counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MessageIds<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) request_id: Option<&'a str>,
}

/// Decodes an assistant message.
pub(super) fn assistant<'a>(
    message: Value<'_, 'a>,
    ids: MessageIds<'a>,
    events: &mut Vec<Event<'a>>,
) {
    let text = |key| message.get(key).and_then(Value::as_str);
    let error_message = text("errorMessage");
    let stop_reason = text("stopReason");
    let error = match stop_reason {
        Some("error" | "aborted") => Evidence {
            category: stop_reason,
            status: error_message.and_then(status),
            ..Evidence::default()
        },
        _ => Evidence::default(),
    };
    let header = Message { model: text("model"), stop_reason, error, ..Message::default() };
    events.push(request(header, ids, message.get("usage")));
    for block in message.get("content").into_iter().flat_map(Value::elements) {
        let part = |key| block.get(key).and_then(Value::as_text);
        match block.get("type").and_then(Value::as_str) {
            Some("text") => events.extend(
                part("text").filter(|text| !text.is_empty()).map(|text| Event::Text {
                    message_id: ids.id,
                    text,
                    is_part: false,
                }),
            ),
            Some("thinking") => {
                events.extend(part("thinking").map(|text| Event::Reasoning { text }));
            }
            Some("toolCall") => events.push(Event::ToolCall(call(block))),
            _ => {}
        }
    }
    if error.category.is_some() {
        events.push(failed(error_message, error));
    }
}

/// Returns the header of a request with what it used. Input lacks what was read from and
/// written to the cache, and output includes reasoning.
pub(super) fn request<'a>(
    header: Message<'a>,
    ids: MessageIds<'a>,
    usage: Option<Value<'_, 'a>>,
) -> Event<'a> {
    let usage = usage.filter(|usage| usage.is_object());
    let cost = usage.and_then(|usage| usage.get("cost")?.get("total")?.as_f64());
    let MessageIds { id, request_id } = ids;
    Event::Message(Message { id, request_id, usage: usage.map(tokens), cost_usd: cost, ..header })
}

/// A failed request does not end the run: it may be repeated.
fn failed<'a>(message: Option<&'a str>, error: Evidence<'a>) -> Event<'a> {
    Event::Finished(Box::new(Finished {
        scope: Scope::Request,
        failed: true,
        text: message.map(Text::from),
        error,
        ..Finished::default()
    }))
}

fn call<'a>(block: Value<'_, 'a>) -> ToolCall<'a> {
    let text = |key| block.get(key).and_then(Value::as_str);
    ToolCall {
        id: text("id"),
        name: text("name"),
        input: tool_input(block, "arguments"),
        ..ToolCall::default()
    }
}

/// Decodes the result of a tool: `outcome` says which call it is and whether it failed,
/// `result` contains the output.
pub(super) fn tool_result<'a>(outcome: Value<'_, 'a>, result: Value<'_, 'a>) -> ToolResult<'a> {
    let text = |key| outcome.get(key).and_then(Value::as_str);
    let is_error = outcome.get("isError").and_then(Value::as_bool);
    let output = texts(result.get("content"));
    let told =
        result.get("structuredContent").and_then(|content| content.get("exit_code")?.as_i64());
    let in_text = || exit_status(output.as_deref().filter(|_| is_error == Some(true))?);
    ToolResult {
        call: ToolCall { id: text("toolCallId"), name: text("toolName"), ..ToolCall::default() },
        status: if is_error == Some(true) { ToolStatus::Failed } else { ToolStatus::Completed },
        exit_code: told.or_else(in_text),
        output,
        is_error,
        duration_ms: count(outcome.get("durationMs")),
        ..ToolResult::default()
    }
}

/// Decodes a prompt.
pub(super) fn prompt<'a>(message: Value<'_, 'a>, replay: bool) -> Option<Event<'a>> {
    let text = texts(message.get("content"))?;
    Some(Event::Prompt { text, replay, synthetic: false })
}

/// Returns the text of a message: a string, or a list of blocks.
pub(super) fn texts<'a>(content: Option<Value<'_, 'a>>) -> Option<Text<'a>> {
    let content = content?;
    let part = |block: Value<'_, 'a>| block.get("text")?.as_text();
    content.as_text().or_else(|| Text::joined(&mut content.elements().filter_map(part)))
}

/// Returns when a message was written, in milliseconds since 1970.
pub(super) fn time(message: Value<'_, '_>) -> Option<Timestamp> {
    Timestamp::from_millisecond(message.get("timestamp")?.as_i64()?).ok()
}

fn tokens(usage: Value<'_, '_>) -> Tokens {
    const MEMBERS: TokenMembers = ["input", "output", "cacheRead", "cacheWrite"];
    Tokens {
        cache_write_1h: count(usage.get("cacheWrite1h")),
        reasoning: count(usage.get("reasoning")),
        ..envelope::tokens(usage, MEMBERS)
    }
}

/// Returns the HTTP status at the start of an error: `429: {…}`, `429 Too many requests`.
pub(super) fn status(error: &str) -> Option<i64> {
    let (digits, rest) = error.split_at_checked(3)?;
    let status = digits.parse().ok().filter(|status| (400..600).contains(status))?;
    rest.starts_with([':', ' ']).then_some(status)
}

fn exit_status(output: &str) -> Option<i64> {
    output.rsplit_once(EXIT_STATUS)?.1.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_status_starts_an_error() {
        assert_eq!(status("429: {\"message\":\"Rate limit\"}"), Some(429));
        assert_eq!(status("503 Service Unavailable"), Some(503));
        for other in ["", "é", "4290 x", "200: ok", "Stream ended", "40"] {
            assert_eq!(status(other), None, "{other}");
        }
    }

    #[test]
    fn exit_status_ends_an_output() {
        assert_eq!(exit_status("out\n\n\nCommand exited with code 3"), Some(3));
        assert_eq!(exit_status("Command exited with code 3\nmore"), None);
        assert_eq!(exit_status("out"), None);
    }
}
