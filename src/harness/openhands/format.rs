//! What the known releases print and store, for `check`.

use crate::harness::format::{
    CheckedLine, FormatTables, Is, Members, Node, Shape, Violation, find, require, word,
};

pub(super) const FORMAT: FormatTables =
    FormatTables { check: |object, _| check(object), unknown_members: None };

/// What every event has.
const EVENT: Members = &[
    ("id", Is::String),
    ("timestamp", Is::String),
    ("source", Is::OneOf(&["user", "agent", "environment", "hook"])),
];

const CALL: Members = &[("tool_name", Is::String), ("tool_call_id", Is::String)];

/// Events that are used.
const EVENTS: &[Shape] = &[
    Shape {
        name: "MessageEvent",
        members: &[("llm_message", Is::With(&[("role", Is::String), ("content", Is::Array)]))],
    },
    Shape {
        name: "ActionEvent",
        members: &[
            ("thought", Is::Array),
            ("tool_name", Is::String),
            ("tool_call_id", Is::String),
            ("tool_call", Is::With(&[("name", Is::String), ("arguments", Is::String)])),
        ],
    },
    Shape {
        name: "ObservationEvent",
        members: &[
            ("tool_name", Is::String),
            ("tool_call_id", Is::String),
            (
                "observation",
                Is::With(&[("kind", Is::String), ("content", Is::Array), ("is_error", Is::Bool)]),
            ),
        ],
    },
    Shape {
        name: "AgentErrorEvent",
        members: &[("tool_name", Is::String), ("tool_call_id", Is::String), ("error", Is::String)],
    },
    Shape { name: "UserRejectObservation", members: CALL },
    Shape {
        name: "ConversationErrorEvent",
        members: &[("code", Is::String), ("detail", Is::String)],
    },
    Shape { name: "SystemPromptEvent", members: &[("system_prompt", Is::Object)] },
];

/// Other events.
const OTHERS: &[&str] = &[
    "ACPToolCallEvent",
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationStateUpdateEvent",
    "HookExecutionEvent",
    "InterruptEvent",
    "LLMCompletionLogEvent",
    "PauseEvent",
    "StreamingDeltaEvent",
    "TokenEvent",
];

/// The state of a conversation.
const STATE: Members = &[
    ("id", Is::String),
    ("execution_status", Is::String),
    ("workspace", Is::With(&[("working_dir", Is::String)])),
    ("stats", Is::With(&[("usage_to_metrics", Is::Object)])),
];

/// Checks an event, or the state of a conversation.
fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    if raw.get("kind").is_none() {
        require(raw, STATE)?;
        return Ok(CheckedLine { session_id: raw.str("id"), ..CheckedLine::new("SessionEntry") });
    }
    let name = word(raw, "kind")?;
    let event = find(EVENTS, name);
    if event.is_none() && !OTHERS.contains(&name) {
        return Ok(CheckedLine::unknown(name.to_owned()));
    }
    require(raw, EVENT)?;
    require(raw, event.map_or(&[], |event| event.members))?;
    Ok(CheckedLine { subtype: Some(name), ..CheckedLine::new("Event") })
}
