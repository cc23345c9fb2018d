//! The items of a message.

use crate::event::{Event, Evidence, Notice, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::envelope::tool_input;
use crate::json::{Text, Value};

/// How the result of a call starts that the user did not allow.
const DECLINED: &str = "The user has declined to run this tool";

/// What separates the extension from the tool in a name.
const SEPARATOR: &str = "__";

/// The tools that start subagents, without the name of their extension.
const AGENT_TOOLS: [&str; 3] = ["subagent", "delegate", "execute_task"];

/// The message that an item belongs to.
#[derive(Clone, Copy)]
pub(super) struct Author {
    pub(super) is_assistant: bool,
    /// Whether the user sees it. Others are for the model only: summaries of a compaction.
    pub(super) is_visible: bool,
    /// Whether its texts are parts, which the next message may continue.
    pub(super) is_part: bool,
}

impl Author {
    /// Returns the author of a message with a role and metadata.
    pub(super) fn of(message: Value<'_, '_>, is_part: bool) -> Self {
        let metadata = message.get("metadata");
        let visible = metadata.and_then(|metadata| metadata.get("userVisible")?.as_bool());
        Self {
            is_assistant: message.get("role").and_then(Value::as_str) == Some("assistant"),
            is_visible: visible != Some(false),
            is_part,
        }
    }
}

/// Decodes an item of a message.
pub(super) fn decode<'a>(item: Value<'_, 'a>, author: Author) -> Option<Event<'a>> {
    let text = |key| item.get(key)?.as_text().filter(|text: &Text<'_>| !text.is_empty());
    Some(match item.get("type")?.as_str()? {
        "text" if author.is_assistant && author.is_visible => {
            Event::Text { message_id: None, text: text("text")?, is_part: author.is_part }
        }
        "text" if !author.is_assistant => {
            let synthetic = !author.is_visible;
            Event::Prompt { text: text("text")?, replay: false, synthetic }
        }
        "thinking" if author.is_part => Event::ReasoningPart { text: text("thinking")? },
        "thinking" => Event::Reasoning { text: text("thinking")? },
        "toolRequest" | "frontendToolRequest" => Event::ToolCall(call(item)),
        "toolResponse" => Event::ToolResult(result(item)),
        "systemNotification" => notification(item)?,
        _ => return None,
    })
}

fn call<'a>(item: Value<'_, 'a>) -> ToolCall<'a> {
    let value = item.get("toolCall").and_then(|call| call.get("value"));
    let name = value.and_then(|value| value.get("name")?.as_str());
    let (server, tool) = match name.and_then(|name| name.split_once(SEPARATOR)) {
        Some((extension, tool)) => (Some(extension), Some(tool)),
        None => (None, name),
    };
    ToolCall {
        id: item.get("id").and_then(Value::as_str),
        name,
        server,
        input: value.map_or(ToolInput::None, |value| tool_input(value, "arguments")),
        starts_agent: tool.is_some_and(|tool| AGENT_TOOLS.contains(&tool)),
        ..ToolCall::default()
    }
}

/// Decodes a result: what the tool returned, or why it could not be run.
fn result<'a>(item: Value<'_, 'a>) -> ToolResult<'a> {
    let result = item.get("toolResult");
    let status = result.and_then(|result| result.get("status")?.as_str());
    let value = result.and_then(|result| result.get("value"));
    let flag = value.and_then(|value| value.get("isError")?.as_bool());
    let error = || result.and_then(|result| result.get("error")?.as_text());
    let output = value.and_then(texts).or_else(error);
    let is_error = status == Some("error") || flag == Some(true);
    let is_declined = output.as_ref().is_some_and(|output| output.has_prefix(DECLINED));
    ToolResult {
        call: ToolCall { id: item.get("id").and_then(Value::as_str), ..ToolCall::default() },
        status: match (is_declined, is_error) {
            (true, _) => ToolStatus::Denied,
            (false, true) => ToolStatus::Failed,
            (false, false) => ToolStatus::Completed,
        },
        output,
        is_error: Some(is_error),
        ..ToolResult::default()
    }
}

/// Returns the texts of a result, which is a list in sessions of older releases.
fn texts<'a>(value: Value<'_, 'a>) -> Option<Text<'a>> {
    let content = value.get("content").unwrap_or(value);
    let text = |block: Value<'_, 'a>| block.get("text")?.as_text();
    Text::joined(&mut content.elements().filter_map(text))
}

/// Decodes a message of the CLI. Without credits the run ends.
fn notification<'a>(item: Value<'_, 'a>) -> Option<Event<'a>> {
    let word = |key| item.get(key).and_then(Value::as_str);
    match word("notificationType")? {
        kind @ "creditsExhausted" => Some(Event::Error {
            message: word("msg"),
            error: Evidence { category: Some(kind), ..Evidence::default() },
        }),
        "inlineMessage" => word("msg").map(|text| Event::Notice(Notice { text, warning: false })),
        _ => None,
    }
}
