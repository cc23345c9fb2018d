//! The stream of `codex exec --json`: threads with turns and items. Includes the
//! names of September 2025 (`item_type`, `assistant_message`, `session.created`).

use crate::event::{
    Event, EventFilter, Evidence, Finished, Notice, Retry, Scope, Tokens, ToolCall, ToolInput,
    ToolResult, ToolStatus,
};
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location, count};
use crate::json::{Json, Member, Text, Value};

pub(super) fn claim(envelope: &Envelope<'_, '_>) -> Claim {
    let Some(kind) = envelope.kind else {
        return Claim::No;
    };
    let is_object = |key: &str| envelope.get(key).is_some_and(Value::is_object);
    match kind {
        "session.created" => Claim::certain_if(envelope.session_id.is_some()),
        // Copilot CLI has types like these, with `data`.
        _ if envelope.has_data => Claim::No,
        "thread.started" | "turn.started" | "turn.completed" => Claim::Certain,
        "turn.failed" if is_object("error") => Claim::Certain,
        "item.started" | "item.updated" | "item.completed" if is_object("item") => Claim::Certain,
        "turn.failed" | "item.started" | "item.updated" | "item.completed" => Claim::Shared,
        // Several CLIs print an `error`; that of Codex has a message and nothing else.
        "error" if !["timestamp", "error"].iter().any(|key| envelope.has(key)) => Claim::Shared,
        _ => Claim::No,
    }
}

pub(super) fn decode<'a>(envelope: &Envelope<'_, 'a>, events: &mut Vec<Event<'a>>) -> Location<'a> {
    let mut session_id = envelope.session_id;
    match envelope.kind {
        Some("thread.started") => {
            session_id = envelope.str("thread_id");
            events.push(Event::Session(Box::default()));
        }
        Some("session.created") => events.push(Event::Session(Box::default())),
        Some("turn.started") => events.push(Event::TurnStarted { id: None }),
        Some("turn.completed") => events.push(turn_completed(envelope.get("usage"))),
        Some("turn.failed") => {
            let message = envelope.get("error").and_then(|error| error.get("message"));
            events.push(turn_failed(message.and_then(Value::as_str)));
        }
        Some("error") => events.push(error(envelope.str("message"))),
        Some(kind @ ("item.started" | "item.updated" | "item.completed")) => {
            let wanted = |item: &Value<'_, '_>| match envelope.filter {
                EventFilter::Text => is_message(*item),
                filter => filter.includes_tools(),
            };
            if let Some(item) = envelope.get("item").filter(wanted) {
                events.push(Item::new(item).event(kind));
            }
        }
        _ => {}
    }
    Location { session_id, ..Location::default() }
}

fn turn_completed<'a>(usage: Option<Value<'_, '_>>) -> Event<'a> {
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        usage: Some(usage.map(tokens).unwrap_or_default()),
        ..Finished::default()
    }))
}

pub(super) fn turn_failed(message: Option<&str>) -> Event<'_> {
    Event::Finished(Box::new(Finished {
        scope: Scope::Turn,
        failed: true,
        text: message.map(Text::from),
        ..Finished::default()
    }))
}

/// Returns the event of an `error` line. A reconnection is a retry, not a failure.
pub(super) fn error(message: Option<&str>) -> Event<'_> {
    match message {
        Some(text) if text.starts_with("Reconnecting") => Event::Retry(reconnection(text)),
        _ => Event::Error { message, error: Evidence::default() },
    }
}

/// Parses `Reconnecting... 1/5 (reason)`.
fn reconnection(text: &str) -> Retry<'_> {
    let attempt = text.split_ascii_whitespace().nth(1).and_then(|word| word.split_once('/'));
    Retry {
        attempt: attempt.and_then(|(now, _)| now.parse().ok()),
        max: attempt.and_then(|(_, all)| all.parse().ok()),
        message: Some(text),
        is_self_contained: true,
        ..Retry::default()
    }
}

