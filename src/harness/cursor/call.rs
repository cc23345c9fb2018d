//! Tool calls: `tool_call` contains one member that is called like the tool, with its input
//! and, at the end, its result.

use crate::event::{Event, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::envelope::{Envelope, tool_input};
use crate::json::{Member, Text, Value};

/// How the member of a call ends; the rest of its name is the tool.
const SUFFIX: &str = "ToolCall";

/// Members of a result that contain what the agent received, the best one first.
const OUTPUTS: [&str; 8] = [
    "interleavedOutput",
    "content",
    "resultForModel",
    "message",
    "diffString",
    "reason",
    "errorMessage",
    "error",
];

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>) -> Option<Event<'a>> {
    let call = envelope.get("tool_call").filter(|call| call.is_object())?;
    let (name, body) = tool(call)?;
    let made = tool_call(envelope.str("call_id"), name, body);
    if envelope.subtype != Some("completed") {
        return Some(Event::ToolCall(made));
    }
    let result = body.get("result").or_else(|| call.get("result"));
    let variant = result.and_then(|result| result.members().next());
    Some(Event::ToolResult(ToolResult {
        call: made,
        duration_ms: duration(call),
        is_agents_answer: made.starts_agent,
        ..variant.map(tool_result).unwrap_or_default()
    }))
}

/// Returns the name of the tool and the member with its call. Other members describe it.
fn tool<'t, 'a>(call: Value<'t, 'a>) -> Option<(&'a str, Value<'t, 'a>)> {
    let mut members = call.members().filter(|member| member.value.is_object());
    members.find_map(|member| match member.key.strip_suffix(SUFFIX) {
        Some(name) => Some((name, member.value)),
        None if member.key == "function" => {
            Some((member.value.get("name")?.as_str()?, member.value))
        }
        None => None,
    })
}

fn tool_call<'a>(id: Option<&'a str>, name: &'a str, body: Value<'_, 'a>) -> ToolCall<'a> {
    let args = body.get("args");
    let arg = |key| args.and_then(|args| args.get(key)?.as_str());
    let is_mcp = name == "mcp";
    let input = match (tool_input(body, "args"), args) {
        (ToolInput::None, _) => match body.members().find(|member| member.key == "arguments") {
            Some(member) if member.value.is_string() => ToolInput::Encoded(member.json()),
            _ => tool_input(body, "arguments"),
        },
        (_, Some(args)) if is_mcp && args.get("args").is_some() => tool_input(args, "args"),
        (input, _) => input,
    };
    let background = args.and_then(|args| args.get("isBackground")?.as_bool());
    ToolCall {
        id,
        name: arg("toolName").or_else(|| arg("name")).filter(|_| is_mcp).or(Some(name)),
        server: arg("providerIdentifier").filter(|_| is_mcp),
        input,
        background: background == Some(true),
        starts_agent: name == "task",
        asks_user: name == "askQuestion",
        ..ToolCall::default()
    }
}

/// Decodes a result, whose only member says how the call ended.
fn tool_result<'a>(variant: Member<'_, 'a>) -> ToolResult<'a> {
    let value = variant.value;
    let text = |key| value.get(key).and_then(Value::as_text);
    let status = match variant.key {
        "success" if value.get("isError").and_then(Value::as_bool) == Some(true) => {
            ToolStatus::Failed
        }
        "success" => ToolStatus::Completed,
        key if key == "rejected" || key.ends_with("ermissionDenied") => ToolStatus::Denied,
        _ => ToolStatus::Failed,
    };
    ToolResult {
        status,
        output: output(&variant),
        stdout: text("stdout"),
        stderr: text("stderr"),
        exit_code: value.get("exitCode").and_then(Value::as_i64),
        is_error: Some(variant.key != "success"),
        ..ToolResult::default()
    }
}

/// Returns what the agent received: the output of a command, a text, or the whole result.
fn output<'a>(variant: &Member<'_, 'a>) -> Option<Text<'a>> {
    let value = variant.value;
    let filled = |key: &&str| value.get(key)?.as_text().filter(|text| !text.is_empty());
    let blocks = || {
        let block = |block: Value<'_, 'a>| {
            let text = block.get("text")?;
            text.as_text().or_else(|| text.get("text")?.as_text())
        };
        Text::joined(&mut value.get("content")?.elements().filter_map(block))
    };
    let streams = || match (filled(&"stdout"), filled(&"stderr")) {
        (Some(stdout), Some(stderr)) => {
            let newline = if stdout.ends_with('\n') { "" } else { "\n" };
            Some(format!("{}{newline}{}", &*stdout, &*stderr).into())
        }
        (stdout, stderr) => stdout.or(stderr),
    };
    let found = value.as_text().or_else(|| OUTPUTS.iter().find_map(filled));
    let is_command = value.get("stdout").is_some();
    found.or_else(blocks).or_else(streams).or_else(|| {
        let whole = || String::from_utf8_lossy(variant.json().bytes()).into_owned().into();
        Some(if is_command { Text::default() } else { whole() })
    })
}

/// Returns the time between the start and the end of a call, which are texts or numbers.
fn duration(call: Value<'_, '_>) -> Option<u64> {
    let time = |key| {
        let value = call.get(key)?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    };
    u64::try_from(time("completedAtMs")?.checked_sub(time("startedAtMs")?)?).ok()
}
