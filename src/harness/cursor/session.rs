//! Transcripts on disk: `agent-transcripts/ID.jsonl`, one message per line with a role and
//! blocks of Claude Code's shape. They have no times, no ids and no tokens.

use crate::event::{Event, ToolCall, ToolResult, ToolStatus};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, tool_input};
use crate::json::{Text, Value};

/// What surrounds a prompt.
const PROMPT: (&str, &str) = ("<user_query>", "</user_query>");

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let has_role = matches!(envelope.str("role"), Some("user" | "assistant" | "tool"));
    let content = envelope.message.and_then(|message| message.get("content"));
    let has_blocks = || content.is_some_and(Value::is_array);
    let is_bare = || envelope.object.members().count() == 2 + usize::from(envelope.is_tagged);
    Claim::certain_if(envelope.kind.is_none() && has_role && has_blocks() && is_bare())
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let is_answer = envelope.str("role") == Some("assistant");
    let content = envelope.message.and_then(|message| message.get("content"));
    let blocks = content.into_iter().flat_map(Value::elements);
    events.extend(blocks.filter_map(|block| decode_block(block, is_answer)));
    Location { on_disk: true, ..Location::default() }
}

fn decode_block<'a>(block: Value<'_, 'a>, is_answer: bool) -> Option<Event<'a>> {
    let word = |key| block.get(key).and_then(Value::as_str);
    let text = |key| block.get(key).and_then(Value::as_text);
    Some(match word("type")? {
        "text" if is_answer => {
            Event::Text { message_id: None, text: text("text")?, is_part: false }
        }
        "text" => Event::Prompt { text: unwrapped(text("text")?), replay: false, synthetic: false },
        "thinking" => Event::Reasoning { text: text("thinking")? },
        "tool_use" => Event::ToolCall(ToolCall {
            id: word("id"),
            name: word("name"),
            input: tool_input(block, "input"),
            starts_agent: word("name") == Some("Task"),
            ..ToolCall::default()
        }),
        "tool_result" => {
            let is_error = block.get("is_error").and_then(Value::as_bool);
            let has_failed = is_error == Some(true);
            Event::ToolResult(ToolResult {
                call: ToolCall { id: word("tool_use_id"), ..ToolCall::default() },
                status: if has_failed { ToolStatus::Failed } else { ToolStatus::Completed },
                output: block.get("content").and_then(texts),
                is_error,
                ..ToolResult::default()
            })
        }
        _ => return None,
    })
}

/// Returns the text of an output: a string or a list of blocks.
fn texts<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let part = |block: Value<'_, 'a>| block.get("text")?.as_text();
    content.as_text().or_else(|| Text::joined(&mut content.elements().filter_map(part)))
}

/// Removes what surrounds a prompt.
fn unwrapped(text: Text<'_>) -> Text<'_> {
    let (start, end) = PROMPT;
    let inner = || text.trim().strip_prefix(start)?.strip_suffix(end);
    match inner().map(|prompt| prompt.trim().to_owned()) {
        Some(prompt) => prompt.into(),
        None => text,
    }
}
