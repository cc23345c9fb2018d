//! What the assistant writes.

use super::{Evidence, Tokens};

/// The header of an assistant message.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Message<'a> {
    /// Its id; several lines can share it.
    pub id: Option<&'a str>,
    /// The request it answers, where that is told.
    pub request_id: Option<&'a str>,
    /// The model that wrote it.
    pub model: Option<&'a str>,
    /// Written by the CLI itself, in a model's place.
    pub synthetic: bool,
    /// What it cost so far: a snapshot, repeated on every line of it.
    pub usage: Option<Tokens>,
    /// Why it ended.
    pub stop_reason: Option<&'a str>,
    /// Set when the message stands for a failed request.
    pub error: Evidence<'a>,
}

/// A piece of a message that is still being written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Part<'a> {
    /// A message begins. Its id is the id of what follows in this thread.
    MessageStart(Message<'a>),
    /// A block of the given type begins.
    BlockStart {
        /// Its place in the message.
        index: u64,
        /// `text`, `thinking`, `tool_use`, …
        kind: Option<&'a str>,
    },
    /// More text of a block.
    Text {
        /// The block.
        index: u64,
        /// The text.
        text: &'a str,
    },
    /// More thinking of a block.
    Reasoning {
        /// The block.
        index: u64,
        /// The text.
        text: &'a str,
    },
    /// A block is complete.
    BlockStop {
        /// The block.
        index: u64,
    },
    /// The message's header changes: stop reason, usage.
    MessageDelta(Message<'a>),
    /// The message is complete, or given up with what is open of it.
    MessageStop {
        /// Whether it is given up.
        abandoned: bool,
    },
    /// Anything else.
    Other,
}
