//! The parser contract for Claude Code's stream-json, version 1.

use std::fmt;

use serde_json::Value;

use crate::harness::format::{CheckedLine, Node, UNKNOWN_VARIANT, Violation, ViolationCode, word};

/// The event inside a `stream_event` line.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaudeStreamEvent {
    /// The `type`; any string.
    pub event_type: String,
    /// The whole event.
    pub raw: Value,
}

/// A line that matches the contract. Every variant contains the whole line in
/// `raw`.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaudeStreamJsonEvent {
    /// `system` / `init`
    SystemInit {
        /// The session.
        session_id: String,
        /// The whole line.
        raw: Value,
    },
    /// `system` with any other subtype
    SystemOther {
        /// The session.
        session_id: String,
        /// The subtype.
        subtype: String,
        /// The whole line.
        raw: Value,
    },
    /// `user`
    UserMessage {
        /// The session.
        session_id: String,
        /// The whole line.
        raw: Value,
    },
    /// `assistant`
    AssistantMessage {
        /// The session.
        session_id: String,
        /// The whole line.
        raw: Value,
    },
    /// `result` / `success`
    ResultSuccess {
        /// The session.
        session_id: String,
        /// The whole line.
        raw: Value,
    },
    /// `result` / `error`
    ResultError {
        /// The session.
        session_id: String,
        /// The whole line.
        raw: Value,
    },
    /// `stream_event`
    StreamEvent {
        /// The session.
        session_id: String,
        /// The event inside.
        stream: ClaudeStreamEvent,
        /// The whole line.
        raw: Value,
    },
    /// Any other type.
    Unknown {
        /// The session it names, or the last one of the stream.
        session_id: Option<String>,
        /// The whole line.
        raw: Value,
    },
}

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaudeStreamJsonErrorCode {
    /// The line is not JSON.
    JsonParse,
    /// A required member is missing or has the wrong type.
    TypedParse,
    /// `is_error` contradicts the subtype of a result.
    Normalize,
    /// Reserved by the contract; the parser never returns it.
    Unknown,
}

impl ClaudeStreamJsonErrorCode {
    /// Returns the name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::JsonParse => "JsonParse",
            Self::TypedParse => "TypedParse",
            Self::Normalize => "Normalize",
            Self::Unknown => "Unknown",
        }
    }
}

impl fmt::Display for ClaudeStreamJsonErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A violation of the contract. Names the member and what was expected, and never
/// contains anything of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudeStreamJsonParseError {
    /// The kind of violation.
    pub code: ClaudeStreamJsonErrorCode,
    /// The member, and what was expected.
    pub message: String,
}

impl fmt::Display for ClaudeStreamJsonParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ClaudeStreamJsonParseError {}

impl From<Violation> for ClaudeStreamJsonParseError {
    fn from(violation: Violation) -> Self {
        let code = match violation.code {
            ViolationCode::JsonParse => ClaudeStreamJsonErrorCode::JsonParse,
            ViolationCode::TypedParse => ClaudeStreamJsonErrorCode::TypedParse,
            ViolationCode::Normalize => ClaudeStreamJsonErrorCode::Normalize,
        };
        Self { code, message: violation.message }
    }
}

/// Parses the lines of one stream independently of each other; only the session
/// is remembered, for lines of unknown types.
///
/// ```
/// use streamj::{ClaudeStreamJsonErrorCode, ClaudeStreamJsonEvent, ClaudeStreamJsonParser};
///
/// let mut parser = ClaudeStreamJsonParser::new();
///
/// let line = r#"{"type":"system","subtype":"init","session_id":"s1","model":"opus"}"#;
/// match parser.parse_line(line)? {
///     Some(ClaudeStreamJsonEvent::SystemInit { session_id, raw }) => {
///         assert_eq!(session_id, "s1");
///         assert_eq!(raw["model"], "opus");
///     }
///     other => panic!("{other:?}"),
/// }
///
/// assert_eq!(parser.parse_line("   \r")?, None);
///
/// let error = parser.parse_line(r#"{"type":"user","message":{}}"#).unwrap_err();
/// assert_eq!(error.code, ClaudeStreamJsonErrorCode::TypedParse);
/// assert_eq!(error.message, "session_id: missing");
///
/// // A violation does not affect the next line.
/// assert!(parser.parse_line(r#"{"type":"new_in_2027"}"#)?.is_some());
/// # Ok::<(), streamj::ClaudeStreamJsonParseError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClaudeStreamJsonParser {
    session: Option<String>,
}

impl ClaudeStreamJsonParser {
    /// Creates a parser for a new stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a new stream.
    pub fn reset(&mut self) {
        self.session = None;
    }

