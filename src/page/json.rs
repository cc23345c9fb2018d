//! Changes as JSON.

use jiff::Timestamp;
use memchr::memchr2;

use super::change::{CallContent, ItemContent, ItemStart, PageChange, ResultContent};
use super::diff::DiffOp;
use super::markdown;
use crate::harness::{TodoItem, TodoState};
use crate::json::Json;
use crate::output::ObjectWriter;

/// Writes a change as a JSON object on one line. Bytes that are not UTF-8 are replaced.
pub(crate) fn write_change(to: &mut Vec<u8>, change: &PageChange<'_>) {
    let start = to.len();
    ObjectWriter::write(to, |object| members(object, change));
    // Between the tokens of an input there may be line ends.
    let mut from = start;
    while let Some(at) = memchr2(b'\n', b'\r', &to[from..]) {
        from += at;
        to[from] = b' ';
    }
    if simdutf8::basic::from_utf8(&to[start..]).is_err() {
        let valid = String::from_utf8_lossy(&to[start..]).into_owned();
        to.truncate(start);
        to.extend_from_slice(valid.as_bytes());
    }
}

fn members(object: &mut ObjectWriter<'_>, change: &PageChange<'_>) {
    object.count("item", change.item);
    if let Some(ItemStart { line, at, agent }) = change.start {
        object.count("line", line).integer("at", at.map(milliseconds)).text("agent", agent);
    }
    match &change.content {
        ItemContent::Prompt { text, is_synthetic } => {
            object
                .text("kind", "prompt")
                .stream_text("text", Some(text))
                .flag("synthetic", is_synthetic.then_some(true));
        }
        ItemContent::Text { added, whole, is_abandoned } => {
            let marks = whole.and_then(markdown::marks);
            object
                .text("kind", "text")
                .text("text", *added)
                .raw("marks", marks.as_deref())
                .flag("abandoned", is_abandoned.then_some(true));
        }
        ItemContent::Reasoning { text } => {
            object.text("kind", "thinking").text("text", *text);
        }
        ItemContent::Call(call) => call_members(object, call),
        ItemContent::Result(result) => result_members(object, result),
        ItemContent::Note { level, topic, text, wait_ms } => {
            object
                .text("kind", "note")
                .text("topic", topic.name())
                .text("level", level.name())
                .text("text", *text)
                .count("wait_ms", *wait_ms);
        }
    }
}

fn call_members(object: &mut ObjectWriter<'_>, call: &CallContent<'_>) {
    let input = call.input.map(|input| without_members(input, call.diff_members));
    object
        .text("kind", "tool")
        .text("id", call.id)
        .text("name", call.name)
        .text("server", call.server)
        .text("summary", call.summary)
        .raw("input", input.as_deref())
        .flag("starts_agent", call.starts_agent.then_some(true));
    if let Some(ops) = call.diff {
        object.list("diff", ops, |to, DiffOp { tag, text }| {
            ObjectWriter::write(to, |object| {
                object.text("tag", tag.sign()).text("text", *text);
            });
        });
    }
    if let Some(items) = call.todo {
        object.list("todo", items, |to, TodoItem { text, state }| {
            let state = match state {
                TodoState::Open => "open",
                TodoState::InProgress => "in_progress",
                TodoState::Completed => "completed",
            };
            ObjectWriter::write(to, |object| {
                object.text("text", text.as_str()).text("state", state);
            });
        });
    }
}

fn result_members(object: &mut ObjectWriter<'_>, result: &ResultContent<'_>) {
    object
        .text("kind", "tool")
        .text("status", result.status.name())
        .stream_text("output", result.output)
        .integer("exit_code", result.exit_code.map(i128::from))
        .count("duration_ms", result.duration_ms)
        .integer("ended", result.ended.map(milliseconds))
        .flag("detached", result.is_detached.then_some(true));
}

/// Returns an object without some of its members.
fn without_members(input: Json<'_>, left_out: &[&str]) -> Vec<u8> {
    if left_out.is_empty() {
        return input.bytes().to_vec();
    }
    let mut json = vec![b'{'];
    for (name, value) in input.members() {
        if name.as_str().is_some_and(|name| left_out.contains(&name.as_ref())) {
            continue;
        }
        if json.len() > 1 {
            json.push(b',');
        }
        json.extend_from_slice(name.bytes());
        json.push(b':');
        json.extend_from_slice(value.bytes());
    }
    json.push(b'}');
    json
}

fn milliseconds(time: Timestamp) -> i128 {
    i128::from(time.as_millisecond())
}
