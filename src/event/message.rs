//! Assistant messages.

use super::{Evidence, Tokens};

/// The header of an assistant message.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Message<'a> {
    /// The message's id; several lines can share it.
    pub id: Option<&'a str>,
    /// The request it answers.
    pub request_id: Option<&'a str>,
    /// The model that wrote it.
    pub model: Option<&'a str>,
    /// Whether the CLI wrote it in place of a model.
    pub synthetic: bool,
    /// Tokens so far: a snapshot that is repeated on every line of the message.
    pub usage: Option<Tokens>,
    /// Cost of the request in US dollars.
    pub cost_usd: Option<f64>,
    /// Why the message ended.
    pub stop_reason: Option<&'a str>,
    /// Set when the message reports a failed request.
    pub error: Evidence<'a>,
}

/// A part of a message that is still being written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum MessagePart<'a> {
    /// A message starts; the parts that follow in the thread belong to it.
    MessageStart(Message<'a>),
    /// A block starts.
    BlockStart {
        /// The position of the block in the message.
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
    /// More reasoning of a block.
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
    /// The message header changes: stop reason, usage.
    MessageDelta(Message<'a>),
    /// The message ends.
    MessageStop {
        /// Whether it ends without its open blocks having been completed.
        abandoned: bool,
    },
    /// Anything else.
    Other,
}
