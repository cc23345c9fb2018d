//! Tool calls: a call, updates of it, and its result, which is an update with a final status.

use crate::event::{Event, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::envelope::tool_input;
use crate::json::{Text, Value};

/// Members of an output that contain what the agent received, the best one first.
const OUTPUTS: [&str; 6] =
    ["output_for_prompt", "formatted_output", "output", "stdout", "content", "message"];

/// Decodes a call or an update of one.
pub(in crate::harness) fn decode<'a>(
    update: Value<'_, 'a>,
    is_new: bool,
    events: &mut Vec<Event<'a>>,
) {
    let word = |key| update.get(key).and_then(Value::as_str);
    let status = match word("status") {
        Some("completed") => Some(ToolStatus::Completed),
        Some("failed") => Some(ToolStatus::Failed),
        _ => None,
    };
    let call = tool_call(update, is_new || word("status") == Some("pending"));
    let is_described = ["rawInput", "title", "kind"].iter().any(|key| update.get(key).is_some());
    if is_new || status.is_none() && is_described {
        events.push(Event::ToolCall(call));
    }
    events.extend(status.map(|status| {
        let raw = update.get("rawOutput");
        let exit_code = ["exitCode", "exit_code"]
            .iter()
            .find_map(|key| raw.and_then(|raw| raw.get(key)?.as_i64()));
        Event::ToolResult(ToolResult {
            call,
            status,
            output: content_text(update).or_else(|| raw_text(update)),
            exit_code,
            ..ToolResult::default()
        })
    }));
}

/// Decodes a call. Only a new one is named after its kind if it has no name.
fn tool_call<'a>(update: Value<'_, 'a>, is_new: bool) -> ToolCall<'a> {
    let word = |key| update.get(key).and_then(Value::as_str);
    let meta = |agent| update.get("_meta")?.get(agent)?.get("toolName")?.as_str();
    let name = word("name").or_else(|| word("toolName")).or_else(|| meta("claudeCode"));
    let kind = || word("kind").filter(|kind| *kind != "other").or_else(|| word("title"));
    ToolCall {
        id: word("toolCallId"),
        name: name.or_else(|| kind().filter(|_| is_new)),
        input: input(update, is_new),
        ..ToolCall::default()
    }
}

/// Returns the input of a call. A new one without it may have the change of a file.
fn input<'a>(update: Value<'_, 'a>, is_new: bool) -> ToolInput<'a> {
    let raw = update.get("rawInput");
    if raw.is_some_and(|raw| !raw.is_null()) {
        return tool_input(update, "rawInput");
    }
    let is_diff = |item: &Value<'_, 'a>| item.get("type").and_then(Value::as_str) == Some("diff");
    let content = update.get("content").filter(|_| is_new);
    let mut items = content.into_iter().flat_map(Value::elements);
    let Some(diff) = items.find(is_diff) else { return ToolInput::None };
    ToolInput::members(&["path", "oldText", "newText"], |name| {
        Some(diff.members().find(|member| member.key == name)?.json())
    })
}

fn content_text<'a>(update: Value<'_, 'a>) -> Option<Text<'a>> {
    let items = update.get("content")?.elements();
    let text = |item: Value<'_, 'a>| item.get("content")?.get("text")?.as_text();
    Text::joined(&mut items.filter_map(text))
}

fn raw_text<'a>(update: Value<'_, 'a>) -> Option<Text<'a>> {
    let member = update.members().find(|member| member.key == "rawOutput")?;
    output_text(member.value).or_else(|| {
        let is_set = !member.value.is_null();
        is_set.then(|| String::from_utf8_lossy(member.json().bytes()).into_owned().into())
    })
}

/// Returns the text of an output whose form is up to the agent.
fn output_text<'a>(output: Value<'_, 'a>) -> Option<Text<'a>> {
    let member = |key: &&str| output.get(key)?.as_text();
    output.as_text().or_else(|| OUTPUTS.iter().find_map(member))
}