    /// Parses a line without its newline; `None` if it is blank.
    ///
    /// # Errors
    ///
    /// The line violates the contract.
    pub fn parse_line(
        &mut self,
        line: &str,
    ) -> Result<Option<ClaudeStreamJsonEvent>, ClaudeStreamJsonParseError> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.trim().is_empty() {
            return Ok(None);
        }
        let raw = serde_json::from_str(line).map_err(|error| Violation::not_json(&error))?;
        Ok(Some(self.event(raw)?))
    }

    /// Checks a line that has already been parsed as JSON.
    ///
    /// # Errors
    ///
    /// The line violates the contract; never with
    /// [`JsonParse`](ClaudeStreamJsonErrorCode::JsonParse).
    pub fn parse_json(
        &mut self,
        value: &Value,
    ) -> Result<Option<ClaudeStreamJsonEvent>, ClaudeStreamJsonParseError> {
        Ok(Some(self.event(value.clone())?))
    }

    fn event(&mut self, raw: Value) -> Result<ClaudeStreamJsonEvent, Violation> {
        let typed = TypedLine::of(&raw)?;
        let Some(session_id) = typed.session_id.map(str::to_owned) else {
            return Ok(ClaudeStreamJsonEvent::Unknown { session_id: self.session.clone(), raw });
        };
        if typed.kind != Kind::Unknown && self.session.as_ref() != Some(&session_id) {
            self.session = Some(session_id.clone());
        }
        Ok(match typed.kind {
            Kind::SystemInit => ClaudeStreamJsonEvent::SystemInit { session_id, raw },
            Kind::SystemOther(subtype) => {
                let subtype = subtype.to_owned();
                ClaudeStreamJsonEvent::SystemOther { session_id, subtype, raw }
            }
            Kind::UserMessage => ClaudeStreamJsonEvent::UserMessage { session_id, raw },
            Kind::AssistantMessage => ClaudeStreamJsonEvent::AssistantMessage { session_id, raw },
            Kind::ResultSuccess => ClaudeStreamJsonEvent::ResultSuccess { session_id, raw },
            Kind::ResultError => ClaudeStreamJsonEvent::ResultError { session_id, raw },
            Kind::StreamEvent(event_type) => {
                let event_type = event_type.to_owned();
                let stream = ClaudeStreamEvent { event_type, raw: raw["event"].clone() };
                ClaudeStreamJsonEvent::StreamEvent { session_id, stream, raw }
            }
            Kind::Unknown => ClaudeStreamJsonEvent::Unknown { session_id: Some(session_id), raw },
        })
    }
}

/// The variant of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'a> {
    SystemInit,
    SystemOther(&'a str),
    UserMessage,
    AssistantMessage,
    ResultSuccess,
    ResultError,
    StreamEvent(&'a str),
    Unknown,
}

impl<'a> Kind<'a> {
    fn name(self) -> &'static str {
        match self {
            Self::SystemInit => "SystemInit",
            Self::SystemOther(_) => "SystemOther",
            Self::UserMessage => "UserMessage",
            Self::AssistantMessage => "AssistantMessage",
            Self::ResultSuccess => "ResultSuccess",
            Self::ResultError => "ResultError",
            Self::StreamEvent(_) => "StreamEvent",
            Self::Unknown => UNKNOWN_VARIANT,
        }
    }

    /// Returns the subtype, or the type of the inner event.
    fn subtype(self) -> Option<&'a str> {
        match self {
            Self::SystemOther(word) | Self::StreamEvent(word) => Some(word),
            _ => None,
        }
    }
}

/// A line that matches the contract.
#[derive(Clone, Copy, Debug)]
struct TypedLine<'a> {
    kind: Kind<'a>,
    /// The session it names; `None` for an unknown line only.
    session_id: Option<&'a str>,
}

/// Checks a line for `check --contract v1`.
pub(super) fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let TypedLine { kind, session_id } = TypedLine::of(raw)?;
    let unknown = raw.str("type").filter(|_| kind == Kind::Unknown);
    Ok(CheckedLine {
        variant: kind.name(),
        session_id,
        subtype: kind.subtype(),
        unknown: unknown.map(str::to_owned).into_iter().collect(),
    })
}

impl<'a> TypedLine<'a> {
    /// Applies the rules of the contract.
    fn of(raw: impl Node<'a>) -> Result<Self, Violation> {
        if !raw.is_object() {
            return Err(Violation::typed("expected an object"));
        }
        let outer = word(raw, "type")?;
        let session_id = raw.str("session_id").or_else(|| raw.str("sessionId"));
        if !matches!(outer, "system" | "user" | "assistant" | "result" | "stream_event") {
            return Ok(Self { kind: Kind::Unknown, session_id });
        }
        if session_id.is_none() {
            // Fails: says whether it is absent or not a string.
            word(raw, "session_id")?;
        }
        let kind = match outer {
            "user" => Kind::UserMessage,
            "assistant" => Kind::AssistantMessage,
            "system" => match word(raw, "subtype")? {
                "init" => Kind::SystemInit,
                subtype => Kind::SystemOther(subtype),
            },
            "stream_event" => {
                let event = raw.get("event").ok_or_else(|| Violation::missing("event"))?;
                if !event.is_object() {
                    return Err(Violation::typed("event: expected an object"));
                }
                let inner = word(event, "type").map_err(|violation| violation.within("event"))?;
                Kind::StreamEvent(inner)
            }
            _ => {
                let kind = match word(raw, "subtype")? {
                    "success" => Kind::ResultSuccess,
                    "error" => Kind::ResultError,
                    _ => {
                        return Err(Violation::typed("subtype: expected \"success\" or \"error\""));
                    }
                };
                let is_error = raw.get("is_error").map(|flag| {
                    flag.as_bool().ok_or_else(|| Violation::typed("is_error: expected a boolean"))
                });
                match (kind, is_error.transpose()?) {
                    (Kind::ResultSuccess, Some(true)) => {
                        return Err(Violation::normalize(
                            "is_error: expected false with subtype \"success\"",
                        ));
                    }
                    (Kind::ResultError, Some(false)) => {
                        return Err(Violation::normalize(
                            "is_error: expected true with subtype \"error\"",
                        ));
                    }
                    _ => kind,
                }
            }
        };
        Ok(Self { kind, session_id })
    }
}
