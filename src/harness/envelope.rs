//! The members of an object that detection looks at.

use jiff::Timestamp;

use super::Harness;
use crate::event::{Event, EventFilter, Tokens, ToolInput};
use crate::json::{Text, Value};

/// An object with its header members.
pub(crate) struct Envelope<'t, 'a> {
    pub(super) object: Value<'t, 'a>,
    /// The `type`.
    pub(super) kind: Option<&'a str>,
    pub(super) subtype: Option<&'a str>,
    pub(super) session_id: Option<&'a str>,
    pub(super) message: Option<Value<'t, 'a>>,
    pub(super) event: Option<Value<'t, 'a>>,
    pub(super) parent_id: Option<&'a str>,
    pub(crate) timestamp: Option<&'a str>,
    /// Whether there is a `parentUuid`, as in Claude Code's session files.
    pub(super) has_parent_uuid: bool,
    /// Whether there is a `uuid`, a `data`, a `total_cost_usd`, and `stats` or an
    /// `exitCode`. Several CLIs share their types of lines and differ in these.
    pub(super) has_uuid: bool,
    pub(super) has_data: bool,
    pub(super) has_cost: bool,
    pub(super) has_stats: bool,
    /// Whether there is a `harness` member.
    pub(crate) is_tagged: bool,
    /// The CLI that the `harness` member names.
    pub(super) tag: Option<Harness>,
    /// Which events are requested. A dialect may decode more.
    pub(super) filter: EventFilter,
}

impl<'t, 'a> Envelope<'t, 'a> {
    pub(crate) fn new(object: Value<'t, 'a>, filter: EventFilter) -> Self {
        let mut envelope = Self {
            object,
            kind: None,
            subtype: None,
            session_id: None,
            message: None,
            event: None,
            parent_id: None,
            timestamp: None,
            has_parent_uuid: false,
            has_uuid: false,
            has_data: false,
            has_cost: false,
            has_stats: false,
            is_tagged: false,
            tag: None,
            filter,
        };
        let mut camel_case_id = None;
        for member in object.members() {
            let value = member.value;
            match member.key {
                "type" => envelope.kind = value.as_str(),
                "subtype" => envelope.subtype = value.as_str(),
                "session_id" => envelope.session_id = value.as_str(),
                "sessionId" => camel_case_id = value.as_str(),
                "message" => envelope.message = Some(value),
                "event" => envelope.event = Some(value),
                "parent_tool_use_id" => envelope.parent_id = value.as_str(),
                "timestamp" => envelope.timestamp = value.as_str(),
                "parentUuid" => envelope.has_parent_uuid = true,
                "uuid" => envelope.has_uuid = true,
                "data" => envelope.has_data = true,
                "total_cost_usd" => envelope.has_cost = true,
                "stats" | "exitCode" => envelope.has_stats = true,
                "harness" => {
                    envelope.is_tagged = true;
                    envelope.tag = value.as_str().and_then(Harness::from_name);
                }
                _ => {}
            }
        }
        envelope.session_id = envelope.session_id.or(camel_case_id);
        envelope
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'t, 'a>> {
        self.object.get(key)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn str(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    pub(super) fn text(&self, key: &str) -> Option<Text<'a>> {
        self.get(key)?.as_text()
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the event for an object that has no neutral meaning.
    pub(crate) fn other(&self) -> Event<'a> {
        Event::Other { kind: self.kind, subtype: self.subtype }
    }
}

/// Where in the run an object belongs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Location<'a> {
    pub(crate) session_id: Option<&'a str>,
    pub(crate) parent_id: Option<&'a str>,
    pub(crate) on_disk: bool,
    /// When it was written, if the line says so other than by a `timestamp` in text.
    pub(crate) time: Option<Timestamp>,
}

/// Returns a count if the member is present and not null.
pub(super) fn count(value: Option<Value<'_, '_>>) -> Option<u64> {
    value.filter(|value| !value.is_null()).map(Value::as_count)
}

/// Returns the input of a tool call in the member `key`.
pub(super) fn tool_input<'a>(object: Value<'_, 'a>, key: &str) -> ToolInput<'a> {
    let input = object.members().find(|member| member.key == key);
    input.map_or(ToolInput::None, |member| ToolInput::Json(member.json()))
}

/// The members with the input, the output, and what was read from and written to the cache.
pub(super) type TokenMembers = [&'static str; 4];

/// Reads token counts.
pub(super) fn tokens(counts: Value<'_, '_>, [input, output, read, write]: TokenMembers) -> Tokens {
    let number = |key| counts.get(key).map_or(0, Value::as_count);
    Tokens {
        input: number(input),
        output: number(output),
        cache_read: count(counts.get(read)),
        cache_write: count(counts.get(write)),
        ..Tokens::default()
    }
}
