//! Reads a description from TOML. Every error names a line.

use toml::de::DeTable;

use super::lookup::Conditions;
use super::rules::{
    CallFields, DeltaFields, EndFields, ErrorFields, ResultFields, Rules, SessionFields,
    TextFields, UsageFields, UsageScope,
};
use super::table::{Result, Table, line_of};
use super::{Description, DescriptionError};
use crate::harness::Harness;

/// The largest description in bytes.
pub(crate) const MAX_BYTES: usize = 64 << 10;

/// Rules of a description.
const MAX_RULES: usize = 100;

/// The longest name in bytes.
const MAX_NAME: usize = 64;

impl Description {
    /// Reads a description from TOML.
    ///
    /// # Errors
    ///
    /// Fails if the text is not TOML, is too large, has unknown members or values of the
    /// wrong type, or describes nothing.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > MAX_BYTES {
            let message = format!("a description of more than {} KiB", MAX_BYTES >> 10);
            return Err(DescriptionError { line: 1, message });
        }
        let table = DeTable::parse(text).map_err(|error| DescriptionError {
            line: error.span().map_or(1, |span| line_of(text, span.start)),
            message: error.message().trim().replace('\n', ", "),
        })?;
        let table = Table::new(text, table.get_ref());
        let name = name(&table)?;
        let rules = rules(&table)?;
        let has_end = table.flag("has_end")?;
        if has_end == Some(true) && rules.end.is_empty() {
            return table.refuse("has_end", "has_end: there is no [[end]]");
        }
        let description = Self {
            title: table.string("title")?.unwrap_or_else(|| name.clone()),
            programs: table.words("programs")?,
            credentials: table.words("credentials")?,
            resume: table.string("resume")?,
            recognise: recognise(&table)?,
            session: table.paths("session_id")?,
            parent: table.paths("parent_id")?,
            time: table.paths("time")?,
            has_end: has_end.unwrap_or(!rules.end.is_empty()),
            name,
            rules,
        };
        table.finish()?;
        let has_condition = description.rules.any(|when| !when.is_empty());
        if description.recognise.is_none() && !has_condition {
            return table.refuse(
                "name",
                "no condition tells its lines from those of other CLIs: add [recognise], or `when` to a rule",
            );
        }
        Ok(description)
    }
}

/// Returns the name, which is a word like those of built-in CLIs.
fn name(table: &Table<'_, '_>) -> Result<String> {
    let Some(name) = table.string("name")? else {
        return table.refuse("", "name: missing");
    };
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = name.bytes().all(|byte| is_letter(byte) || b"-_.".contains(&byte));
    if !is_word || !name.bytes().next().is_some_and(is_letter) || name.len() > MAX_NAME {
        let expected = "name: expected lower-case letters, digits, '-', '_' and '.'";
        return table.refuse("name", expected);
    }
    if name == Harness::Unknown.name() || Harness::from_name(&name).is_some() {
        let message = format!("name: {name} is built in; choose another name, or remove this file");
        return table.refuse("name", message);
    }
    Ok(name)
}

fn recognise(table: &Table<'_, '_>) -> Result<Option<Conditions>> {
    let Some(section) = table.section("recognise")? else { return Ok(None) };
    let conditions = section.conditions("when", "has", "lacks")?;
    section.finish()?;
    if conditions.is_empty() {
        return table.refuse("recognise", "recognise: expected when, has or lacks");
    }
    Ok(Some(conditions))
}

