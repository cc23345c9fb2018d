//! The harness-neutral event: the centre of the design.
//!
//! A harness translates each of its lines into a [`Packet`] of these; the run
//! and the projections know nothing else. Events are flat (a message with
//! three blocks is a header and three events) and borrow from the line.
//! `docs/events.md` describes how `events --unified` prints them.

mod around;
mod finished;
mod interest;
mod message;
mod tokens;
mod tool;

pub use around::{Notice, RateLimit, Retry, Task, TaskState};
pub use finished::{Evidence, Finished, Scope};
pub use interest::Interest;
pub use message::{Message, Part};
pub(crate) use tokens::sum;
pub use tokens::{ModelUsage, Tokens, Total};
pub use tool::{Status, ToolCall, ToolInput, ToolResult};

use crate::harness::Harness;
use crate::json::{Json, Text, Value};

/// What one JSON object of the stream says.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Packet<'a> {
    /// Whose object it is.
    pub harness: Harness,
    /// Whether that is sure, or only the best guess so far.
    pub certain: bool,
    /// The session it names.
    pub session_id: Option<&'a str>,
    /// The tool call of the subagent it belongs to, or on disk the subagent
    /// itself; none in the main thread.
    pub parent_id: Option<&'a str>,
    /// When it was written, as it is spelled.
    pub timestamp: Option<&'a str>,
    /// Whether it is from what the CLI keeps on disk. That has no terminal event,
    /// and is about a session, not about a run.
    pub on_disk: bool,
    /// What it says, in order. Never empty for whoever is told
    /// [everything](Interest::All).
    pub events: &'a [Event<'a>],
    /// The object, tokenised, as far as
    /// [that was asked for](crate::harness::Habits::objects).
    pub object: Option<Value<'a, 'a>>,
    /// Whether its line had to be mended to be tokenised.
    pub mended: bool,
    /// The object as it came.
    pub json: Json<'a>,
    /// Whether it has a `harness` member already.
    pub tagged: bool,
}

impl Packet<'_> {
    /// Whether the packet is an assistant message with a header of its own.
    #[must_use]
    pub fn has_header(&self) -> bool {
        matches!(self.events.first(), Some(Event::Message(_)))
    }
}

/// One thing that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A session (thread) starts or describes itself.
    Session(Box<Session<'a>>),
    /// A turn starts.
    TurnStarted {
        /// Its id, where it has one.
        id: Option<&'a str>,
    },
    /// Who answers from here on.
    Model {
        /// The model.
        model: &'a str,
    },
    /// The header of an assistant message; its blocks follow as events.
    Message(Message<'a>),
    /// A finished block of assistant text.
    Text {
        /// The message it is part of.
        message_id: Option<&'a str>,
        /// The text.
        text: Text<'a>,
    },
    /// A finished block of thinking.
    Reasoning {
        /// The text.
        text: Text<'a>,
    },
    /// A piece of a message that is still being written.
    Partial {
        /// The message it is part of, where the line says so.
        message_id: Option<&'a str>,
        /// The piece.
        part: Part<'a>,
    },
    /// A tool is called, or a call changes before it has ended.
    ToolCall(ToolCall<'a>),
    /// A tool call has ended.
    ToolResult(ToolResult<'a>),
    /// The same, for somebody who is not [interested](Interest) in more;
    /// `events --unified` is.
    ToolEnded {
        /// The call.
        tool_id: Option<&'a str>,
    },
    /// A tool call was not permitted.
    Denied {
        /// The call.
        tool_id: Option<&'a str>,
        /// The tool.
        name: Option<&'a str>,
        /// Why.
        message: Option<&'a str>,
    },
    /// Somebody speaks to the agent.
    Prompt {
        /// What was said.
        text: Text<'a>,
        /// An echo of a prompt given on standard input.
        replay: bool,
        /// Written by the harness itself.
        synthetic: bool,
    },
    /// The tokens of the thread so far.
    Usage {
        /// All of them.
        total: Tokens,
        /// Those of the last request.
        last: Option<Tokens>,
    },
    /// What the session has used so far, by the CLI's own count.
    Total(Box<Total<'a>>),
    /// The run, or a turn of it, is over.
    Finished(Box<Finished<'a>>),
    /// The stream reports an error that does not end the turn by itself.
    Error {
        /// What went wrong, where it says so.
        message: Option<&'a str>,
    },
    /// A request is being tried again.
    Retry(Retry<'a>),
    /// How the account stands against its limits.
    RateLimit(RateLimit<'a>),
    /// A task that runs beside the conversation.
    Task(Task<'a>),
    /// How many background tasks are alive now.
    BackgroundTasks {
        /// Their number.
        count: usize,
    },
    /// The conversation was compacted.
    Compacted {
        /// `manual` or `auto`.
        trigger: Option<&'a str>,
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
    /// Events were lost on the way to the stream.
    Dropped {
        /// How many.
        count: u64,
    },
    /// Something the harness wants to be known; never a failure.
    Notice(Notice<'a>),
    /// Anything else, known by its type only.
    Other {
        /// The `type` of the line.
        kind: Option<&'a str>,
        /// The `subtype` of the line.
        subtype: Option<&'a str>,
    },
}

/// How a session describes itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Session<'a> {
    /// The model asked for.
    pub model: Option<&'a str>,
    /// The working directory.
    pub cwd: Option<&'a str>,
    /// The release of the CLI.
    pub version: Option<&'a str>,
    /// How permissions are handled.
    pub permission_mode: Option<&'a str>,
    /// Where the credentials come from; a label, no secret.
    pub api_key_source: Option<&'a str>,
    /// Lists the CLI gives, untouched.
    pub tools: Option<Json<'a>>,
    /// Configured MCP servers.
    pub mcp_servers: Option<Json<'a>>,
    /// Kinds of subagents.
    pub agents: Option<Json<'a>>,
    /// Slash commands.
    pub slash_commands: Option<Json<'a>>,
    /// The session that it continues as a fork.
    pub forked_from: Option<&'a str>,
    /// The session that has started it, as a subagent.
    pub started_by: Option<&'a str>,
}
