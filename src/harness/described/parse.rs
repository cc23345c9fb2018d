//! Reads a description from TOML. Every error names a line.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::lookup::{Condition, Conditions, Flag, Paths, Pointer, Scalar, Test};
use super::rules::{
    CallFields, DeltaFields, EndFields, ErrorFields, ResultFields, Rule, Rules, SessionFields,
    TextFields, UsageFields, UsageScope,
};
use super::{Description, DescriptionError};
use crate::harness::Harness;

/// The largest description in bytes.
pub(crate) const MAX_BYTES: usize = 64 << 10;

/// Rules of a description.
const MAX_RULES: usize = 100;

/// Values of a list, and conditions of a rule.
const MAX_LIST: usize = 64;

/// The longest name in bytes.
const MAX_NAME: usize = 64;

type Result<T> = std::result::Result<T, DescriptionError>;

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
        let table = Table { text, span: 0..0, table: table.get_ref(), used: RefCell::default() };
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

/// A table of the file. Members that were not read are unknown.
struct Table<'t, 'i> {
    text: &'t str,
    span: Range<usize>,
    table: &'t DeTable<'i>,
    used: RefCell<Vec<&'static str>>,
}

impl<'t, 'i> Table<'t, 'i> {
    fn get(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.used.borrow_mut().push(key);
        self.table.get(key)
    }

    /// Returns an error at the member `key`, or at the table if there is none.
    fn refuse<T>(&self, key: &str, message: impl Into<String>) -> Result<T> {
        let at = self.table.iter().find(|(name, _)| name.get_ref() == key);
        let at = at.map_or(self.span.start, |(name, _)| name.span().start);
        self.refuse_at(at, message)
    }

    fn refuse_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T> {
        Err(DescriptionError { line: line_of(self.text, at), message: message.into() })
    }

    fn wrong_type<T>(&self, key: &str, expected: &str) -> Result<T> {
        self.refuse(key, format!("{key}: expected {expected}"))
    }

    /// Fails if a member was not read.
    fn finish(&self) -> Result<()> {
        let used = self.used.borrow();
        let mut keys: Vec<_> = self.table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        match keys.into_iter().find(|key| !used.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some(key) => {
                let mut known = used.clone();
                known.sort_unstable();
                known.dedup();
                let (key, at) = (key.get_ref(), key.span().start);
                let known = known.join(", ");
                self.refuse_at(at, format!("unknown key {key:?}; expected one of: {known}"))
            }
        }
    }

