//! Has the stream come to its end, or does it just stop?

use crate::event::{Event, Packet};
use crate::harness::Harness;

/// Watches for the terminal event.
#[derive(Debug, Default)]
pub struct Ending {
    ended: bool,
    /// A turn has started since the last end.
    in_turn: bool,
    last_retry: Option<String>,
}

impl Ending {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                Event::Finished(_) => *self = Self { ended: true, ..Self::default() },
                Event::TurnStarted => self.in_turn = true,
                Event::Retry(retry) => self.last_retry = retry.message.map(str::to_owned),
                _ => {}
            }
        }
    }

    /// Whether a terminal event has come, and nothing has begun since.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.ended && !self.in_turn
    }

    /// The contract's warning about a stream without its end.
    #[must_use]
    pub fn warning(&self, harness: Harness) -> Option<&'static str> {
        harness.rules().missing_end.filter(|_| !self.ended)
    }

    /// What to say of a stream that just stops.
    #[must_use]
    pub fn complaint(&self, harness: Harness) -> String {
        let just_stops = harness.rules().just_stops;
        match &self.last_retry {
            Some(retry) => format!("{just_stops}; the last request failed: {retry}"),
            None => just_stops.to_owned(),
        }
    }
}
