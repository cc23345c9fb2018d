//! The library's parser for Claude Code's stream-json (`ClaudeStreamJsonParser`).

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};
use streamj::{
    ClaudeStreamEvent, ClaudeStreamJsonErrorCode as Code, ClaudeStreamJsonEvent as Event,
    ClaudeStreamJsonParseError, ClaudeStreamJsonParser,
};

use crate::properties::project;
use crate::support::{fixtures, recordings_under, shared};

type Parsed = Result<Option<Event>, ClaudeStreamJsonParseError>;

fn parse(line: &str) -> Parsed {
    ClaudeStreamJsonParser::new().parse_line(line)
}

fn event(line: &str) -> Event {
    parse(line).unwrap().unwrap()
}

fn code(line: &str) -> Code {
    parse(line).unwrap_err().code
}

/// Returns the name of a variant, as the contract spells it.
fn variant(event: &Event) -> &'static str {
    // Without a wildcard, so that a new variant fails to compile, as it would for users.
    match event {
        Event::SystemInit { .. } => "SystemInit",
        Event::SystemOther { .. } => "SystemOther",
        Event::UserMessage { .. } => "UserMessage",
        Event::AssistantMessage { .. } => "AssistantMessage",
        Event::ResultSuccess { .. } => "ResultSuccess",
        Event::ResultError { .. } => "ResultError",
        Event::StreamEvent { .. } => "StreamEvent",
        Event::Unknown { .. } => "Unknown",
    }
}