    fn string(&self, key: &'static str) -> Result<Option<String>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_str() {
            Some(text) if !text.is_empty() => Ok(Some(text.to_owned())),
            _ => self.wrong_type(key, "a text that is not empty"),
        }
    }

    fn flag(&self, key: &'static str) -> Result<Option<bool>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => self.wrong_type(key, "true or false"),
        }
    }

    /// Returns the texts of a list; a single text is a list.
    fn words(&self, key: &'static str) -> Result<Vec<String>> {
        let expected = "a text, or a list of texts";
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let values = match value.get_ref() {
            DeValue::Array(values) => values.iter().map(Spanned::get_ref).collect(),
            value => vec![value],
        };
        if values.len() > MAX_LIST {
            return self.refuse(key, format!("{key}: more than {MAX_LIST} values"));
        }
        let word = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
        let words: Option<Vec<_>> = values.into_iter().map(word).collect();
        words.map_or_else(|| self.wrong_type(key, expected), Ok)
    }

    fn paths(&self, key: &'static str) -> Result<Paths> {
        let pointers = self.words(key)?;
        let pointers: std::result::Result<_, _> =
            pointers.iter().map(|text| Pointer::parse(text)).collect();
        match pointers {
            Ok(pointers) => Ok(Paths(pointers)),
            Err(message) => self.refuse(key, format!("{key}: {message}")),
        }
    }

    fn required(&self, key: &'static str) -> Result<Paths> {
        let paths = self.paths(key)?;
        if paths.is_empty() {
            return self.refuse(key, format!("{key}: missing; expected a JSON pointer"));
        }
        Ok(paths)
    }

    /// Returns a pointer, or conditions.
    fn condition_flag(&self, key: &'static str) -> Result<Flag> {
        match self.table.get(key).map(Spanned::get_ref) {
            None => {
                self.get(key);
                Ok(Flag::Never)
            }
            Some(DeValue::Table(_)) => {
                let mut conditions = Vec::new();
                self.comparisons(key, &mut conditions)?;
                Ok(Flag::If(Conditions(conditions)))
            }
            Some(_) => self.paths(key).map(Flag::Set),
        }
    }

    fn conditions(
        &self,
        when: &'static str,
        has: &'static str,
        lacks: &'static str,
    ) -> Result<Conditions> {
        let mut conditions = Vec::new();
        self.comparisons(when, &mut conditions)?;
        for (key, test) in [(has, Test::Present), (lacks, Test::Absent)] {
            let condition = |pointer| Condition { pointer, test: test.clone() };
            conditions.extend(self.paths(key)?.0.into_iter().map(condition));
        }
        if conditions.len() > MAX_LIST {
            return self.refuse(when, format!("more than {MAX_LIST} conditions"));
        }
        Ok(Conditions(conditions))
    }

    /// Appends the conditions of a table of pointers and values.
    fn comparisons(&self, key: &'static str, conditions: &mut Vec<Condition>) -> Result<()> {
        let Some(section) = self.section(key)? else { return Ok(()) };
        for (pointer, value) in section.table {
            let at = pointer.span().start;
            let pointer = match Pointer::parse(pointer.get_ref()) {
                Ok(pointer) => pointer,
                Err(message) => return self.refuse_at(at, format!("{key}: {message}")),
            };
            let values: Option<Vec<Scalar>> = match value.get_ref() {
                DeValue::Array(values) => {
                    values.iter().map(|value| scalar(value.get_ref())).collect()
                }
                value => scalar(value).map(|value| vec![value]),
            };
            match values.filter(|values| !values.is_empty() && values.len() <= MAX_LIST) {
                Some(values) => conditions.push(Condition { pointer, test: Test::OneOf(values) }),
                None => {
                    let expected = "a text, a number, true, false, or a list of these";
                    return self.refuse_at(at, format!("{key}: expected {expected}"));
                }
            }
        }
        Ok(())
    }

    fn section(&self, key: &'static str) -> Result<Option<Table<'t, 'i>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some(self.inner(value.span(), table))),
            None => self.wrong_type(key, "a table"),
        }
    }

    fn inner(&self, span: Range<usize>, table: &'t DeTable<'i>) -> Table<'t, 'i> {
        Table { text: self.text, span, table, used: RefCell::default() }
    }

    /// Returns the rules of an array of tables.
    fn rules<F>(
        &self,
        key: &'static str,
        fields: impl Fn(&Table<'t, 'i>) -> Result<F>,
    ) -> Result<Vec<Rule<F>>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let Some(values) = value.get_ref().as_array() else {
            return self.wrong_type(key, &format!("tables: write [[{key}]]"));
        };
        let rule = |value: &'t Spanned<DeValue<'i>>| {
            let Some(table) = value.get_ref().as_table() else {
                return self.wrong_type(key, "tables");
            };
            let section = self.inner(value.span(), table);
            let each = section.paths("each")?.0;
            let rule = Rule {
                when: section.conditions("when", "has", "lacks")?,
                filter: section.conditions("where", "where_has", "where_lacks")?,
                fields: fields(&section)?,
                each: each.first().cloned(),
            };
            if each.len() > 1 {
                return section.refuse("each", "each: expected one pointer");
            }
            if each.is_empty() && !rule.filter.is_empty() {
                return section.refuse("where", "where: is for the elements of `each`; use `when`");
            }
            section.finish()?;
            Ok(rule)
        };
        values.iter().map(rule).collect()
    }
}

fn scalar(value: &DeValue<'_>) -> Option<Scalar> {
    match value {
        DeValue::String(text) => Some(Scalar::Text(text.to_string())),
        DeValue::Boolean(flag) => Some(Scalar::Bool(*flag)),
        DeValue::Integer(number) if number.radix() == 10 => {
            number.as_str().parse().ok().map(Scalar::Number)
        }
        DeValue::Float(number) => number.as_str().parse().ok().map(Scalar::Number),
        _ => None,
    }
}

/// Returns the number of the line with this byte.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', before).count() + 1
}
