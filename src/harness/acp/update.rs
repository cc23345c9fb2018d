//! What `session/update` reports: parts of messages, tool calls, the cost so far.

use std::borrow::Cow;

use super::call;
use crate::event::{Event, Message, MessagePart, Notice};
use crate::harness::TextDelta;
use crate::json::{Text, Value};

/// Where an update was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::harness) enum Origin {
    /// In the stream. Prompts in it repeat those of the client, or of a loaded session.
    Stream,
    /// In a session file.
    Session,
}

/// The id under which the cost counts, of which the last is valid.
const COST: &str = "usage_update";

pub(in crate::harness) fn decode<'a>(
    update: Value<'_, 'a>,
    origin: Origin,
    events: &mut Vec<Event<'a>>,
) {
    let word = |key| update.get(key).and_then(Value::as_str);
    let content = || update.get("content").and_then(text);
    match word("sessionUpdate").unwrap_or_default() {
        "agent_message_chunk" => events.extend(content().map(|text| Event::Text {
            message_id: None,
            text,
            is_part: true,
        })),
        "agent_message" => events.extend(content().map(|text| Event::Text {
            message_id: word("messageId"),
            text,
            is_part: false,
        })),
        "agent_thought_chunk" => {
            events.extend(content().map(|text| Event::ReasoningPart { text }));
        }
        "agent_thought" => events.extend(content().map(|text| Event::Reasoning { text })),
        "user_message_chunk" | "user_message" => events.extend(content().map(|text| {
            Event::Prompt { text, replay: origin == Origin::Stream, synthetic: false }
        })),
        "tool_call" => call::decode(update, true, events),
        "tool_call_update" => call::decode(update, false, events),
        "usage_update" => events.extend(cost(update)),
        "notice" => {
            let text = word("description").or_else(|| word("title"));
            let warning = word("severity") != Some("info");
            events.extend(text.map(|text| Event::Notice(Notice { text, warning })));
        }
        "compaction_update" if word("status") == Some("completed") => {
            events.push(Event::Compacted {
                trigger: None,
                before: None,
                after: None,
                summary: None,
            });
        }
        // Drafts of the protocol end a turn with its state.
        "state_update" if word("state") == Some("running") => {
            events.push(Event::TurnStarted { id: None });
        }
        "state_update" if word("state") == Some("idle") => {
            let reason = word("stopReason").unwrap_or("end_turn");
            events.push(super::finished(reason, update.get("usage")));
        }
        _ => {}
    }
}

/// Returns the text of a block, or of a list of blocks.
fn text<'a>(content: Value<'_, 'a>) -> Option<Text<'a>> {
    let block = |block: Value<'_, 'a>| block.get("text")?.as_text();
    let text = block(content).or_else(|| Text::joined(&mut content.elements().filter_map(block)));
    text.filter(|text| !text.is_empty())
}

/// Returns the cost so far. The tokens beside it are those in the context of the model.
fn cost<'a>(update: Value<'_, 'a>) -> Option<Event<'a>> {
    let cost = update.get("cost")?;
    let is_dollars = cost.get("currency").and_then(Value::as_str) == Some("USD");
    let cost_usd = cost.get("amount").and_then(Value::as_f64).filter(|_| is_dollars);
    let header = Message { cost_usd: Some(cost_usd?), ..Message::default() };
    Some(Event::Partial { message_id: Some(COST), part: MessagePart::MessageDelta(header) })
}

/// Returns what a line adds to the text or the reasoning of the agent.
pub(in crate::harness) fn text_delta<'a>(kind: &str, line: Value<'_, 'a>) -> TextDelta<'a> {
    // Session files of an agent may lack the version of the protocol.
    let is_message = || line.get("jsonrpc").is_some() || line.get("method").is_some();
    if !kind.is_empty() || !is_message() {
        return TextDelta::None;
    }
    let update = line.get("params").and_then(|params| params.get("update"));
    let update_kind = update.and_then(|update| update.get("sessionUpdate")?.as_str());
    let has_ended = || line.get("result")?.get("stopReason")?.as_str();
    // One thread: a text is complete when another kind of text starts.
    let thread = || Cow::Borrowed("acp");
    let chunk = |index| {
        TextDelta::append(
            thread(),
            index,
            update.and_then(|update| update.get("content")?.get("text")),
        )
    };
    match update_kind {
        Some("agent_message_chunk") => chunk(0),
        Some("agent_thought_chunk") => chunk(1),
        Some("user_message_chunk" | "turn_completed") => TextDelta::EndThread(thread()),
        Some("tool_call" | "state_update") => TextDelta::EndAll,
        None if has_ended().is_some() || line.get("error").is_some() => TextDelta::EndAll,
        _ => TextDelta::None,
    }
}
