//! The key that identifies a run.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::event::Event;
use crate::harness::Record;

/// Computes the key of a run: the id of its session with that of its last result, or a
/// hash of its events.
#[derive(Default)]
pub(super) struct RunKey {
    session: Option<String>,
    result: Option<String>,
    content: Sha256,
}

impl RunKey {
    pub fn apply(&mut self, record: &Record<'_>) {
        if self.session.is_none() {
            self.session = record.session_id.map(str::to_owned);
        }
        for event in record.events {
            if let Event::Finished(finished) = event {
                self.result = finished.id.map(str::to_owned);
            }
        }
        self.content.update(record.json.bytes());
        self.content.update(b"\n");
    }

    pub fn finish(self) -> String {
        if let (Some(session), Some(result)) = (&self.session, &self.result) {
            return format!("{session}:{result}");
        }
        let mut key = String::from("sha256:");
        for byte in self.content.finalize() {
            // Writing to memory cannot fail.
            let _ = write!(key, "{byte:02x}");
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{DecodedLine, Decoder};

    fn key(lines: &[&str]) -> String {
        let (mut decoder, mut key) = (Decoder::default(), RunKey::default());
        for line in lines {
            let each = |line: DecodedLine<'_>| {
                if let DecodedLine::Record(record) = line {
                    key.apply(&record);
                }
                Ok::<(), ()>(())
            };
            decoder.decode_line(line.as_bytes(), each).unwrap();
        }
        key.finish()
    }

    #[test]
    fn key_is_session_and_last_result() {
        let first = r#"{"type":"result","subtype":"success","session_id":"s","uuid":"a"}"#;
        let last = r#"{"type":"result","subtype":"success","session_id":"s","uuid":"b"}"#;
        assert_eq!(key(&[first, last]), "s:b");
        assert_eq!(key(&[last]), "s:b");
    }

    #[test]
    fn key_without_ids_is_a_content_hash() {
        let start = r#"{"type":"thread.started","thread_id":"t"}"#;
        let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
        assert!(key(&[start, end]).starts_with("sha256:"));
        assert_eq!(key(&[start, "", "broken", end]), key(&[start, end]));
        assert_ne!(key(&[start, end]), key(&[start, end, end]));
        let nameless = r#"{"type":"result","subtype":"success","uuid":"a"}"#;
        assert!(key(&[nameless]).starts_with("sha256:"), "no session id");
        let later = r#"{"type":"result","subtype":"success","session_id":"s"}"#;
        let first = r#"{"type":"result","subtype":"success","session_id":"s","uuid":"a"}"#;
        assert!(key(&[first, later]).starts_with("sha256:"), "the last result counts");
    }
}
