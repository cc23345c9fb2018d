//! Creates the events of a described CLI from the members that a rule names.

use jiff::Timestamp;

use super::lookup::Paths;
use super::rules::{
    CallFields, DeltaFields, EndFields, ErrorFields, ResultFields, SessionFields, TextFields,
    UsageFields,
};
use crate::event::{
    Event, Evidence, Finished, Scope, SessionInfo, Tokens, ToolCall, ToolInput, ToolResult,
    ToolStatus,
};
use crate::json::{Text, Value};

pub(super) fn session<'a>(fields: &SessionFields, value: Value<'_, 'a>) -> Event<'a> {
    Event::Session(Box::new(SessionInfo {
        model: fields.model.str(value),
        cwd: fields.cwd.str(value),
        version: fields.version.str(value),
        ..SessionInfo::default()
    }))
}

/// Returns a text that is not empty.
pub(super) fn whole_text<'a>(fields: &TextFields, value: Value<'_, 'a>) -> Option<Text<'a>> {
    fields.text.find(value, |found| found.as_text().filter(|text| !text.is_empty()))
}

pub(super) fn index(fields: &DeltaFields, value: Value<'_, '_>) -> u64 {
    fields.index.find(value, |index| Some(index.as_count())).unwrap_or(0)
}

pub(super) fn call<'a>(fields: &CallFields, value: Value<'_, 'a>) -> ToolCall<'a> {
    let input = fields.input.member(value).map_or(ToolInput::None, |member| {
        // Some APIs encode the input as a string.
        if member.value.is_string() {
            ToolInput::Encoded(member.json())
        } else {
            ToolInput::Json(member.json())
        }
    });
    ToolCall {
        id: fields.id.str(value),
        name: fields.name.str(value),
        server: fields.server.str(value),
        input,
        ..ToolCall::default()
    }
}

pub(super) fn result<'a>(fields: &ResultFields, value: Value<'_, 'a>) -> ToolResult<'a> {
    let failed = fields.failed.get(value);
    let status = match failed {
        _ if fields.denied.get(value) == Some(true) => ToolStatus::Denied,
        Some(true) => ToolStatus::Failed,
        _ => ToolStatus::Completed,
    };
    ToolResult {
        call: call(&fields.call, value),
        status,
        output: output(&fields.output, value),
        stdout: fields.stdout.find(value, Value::as_text),
        stderr: fields.stderr.find(value, Value::as_text),
        exit_code: fields.exit_code.find(value, Value::as_i64),
        is_error: failed,
        duration_ms: fields.duration_ms.find(value, amount),
        ..ToolResult::default()
    }
}

/// Returns the output: a string, the texts of a list of parts, or else the JSON of the value.
fn output<'a>(paths: &Paths, value: Value<'_, 'a>) -> Option<Text<'a>> {
    let member = paths.member(value)?;
    let part = |part: Value<'_, 'a>| part.as_text().or_else(|| part.get("text")?.as_text());
    let texts = || {
        let is_text = |element: Value<'_, 'a>| part(element).is_some();
        let mut texts = member.value.elements().filter_map(part);
        member.value.elements().all(is_text).then(|| Text::joined(&mut texts)).flatten()
    };
    let json = || Some(String::from_utf8_lossy(member.json().bytes()).into());
    member.value.as_text().or_else(texts).or_else(json)
}

/// Returns the message, and what else is known about an error.
pub(super) fn error<'a>(
    fields: &ErrorFields,
    value: Value<'_, 'a>,
) -> (Option<&'a str>, Evidence<'a>) {
    (fields.message.str(value), evidence(fields, value))
}

fn evidence<'a>(fields: &ErrorFields, value: Value<'_, 'a>) -> Evidence<'a> {
    Evidence {
        category: fields.kind.str(value),
        status: fields.status.find(value, Value::as_i64),
        ..Evidence::default()
    }
}

pub(super) fn finished<'a>(
    fields: &EndFields,
    value: Value<'_, 'a>,
    usage: Option<Tokens>,
) -> Event<'a> {
    let failed = fields.failed.get(value) == Some(true);
    let text = if failed { &fields.error.message } else { &fields.text };
    let text = text.find(value, Value::as_text);
    let error = evidence(&fields.error, value);
    // The error of a failure without one was on a line before.
    let is_told = failed && text.is_none() && error.category.is_none();
    Event::Finished(Box::new(Finished {
        scope: if is_told { Scope::Turn } else { Scope::Result },
        failed,
        subtype: fields.reason.str(value),
        text,
        usage,
        cost_usd: cost(&fields.cost, value),
        num_turns: fields.turns.find(value, Value::as_i64),
        duration_ms: fields.duration_ms.find(value, amount),
        error,
        ..Finished::default()
    }))
}

/// Returns the counts, if there are any.
pub(super) fn tokens(fields: &UsageFields, value: Value<'_, '_>) -> Option<Tokens> {
    let get = |paths: &Paths| paths.find(value, amount);
    let (input, output) = (get(&fields.input), get(&fields.output));
    if input.is_none() && output.is_none() {
        return None;
    }
    let reasoning = get(&fields.reasoning);
    let added = reasoning.filter(|_| !fields.output_has_reasoning).unwrap_or(0);
    Some(Tokens {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0).saturating_add(added),
        cache_read: get(&fields.cache_read),
        cache_write: get(&fields.cache_write),
        reasoning,
        input_has_cache: fields.input_has_cache,
        ..Tokens::default()
    })
}

/// Returns a number that is not negative, which may be written as text.
fn amount(value: Value<'_, '_>) -> Option<u64> {
    let is_number = |text: &str| text.trim().parse::<u64>().is_ok();
    let is_amount = value.as_f64().is_some() || value.as_str().is_some_and(is_number);
    is_amount.then(|| value.as_count())
}

pub(super) fn cost(paths: &Paths, value: Value<'_, '_>) -> Option<f64> {
    paths.find(value, |found| found.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0))
}

/// Reads a time: text, or milliseconds or seconds since 1970.
#[allow(clippy::cast_possible_truncation)] // `as` saturates
pub(super) fn time(value: Value<'_, '_>) -> Option<Timestamp> {
    /// As seconds, more than 3000 years after 1970.
    const MILLISECONDS: f64 = 1e11;
    if let Some(text) = value.as_str() {
        return text.parse().ok();
    }
    let number = value.as_f64()?;
    let milliseconds = if number >= MILLISECONDS { number } else { number * 1000.0 };
    Timestamp::from_millisecond(milliseconds as i64).ok()
}
