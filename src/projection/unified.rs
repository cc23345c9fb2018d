//! Neutral events as JSON, for `events --unified`. `docs/events.md` describes the
//! members; a test compares the two.

use super::write_tokens;
use crate::event::{
    Event, Evidence, Finished, Message, MessagePart, ModelUsage, Scope, SessionInfo, Task,
    TaskState, ToolCall, ToolResult,
};
use crate::harness::Record;
use crate::json::Json;
use crate::output::ObjectWriter;
use crate::run::input_json;

/// Writes an event of `record`, which is on the line with this number.
pub(super) fn write(to: &mut Vec<u8>, record: &Record<'_>, event: &Event<'_>, line: u64) {
    ObjectWriter::write(to, |object| {
        object
            .text("kind", kind(event))
            .text("harness", record.harness.name())
            .count("line", line)
            .text("session_id", record.session_id)
            .text("parent_id", record.parent_id)
            .text("timestamp", record.timestamp);
        if record.timestamp.is_none() {
            let written = record.time().map(|time| time.to_string());
            object.text("timestamp", written.as_deref());
        }
        members(object, event);
    });
}

/// Returns the name of an event's kind.
pub(super) fn kind(event: &Event<'_>) -> &'static str {
    match event {
        Event::Session(_) => "session",
        Event::TurnStarted { .. } => "turn_started",
        Event::Model { .. } => "model",
        Event::Message(_) => "message",
        Event::Text { .. } => "text",
        Event::Reasoning { .. } | Event::ReasoningPart { .. } => "reasoning",
        Event::Partial { .. } => "partial",
        Event::ToolCall(_) => "tool_call",
        Event::ToolResult(_) => "tool_result",
        Event::ToolEnded { .. } => "tool_ended",
        Event::ToolStatus { .. } => "tool_status",
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

fn members(object: &mut ObjectWriter<'_>, event: &Event<'_>) {
    match event {
        Event::Session(info) => session(object, info),
        Event::TurnStarted { id } => {
            object.text("id", *id);
        }
        Event::Model { model } => {
            object.text("model", *model);
        }
        Event::Message(header) => message(object, header),
        Event::Text { message_id, text, is_part } => {
            object
                .text("message_id", *message_id)
                .stream_text("text", Some(text))
                .flag("is_part", is_part.then_some(true));
        }
        Event::Reasoning { text } => {
            object.stream_text("text", Some(text));
        }
        Event::ReasoningPart { text } => {
            object.stream_text("text", Some(text)).flag("is_part", Some(true));
        }
        Event::Partial { message_id, part } => {
            object.text("message_id", *message_id);
            message_part(object, part);
        }
        Event::ToolCall(call) => tool_call(object, call),
        Event::ToolResult(result) => tool_result(object, result),
        Event::ToolEnded { tool_id } => {
            object.text("id", *tool_id);
        }
        Event::ToolStatus { tool_id, status, exit_code, duration_ms } => {
            object
                .text("id", *tool_id)
                .text("status", status.name())
                .integer("exit_code", exit_code.map(i128::from))
                .count("duration_ms", *duration_ms);
        }
        Event::Denied { tool_id, name, message } => {
            object.text("id", *tool_id).text("name", *name).text("message", *message);
        }
        Event::Prompt { text, replay, synthetic } => {
            object.stream_text("text", Some(text));
            object
                .flag("replay", replay.then_some(true))
                .flag("synthetic", synthetic.then_some(true));
        }
        Event::Usage { total, .. } => write_tokens(object, total),
        Event::Total(total) => {
            models(object, "models", Some(&total.models));
            object.cost("cost_usd", total.cost_usd).count("duration_ms", total.duration_ms);
        }
        Event::Finished(end) => finished(object, end),
        Event::Error { message, .. } => {
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
        Event::Task(state) => task(object, state),
        Event::BackgroundTasks { count, agents } => {
            object
                .count("count", u64::try_from(*count).ok())
                .count("agents", u64::try_from(*agents).ok());
        }
        Event::Compacted { trigger, before, after, .. } => {
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

fn session(object: &mut ObjectWriter<'_>, info: &SessionInfo<'_>) {
    object
        .text("model", info.model)
        .text("cwd", info.cwd)
        .text("version", info.version)
        .text("permission_mode", info.permission_mode)
        .text("api_key_source", info.api_key_source)
        .raw("tools", info.tools.map(Json::bytes))
        .raw("mcp_servers", info.mcp_servers.map(Json::bytes))
        .raw("agents", info.agents.map(Json::bytes))
        .raw("slash_commands", info.slash_commands.map(Json::bytes))
        .text("forked_from", info.forked_from)
        .text("started_by", info.started_by);
}

fn message(object: &mut ObjectWriter<'_>, header: &Message<'_>) {
    object
        .text("message_id", header.id)
        .text("model", header.model)
        .flag("synthetic", header.synthetic.then_some(true))
        .text("stop_reason", header.stop_reason);
    if let Some(usage) = &header.usage {
        object.object("usage", |object| write_tokens(object, usage));
    }
    object.cost("cost_usd", header.cost_usd);
    evidence(object, &header.error);
}

fn evidence(object: &mut ObjectWriter<'_>, error: &Evidence<'_>) {
    object
        .text("error", error.category)
        .integer("error_status", error.status.map(i128::from))
        .text("error_type", error.api_type)
        .integer("resets_at", error.resets_at.map(i128::from));
}

fn message_part(object: &mut ObjectWriter<'_>, part: &MessagePart<'_>) {
    match part {
        MessagePart::MessageStart(header) => {
            object.text("part", "message_start");
            message(object, &Message { id: None, ..*header });
        }
        MessagePart::BlockStart { index, kind } => {
            object.text("part", "block_start").count("index", *index).text("block", *kind);
        }
        MessagePart::Text { index, text } => {
            object.text("part", "text").count("index", *index).text("text", *text);
        }
        MessagePart::Reasoning { index, text } => {
            object.text("part", "reasoning").count("index", *index).text("text", *text);
        }
        MessagePart::BlockStop { index } => {
            object.text("part", "block_stop").count("index", *index);
        }
        MessagePart::MessageDelta(header) => {
            object.text("part", "message_delta");
            message(object, &Message { id: None, ..*header });
        }
        MessagePart::MessageStop { abandoned } => {
            object.text("part", "message_stop").flag("abandoned", abandoned.then_some(true));
        }
        MessagePart::Other => {
            object.text("part", "other");
        }
    }
}

fn tool_call(object: &mut ObjectWriter<'_>, call: &ToolCall<'_>) {
    object
        .text("id", call.id)
        .text("name", call.name)
        .text("server", call.server)
        .raw("input", input_json(&call.input).as_deref())
        .flag("background", call.background.then_some(true));
}

fn tool_result(object: &mut ObjectWriter<'_>, result: &ToolResult<'_>) {
    tool_call(object, &result.call);
    object
        .text("status", result.status.name())
        .stream_text("output", result.output.as_ref())
        .stream_text("stdout", result.stdout.as_ref())
        .stream_text("stderr", result.stderr.as_ref())
        .flag("interrupted", result.interrupted)
        .integer("exit_code", result.exit_code.map(i128::from))
        .flag("is_error", result.is_error)
        .count("duration_ms", result.duration_ms)
        .flag("detached", result.detached.then_some(true));
}

fn finished(object: &mut ObjectWriter<'_>, end: &Finished<'_>) {
    let scope = match end.scope {
        Scope::Result => "result",
        Scope::Turn => "turn",
        Scope::Request => "request",
    };
    object
        .text("scope", scope)
        .text("id", end.id)
        .flag("failed", end.failed)
        .text("subtype", end.subtype)
        .stream_text("text", end.text.as_ref());
    if let Some(usage) = &end.usage {
        object.object("usage", |object| write_tokens(object, usage));
    }
    models(object, "models_total", end.models_total.as_deref());
    models(object, "models_since", end.models_since.as_deref());
    object
        .cost("cost_usd", end.cost_usd)
        .integer("num_turns", end.num_turns.map(i128::from))
        .count("duration_ms", end.duration_ms)
        .text("stop_reason", end.stop_reason)
        .text("terminal_reason", end.terminal_reason);
    evidence(object, &end.error);
    object.raw("structured_output", end.structured_output.map(Json::bytes));
    if !end.denials.is_empty() {
        object.list("permission_denials", &end.denials, |to, denial| {
            ObjectWriter::write(to, |object| {
                object.text("name", denial.name).text("id", denial.tool_id);
            });
        });
    }
}

fn models(object: &mut ObjectWriter<'_>, name: &'static str, models: Option<&[ModelUsage<'_>]>) {
    let Some(models) = models else {
        return;
    };
    object.list(name, models, |to, usage| {
        ObjectWriter::write(to, |object| {
            object.text("model", usage.model);
            write_tokens(object, &usage.tokens);
            object.cost("cost_usd", usage.cost_usd);
        });
    });
}

fn task(object: &mut ObjectWriter<'_>, task: &Task<'_>) {
    let (state, status) = match task.state {
        TaskState::Started => ("started", None),
        TaskState::Progress => ("progress", None),
        TaskState::Ended(status) => ("ended", Some(status)),
    };
    object
        .text("id", task.id)
        .text("tool_id", task.tool_id)
        .text("state", state)
        .text("status", status)
        .text("description", task.description);
}