/// Returns the tokens of the thread so far. The input includes cached tokens.
pub(super) fn tokens(usage: Value<'_, '_>) -> Tokens {
    Tokens {
        input: usage.get("input_tokens").map_or(0, Value::as_count),
        output: usage.get("output_tokens").map_or(0, Value::as_count),
        cache_read: count(usage.get("cached_input_tokens")),
        cache_write: count(usage.get("cache_write_input_tokens")),
        cache_write_1h: None,
        reasoning: count(usage.get("reasoning_output_tokens")),
        input_has_cache: true,
    }
}

const MESSAGES: [&str; 2] = ["agent_message", "assistant_message"];

/// Returns whether an item has text. Subagents print none in this format, so the
/// ends of calls do not matter for text.
fn is_message(item: Value<'_, '_>) -> bool {
    let kind = item.get("type").or_else(|| item.get("item_type"));
    kind.and_then(Value::as_str).is_some_and(|kind| MESSAGES.contains(&kind))
}

/// An item with the members that nearly every kind has.
struct Item<'t, 'a> {
    value: Value<'t, 'a>,
    id: Option<&'a str>,
    kind: Option<&'a str>,
    text: Option<Value<'t, 'a>>,
    status: Option<&'a str>,
    server: Option<&'a str>,
    error: Option<Value<'t, 'a>>,
    exit_code: Option<i64>,
    output: Option<Value<'t, 'a>>,
}

impl<'t, 'a> Item<'t, 'a> {
    fn new(value: Value<'t, 'a>) -> Self {
        let mut item = Self {
            value,
            id: None,
            kind: None,
            text: None,
            status: None,
            server: None,
            error: None,
            exit_code: None,
            output: None,
        };
        let (mut id, mut kind, mut alias) = (None, None, None);
        for Member { key, value } in value.members() {
            match key {
                // Web searches have `id` twice; the first one is the item's.
                "id" => id = id.or(Some(value)),
                "type" => kind = Some(value),
                "item_type" => alias = Some(value),
                "text" => item.text = Some(value),
                "status" => item.status = value.as_str(),
                "server" => item.server = value.as_str(),
                "error" => item.error = Some(value).filter(|error| !error.is_null()),
                "exit_code" => item.exit_code = value.as_i64(),
                "aggregated_output" => item.output = Some(value),
                _ => {}
            }
        }
        item.id = id.and_then(Value::as_str);
        item.kind = kind.or(alias).and_then(Value::as_str);
        item
    }

    fn str(&self, key: &str) -> Option<&'a str> {
        self.value.get(key)?.as_str()
    }

    fn event(self, phase: &'a str) -> Event<'a> {
        let completed = phase == "item.completed";
        let other = Event::Other { kind: Some(phase), subtype: self.kind };
        match self.kind {
            Some(kind) if completed && MESSAGES.contains(&kind) => {
                // A missing text is empty; a text of another type is ignored.
                let text = self.text.map_or(Some(Text::default()), Value::as_text);
                text.map_or(other, |text| Event::Text { message_id: self.id, text, is_part: false })
            }
            Some("reasoning") if completed => {
                let text = self.text.and_then(Value::as_text);
                text.map_or(other, |text| Event::Reasoning { text })
            }
            Some("error") if completed => self.str("message").map_or(other, advisory),
            _ => match self.call() {
                Some(call) if completed => Event::ToolResult(self.result(call)),
                Some(call) => Event::ToolCall(call),
                None => other,
            },
        }
    }

    /// Returns the tool call of an item that is one.
    fn call(&self) -> Option<ToolCall<'a>> {
        let kind = self.kind?;
        let (name, input) = match kind {
            "command_execution" => (kind, self.input(&["command"])),
            "file_change" => (kind, self.input(&["changes"])),
            "web_search" => (kind, self.input(&["query", "action"])),
            "todo_list" => (kind, self.input(&["items"])),
            "collab_tool_call" => {
                let members = &["tool", "prompt", "sender_thread_id", "receiver_thread_ids"];
                (kind, self.input(members))
            }
            "mcp_tool_call" => {
                let arguments = self.json("arguments").map_or(ToolInput::None, ToolInput::Json);
                (self.str("tool").unwrap_or(kind), arguments)
            }
            _ => return None,
        };
        Some(ToolCall {
            id: self.id,
            name: Some(name),
            server: self.server,
            input,
            ..ToolCall::default()
        })
    }

    fn input(&self, names: &'static [&'static str]) -> ToolInput<'a> {
        ToolInput::members(names, |name| self.json(name))
    }

    fn json(&self, key: &str) -> Option<Json<'a>> {
        let member = self.value.members().filter(|member| member.key == key).last()?;
        Some(member.json())
    }

    fn result(&self, call: ToolCall<'a>) -> ToolResult<'a> {
        let Self { error, exit_code, .. } = *self;
        let error_text = error.and_then(|error| error.get("message"));
        let is_cancelled = error_text.and_then(Value::as_str).is_some_and(is_cancellation);
        let status = match self.status {
            Some("declined") => ToolStatus::Denied,
            Some("failed") if is_cancelled => ToolStatus::Denied,
            Some("failed") => ToolStatus::Failed,
            None if error.is_some() || exit_code.is_some_and(|code| code != 0) => {
                ToolStatus::Failed
            }
            _ => ToolStatus::Completed,
        };
        ToolResult {
            call,
            status,
            output: error_text.and_then(Value::as_text).or_else(|| self.output()),
            exit_code,
            ..ToolResult::default()
        }
    }

    fn output(&self) -> Option<Text<'a>> {
        if let Some(text) = self.output.and_then(Value::as_text) {
            return Some(text);
        }
        if let Some(states) = self.value.get("agents_states") {
            states.members().next()?;
            let json = self.json("agents_states")?;
            return Some(String::from_utf8_lossy(json.bytes()).into());
        }
        mcp_output(self.value.get("result")?)
    }
}

