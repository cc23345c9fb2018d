//! Validates documents against a JSON Schema.
//!
//! Drafts 4 to 2020-12, selected by `$schema`. References must resolve within the
//! schema or to the validator's own schemas; nothing is fetched and no other file
//! is read.

use std::fmt;
use std::path::Path;

use anyhow::{Context, anyhow};
use serde_json::Value;

use crate::json::Parser;

/// A compiled JSON Schema.
pub(crate) struct Schema {
    text: String,
    validator: jsonschema::Validator,
}

/// The violations of a schema: the first ones, and the number of others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaViolations {
    pub(crate) first: Vec<SchemaViolation>,
    pub(crate) more: usize,
}

impl SchemaViolations {
    /// Returns whether the document is valid.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Iterates over the messages, the number of others last.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("{} more", self.more));
        self.first.iter().map(ToString::to_string).chain(more)
    }
}

/// Violations that are reported one by one.
const MAX_REPORTED: usize = 20;

/// A violation, for example `/events/0/level: …`. Never contains anything of the
/// document except names of members.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SchemaViolation {
    path: String,
    message: String,
}

impl fmt::Display for SchemaViolation {
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
    /// Reads a schema from a file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let named = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(named)?;
        Self::new(&text).with_context(named)
    }

    /// Compiles a schema.
    pub fn new(text: &str) -> anyhow::Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_json = Parser::default().parse(text.as_bytes(), |_| ());
        is_json.map_err(|malformed| anyhow!("{malformed}"))?;
        let schema: Value = serde_json::from_str(text).context("not a JSON Schema")?;
        let validator = jsonschema::validator_for(&schema)
            .map_err(|error| anyhow!("not a JSON Schema: {}", describe(&error)))?;
        Ok(Self { text: text.to_owned(), validator })
    }

    /// Returns the text of the schema without a byte-order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Validates a document that is JSON.
    pub fn validate(&self, document: &[u8]) -> SchemaViolations {
        match serde_json::from_slice::<Value>(document) {
            Ok(value) => {
                let mut errors = self.validator.iter_errors(&value);
                let first = errors
                    .by_ref()
                    .take(MAX_REPORTED)
                    .map(|error| SchemaViolation::new(&error))
                    .collect();
                SchemaViolations { first, more: errors.count() }
            }
            // Nested deeper than 127 levels, or a number out of range.
            Err(error) => SchemaViolation::whole(format!("cannot be validated: {error}")).into(),
        }
    }
}

impl From<SchemaViolation> for SchemaViolations {
    fn from(violation: SchemaViolation) -> Self {
        Self { first: vec![violation], more: 0 }
    }
}

impl SchemaViolation {
    /// Creates a violation of the document as a whole.
    pub fn whole(message: String) -> Self {
        Self { path: String::new(), message }
    }

    fn new(error: &jsonschema::ValidationError<'_>) -> Self {
        Self { path: error.instance_path().to_string(), message: error.masked().to_string() }
    }
}

/// Describes what is wrong with a schema, and where.
fn describe(error: &jsonschema::ValidationError<'_>) -> String {
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
        let violations = schema.validate(document.as_bytes());
        assert_eq!(violations.more, 0);
        violations.first.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn violation_names_its_path_and_never_the_value() {
        let schema = r#"{"type":"object","properties":{"a":{"items":{"enum":["x","y"]}},"n":{"type":"integer"}},"required":["b"]}"#;
        let found = violations(schema, r#"{"a":["x","sk-secret"],"n":"sk-secret"}"#);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("/a/1: ")), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("/n: ")), "{found:?}");
        assert!(found.iter().any(|line| line.contains("\"b\"")), "{found:?}");
        assert!(!found.concat().contains("secret"), "{found:?}");
    }

    #[test]
    fn drafts_are_distinguished() {
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
    fn invalid_schema_is_refused() {
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
            let error = format!("{:#}", Schema::new(text).unwrap_err());
            assert!(error.starts_with(why), "{text}: {error}");
        }
    }

    #[test]
    fn shipped_schema_is_valid() {
        let schema = crate::findings::response::SCHEMA;
        let good =
            r#"{"summary":"","events":[],"escalation":{"needed":false},"services_checked":[]}"#;
        assert_eq!(violations(schema, good), [""; 0]);
        assert_eq!(violations(schema, "{}").len(), 4);
    }
}
