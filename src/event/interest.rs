//! What somebody looks at. The rest need not be decoded, let alone kept: it is
//! most of a stream.

use super::{Event, Part};

/// What somebody looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interest {
    /// Everything.
    #[default]
    All,
    /// What is said, and which calls that somebody speaks in have ended
    /// ([`Event::ToolEnded`]).
    Words,
    /// Who the session is, and what it used.
    Figures,
    /// Which tools are called, and what becomes of it.
    Calls,
    /// Nothing but whose a line is.
    Nothing,
}

// Whoever is told less than all cannot tell whether a transcript is complete
// (`run::Ending::is_complete`): that depends on calls and prompts.

impl Interest {
    /// Whether somebody looks at what is said.
    #[must_use]
    pub fn in_words(self) -> bool {
        matches!(self, Self::All | Self::Words)
    }

    /// Whether somebody looks at what tools are called with.
    #[must_use]
    pub fn in_calls(self) -> bool {
        matches!(self, Self::All | Self::Calls)
    }

    /// Makes an event what somebody looks at; false: nobody does.
    pub fn simplify(self, event: &mut Event<'_>) -> bool {
        if let (Self::Words, Event::ToolResult(result)) = (self, &*event)
            && !result.detached
        {
            *event = Event::ToolEnded { tool_id: result.call.id };
        }
        self.wants(event)
    }

    fn wants(self, event: &Event<'_>) -> bool {
        match event {
            _ if self == Self::All => true,
            Event::ToolCall(_) | Event::ToolResult(_) | Event::Denied { .. } => self == Self::Calls,
            _ if self == Self::Calls => false,
            Event::Session(_)
            | Event::Model { .. }
            | Event::Message(_)
            | Event::Partial { part: Part::MessageStart(_) | Part::MessageDelta(_), .. }
            | Event::TurnStarted { .. }
            | Event::Retry(_)
            | Event::Finished(_) => true,
            Event::Text { .. } | Event::Partial { .. } | Event::ToolEnded { .. } => {
                self == Self::Words
            }
            Event::Usage { .. } | Event::Total(_) | Event::RateLimit(_) => self == Self::Figures,
            _ => false,
        }
    }
}
