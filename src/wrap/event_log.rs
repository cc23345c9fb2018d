//! The events of a run for its record, bounded in size.

use crate::event::Event;
use crate::harness::Record;

/// Maximum size of all events.
const MAX_SIZE: usize = 50 * 1024 * 1024;

/// Collects events as a JSON array.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    json: Vec<u8>,
    has_truncated_output: bool,
    is_full: bool,
    /// The last terminal event after the log was full.
    terminal: Option<Vec<u8>>,
}

impl EventLog {
    /// Adds a record, if there is room. The last terminal event is always kept.
    pub(super) fn add(&mut self, record: &Record<'_>) {
        let is_terminal = record.events.iter().any(|event| matches!(event, Event::Finished(_)));
        if self.is_full && !is_terminal {
            return;
        }
        let mut event = Vec::new();
        self.has_truncated_output |= (record.harness.adapter().write_recorded)(record, &mut event);
        self.is_full |= self.json.len() + event.len() > MAX_SIZE;
        if !self.is_full {
            append(&mut self.json, &event);
        } else if is_terminal {
            self.terminal = Some(event);
        }
    }

    /// Returns all events as a JSON array.
    pub(super) fn json(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if let Some(terminal) = &self.terminal {
            append(&mut json, terminal);
        }
        let open = if json.is_empty() { b"[".as_slice() } else { &json };
        [open, b"]"].concat()
    }

    /// Returns whether events were dropped.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the warnings for the record.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        let full = "stream-events-truncated: events over 50 MB are not in the record";
        let cut = "command-output-truncated: outputs over 64 KiB are cut in the record";
        let warnings = [(self.is_full, full), (self.has_truncated_output, cut)];
        warnings.into_iter().filter(|(applies, _)| *applies).map(|(_, text)| text.to_owned())
    }
}

/// Appends an event to an array that has no closing bracket.
fn append(json: &mut Vec<u8>, event: &[u8]) {
    json.push(if json.is_empty() { b'[' } else { b',' });
    // Invalid UTF-8 would make the record invalid.
    json.extend_from_slice(String::from_utf8_lossy(event).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{DecodedLine, Decoder};

    fn log(lines: &[&str]) -> EventLog {
        let mut log = EventLog::default();
        let mut decoder = Decoder::default();
        for line in lines {
            let each = |line: DecodedLine<'_>| {
                if let DecodedLine::Record(record) = line {
                    log.add(&record);
                }
                Ok::<(), ()>(())
            };
            decoder.decode_line(line.as_bytes(), each).unwrap();
        }
        log
    }

    #[test]
    fn codex_events_are_tagged_and_claudes_are_not() {
        let claude = r#"{"type":"system","subtype":"init"}"#;
        let json = log(&[r#"{"type":"turn.started"}"#, claude]).json();
        let expected = format!(r#"[{{"type":"turn.started","harness":"codex"}},{claude}]"#);
        assert_eq!(String::from_utf8(json).unwrap(), expected);
        assert_eq!(log(&[]).json(), b"[]");
    }

    #[test]
    fn long_output_is_cut_in_characters() {
        let event = |output: &str| {
            format!(
                r#"{{"type":"item.completed","item":{{"aggregated_output":"{output}","type":"command_execution"}}}}"#
            )
        };
        let long = log(&[&event(&"é".repeat(70_000))]);
        let json: serde_json::Value = serde_json::from_slice(&long.json()).unwrap();
        let output = json[0]["item"]["aggregated_output"].as_str().unwrap();
        assert_eq!(output, "é".repeat(65_536) + "...(truncated)");
        assert_eq!(json[0]["item"]["type"], "command_execution");
        assert_eq!(long.warnings().count(), 1);
        let exact = log(&[&event(&"é".repeat(65_536))]);
        assert_eq!(exact.warnings().count(), 0);
    }

    #[test]
    fn events_over_fifty_megabytes_are_dropped_except_the_terminal_one() {
        let line = format!(r#"{{"type":"turn.started","x":"{}"}}"#, "x".repeat(1 << 20));
        let mut lines = vec![line.as_str(); 60];
        let full = log(&lines);
        assert!(full.is_full());
        assert!(full.json().len() <= MAX_SIZE + 2);
        let end = r#"{"type":"turn.completed","usage":{"input_tokens":7}}"#;
        lines.push(end);
        let with_end = log(&lines).json();
        let with_end = String::from_utf8(with_end).unwrap();
        assert!(with_end.ends_with(r#"{"input_tokens":7},"harness":"codex"}]"#));
        assert!(serde_json::from_str::<serde_json::Value>(&with_end).is_ok());
        assert!(full.warnings().next().unwrap().starts_with("stream-events-truncated:"));
    }
}
