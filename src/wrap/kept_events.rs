//! The events of a run for its record: as they came, Codex' marked as such,
//! outputs of commands and the whole of it bounded.

use crate::event::Packet;
use crate::harness::Harness;
use crate::json::Json;
use crate::projection::write_tagged;

/// Where the output of one command is cut, in characters.
const COMMAND_OUTPUT: usize = 64 * 1024;
const CUT: &str = "...(truncated)";

/// Where no more events are kept.
const ALL: usize = 50 * 1024 * 1024;

/// Keeps events.
#[derive(Debug, Default)]
pub struct KeptEvents {
    json: Vec<u8>,
    cut_output: bool,
    full: bool,
}

impl KeptEvents {
    /// Keeps what a packet came as, if there is room.
    pub fn add(&mut self, packet: &Packet<'_>) {
        if self.full {
            return;
        }
        let mut event = Vec::new();
        if packet.harness == Harness::Codex {
            write_tagged(&mut event, packet);
            if let Some(cut) = cut_output(&event) {
                event = cut;
                self.cut_output = true;
            }
        } else {
            event.extend_from_slice(packet.json.bytes());
        }
        if self.json.len() + event.len() > ALL {
            self.full = true;
            return;
        }
        self.json.push(if self.json.is_empty() { b'[' } else { b',' });
        // Bytes that are no UTF-8 would spoil the record.
        self.json.extend_from_slice(String::from_utf8_lossy(&event).as_bytes());
    }

    /// All of them, as a JSON array.
    pub fn json(&self) -> Vec<u8> {
        let open = if self.json.is_empty() { b"[".as_slice() } else { &self.json };
        [open, b"]"].concat()
    }

    /// Whether there were more than could be kept.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// What should be known about it.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let full = "stream-events-truncated: events over 50 MB are not in the record";
        let cut = "command-output-truncated: outputs over 64 KiB are cut in the record";
        let told = [(self.full, full), (self.cut_output, cut)];
        told.into_iter().filter(|(is, _)| *is).map(|(_, text)| text.to_owned())
    }
}

/// The event with the output of its command cut, if that is too long.
fn cut_output(event: &[u8]) -> Option<Vec<u8>> {
    let json = Json::new(event);
    let output = json.pointer("/item/aggregated_output")?;
    // Fewer bytes cannot be more characters.
    if output.bytes().len() <= COMMAND_OUTPUT {
        return None;
    }
    let text = output.as_str()?;
    let (end, _) = text.char_indices().nth(COMMAND_OUTPUT)?;
    let cut = serde_json::to_vec(&format!("{}{CUT}", &text[..end])).ok()?;
    let start = json.offset_of(output);
    let behind = start + output.bytes().len();
    Some([&json.bytes()[..start], &cut, &json.bytes()[behind..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Decoder, Reading};

    fn kept(lines: &[&str]) -> KeptEvents {
        let mut kept = KeptEvents::default();
        let mut decoder = Decoder::default();
        for line in lines {
            let each = |reading: Reading<'_>| {
                if let Reading::Packet(packet) = reading {
                    kept.add(&packet);
                }
                Ok::<(), ()>(())
            };
            decoder.decode(line.as_bytes(), each).unwrap();
        }
        kept
    }

    #[test]
    fn codex_events_are_marked_and_claudes_are_not() {
        let claude = r#"{"type":"system","subtype":"init"}"#;
        let json = kept(&[r#"{"type":"turn.started"}"#, claude]).json();
        let expected = format!(r#"[{{"type":"turn.started","harness":"codex"}},{claude}]"#);
        assert_eq!(String::from_utf8(json).unwrap(), expected);
        assert_eq!(kept(&[]).json(), b"[]");
    }

    #[test]
    fn a_long_output_is_cut_in_characters() {
        let event = |output: &str| {
            format!(
                r#"{{"type":"item.completed","item":{{"aggregated_output":"{output}","type":"command_execution"}}}}"#
            )
        };
        let kept_long = kept(&[&event(&"é".repeat(70_000))]);
        let json: serde_json::Value = serde_json::from_slice(&kept_long.json()).unwrap();
        let output = json[0]["item"]["aggregated_output"].as_str().unwrap();
        assert_eq!(output, "é".repeat(65_536) + CUT);
        assert_eq!(json[0]["item"]["type"], "command_execution");
        assert_eq!(kept_long.warnings().count(), 1);
        let exact = kept(&[&event(&"é".repeat(65_536))]);
        assert_eq!(exact.warnings().count(), 0);
    }

    #[test]
    fn over_fifty_megabytes_nothing_more_is_kept() {
        let line = format!(r#"{{"type":"turn.started","x":"{}"}}"#, "x".repeat(1 << 20));
        let kept = kept(&vec![line.as_str(); 60]);
        assert!(kept.is_full());
        assert!(kept.json().len() <= ALL + 2);
        assert!(kept.warnings().next().unwrap().starts_with("stream-events-truncated:"));
    }
}
