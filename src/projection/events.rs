//! `events`: every event, tagged with its harness.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io;

use super::{Projection, unified};
use crate::event::Event;
use crate::exit::Exit;
use crate::harness::{Harness, Record, write_tagged};
use crate::json::Json;
use crate::output::{Output, Row, Sink};
use crate::reader::DecodedLine;
use crate::run::ReasoningBlocks;

/// Which events get a `harness` member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Tag {
    /// Every event
    All,
    /// Events of Codex, as its contract asks for
    Codex,
    /// No event
    None,
}

impl Tag {
    fn includes(self, harness: Harness) -> bool {
        match self {
            Self::All => true,
            Self::Codex => harness == Harness::Codex,
            Self::None => false,
        }
    }
}

/// Prints the events of the CLI, or the neutral ones.
pub(crate) struct EventsProjection {
    tag: Tag,
    is_unified: bool,
    reasoning: ReasoningBlocks,
}

impl EventsProjection {
    pub fn new(tag: Tag, is_unified: bool) -> Self {
        Self { tag, is_unified, reasoning: ReasoningBlocks::default() }
    }
}

impl Projection for EventsProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        let DecodedLine::Record(record) = line else { return Ok(()) };
        if self.is_unified {
            return self.unified(record, number, out);
        }
        out.row(&NativeRow { record, is_tagged: self.tag.includes(record.harness) })
    }

    fn end(self: Box<Self>, _: &mut Output) -> io::Result<Exit> {
        Ok(Exit::Success)
    }
}

impl EventsProjection {
    /// Prints the neutral events of a record. Reasoning that repeats the block before it has
    /// no meaning of its own.
    fn unified(&mut self, record: &Record<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        if self.reasoning.repeats(record) {
            let kind = record.json.get("type").and_then(Json::as_str);
            let event = &Event::Other { kind: kind.as_deref(), subtype: None };
            return out.row(&UnifiedRow { record, event, line });
        }
        for event in record.events {
            let Ok(()) = self.reasoning.apply(record, event, &mut |_, _| Ok::<_, Infallible>(()));
            out.row(&UnifiedRow { record, event, line })?;
        }
        Ok(())
    }
}

/// An event with the bytes of the CLI.
struct NativeRow<'a> {
    record: &'a Record<'a>,
    is_tagged: bool,
}

impl Row for NativeRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        let kind = self.record.json.get("type").and_then(Json::as_str);
        kind.unwrap_or(Cow::Borrowed("event"))
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        if self.is_tagged {
            write_tagged(to, self.record);
        } else {
            to.extend_from_slice(self.record.json.bytes());
        }
    }

    fn write_human(&self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }
}

/// A neutral event.
struct UnifiedRow<'a> {
    record: &'a Record<'a>,
    event: &'a Event<'a>,
    line: u64,
}

impl Row for UnifiedRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(unified::kind(self.event))
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        unified::write(to, self.record, self.event, self.line);
    }

    fn write_human(&self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }
}
