//! The neutral event as JSON, for `events --unified`. The members are
//! described in `docs/events.md`; a test keeps the two together.

use super::tokens;
use crate::event::{
    Event, Evidence, Finished, Message, ModelUsage, Packet, Part, Scope, Session, Task, TaskState,
    ToolCall, ToolResult,
};
use crate::json::Json;
use crate::output::Object;
use crate::run::input_json;

/// Writes an event of `packet`, which stood on `line`; returns its kind.
pub(super) fn write(
    to: &mut Vec<u8>,
    packet: &Packet<'_>,
    event: &Event<'_>,
    line: u64,
) -> &'static str {
    let kind = kind(event);
    Object::write(to, |object| {
        object
            .text("kind", kind)
            .text("harness", packet.harness.name())
            .count("line", line)
            .text("session_id", packet.session_id)
            .text("parent_id", packet.parent_id)
            .text("timestamp", packet.timestamp);
        members(object, event);
    });
    kind
}

fn kind(event: &Event<'_>) -> &'static str {
    match event {
        Event::Session(_) => "session",
        Event::TurnStarted { .. } => "turn_started",
        Event::Model { .. } => "model",
        Event::Message(_) => "message",
        Event::Text { .. } => "text",
        Event::Reasoning { .. } => "reasoning",
        Event::Partial { .. } => "partial",
        Event::ToolCall(_) => "tool_call",
        Event::ToolResult(_) => "tool_result",
        Event::ToolEnded { .. } => "tool_ended",
        Event::Denied { .. } => "denied",
        Event::Prompt { .. } => "prompt",
        Event::Usage { .. } => "usage",
        Event::Total(_) => "total",
        Event::Finished(_) => "finished",
        Event::Error { .. } => "error",
        Event::Retry(_) => "retry",
        Event::RateLimit(_) => "rate_limit",
        Event::Task(_) => "task",
        Event::BackgroundTasks { .. } => "background_tasks",
        Event::Compacted { .. } => "compacted",
        Event::Dropped { .. } => "dropped",
        Event::Notice(_) => "notice",
        Event::Other { .. } => "other",
    }
}

fn members(object: &mut Object<'_>, event: &Event<'_>) {
    match event {
        Event::Session(told) => session(object, told),
        Event::TurnStarted { id } => {
            object.text("id", *id);
        }
        Event::Model { model } => {
            object.text("model", *model);
        }
        Event::Message(told) => message(object, told),
        Event::Text { message_id, text } => {
            object.text("message_id", *message_id).spelled("text", Some(text));
        }
        Event::Reasoning { text } => {
            object.spelled("text", Some(text));
        }
        Event::Partial { message_id, part: piece } => {
            object.text("message_id", *message_id);
            part(object, piece);
        }
        Event::ToolCall(call) => tool_call(object, call),
        Event::ToolResult(result) => tool_result(object, result),
        Event::ToolEnded { tool_id } => {
            object.text("id", *tool_id);
        }
        Event::Denied { tool_id, name, message } => {
            object.text("id", *tool_id).text("name", *name).text("message", *message);
        }
        Event::Prompt { text, replay, synthetic } => {
            object.spelled("text", Some(text));
            object
                .flag("replay", replay.then_some(true))
                .flag("synthetic", synthetic.then_some(true));
        }
        Event::Usage { total, .. } => tokens(object, total),
        Event::Total(told) => {
            models(object, "models", Some(&told.models));
            object.number("cost_usd", told.cost_usd).count("duration_ms", told.duration_ms);
        }
        Event::Finished(told) => finished(object, told),
        Event::Error { message } => {
            object.text("message", *message);
        }
        Event::Retry(retry) => {
            object
                .count("attempt", retry.attempt)
                .count("max", retry.max)
                .count("delay_ms", retry.delay_ms)
                .integer("status", retry.status.map(i128::from))
                .text("message", retry.message);
        }
        Event::RateLimit(limit) => {
            object
                .text("status", limit.status)
                .text("limit", limit.kind)
                .integer("resets_at", limit.resets_at.map(i128::from))
                .number("utilization", limit.utilization);
        }
        Event::Task(told) => task(object, told),
        Event::BackgroundTasks { count } => {
            object.count("count", u64::try_from(*count).ok());
        }
        Event::Compacted { trigger, before, after } => {
            object.text("trigger", *trigger).count("before", *before).count("after", *after);
        }
        Event::Dropped { count } => {
            object.count("count", *count);
        }
        Event::Notice(notice) => {
            object.text("text", notice.text).flag("warning", notice.warning.then_some(true));
        }
        Event::Other { kind, subtype } => {
            object.text("type", *kind).text("subtype", *subtype);
        }
    }
}

fn session(object: &mut Object<'_>, told: &Session<'_>) {
    object
        .text("model", told.model)
        .text("cwd", told.cwd)
        .text("version", told.version)
        .text("permission_mode", told.permission_mode)
        .text("api_key_source", told.api_key_source)
        .raw("tools", told.tools.map(Json::bytes))
        .raw("mcp_servers", told.mcp_servers.map(Json::bytes))
        .raw("agents", told.agents.map(Json::bytes))
        .raw("slash_commands", told.slash_commands.map(Json::bytes))
        .text("forked_from", told.forked_from)
        .text("started_by", told.started_by);
}

fn message(object: &mut Object<'_>, told: &Message<'_>) {
    object
        .text("message_id", told.id)
        .text("model", told.model)
        .flag("synthetic", told.synthetic.then_some(true))
        .text("stop_reason", told.stop_reason);
    if let Some(usage) = &told.usage {
        object.object("usage", |object| tokens(object, usage));
    }
    evidence(object, &told.error);
}

fn evidence(object: &mut Object<'_>, told: &Evidence<'_>) {
    object
        .text("error", told.category)
        .integer("error_status", told.status.map(i128::from))
        .text("error_type", told.api_type)
        .integer("resets_at", told.resets_at.map(i128::from));
}

fn part(object: &mut Object<'_>, part: &Part<'_>) {
    match part {
        Part::MessageStart(told) => {
            object.text("part", "message_start");
            message(object, &Message { id: None, ..*told });
        }
        Part::BlockStart { index, kind } => {
            object.text("part", "block_start").count("index", *index).text("block", *kind);
        }
        Part::Text { index, text } => {
            object.text("part", "text").count("index", *index).text("text", *text);
        }
        Part::Reasoning { index, text } => {
            object.text("part", "reasoning").count("index", *index).text("text", *text);
        }
        Part::BlockStop { index } => {
            object.text("part", "block_stop").count("index", *index);
        }
        Part::MessageDelta(told) => {
            object.text("part", "message_delta");
            message(object, &Message { id: None, ..*told });
        }
        Part::MessageStop { abandoned } => {
            object.text("part", "message_stop").flag("abandoned", abandoned.then_some(true));
        }
        Part::Other => {
            object.text("part", "other");
        }
    }
}

fn tool_call(object: &mut Object<'_>, call: &ToolCall<'_>) {
    object
        .text("id", call.id)
        .text("name", call.name)
        .text("server", call.server)
        .raw("input", input_json(&call.input).as_deref())
        .flag("background", call.background.then_some(true));
}

fn tool_result(object: &mut Object<'_>, result: &ToolResult<'_>) {
    tool_call(object, &result.call);
    object
        .text("status", result.status.name())
        .spelled("output", result.output.as_ref())
        .spelled("stdout", result.stdout.as_ref())
        .spelled("stderr", result.stderr.as_ref())
        .flag("interrupted", result.interrupted)
        .integer("exit_code", result.exit_code.map(i128::from))
        .flag("is_error", result.is_error)
        .count("duration_ms", result.duration_ms)
        .flag("detached", result.detached.then_some(true));
}

fn finished(object: &mut Object<'_>, told: &Finished<'_>) {
    let scope = match told.scope {
        Scope::Result => "result",
        Scope::Turn => "turn",
        Scope::Request => "request",
    };
    object
        .text("scope", scope)
        .text("id", told.id)
        .flag("failed", told.failed)
        .text("subtype", told.subtype)
        .text("text", told.text.as_deref());
    if let Some(usage) = &told.usage {
        object.object("usage", |object| tokens(object, usage));
    }
    models(object, "models_total", told.models_total.as_deref());
    models(object, "models_since", told.models_since.as_deref());
    object
        .number("cost_usd", told.cost_usd)
        .integer("num_turns", told.num_turns.map(i128::from))
        .count("duration_ms", told.duration_ms)
        .text("stop_reason", told.stop_reason)
        .text("terminal_reason", told.terminal_reason);
    evidence(object, &told.error);
    object.raw("structured_output", told.structured_output.map(Json::bytes));
}

fn models(object: &mut Object<'_>, name: &'static str, models: Option<&[ModelUsage<'_>]>) {
    let Some(models) = models else {
        return;
    };
    object.list(name, models, |to, usage| {
        Object::write(to, |object| {
            object.text("model", usage.model);
            tokens(object, &usage.tokens);
            object.number("cost_usd", usage.cost_usd);
        });
    });
}

fn task(object: &mut Object<'_>, told: &Task<'_>) {
    let (state, status) = match told.state {
        TaskState::Started => ("started", None),
        TaskState::Progress => ("progress", None),
        TaskState::Ended(status) => ("ended", Some(status)),
    };
    object
        .text("id", told.id)
        .text("tool_id", told.tool_id)
        .text("state", state)
        .text("status", status)
        .text("description", told.description);
}