/// Returns whether an MCP call failed because it was not approved. Without a user to
/// ask, `codex exec` cancels calls that need an approval.
pub(super) fn is_cancellation(error: &str) -> bool {
    matches!(error, "user cancelled MCP tool call" | "user rejected MCP tool call")
}

/// Returns the text of an MCP result, or its structured content.
pub(super) fn mcp_output<'a>(result: Value<'_, 'a>) -> Option<Text<'a>> {
    let blocks = result.get("content").map(Value::elements).into_iter().flatten();
    let mut texts = blocks.filter_map(|block| block.get("text")?.as_text());
    if let Some(text) = Text::joined(&mut texts) {
        return Some(text);
    }
    let names = ["structured_content", "structuredContent"];
    let structured = result.members().find(|member| names.contains(&member.key));
    let json = structured.filter(|member| !member.value.is_null())?.json();
    Some(String::from_utf8_lossy(json.bytes()).into())
}

/// Returns the event of an item-level error, which is never a failure.
pub(super) fn advisory(text: &str) -> Event<'_> {
    match dropped(text) {
        Some(count) => Event::Dropped { count },
        None => Event::Notice(Notice { text, warning: true }),
    }
}

/// Parses `N events were dropped…` and the newer `… lagged; dropped N events`.
fn dropped(text: &str) -> Option<u64> {
    let (number, rest) = text.split_once(' ')?;
    if rest.starts_with("events were dropped") || rest.starts_with("event was dropped") {
        return number.parse().ok();
    }
    let (_, rest) = text.split_once("lagged; dropped ")?;
    rest.split_once(" event")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_events_are_counted_in_both_wordings() {
        for (text, count) in [
            ("5 events were dropped", Some(5)),
            ("42 events were dropped due to lag", Some(42)),
            ("in-process app-server event stream lagged; dropped 7 events", Some(7)),
            ("404 not found", None),
            ("model rerouted: gpt-5 -> gpt-5-mini", None),
            ("events were dropped", None),
        ] {
            assert_eq!(dropped(text), count, "{text}");
        }
    }

    #[test]
    fn reconnection_is_a_retry() {
        let retry = reconnection("Reconnecting... 2/5 (unexpected status 404)");
        assert_eq!((retry.attempt, retry.max), (Some(2), Some(5)));
        let retry = reconnection("Reconnecting... waiting for network (why)");
        assert_eq!((retry.attempt, retry.max), (None, None));
    }
}
