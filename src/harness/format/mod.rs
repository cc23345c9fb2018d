//! Tables of what a CLI's releases print, and the check of a line against them.
//!
//! Everything else in streamj is tolerant; here a missing member is a violation.

mod known;
mod node;
mod shape;

use std::fmt;

use crate::json::{Value, replace_lone_surrogates};

pub(super) use known::{Content, Known, Report, known};
pub(super) use node::Node;
pub(super) use shape::{Is, Members, Shape, find, require, word};

/// What the releases of a CLI print.
pub(crate) struct FormatTables {
    /// Checks an object.
    pub(crate) check: for<'a> fn(Value<'_, 'a>, Contract) -> Result<CheckedLine<'a>, Violation>,
    /// Reports the path of each member of an object that is not in the tables. `None` if
    /// there are no tables of members.
    pub(crate) unknown_members: Option<fn(Value<'_, '_>, &mut dyn FnMut(String))>,
}

/// What lines are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Contract {
    /// The published contract
    V1,
    /// What the known releases print, and nothing else
    Current,
}

/// A line that matches its format.
#[derive(Clone, Debug)]
pub(crate) struct CheckedLine<'a> {
    /// What it is.
    pub(crate) variant: &'static str,
    /// The session it names.
    pub(crate) session_id: Option<&'a str>,
    /// The subtype, or the type of an inner event.
    pub(crate) subtype: Option<&'a str>,
    /// Types and subtypes that the tables do not contain.
    pub(crate) unknown: Vec<String>,
}

/// The variant of a line with an unknown type.
pub(crate) const UNKNOWN_VARIANT: &str = "Unknown";

impl CheckedLine<'_> {
    pub(super) fn new(variant: &'static str) -> Self {
        Self { variant, session_id: None, subtype: None, unknown: Vec::new() }
    }

    pub(super) fn unknown(name: String) -> Self {
        Self { unknown: vec![name], ..Self::new(UNKNOWN_VARIANT) }
    }
}

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViolationCode {
    /// The line is not JSON.
    JsonParse,
    /// A required member is missing or has the wrong type.
    TypedParse,
    /// Two members contradict each other.
    Normalize,
}

impl ViolationCode {
    /// Returns the name used in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::JsonParse => "JsonParse",
            Self::TypedParse => "TypedParse",
            Self::Normalize => "Normalize",
        }
    }
}

/// A line that does not match its format. Names the member and what was expected,
/// and never contains anything of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) code: ViolationCode,
    pub(crate) message: String,
}

impl Violation {
    pub(crate) fn json(message: impl Into<String>) -> Self {
        Self { code: ViolationCode::JsonParse, message: message.into() }
    }

    pub(crate) fn typed(message: impl Into<String>) -> Self {
        Self { code: ViolationCode::TypedParse, message: message.into() }
    }

    /// A required member is absent.
    pub(super) fn missing(member: &str) -> Self {
        Self::typed(format!("{member}: missing"))
    }

    pub(super) fn normalize(message: &str) -> Self {
        Self { code: ViolationCode::Normalize, message: message.to_owned() }
    }

    /// Prepends the path of the value in which it was found.
    pub(super) fn within(self, path: impl fmt::Display) -> Self {
        Self { message: format!("{path}.{}", self.message), ..self }
    }

    /// Converts an error of `serde_json`, whose texts never contain the input.
    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let what = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
        let column = error.column();
        Self::json(match error.line() {
            0 | 1 => format!("not JSON: {what} at column {column}"),
            line => format!("not JSON: {what} at line {line} column {column}"),
        })
    }
}

/// Returns why a line is not JSON. `serde_json`, the parser of the published
/// contract, decides; real releases print lone surrogates, which it rejects.
pub(crate) fn json_violation(line: &[u8], contract: Contract) -> Option<Violation> {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let column = error.valid_up_to() + 1;
            return Some(Violation::json(format!("not JSON: invalid UTF-8 at column {column}")));
        }
    };
    let parsed = match contract {
        Contract::V1 => serde_json::from_str::<serde_json::Value>(text),
        Contract::Current => match replace_lone_surrogates(text) {
            Ok(replaced) => serde_json::from_slice(&replaced),
            Err(malformed) => return Some(Violation::json(malformed.to_string())),
        },
    };
    parsed.err().map(|error| Violation::not_json(&error))
}
