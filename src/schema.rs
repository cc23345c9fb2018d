//! Validates documents against a JSON Schema.
//!
//! Drafts 4 to 2020-12, selected by `$schema`. References must resolve within the
//! schema or to the validator's own schemas; nothing is fetched and no other file
//! is read. Patterns are matched in linear time, and the work of a validation is limited.

mod budget;

use std::fmt;
use std::path::Path;

use anyhow::{Context, anyhow};
use jsonschema::PatternOptions;
use serde_json::Value;

use crate::json::Parser;
use budget::Counted;

/// How often the validation of any document may examine a value, and how often per byte of it.
const STEPS: u64 = 4_000_000;
const STEPS_PER_BYTE: u64 = 64;

/// The same to describe the violations, which takes more time and memory.
const DESCRIBED_STEPS: u64 = 200_000;
const DESCRIBED_STEPS_PER_BYTE: u64 = 4;

/// A compiled JSON Schema.
pub(crate) struct Schema {
    text: String,
    validator: jsonschema::Validator<Counted>,
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
        // Look-around and back-references are refused: they take more than linear time.
        let options =
            jsonschema::options_for::<Counted>().with_pattern_options(PatternOptions::regex());
        let validator = options
            .build(&schema)
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
            Ok(value) => self.violations(&value, document.len() as u64),
            // Nested deeper than 127 levels, or a number out of range.
            Err(error) => SchemaViolation::whole(format!("cannot be validated: {error}")).into(),
        }
    }

    fn violations(&self, value: &Value, bytes: u64) -> SchemaViolations {
        let steps = STEPS + bytes * STEPS_PER_BYTE;
        match budget::run(value, steps, |value| self.validator.is_valid(value)) {
            Some(true) => return SchemaViolations::default(),
            Some(false) => {}
            None => {
                let message = format!(
                    "cannot be validated: more than {steps} steps; the schema has too many \
                     alternatives (anyOf, oneOf)"
                );
                return SchemaViolation::whole(message).into();
            }
        }
        let steps = DESCRIBED_STEPS + bytes * DESCRIBED_STEPS_PER_BYTE;
        let described = budget::run(value, steps, |value| {
            let mut errors = self.validator.iter_errors(value);
            let first = errors.by_ref().take(MAX_REPORTED);
            let first = first.map(|error| SchemaViolation::new(&error)).collect();
            SchemaViolations { first, more: errors.count() }
        });
        described.unwrap_or_else(|| {
            let message = "does not match the schema; too many alternatives (anyOf, oneOf) \
                           to name the violations";
            SchemaViolation::whole(message.to_owned()).into()
        })
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
    let message = match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            format!("{error} (look-around and back-references are not supported)")
        }
        _ => error.to_string(),
    };
    match error.instance_path().to_string() {
        path if path.is_empty() => message,
        path => format!("{path}: {message}"),
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

    /// A schema with two alternatives at each level, and a document that matches neither at
    /// its innermost level.
    fn recursive_alternatives(levels: usize) -> (&'static str, String) {
        let schema = r##"{"$defs":{"n":{"anyOf":[
            {"type":"object","properties":{"c":{"$ref":"#/$defs/n"}},"required":["c"]},
            {"type":"object","properties":{"c":{"$ref":"#/$defs/n"},"d":{}},"required":["c"]},
            {"type":"null"}]}},"$ref":"#/$defs/n"}"##;
        (schema, r#"{"c":"#.repeat(levels) + "1" + &"}".repeat(levels))
    }

    #[test]
    fn recursive_alternatives_have_a_budget() {
        let (schema, document) = recursive_alternatives(4);
        let found = violations(schema, &document);
        assert!(found[0].contains("'anyOf'"), "{found:?}");
        let (schema, document) = recursive_alternatives(100);
        let found = violations(schema, &document);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("does not match the schema; too many"), "{found:?}");
        let valid = document.replace('1', "null");
        assert_eq!(violations(schema, &valid), [""; 0]);
    }

    #[test]
    fn budget_is_independent_of_the_place_of_a_definition() {
        let (schema, document) = recursive_alternatives(100);
        let schema = schema.replace("$defs", "own");
        let found = violations(&schema, &document);
        assert!(found[0].starts_with("does not match the schema; too many"), "{found:?}");
    }

    /// Levels that are definitions of their own, with alternatives that fail at their members.
    #[test]
    fn nested_alternatives_have_a_budget() {
        let levels = 40;
        let level = |at: usize| {
            let member = format!(r##"{{"properties":{{"c":{{"$ref":"#/$defs/n{}"}}}}}}"##, at + 1);
            format!(r#""n{at}":{{"anyOf":[{member},{member}]}}"#)
        };
        let definitions: Vec<_> = (0..levels).map(level).collect();
        let schema = format!(
            r##"{{"$ref":"#/$defs/n0","$defs":{{{},"n{levels}":{{"type":"null"}}}}}}"##,
            definitions.join(",")
        );
        let (_, document) = recursive_alternatives(levels);
        let found = violations(&schema, &document);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("cannot be validated: more than"), "{found:?}");
        assert_eq!(violations(&schema, &document.replace('1', "null")), [""; 0]);
    }

    #[test]
    fn large_document_is_within_the_budget() {
        let alternatives = |at: usize| format!(r#"{{"properties":{{"k":{{"const":{at}}}}}}}"#);
        let alternatives: Vec<_> = (0..50).map(alternatives).collect();
        let schema = format!(r#"{{"items":{{"oneOf":[{}]}}}}"#, alternatives.join(","));
        let document = format!("[{}]", vec![r#"{"k":49}"#; 20_000].join(","));
        assert_eq!(violations(&schema, &document), [""; 0]);
    }

    #[test]
    fn pattern_needs_linear_time_or_is_refused() {
        let schema = r#"{"pattern":"^(a+)+$"}"#;
        let document = format!("\"{}!\"", "a".repeat(100_000));
        assert_eq!(violations(schema, &document).len(), 1);
        let error = Schema::new(r#"{"pattern":"(?<=a)b"}"#).unwrap_err().to_string();
        assert!(error.contains("look-around"), "{error}");
    }

    #[test]
    fn shipped_schema_is_valid() {
        let schema = crate::findings::response_schema::SCHEMA;
        let good =
            r#"{"summary":"","events":[],"escalation":{"needed":false},"services_checked":[]}"#;
        assert_eq!(violations(schema, good), [""; 0]);
        assert_eq!(violations(schema, "{}").len(), 4);
    }
}
