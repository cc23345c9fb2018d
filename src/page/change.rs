//! What a run adds to its page.

use std::io;

use jiff::Timestamp;

use super::diff::DiffOp;
use crate::event::ToolStatus;
use crate::harness::TodoItem;
use crate::json::{Json, Text};

/// Creates an item of the page, or completes one.
#[derive(Debug)]
pub(crate) struct PageChange<'a> {
    /// The number of the item, in the order in which items start.
    pub(crate) item: u64,
    /// Set if the item is new.
    pub(crate) start: Option<ItemStart<'a>>,
    pub(crate) content: ItemContent<'a>,
}

/// Where an item comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemStart<'a> {
    /// The line of the stream.
    pub(crate) line: u64,
    /// When the line was written.
    pub(crate) at: Option<Timestamp>,
    /// The tool call that started the subagent it belongs to; `None` in the main thread.
    pub(crate) agent: Option<&'a str>,
}

/// The kind of an item and its content, as far as it is known.
#[derive(Debug)]
pub(crate) enum ItemContent<'a> {
    /// A prompt for the agent.
    Prompt {
        text: &'a Text<'a>,
        /// Whether the CLI wrote it itself.
        is_synthetic: bool,
    },
    /// Text of the agent.
    Text {
        /// Continues the text so far.
        added: &'a str,
        /// The whole text, once it is complete.
        whole: Option<&'a str>,
        /// Whether the agent abandoned the text.
        is_abandoned: bool,
    },
    /// A block of reasoning.
    Reasoning { text: &'a str },
    /// A tool call.
    Call(CallContent<'a>),
    /// How a tool call ended, as far as it is known.
    Result(ResultContent<'a>),
    /// Something beside the conversation.
    Note {
        level: NoteLevel,
        topic: NoteTopic,
        text: &'a str,
        /// How long the agent waits because of it.
        wait_ms: Option<u64>,
    },
}

/// A tool call.
#[derive(Debug)]
pub(crate) struct CallContent<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) name: &'a str,
    /// The MCP server.
    pub(crate) server: Option<&'a str>,
    /// The call in one line.
    pub(crate) summary: &'a str,
    pub(crate) input: Option<Json<'a>>,
    /// The change of a file.
    pub(crate) diff: Option<&'a [DiffOp<'a>]>,
    /// The members of the input that the difference shows.
    pub(crate) diff_members: &'a [&'a str],
    pub(crate) todo: Option<&'a [TodoItem]>,
    pub(crate) starts_agent: bool,
}

/// How a tool call ended.
#[derive(Debug)]
pub(crate) struct ResultContent<'a> {
    pub(crate) status: ToolStatus,
    pub(crate) output: Option<&'a Text<'a>>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) duration_ms: Option<u64>,
    /// When the result was written.
    pub(crate) ended: Option<Timestamp>,
    /// Whether the work continues in the background.
    pub(crate) is_detached: bool,
}

/// How important a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoteLevel {
    Info,
    Warning,
    Error,
}

impl NoteLevel {
    /// Returns the name used in the data.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoteTopic {
    Session,
    Turn,
    Retry,
    Limit,
    Task,
    Denied,
    Error,
    Compaction,
    Message,
}

impl NoteTopic {
    /// Returns the name used in the data.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Turn => "turn",
            Self::Retry => "retry",
            Self::Limit => "limit",
            Self::Task => "task",
            Self::Denied => "denied",
            Self::Error => "error",
            Self::Compaction => "compaction",
            Self::Message => "message",
        }
    }
}

/// Receives the changes of a page, in order.
pub(crate) trait ChangeSink {
    fn change(&mut self, change: &PageChange<'_>) -> io::Result<()>;
}