fn rules(table: &Table<'_, '_>) -> Result<Rules> {
    let text = table.rules("text", text_fields)?;
    let reasoning = table.rules("reasoning", text_fields)?;
    let delta_fields = |repeats: bool| {
        move |section: &Table<'_, '_>| {
            Ok(DeltaFields {
                text: section.required("text")?,
                message: section.paths("message_id")?,
                index: section.paths("index")?,
                is_repeated: section.flag("repeated")?.unwrap_or(repeats),
            })
        }
    };
    let rules = Rules {
        session: table.rules("session", |section| {
            Ok(SessionFields {
                model: section.paths("model")?,
                cwd: section.paths("cwd")?,
                version: section.paths("version")?,
            })
        })?,
        prompt: table.rules("prompt", text_fields)?,
        delta: table.rules("delta", delta_fields(!text.is_empty()))?,
        reasoning_delta: table.rules("reasoning_delta", delta_fields(!reasoning.is_empty()))?,
        tool_call: table.rules("tool_call", call_fields)?,
        tool_result: table.rules("tool_result", result_fields)?,
        usage: table.rules("usage", usage_fields)?,
        error: table.rules("error", |section| {
            Ok(ErrorFields { message: section.required("message")?, ..error_fields(section)? })
        })?,
        end: table.rules("end", end_fields)?,
        other: table.rules("other", |_| Ok(()))?,
        text,
        reasoning,
    };
    let mut count = 0;
    rules.any(|_| {
        count += 1;
        false
    });
    match count {
        0 => table.refuse("", "no rule: add [[text]], [[tool_call]] or another one"),
        1..=MAX_RULES => Ok(rules),
        _ => table.refuse("", format!("more than {MAX_RULES} rules")),
    }
}

fn text_fields(section: &Table<'_, '_>) -> Result<TextFields> {
    Ok(TextFields {
        text: section.required("text")?,
        message: section.paths("message_id")?,
        model: section.paths("model")?,
    })
}

fn call_fields(section: &Table<'_, '_>) -> Result<CallFields> {
    Ok(CallFields {
        id: section.paths("id")?,
        name: section.paths("name")?,
        input: section.paths("input")?,
        server: section.paths("server")?,
    })
}

fn result_fields(section: &Table<'_, '_>) -> Result<ResultFields> {
    Ok(ResultFields {
        call: call_fields(section)?,
        output: section.paths("output")?,
        stdout: section.paths("stdout")?,
        stderr: section.paths("stderr")?,
        exit_code: section.paths("exit_code")?,
        duration_ms: section.paths("duration_ms")?,
        failed: section.condition_flag("failed")?,
        denied: section.condition_flag("denied")?,
    })
}

fn usage_fields(section: &Table<'_, '_>) -> Result<UsageFields> {
    let scope = match section.string("per")?.as_deref() {
        Some("request") => UsageScope::Request,
        Some("run") => UsageScope::Total,
        _ => {
            return section.refuse(
                "per",
                "per: expected \"request\" (counts are added up) or \"run\" (the last counts are valid)",
            );
        }
    };
    let fields = UsageFields {
        scope,
        id: section.paths("id")?,
        model: section.paths("model")?,
        input: section.paths("input")?,
        output: section.paths("output")?,
        cache_read: section.paths("cache_read")?,
        cache_write: section.paths("cache_write")?,
        reasoning: section.paths("reasoning")?,
        cost: section.paths("cost_usd")?,
        input_has_cache: section.flag("input_includes_cache")?.unwrap_or(false),
        output_has_reasoning: section.flag("output_includes_reasoning")?.unwrap_or(true),
    };
    if fields.input.is_empty() && fields.output.is_empty() && fields.cost.is_empty() {
        return section.refuse("", "expected input, output or cost_usd");
    }
    if scope == UsageScope::Total && !fields.cost.is_empty() {
        return section.refuse("cost_usd", "cost_usd: the cost of a run belongs to [[end]]");
    }
    Ok(fields)
}

/// Returns where an error is described, if it is.
fn error_fields(section: &Table<'_, '_>) -> Result<ErrorFields> {
    Ok(ErrorFields {
        message: section.paths("message")?,
        status: section.paths("status")?,
        kind: section.paths("type")?,
    })
}

fn end_fields(section: &Table<'_, '_>) -> Result<EndFields> {
    Ok(EndFields {
        text: section.paths("text")?,
        failed: section.condition_flag("failed")?,
        reason: section.paths("reason")?,
        error: error_fields(section)?,
        cost: section.paths("cost_usd")?,
        turns: section.paths("turns")?,
        duration_ms: section.paths("duration_ms")?,
    })
}
