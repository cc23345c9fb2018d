//! JSON Schema: is a document what was asked for?
//!
//! Drafts 4 to 2020-12, told by `$schema`. References lead to what is in the
//! schema itself or shipped with the validator; nothing is fetched, and no
//! other file is read.

use std::fmt;
use std::path::Path;

use anyhow::{Context, anyhow};
use serde_json::Value;

use crate::json::Parser;

/// A schema that is one.
pub struct Schema {
    text: String,
    validator: jsonschema::Validator,
}

/// What a document has wrong: the first of it, and how much more there is.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// As many as are worth reading.
    pub first: Vec<Violation>,
    /// How many there are beside these.
    pub more: usize,
}

impl Violations {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

/// As many violations are worth reading.
const WORTH_READING: usize = 20;

/// What a document has wrong. Shows like `/events/0/level: …`; never repeats
/// anything of the document but names of members.
#[derive(Debug, PartialEq, Eq)]
pub struct Violation {
    path: String,
    message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        formatter.write_str(&self.message)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Schema").field("text", &self.text).finish_non_exhaustive()
    }
}

impl Schema {
    /// The schema in a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no schema.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let named = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(named)?;
        Self::new(&text).with_context(named)
    }

    /// The schema in a text.
    ///
    /// # Errors
    ///
    /// It is no schema.
    pub fn new(text: &str) -> anyhow::Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_json = Parser::default().parse(text.as_bytes(), |_| ());
        is_json.map_err(|malformed| anyhow!("{malformed}"))?;
        let schema: Value = serde_json::from_str(text).context("not a JSON Schema")?;
        let validator = jsonschema::validator_for(&schema)
            .map_err(|error| anyhow!("not a JSON Schema: {}", place(&error)))?;
        Ok(Self { text: text.to_owned(), validator })
    }

    /// The text it was made of, without a byte-order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with a document that is JSON.
    #[must_use]
    pub fn violations(&self, document: &[u8]) -> Violations {
        match serde_json::from_slice::<Value>(document) {
            Ok(value) => {
                let mut errors = self.validator.iter_errors(&value);
                let first = errors
                    .by_ref()
                    .take(WORTH_READING)
                    .map(|error| Violation::of(&error))
                    .collect();
                Violations { first, more: errors.count() }
            }
            // Nested deeper than 127 levels, or a number beyond all ranges.
            Err(error) => Violation::whole(format!("cannot be validated: {error}")).into(),
        }
    }
}

impl From<Violation> for Violations {
    fn from(violation: Violation) -> Self {
        Self { first: vec![violation], more: 0 }
    }
}

impl Violation {
    /// Something wrong with the document as a whole.
    #[must_use]
    pub fn whole(message: String) -> Self {
        Self { path: String::new(), message }
    }

    fn of(error: &jsonschema::ValidationError<'_>) -> Self {
        Self { path: error.instance_path().to_string(), message: error.masked().to_string() }
    }
}

/// What is wrong with a schema, and where.
fn place(error: &jsonschema::ValidationError<'_>) -> String {
    use jsonschema::error::ValidationErrorKind;
    if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
        return "a $ref leads out of it, or nowhere; nothing is fetched".to_owned();
    }
    match error.instance_path().to_string() {
        path if path.is_empty() => error.to_string(),
        path => format!("{path}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(schema: &str, document: &str) -> Vec<String> {
        let schema = Schema::new(schema).unwrap();
        let violations = schema.violations(document.as_bytes());
        assert_eq!(violations.more, 0);
        violations.first.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_violation_names_its_place_and_never_the_value() {
        let schema = r#"{"type":"object","properties":{"a":{"items":{"enum":["x","y"]}},"n":{"type":"integer"}},"required":["b"]}"#;
        let found = violations(schema, r#"{"a":["x","sk-secret"],"n":"sk-secret"}"#);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("/a/1: ")), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("/n: ")), "{found:?}");
        assert!(found.iter().any(|line| line.contains("\"b\"")), "{found:?}");
        assert!(!found.concat().contains("secret"), "{found:?}");
    }

    #[test]
    fn the_drafts_are_told_apart() {
        for (draft, items) in [
            ("http://json-schema.org/draft-07/schema#", "items"),
            ("https://json-schema.org/draft/2019-09/schema", "items"),
            ("https://json-schema.org/draft/2020-12/schema", "prefixItems"),
        ] {
            let schema = format!(r#"{{"$schema":"{draft}","{items}":[{{"type":"string"}}]}}"#);
            assert_eq!(violations(&schema, "[1]").len(), 1, "{draft}");
            assert_eq!(violations(&schema, r#"["a"]"#).len(), 0, "{draft}");
        }
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for (text, why) in [
            ("", "not JSON: expected value at byte 0"),
            ("{not json", "not JSON: expected a member name at byte 1"),
            ("[]", "not a JSON Schema"),
            (r#"{"type":"objekt"}"#, "not a JSON Schema: /type"),
            (
                r#"{"$ref":"https://example.com/schema.json"}"#,
                "not a JSON Schema: a $ref leads out of it",
            ),
            (r#"{"$ref":"file:///etc/hostname"}"#, "not a JSON Schema"),
        ] {
            let refused = format!("{:#}", Schema::new(text).unwrap_err());
            assert!(refused.starts_with(why), "{text}: {refused}");
        }
    }

    #[test]
    fn the_shipped_schema_is_one() {
        let schema = crate::findings::response::SCHEMA;
        let good =
            r#"{"summary":"","events":[],"escalation":{"needed":false},"services_checked":[]}"#;
        assert_eq!(violations(schema, good), [""; 0]);
        assert_eq!(violations(schema, "{}").len(), 4);
    }
}
