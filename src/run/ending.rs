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
                Event::Finished(_) => {
                    *self = Self {
                        ended: true,
                        ..Self::default()
                    }
                }
                Event::TurnStarted => self.in_turn = true,
                Event::Retry(retry) => self.last_retry = retry.message.map(str::to_owned),
                _ => {}
            }
        }
    }

    /// Whether the last thing that began has ended.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.ended && !self.in_turn
    }

    /// The contract's warning about a stream without a result.
    #[must_use]
    pub fn warning(&self, harness: Harness) -> Option<&'static str> {
        (harness == Harness::Claude && !self.ended)
            .then_some("stream-json ended without a 'result' message; token usage unavailable")
    }

    /// What to say of a stream that just stops.
    #[must_use]
    pub fn complaint(&self, harness: Harness) -> String {
        let missing = if harness == Harness::Unknown {
            "the stream has no event of a known agent CLI"
        } else if harness == Harness::Claude {
            "the stream ends without a 'result' message"
        } else {
            "the stream ends in the middle of a turn"
        };
        match &self.last_retry {
            Some(retry) => format!("{missing}; the last request failed: {retry}"),
            None => missing.to_owned(),
        }
    }
}
