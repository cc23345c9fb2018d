//! Has the stream come to its end, or does it just stop?
//!
//! What a CLI keeps on disk has no terminal event: it is over when the agent has
//! had the last word.

use crate::event::{Event, Packet};
use crate::harness::Harness;

/// Watches for the terminal event.
#[derive(Debug, Default)]
pub struct Ending {
    ended: bool,
    /// A turn has started since the last end.
    in_turn: bool,
    last_retry: Option<String>,
    on_disk: bool,
}

impl Ending {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        self.on_disk |= packet.on_disk;
        for event in packet.events {
            match event {
                Event::Finished(_) => {
                    *self = Self { ended: true, on_disk: self.on_disk, ..Self::default() };
                }
                Event::TurnStarted { .. } => self.in_turn = true,
                Event::Retry(retry) => self.last_retry = retry.message.map(str::to_owned),
                _ if packet.on_disk && packet.parent_id.is_none() => self.on_disk(event),
                _ => {}
            }
        }
    }

    fn on_disk(&mut self, event: &Event<'_>) {
        match event {
            Event::Text { .. } => self.in_turn = false,
            Event::ToolCall(_) | Event::ToolResult(_) | Event::Prompt { synthetic: false, .. } => {
                self.in_turn = true;
            }
            _ => {}
        }
    }

    /// Whether it is from what a CLI keeps on disk.
    #[must_use]
    pub fn is_on_disk(&self) -> bool {
        self.on_disk
    }

    /// Whether a terminal event has come, and nothing has begun since.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        (self.ended || self.on_disk) && !self.in_turn
    }

    /// The contract's warning about a stream without its end.
    #[must_use]
    pub fn warning(&self, harness: Harness) -> Option<&'static str> {
        harness.rules().missing_end.filter(|_| !self.ended && !self.on_disk)
    }

    /// What to say of a stream that just stops.
    #[must_use]
    pub fn complaint(&self, harness: Harness) -> String {
        let just_stops = if self.on_disk {
            "the transcript ends in the middle of a turn"
        } else {
            harness.rules().just_stops
        };
        match &self.last_retry {
            Some(retry) => format!("{just_stops}; the last request failed: {retry}"),
            None => just_stops.to_owned(),
        }
    }
}