#[test]
fn every_variant_keeps_the_line_as_raw_value() {
    for (line, expected) in [
        (r#"{"type":"system","subtype":"init","session_id":"s","x":1}"#, "SystemInit"),
        (r#"{"type":"system","subtype":"status","session_id":"s","x":1}"#, "SystemOther"),
        (r#"{"type":"user","session_id":"s","x":1}"#, "UserMessage"),
        (r#"{"type":"assistant","session_id":"s","x":1}"#, "AssistantMessage"),
        (r#"{"type":"result","subtype":"success","session_id":"s","x":1}"#, "ResultSuccess"),
        (r#"{"type":"result","subtype":"error","session_id":"s","x":1}"#, "ResultError"),
        (r#"{"type":"stream_event","event":{"type":"e"},"session_id":"s","x":1}"#, "StreamEvent"),
        (r#"{"type":"other","session_id":"s","x":1}"#, "Unknown"),
    ] {
        let event = event(line);
        assert_eq!(variant(&event), expected);
        let (Event::SystemInit { raw, .. }
        | Event::SystemOther { raw, .. }
        | Event::UserMessage { raw, .. }
        | Event::AssistantMessage { raw, .. }
        | Event::ResultSuccess { raw, .. }
        | Event::ResultError { raw, .. }
        | Event::StreamEvent { raw, .. }
        | Event::Unknown { raw, .. }) = event;
        assert_eq!(raw, serde_json::from_str::<Value>(line).unwrap());
    }
}

#[test]
fn trailing_carriage_return_is_stripped_and_blank_lines_yield_none() {
    for blank in ["", "\r", "  \t ", " \r", "\r\r", "\u{2003}\u{a0}"] {
        assert_eq!(parse(blank), Ok(None), "{blank:?}");
    }
    let line = r#"{"type":"user","session_id":"s"}"#;
    for ending in ["\r", "\r\r", "  "] {
        assert_eq!(event(&format!(" {line}{ending}")), event(line));
    }
    // No trimming beyond JSON's own white space.
    assert_eq!(code(&format!("\u{a0}{line}")), Code::JsonParse);
    assert_eq!(code(&format!("{line}\u{2003}")), Code::JsonParse);
}

#[test]
fn outer_type_must_be_a_string() {
    for (line, message) in [
        (r#"{"session_id":"s"}"#, "TypedParse: type: missing"),
        ("{}", "TypedParse: type: missing"),
        (r#"{"type":5}"#, "TypedParse: type: expected a string"),
        (r#"{"type":null}"#, "TypedParse: type: expected a string"),
    ] {
        assert_eq!(parse(line).unwrap_err().to_string(), message);
    }
    for line in ["[1,2]", "42", "\"x\"", "null", "[]", r#"[{"type":"user","session_id":"s"}]"#] {
        assert_eq!(parse(line).unwrap_err().to_string(), "TypedParse: expected an object");
    }
}

#[test]
fn session_id_is_the_first_string_of_both_spellings() {
    let session = |members: &str| match event(&format!(r#"{{"type":"user",{members}}}"#)) {
        Event::UserMessage { session_id, .. } => session_id,
        other => panic!("{other:?}"),
    };
    assert_eq!(session(r#""session_id":"a","sessionId":"b""#), "a");
    assert_eq!(session(r#""sessionId":"b""#), "b");
    assert_eq!(session(r#""session_id":null,"sessionId":"b""#), "b");
    assert_eq!(session(r#""session_id":7,"sessionId":"b""#), "b");
    for (line, message) in [
        (r#"{"type":"user"}"#, "session_id: missing"),
        (r#"{"type":"user","session_id":{}}"#, "session_id: expected a string"),
    ] {
        let error = parse(line).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::TypedParse, message));
    }
}

#[test]
fn system_needs_a_subtype() {
    assert_eq!(code(r#"{"type":"system","session_id":"s"}"#), Code::TypedParse);
    assert_eq!(code(r#"{"type":"system","session_id":"s","subtype":1}"#), Code::TypedParse);
    let Event::SystemOther { session_id, subtype, .. } =
        event(r#"{"type":"system","session_id":"s","subtype":"anything"}"#)
    else {
        panic!()
    };
    assert_eq!((session_id.as_str(), subtype.as_str()), ("s", "anything"));
}

#[test]
fn stream_event_contains_an_event_of_any_type() {
    for (line, message) in [
        (r#"{"type":"stream_event","session_id":"s"}"#, "event: missing"),
        (r#"{"type":"stream_event","session_id":"s","event":[]}"#, "event: expected an object"),
        (r#"{"type":"stream_event","session_id":"s","event":{}}"#, "event.type: missing"),
    ] {
        assert_eq!(parse(line).unwrap_err().message, message);
    }
    let Event::StreamEvent { stream, .. } =
        event(r#"{"type":"stream_event","session_id":"s","event":{"type":"brand_new","n":1}}"#)
    else {
        panic!()
    };
    let raw = json!({"type": "brand_new", "n": 1});
    assert_eq!(stream, ClaudeStreamEvent { event_type: "brand_new".to_owned(), raw });
}

#[test]
fn result_subtype_must_agree_with_is_error() {
    let result =
        |members: &str| parse(&format!(r#"{{"type":"result","session_id":"s"{members}}}"#));
    let code = |members: &str| result(members).unwrap_err().code;
    assert_eq!(variant(&result(r#","subtype":"success""#).unwrap().unwrap()), "ResultSuccess");
    assert_eq!(
        variant(&result(r#","subtype":"error","is_error":true"#).unwrap().unwrap()),
        "ResultError"
    );
    assert_eq!(code(""), Code::TypedParse);
    assert_eq!(code(r#","subtype":"error_max_turns","is_error":true"#), Code::TypedParse);
    for flag in ["\"true\"", "null", "1", "{}"] {
        assert_eq!(code(&format!(r#","subtype":"success","is_error":{flag}"#)), Code::TypedParse);
    }
    assert_eq!(code(r#","subtype":"success","is_error":true"#), Code::Normalize);
    assert_eq!(code(r#","subtype":"error","is_error":false"#), Code::Normalize);
}

#[test]
fn unknown_type_inherits_the_last_session_id() {
    let mut parser = ClaudeStreamJsonParser::new();
    let mut session = |line: &str| match parser.parse_line(line).unwrap().unwrap() {
        Event::Unknown { session_id, .. } => session_id,
        other => panic!("{other:?}"),
    };
    assert_eq!(session(r#"{"type":"weird"}"#), None);
    assert_eq!(session(r#"{"type":"weird","session_id":"own"}"#).as_deref(), Some("own"));
    assert_eq!(
        session(r#"{"type":"weird"}"#),
        None,
        "the session of an unknown line is not inherited"
    );
    parser.parse_line(r#"{"type":"user","session_id":"s"}"#).unwrap();
    let inherited = parser.parse_line(r#"{"type":"weird"}"#).unwrap().unwrap();
    assert!(matches!(inherited, Event::Unknown { session_id: Some(id), .. } if id == "s"));
    // An invalid line does not change the session.
    parser.parse_line(r#"{"type":"system","session_id":"t"}"#).unwrap_err();
    let inherited = parser.parse_line(r#"{"type":"weird"}"#).unwrap().unwrap();
    assert!(matches!(inherited, Event::Unknown { session_id: Some(id), .. } if id == "s"));
    parser.reset();
    let after_reset = parser.parse_line(r#"{"type":"weird"}"#).unwrap().unwrap();
    assert!(matches!(after_reset, Event::Unknown { session_id: None, .. }));
}

#[test]
fn error_messages_never_contain_line_content() {
    for line in [
        "SECRET not json",
        r#"{"type":"SECRET"#,
        r#"{"type":"result","subtype":"SECRET","session_id":"SECRET"}"#,
        r#"{"type":"result","subtype":"success","is_error":"SECRET","session_id":"SECRET"}"#,
        r#"{"type":"stream_event","session_id":"SECRET","event":"SECRET"}"#,
        r#"{"type":"x","SECRET":SECRET}"#,
        "{\"type\":\"SECRET\u{1}\"}",
        r#"{"type":"SECRET\x"}"#,
    ] {
        let error = parse(line).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error:?}");
    }
}

#[test]
fn public_types_implement_the_usual_traits() {
    fn error<T: std::error::Error + Clone + PartialEq + Send + Sync + 'static>() {}
    fn value<T: std::fmt::Debug + Clone + PartialEq + Send + Sync>() {}
    fn code<T: std::fmt::Display + Copy + Eq + std::hash::Hash>() {}
    error::<ClaudeStreamJsonParseError>();
    value::<Event>();
    value::<ClaudeStreamEvent>();
    code::<Code>();
    assert!(format!("{:?}", ClaudeStreamJsonParser::default()).contains("Parser"));
}

/// Asserts that `parse_line`, `parse_json` and the command `check` agree on a line.
fn assert_agreement(line: &str) {
    let parsed = parse(line);
    let value = serde_json::from_str::<Value>(line.strip_suffix('\r').unwrap_or(line));
    match (&parsed, value) {
        (Ok(None), Err(_)) => {}
        (Err(error), Err(_)) => assert_eq!(error.code, Code::JsonParse, "{line:?}"),
        (parsed, Ok(value)) => {
            let from_json = ClaudeStreamJsonParser::new().parse_json(&value);
            assert_eq!(parsed, &from_json, "{line:?}");
            assert!(from_json.is_ok_and(|event| event.is_some()) || parsed.is_err());
            if let Err(error) = parsed {
                assert_ne!(error.code, Code::JsonParse, "{line:?}");
            }
        }
        (parsed, Err(error)) => panic!("{line:?}: {parsed:?} but {error}"),
    }
    let args =
        ["check", "--contract", "v1", "--harness", "claude", "--every-line", "--format", "jsonl"];
    let (checked, _) = project(&args, line.as_bytes(), &[usize::MAX]);
    let row = checked.lines().next().map(|row| serde_json::from_str::<Value>(row).unwrap());
    let row = row.unwrap_or_default();
    match parsed {
        Ok(None) => assert_eq!(row, Value::Null, "{line:?}"),
        Ok(Some(event)) => assert_eq!(row["variant"], variant(&event), "{line:?}: {row}"),
        Err(error) => assert_eq!(row["code"], error.code.name(), "{line:?}: {row}"),
    }
}

#[test]
fn parsers_and_check_agree_on_json_edge_cases() {
    let deep = |depth: usize| {
        format!(r#"{{"type":"weird","x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
    };
    let many = format!(r#"{{"type":"weird","x":[{}[]]}}"#, "[],".repeat(500));
    let long_number = format!(r#"{{"type":"weird","x":{}}}"#, "9".repeat(400));
    for line in [
        &deep(125),
        &deep(126),
        &deep(127),
        &deep(128),
        &deep(1023),
        &deep(1024),
        &deep(5000),
        &many,
        &long_number,
        r#"{"type":"weird","x":1e400}"#,
        r#"{"type":"weird","x":-1e-400}"#,
        r#"{"type":"weird","x":123456789012345678901234567890}"#,
        r#"{"type":"weird","x":-0}"#,
        r#"{"type":"weird","x":"\ud800"}"#,
        r#"{"type":"weird","x":"\udc00\ud800"}"#,
        r#"{"type":"weird","x":"\u0000"}"#,
        r#"{"type":"weird","type":"user","session_id":"s"}"#,
        r#""\ud800""#,
        &("[".repeat(200) + &"]".repeat(200)),
        "\u{c}{}",
    ] {
        assert_agreement(line);
    }
}

/// Asserts agreement on the lines of recordings; returns how many.
fn assert_agreement_on(recordings: &[PathBuf]) -> usize {
    let mut lines = 0;
    for file in recordings {
        let Ok(text) = String::from_utf8(std::fs::read(file).unwrap()) else { continue };
        // Long lines are slow here, and similar to short ones.
        for line in text.split('\n').filter(|line| line.len() < 20_000) {
            assert_agreement(line);
            lines += 1;
        }
    }
    lines
}

#[test]
fn parsers_and_check_agree_on_every_fixture_line() {
    let lines = assert_agreement_on(&fixtures());
    assert!(lines > 500, "{lines}");
}

#[test]
fn parsers_and_check_agree_on_every_shared_line() {
    let Some(captures) = shared("captures") else { return };
    let lines = assert_agreement_on(&recordings_under(&captures));
    assert!(lines > 2000, "{lines}");
}

/// Generates expected and unexpected values of members.
fn value() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        r#""system""#,
        r#""user""#,
        r#""assistant""#,
        r#""result""#,
        r#""stream_event""#,
        r#""weird""#,
        r#""init""#,
        r#""success""#,
        r#""error""#,
        r#""error_max_turns""#,
        r#""s""#,
        "true",
        "false",
        "null",
        "1",
        "1.5",
        "1e999",
        "{}",
        "[]",
        r#"{"type":"x"}"#,
        r#"{"type":1}"#,
        r#""\ud800""#,
        r#""\u0041""#,
    ])
    .prop_map(str::to_owned)
}

/// Generates an object of members that the parser reads, with a line ending.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "type",
        "subtype",
        "session_id",
        "sessionId",
        "is_error",
        "event",
        "message",
        "x",
    ]);
    let members = prop::collection::vec((key, value()), 0..7);
    (members, prop::sample::select(vec!["", " ", "\r", "x"])).prop_map(|(members, end)| {
        let members: Vec<_> =
            members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}{end}", members.join(","))
    })
}

proptest! {
    #[test]
    fn parsers_and_check_agree_on_generated_lines(line in line()) {
        assert_agreement(&line);
    }

    #[test]
    fn parsers_and_check_agree_on_mutated_lines(
        line in line(), at in any::<prop::sample::Index>(), with in "[\\PC{}\":,\\[\\] \t]{0,2}",
    ) {
        let chars: Vec<char> = line.chars().collect();
        let at = at.index(chars.len());
        let mutated: String =
            chars[..at].iter().copied().chain(with.chars()).chain(chars[at + 1..].iter().copied()).collect();
        assert_agreement(&mutated);
    }
}
