//! What tells one run from another.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::event::{Event, Packet};

/// Follows a run to its key: the id of its session with that of its last result,
/// else a hash of what it printed.
#[derive(Default)]
pub struct Key {
    session: Option<String>,
    result: Option<String>,
    content: Sha256,
}

impl Key {
    /// Takes in a packet.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        if self.session.is_none() {
            self.session = packet.session_id.map(str::to_owned);
        }
        for event in packet.events {
            if let Event::Finished(finished) = event {
                self.result = finished.id.map(str::to_owned);
            }
        }
        self.content.update(packet.json.bytes());
        self.content.update(b"\n");
    }

    /// The key.
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
    use crate::harness::{Decoder, Reading};

    fn key(lines: &[&str]) -> String {
        let (mut decoder, mut key) = (Decoder::default(), Key::default());
        for line in lines {
            let each = |reading: Reading<'_>| {
                if let Reading::Packet(packet) = reading {
                    key.apply(&packet);
                }
                Ok::<(), ()>(())
            };
            decoder.decode(line.as_bytes(), each).unwrap();
        }
        key.finish()
    }

    #[test]
    fn the_session_and_the_last_result_are_the_key() {
        let first = r#"{"type":"result","subtype":"success","session_id":"s","uuid":"a"}"#;
        let last = r#"{"type":"result","subtype":"success","session_id":"s","uuid":"b"}"#;
        assert_eq!(key(&[first, last]), "s:b");
        assert_eq!(key(&[last]), "s:b");
    }

    #[test]
    fn without_them_the_content_is() {
        let start = r#"{"type":"thread.started","thread_id":"t"}"#;
        let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
        assert!(key(&[start, end]).starts_with("sha256:"));
        assert_eq!(key(&[start, "", "broken", end]), key(&[start, end]));
        assert_ne!(key(&[start, end]), key(&[start, end, end]));
        let nameless = r#"{"type":"result","subtype":"success","uuid":"a"}"#;
        assert!(key(&[nameless]).starts_with("sha256:"), "an id of no session");
        let later = r#"{"type":"result","subtype":"success","session_id":"s"}"#;
        let first = r#"{"type":"result","subtype":"success","session_id":"s","uuid":"a"}"#;
        assert!(key(&[first, later]).starts_with("sha256:"), "the last result counts");
    }
}
