//! `events`: every event as it came, plus whose it is.

use std::io;

use super::{Projection, unified};
use crate::cli::{EventFormat, EventsArgs, Tag};
use crate::event::Packet;
use crate::exit::Exit;
use crate::harness::{Harness, Reading};
use crate::json::Json;
use crate::output::{Draft, Output};

const TAG: &str = "harness";

/// Passes events through.
pub(super) struct Events {
    tag: Tag,
    unified: bool,
    sse: bool,
    buffer: Vec<u8>,
}

impl Events {
    pub(super) fn new(args: &EventsArgs) -> Self {
        Self {
            tag: args.tag,
            unified: args.unified,
            sse: args.format == EventFormat::Sse && args.get.is_none(),
            buffer: Vec::new(),
        }
    }

    fn native(&mut self, packet: &Packet<'_>, out: &mut Output) -> io::Result<()> {
        let tagged = match self.tag {
            Tag::All => true,
            Tag::Codex => packet.harness == Harness::Codex,
            Tag::None => false,
        };
        let write = |to: &mut dyn Draft| {
            if tagged {
                write_tagged(to, packet);
            } else {
                to.pass(packet.json.bytes());
            }
        };
        if out.records.are_plain_lines() && !self.sse {
            return out.sink.compose(|to| {
                write(to);
                to.gathered().push(b'\n');
            });
        }
        self.buffer.clear();
        write(&mut self.buffer);
        if !self.sse {
            return out.records.put_json(&mut out.sink, &self.buffer);
        }
        let kind = packet.json.get("type").and_then(Json::as_str);
        self.frame(kind.as_deref().unwrap_or("event"), out)
    }

    fn unified(&mut self, packet: &Packet<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        for event in packet.events {
            self.buffer.clear();
            let kind = unified::write(&mut self.buffer, packet, event, line);
            if self.sse {
                self.frame(kind, out)?;
            } else {
                out.records.put_json(&mut out.sink, &self.buffer)?;
            }
        }
        Ok(())
    }

    /// A frame for a browser.
    fn frame(&mut self, kind: &str, out: &mut Output) -> io::Result<()> {
        // `error` is what a browser calls a lost connection.
        let kind = if kind == "error" { "stream_error" } else { kind };
        // Neither a name nor data may break its line.
        let kind: String = kind.chars().filter(|c| !c.is_control()).collect();
        self.buffer.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b' ');
        out.sink.show(format!("event: {kind}\ndata: ").as_bytes())?;
        out.sink.show(&self.buffer)?;
        out.sink.print("\n\n")
    }
}

impl Projection for Events {
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        match reading {
            Reading::Packet(packet) if self.unified => self.unified(packet, line, out),
            Reading::Packet(packet) => self.native(packet, out),
            _ => Ok(()),
        }
    }

    fn end(self: Box<Self>, _: &mut Output) -> io::Result<Exit> {
        Ok(Exit::Done)
    }
}

/// A new object with the members of the old one and the tag: in the place of
/// an existing one, else at the end. All other bytes stay.
pub(crate) fn write_tagged(to: &mut dyn Draft, packet: &Packet<'_>) {
    let tag = packet.harness.name();
    if packet.tagged {
        return replace_tag(to.gathered(), packet.json, format!("\"{tag}\"").as_bytes());
    }
    let bytes = packet.json.bytes();
    let open = &bytes[..bytes.len() - 1];
    to.pass(open);
    let to = to.gathered();
    if open.trim_ascii_end() != b"{" {
        to.push(b',');
    }
    for piece in ["\"", TAG, "\":\"", tag, "\"}"] {
        to.extend_from_slice(piece.as_bytes());
    }
}

fn replace_tag(to: &mut Vec<u8>, object: Json<'_>, tag: &[u8]) {
    let bytes = object.bytes();
    let mut copied = 0;
    let is_tag = |name: Json<'_>| name.as_str().is_some_and(|name| name == TAG);
    for (name, value) in object.members().filter(|(name, _)| is_tag(*name)) {
        if copied == 0 {
            to.extend_from_slice(&bytes[..object.offset_of(value)]);
            to.extend_from_slice(tag);
        } else {
            // A second tag goes, with the comma before it.
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
    use crate::harness::Decoder;

    fn tagged(json: &str) -> String {
        let mut printed = None;
        let each = |reading: Reading<'_>| {
            if let Reading::Packet(packet) = reading {
                let mut to = Vec::new();
                write_tagged(&mut to, &packet);
                printed = String::from_utf8(to).ok();
            }
            Ok::<(), ()>(())
        };
        Decoder::new(Some(Harness::Codex)).decode(json.as_bytes(), each).unwrap();
        printed.unwrap()
    }

    #[test]
    fn the_tag_comes_last_and_everything_else_keeps_its_bytes() {
        assert_eq!(
            tagged(r#"{"b": 1.50,"a":"\u0041" , "n":1e2}"#),
            r#"{"b": 1.50,"a":"\u0041" , "n":1e2,"harness":"codex"}"#
        );
        assert_eq!(tagged("{}"), r#"{"harness":"codex"}"#);
        assert_eq!(tagged("{ }"), r#"{ "harness":"codex"}"#);
    }

    #[test]
    fn an_existing_tag_is_replaced_and_not_doubled() {
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
    fn a_nested_tag_is_none_of_our_business() {
        assert_eq!(
            tagged(r#"{"item":{"harness":"x"}}"#),
            r#"{"item":{"harness":"x"},"harness":"codex"}"#
        );
    }
}
