//! The parser contract for Claude Code's stream-json, version 1.

use std::fmt;

use serde_json::Value;

use super::node::Node;

/// The event inside a `stream_event` line.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaudeStreamEvent {
    /// Its `type`; any string.
    pub event_type: String,
    /// The whole of it.
    pub raw: Value,
}

/// A line that keeps the contract. Every variant keeps the whole line in
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
        /// The session it names, else the one seen last.
        session_id: Option<String>,
        /// The whole line.
        raw: Value,
    },
}

/// What kind of violation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaudeStreamJsonErrorCode {
    /// The line is not JSON.
    JsonParse,
    /// Something required is missing or of the wrong type.
    TypedParse,
    /// `is_error` contradicts the subtype of a result.
    Normalize,
    /// Reserved by the contract; the parser never gives it.
    Unknown,
}

impl ClaudeStreamJsonErrorCode {
    /// Its name in the contract.
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

/// A violation of the contract. It names the place and what was expected
/// there, and repeats nothing of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudeStreamJsonParseError {
    /// What kind.
    pub code: ClaudeStreamJsonErrorCode,
    /// Where, and what was expected.
    pub message: String,
}

impl fmt::Display for ClaudeStreamJsonParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ClaudeStreamJsonParseError {}

impl ClaudeStreamJsonParseError {
    pub(super) fn typed(message: impl Into<String>) -> Self {
        Self { code: ClaudeStreamJsonErrorCode::TypedParse, message: message.into() }
    }

    /// The same of something that is found at `place`.
    pub(super) fn within(self, place: impl fmt::Display) -> Self {
        Self { message: format!("{place}.{}", self.message), ..self }
    }

    fn normalize(message: &str) -> Self {
        Self { code: ClaudeStreamJsonErrorCode::Normalize, message: message.to_owned() }
    }

    pub(crate) fn json(message: impl Into<String>) -> Self {
        Self { code: ClaudeStreamJsonErrorCode::JsonParse, message: message.into() }
    }

    /// The JSON library's complaint; its words never repeat the input.
    fn not_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let what = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
        let column = error.column();
        Self::json(match error.line() {
            0 | 1 => format!("not JSON: {what} at column {column}"),
            line => format!("not JSON: {what} at line {line} column {column}"),
        })
    }
}

/// Parses the lines of one stream, each for itself; all it remembers is the
/// session, for lines of unknown types.
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
/// assert_eq!(error.message, "session_id: expected a string");
///
/// // The next line is none the worse for it.
/// assert!(parser.parse_line(r#"{"type":"new_in_2027"}"#)?.is_some());
/// # Ok::<(), streamj::ClaudeStreamJsonParseError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClaudeStreamJsonParser {
    session: Option<String>,
}

impl ClaudeStreamJsonParser {
    /// A parser at the beginning of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Back to the beginning of a stream.
    pub fn reset(&mut self) {
        self.session = None;
    }

    /// Parses a line, without its newline. Nothing but white space is nothing.
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
        let raw = serde_json::from_str(line)
            .map_err(|error| ClaudeStreamJsonParseError::not_json(&error))?;
        self.event(raw).map(Some)
    }

    /// The same for a line that has been parsed as JSON already.
    ///
    /// # Errors
    ///
    /// The line violates the contract; never with
    /// [`JsonParse`](ClaudeStreamJsonErrorCode::JsonParse).
    pub fn parse_json(
        &mut self,
        value: &Value,
    ) -> Result<Option<ClaudeStreamJsonEvent>, ClaudeStreamJsonParseError> {
        self.event(value.clone()).map(Some)
    }

    fn event(&mut self, raw: Value) -> Result<ClaudeStreamJsonEvent, ClaudeStreamJsonParseError> {
        let judged = judge(&raw)?;
        let Some(session_id) = judged.session_id.map(str::to_owned) else {
            return Ok(ClaudeStreamJsonEvent::Unknown { session_id: self.session.clone(), raw });
        };
        if judged.kind != Kind::Unknown && self.session.as_ref() != Some(&session_id) {
            self.session = Some(session_id.clone());
        }
        Ok(match judged.kind {
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

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
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
    /// The variant's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SystemInit => "SystemInit",
            Self::SystemOther(_) => "SystemOther",
            Self::UserMessage => "UserMessage",
            Self::AssistantMessage => "AssistantMessage",
            Self::ResultSuccess => "ResultSuccess",
            Self::ResultError => "ResultError",
            Self::StreamEvent(_) => "StreamEvent",
            Self::Unknown => "Unknown",
        }
    }

    /// The subtype it keeps, or the type of the event inside.
    pub(super) fn subtype(self) -> Option<&'a str> {
        match self {
            Self::SystemOther(word) | Self::StreamEvent(word) => Some(word),
            _ => None,
        }
    }
}

/// A line that keeps the contract.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'a> {
    pub(super) kind: Kind<'a>,
    /// The session it names; only an unknown line may name none.
    pub(super) session_id: Option<&'a str>,
}

/// Judges a line; the one place where the contract's rules are.
pub(super) fn judge<'a>(raw: impl Node<'a>) -> Result<Judged<'a>, ClaudeStreamJsonParseError> {
    use ClaudeStreamJsonParseError as Violation;

    if !raw.is_object() {
        return Err(Violation::typed("expected an object"));
    }
    let string = |key: &str| {
        raw.str(key).ok_or_else(|| Violation::typed(format!("{key}: expected a string")))
    };
    let outer = string("type")?;
    let session_id = raw.str("session_id").or_else(|| raw.str("sessionId"));
    if !matches!(outer, "system" | "user" | "assistant" | "result" | "stream_event") {
        return Ok(Judged { kind: Kind::Unknown, session_id });
    }
    if session_id.is_none() {
        return Err(Violation::typed("session_id: expected a string"));
    }
    let kind = match outer {
        "user" => Kind::UserMessage,
        "assistant" => Kind::AssistantMessage,
        "system" => match string("subtype")? {
            "init" => Kind::SystemInit,
            subtype => Kind::SystemOther(subtype),
        },
        "stream_event" => {
            let event = raw.get("event").filter(|event| event.is_object());
            let event = event.ok_or_else(|| Violation::typed("event: expected an object"))?;
            let inner = event.str("type");
            Kind::StreamEvent(
                inner.ok_or_else(|| Violation::typed("event.type: expected a string"))?,
            )
        }
        _ => {
            let kind = match string("subtype")? {
                "success" => Kind::ResultSuccess,
                "error" => Kind::ResultError,
                _ => return Err(Violation::typed("subtype: expected \"success\" or \"error\"")),
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
    Ok(Judged { kind, session_id })
}

/// Why a line is not JSON to the contract's parser, if it is not.
pub(super) fn not_json(line: &[u8]) -> Option<ClaudeStreamJsonParseError> {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let column = error.valid_up_to() + 1;
            return Some(ClaudeStreamJsonParseError::json(format!(
                "not JSON: invalid UTF-8 at column {column}"
            )));
        }
    };
    let parsed = serde_json::from_str::<Value>(text);
    parsed.err().map(|error| ClaudeStreamJsonParseError::not_json(&error))
}
