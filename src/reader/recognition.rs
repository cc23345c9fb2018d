//! Whether an input has events of a known CLI, and what it is if not.

use super::{DecodedLine, Decoder};
use crate::harness::Harness;
use crate::json::{Json, Malformed};

/// What to give instead of an input that is not JSON.
const EXPECTED: &str = "expected the events that an agent CLI prints, or one of its session files";

/// Elements of an array that are tried.
const MAX_TRIED: usize = 8;

/// What is known about an input.
#[derive(Debug, Default)]
pub(crate) struct Recognition {
    /// Whether any object has the format of a known CLI.
    is_recognized: bool,
    first_line: FirstLine,
    /// Number of lines that are not blank.
    lines: u64,
}

/// What the first line is that is not blank.
#[derive(Debug, Default)]
enum FirstLine {
    /// There is none.
    #[default]
    None,
    /// A JSON object, and the member of it that is an array of events.
    Object(Option<String>),
    /// Another JSON value.
    Value,
    /// Something else, with its number and what is wrong with it.
    Malformed(u64, Malformed),
    /// More than is held in memory.
    TooLong,
}

impl Recognition {
    /// Returns what is known about an input of which something was recognised.
    pub(crate) fn recognized() -> Self {
        Self { is_recognized: true, ..Self::default() }
    }

    /// Includes a line. Returns whether it is the first that is recognised.
    pub(crate) fn apply(&mut self, line: &DecodedLine<'_>, number: u64) -> bool {
        if self.is_recognized {
            return false;
        }
        self.is_recognized = matches!(line, DecodedLine::Record(record) if record.is_recognized);
        if !self.is_recognized && !matches!(line, DecodedLine::Blank) {
            self.lines += 1;
            if self.lines == 1 {
                self.first_line = FirstLine::of(line, number);
            }
        }
        self.is_recognized
    }

    /// Returns whether the input has no line.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_recognized && self.lines == 0
    }

    /// Returns a sentence about an input in which nothing was recognised: what it is, and
    /// what to do. An input without any line is a problem only if it is a file.
    pub(crate) fn problem(&self, is_file: bool) -> Option<String> {
        if self.is_recognized {
            return None;
        }
        Some(match &self.first_line {
            FirstLine::None if !is_file => return None,
            FirstLine::None => "nothing to read: the file is empty".to_owned(),
            FirstLine::Object(Some(member)) => {
                let filter = format!("jq -c '.{member}[]'");
                format!("one object with events in its member {member:?}; read them with {filter}")
            }
            FirstLine::Malformed(line, malformed) => match malformed.converter() {
                Some(command) => format!("{malformed}; convert it first: {command}"),
                None => format!("line {line} is {malformed}; {EXPECTED}"),
            },
            FirstLine::TooLong => {
                format!("the first line or document is too long (--max-line); {EXPECTED}")
            }
            json => {
                let what = match json {
                    FirstLine::Object(_) if self.lines == 1 => "one JSON object",
                    FirstLine::Value if self.lines == 1 => "one JSON value",
                    _ => "JSON",
                };
                let known = Harness::names();
                format!(
                    "{what}, but no event of a known agent CLI (--harness selects one of: {known}); \
                     to describe another one: streamj harness infer FILE > my-agent.toml"
                )
            }
        })
    }
}

impl FirstLine {
    fn of(line: &DecodedLine<'_>, number: u64) -> Self {
        match line {
            DecodedLine::Blank | DecodedLine::Text(_) => Self::None,
            DecodedLine::Record(record) => Self::Object(member_with_events(record.json)),
            DecodedLine::NotObject(_) => Self::Value,
            DecodedLine::Malformed(malformed) => Self::Malformed(number, *malformed),
            DecodedLine::TooLong(_) => Self::TooLong,
        }
    }
}

/// Returns the member of `object` that is an array of events, if its name needs no quotes.
fn member_with_events(object: Json<'_>) -> Option<String> {
    let is_event = |element: Json<'_>| {
        let mut recognition = Recognition::default();
        let tried = Decoder::default().decode_line(element.bytes(), |line| {
            recognition.apply(&line, 0);
            Ok::<(), ()>(())
        });
        tried.is_ok() && recognition.is_recognized
    };
    let (name, _) =
        object.members().find(|(_, value)| value.elements().take(MAX_TRIED).any(is_event))?;
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    name.as_str().filter(|name| is_plain(name)).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> Option<String> {
        let mut recognition = Recognition::default();
        let result = Decoder::default().decode_line(line.as_bytes(), |line| {
            recognition.apply(&line, 3);
            Ok::<(), ()>(())
        });
        assert_eq!(result, Ok(()));
        recognition.problem(true)
    }

    #[test]
    fn events_in_a_member_are_found() {
        let event = r#"{"type":"turn.started"}"#;
        assert_eq!(
            problem(&format!(r#"{{"id":1,"messages":[{{}},{event}]}}"#)).unwrap(),
            r#"one object with events in its member "messages"; read them with jq -c '.messages[]'"#
        );
        for other in
            [r#"{"messages":[{"role":"user"}]}"#, &format!(r#"{{"a b":[{event}]}}"#), "[1]"]
        {
            assert!(problem(other).unwrap().contains("no event of a known agent CLI"), "{other}");
        }
        assert_eq!(problem(event), None);
    }
}
