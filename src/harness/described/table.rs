//! Reads the tables of a description: members of the right type, and no others.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::DescriptionError;
use super::lookup::{Condition, Conditions, Flag, Paths, Pointer, Scalar, Test};
use super::rules::Rule;

/// Values of a list, and conditions of a rule.
const MAX_LIST: usize = 64;

/// The result of reading a part of a description.
pub(super) type Result<T> = std::result::Result<T, DescriptionError>;

/// A table of the file. Members that were not read are unknown.
pub(super) struct Table<'t, 'i> {
    text: &'t str,
    span: Range<usize>,
    members: &'t DeTable<'i>,
    used: RefCell<Vec<&'static str>>,
}

impl<'t, 'i> Table<'t, 'i> {
    /// The whole file.
    pub(super) fn new(text: &'t str, members: &'t DeTable<'i>) -> Self {
        Self { text, span: 0..0, members, used: RefCell::default() }
    }

    fn get(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.used.borrow_mut().push(key);
        self.members.get(key)
    }

    /// Returns an error at the member `key`, or at the table if there is none.
    pub(super) fn refuse<T>(&self, key: &str, message: impl Into<String>) -> Result<T> {
        let at = self.members.iter().find(|(name, _)| name.get_ref() == key);
        let at = at.map_or(self.span.start, |(name, _)| name.span().start);
        self.refuse_at(at, message)
    }

    fn refuse_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T> {
        // Values of the description may have several lines.
        let message = message.into().replace(['\n', '\r'], " ");
        Err(DescriptionError { line: line_of(self.text, at), message })
    }

    fn wrong_type<T>(&self, key: &str, expected: &str) -> Result<T> {
        self.refuse(key, format!("{key}: expected {expected}"))
    }

    /// Fails if a member was not read.
    pub(super) fn finish(&self) -> Result<()> {
        let used = self.used.borrow();
        let mut keys: Vec<_> = self.members.keys().collect();
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

    /// Returns a text.
    pub(super) fn string(&self, key: &'static str) -> Result<Option<String>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_str() {
            Some(text) if !text.is_empty() => Ok(Some(text.to_owned())),
            _ => self.wrong_type(key, "a text that is not empty"),
        }
    }

    /// Returns whether something is so.
    pub(super) fn flag(&self, key: &'static str) -> Result<Option<bool>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => self.wrong_type(key, "true or false"),
        }
    }

    /// Returns the texts of a list; a single text is a list.
    pub(super) fn words(&self, key: &'static str) -> Result<Vec<String>> {
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

    /// Returns a list of pointers.
    pub(super) fn paths(&self, key: &'static str) -> Result<Paths> {
        let pointers = self.words(key)?;
        let pointers: std::result::Result<_, _> =
            pointers.iter().map(|text| Pointer::parse(text)).collect();
        match pointers {
            Ok(pointers) => Ok(Paths(pointers)),
            Err(message) => self.refuse(key, format!("{key}: {message}")),
        }
    }

    /// Returns a list of pointers that is not empty.
    pub(super) fn required(&self, key: &'static str) -> Result<Paths> {
        let paths = self.paths(key)?;
        if paths.is_empty() {
            return self.refuse(key, format!("{key}: missing; expected a JSON pointer"));
        }
        Ok(paths)
    }

    /// Returns a pointer, or conditions.
    pub(super) fn condition_flag(&self, key: &'static str) -> Result<Flag> {
        match self.members.get(key).map(Spanned::get_ref) {
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

    /// Returns the conditions in these members.
    pub(super) fn conditions(
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
        for (pointer, value) in section.members {
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
            let values = values.filter(|values| !values.is_empty() && values.len() <= MAX_LIST);
            let Some(values) = values else {
                let expected = "a text, a number, true, false, or a list of these";
                return self.refuse_at(at, format!("{key}: expected {expected}"));
            };
            conditions.push(Condition { pointer, test: Test::OneOf(values) });
        }
        Ok(())
    }

    /// Returns a table.
    pub(super) fn section(&self, key: &'static str) -> Result<Option<Table<'t, 'i>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some(self.inner(value.span(), table))),
            None => self.wrong_type(key, "a table"),
        }
    }

    fn inner(&self, span: Range<usize>, members: &'t DeTable<'i>) -> Table<'t, 'i> {
        Table { text: self.text, span, members, used: RefCell::default() }
    }

    /// Returns the rules of an array of tables.
    pub(super) fn rules<F>(
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
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', before).count() + 1
}
