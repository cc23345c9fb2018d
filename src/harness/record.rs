//! One JSON object of a stream, decoded.

use jiff::Timestamp;

use super::Harness;
use crate::event::Event;
use crate::json::{Json, Value};

/// One JSON object of a stream, decoded.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The CLI that printed it.
    pub harness: Harness,
    /// Whether the harness is certain; otherwise it is a guess that a later line
    /// may correct.
    pub is_certain: bool,
    /// Whether the object itself has a format of the CLI. Otherwise its harness is that
    /// of the stream, or the one that the user selected.
    pub is_recognized: bool,
    /// The session it names.
    pub session_id: Option<&'a str>,
    /// The tool call that started the subagent it belongs to, or on disk the
    /// subagent itself; `None` in the main thread.
    pub parent_id: Option<&'a str>,
    /// When it was written, as printed; see [`time`](Self::time).
    pub timestamp: Option<&'a str>,
    /// When it was written, if the line says so in another way.
    pub(crate) written: Option<Timestamp>,
    /// Whether it is from a session file. Those have no terminal event, and
    /// describe a session instead of a run.
    pub on_disk: bool,
    /// The events in order. Never empty under
    /// [`EventFilter::All`](crate::event::EventFilter::All).
    pub events: &'a [Event<'a>],
    /// The object, if [`Objects`](crate::reader::Objects) requests it.
    pub(crate) object: Option<Value<'a, 'a>>,
    /// Whether the line was repaired before it could be parsed.
    pub repaired: bool,
    /// The original bytes.
    pub json: Json<'a>,
    /// Whether it has a `harness` member already.
    pub(crate) is_tagged: bool,
}

impl Record<'_> {
    /// Returns when it was written, if the line says so.
    #[must_use]
    pub fn time(&self) -> Option<Timestamp> {
        self.written.or_else(|| self.timestamp?.parse().ok())
    }

    /// Returns whether the line says when it was written.
    pub(crate) fn has_time(&self) -> bool {
        self.written.is_some() || self.timestamp.is_some()
    }

    /// Returns whether it is an assistant message with a header of its own.
    pub(crate) fn has_header(&self) -> bool {
        matches!(self.events.first(), Some(Event::Message(_)))
    }
}

/// The member that names the harness of an event.
const HARNESS_MEMBER: &str = "harness";

/// Writes an event with the name of its harness, as the record of a run keeps it. Nothing
/// is truncated.
pub(super) fn write_recorded(record: &Record<'_>, to: &mut Vec<u8>) -> bool {
    write_tagged(to, record);
    false
}

/// Writes an event as it was printed. Nothing is truncated.
pub(super) fn write_untagged(record: &Record<'_>, to: &mut Vec<u8>) -> bool {
    to.extend_from_slice(record.json.bytes());
    false
}

/// Writes the object with the name of its harness: in place of an existing
/// `harness` member, else at the end. All other bytes are unchanged.
pub(crate) fn write_tagged(to: &mut Vec<u8>, record: &Record<'_>) {
    let name = record.harness.name();
    if record.is_tagged {
        return replace_tag(to, record.json, format!("\"{name}\"").as_bytes());
    }
    let bytes = record.json.bytes();
    let open = &bytes[..bytes.len() - 1];
    to.extend_from_slice(open);
    if open.trim_ascii_end() != b"{" {
        to.push(b',');
    }
    for part in ["\"", HARNESS_MEMBER, "\":\"", name, "\"}"] {
        to.extend_from_slice(part.as_bytes());
    }
}

fn replace_tag(to: &mut Vec<u8>, object: Json<'_>, tag: &[u8]) {
    let bytes = object.bytes();
    let mut copied = 0;
    let is_tag = |name: Json<'_>| name.as_str().is_some_and(|name| name == HARNESS_MEMBER);
    for (name, value) in object.members().filter(|(name, _)| is_tag(*name)) {
        if copied == 0 {
            to.extend_from_slice(&bytes[..object.offset_of(value)]);
            to.extend_from_slice(tag);
        } else {
            // Drop a repeated tag together with the comma before it.
            let between = &bytes[copied..object.offset_of(name)];
            let comma = between.iter().rposition(|byte| *byte == b',').unwrap_or(0);
            to.extend_from_slice(&between[..comma]);
        }
        copied = object.offset_of(value) + value.bytes().len();
    }
    to.extend_from_slice(&bytes[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{DecodeOptions, DecodedLine, Decoder};

    fn tagged(json: &str) -> String {
        let mut printed = None;
        let options = DecodeOptions { harness: Some(Harness::Codex), ..DecodeOptions::default() };
        Decoder::new(options)
            .decode_line(json.as_bytes(), |line| {
                if let DecodedLine::Record(record) = line {
                    let mut to = Vec::new();
                    write_tagged(&mut to, &record);
                    printed = String::from_utf8(to).ok();
                }
                Ok::<(), ()>(())
            })
            .unwrap();
        printed.unwrap()
    }

    #[test]
    fn tag_comes_last_and_other_bytes_are_unchanged() {
        assert_eq!(
            tagged(r#"{"b": 1.50,"a":"\u0041" , "n":1e2}"#),
            r#"{"b": 1.50,"a":"\u0041" , "n":1e2,"harness":"codex"}"#
        );
        assert_eq!(tagged("{}"), r#"{"harness":"codex"}"#);
        assert_eq!(tagged("{ }"), r#"{ "harness":"codex"}"#);
    }

    #[test]
    fn existing_tag_is_replaced() {
        assert_eq!(tagged(r#"{"harness":"spoof","a":1}"#), r#"{"harness":"codex","a":1}"#);
        assert_eq!(
            tagged(r#"{"a":1, "harness" : {"x":[1]} }"#),
            r#"{"a":1, "harness" : "codex" }"#
        );
        assert_eq!(
            tagged(r#"{"harness":1,"a":"x,y","harness":2,"b":[3], "h\u0061rness":4}"#),
            r#"{"harness":"codex","a":"x,y","b":[3]}"#
        );
    }

    #[test]
    fn nested_tag_is_unchanged() {
        assert_eq!(
            tagged(r#"{"item":{"harness":"x"}}"#),
            r#"{"item":{"harness":"x"},"harness":"codex"}"#
        );
    }
}
