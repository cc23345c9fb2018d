//! The neutral event model: plain data, the same for every agent CLI.
//!
//! A harness translates each JSON object of a stream into a list of events; the
//! run and the projections see nothing else. Events are flat (a message with
//! three blocks is a header and three events) and borrow from the line.
//! `docs/events.md` describes how `events --unified` prints them.

mod activity;
mod category;
mod filter;
mod finished;
mod message;
mod reason;
mod session;
mod tokens;
mod tool;

pub use activity::{Notice, RateLimit, Retry, Task, TaskState};
pub use category::Category;
pub use filter::EventFilter;
pub use finished::{Denial, Evidence, Finished, Scope};
pub use message::{Message, MessagePart};
pub use reason::FailureReason;
pub use session::SessionInfo;
pub use tokens::{ModelUsage, Tokens, UsageSnapshot};
pub use tool::{ToolCall, ToolInput, ToolResult, ToolStatus};

use crate::json::Text;

/// One thing that happened in a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A session (thread) starts or describes itself.
    Session(Box<SessionInfo<'a>>),
    /// A turn starts.
    TurnStarted {
        /// The turn's id.
        id: Option<&'a str>,
    },
    /// The model that answers from here on.
    Model {
        /// The model's name.
        model: &'a str,
    },
    /// The header of an assistant message; its blocks follow as events.
    Message(Message<'a>),
    /// A finished block of assistant text, or a part of one.
    Text {
        /// The message the block belongs to.
        message_id: Option<&'a str>,
        /// The text.
        text: Text<'a>,
        /// Whether it is a part of a block that the CLI never prints as a whole: the next
        /// part of the thread continues it, unless a tool call, a prompt or reasoning comes
        /// between.
        is_part: bool,
    },
    /// A finished block of reasoning.
    Reasoning {
        /// The text.
        text: Text<'a>,
    },
    /// A part of a block of reasoning that the CLI never prints as a whole: the next part
    /// of the thread continues it, unless something else comes between.
    ReasoningPart {
        /// The text.
        text: Text<'a>,
    },
    /// A part of a message that is still being written.
    Partial {
        /// The message the part belongs to, if the line names it.
        message_id: Option<&'a str>,
        /// The part.
        part: MessagePart<'a>,
    },
    /// A tool is called, or a running call changes.
    ToolCall(ToolCall<'a>),
    /// A tool call has ended.
    ToolResult(ToolResult<'a>),
    /// A tool call has ended; replaces [`ToolResult`](Self::ToolResult) under
    /// [`EventFilter::Text`].
    ToolEnded {
        /// The call.
        tool_id: Option<&'a str>,
    },
    /// How a tool call ended, by a line other than its result, which may come before or
    /// after it.
    ToolStatus {
        /// The call.
        tool_id: Option<&'a str>,
        /// How it ended.
        status: ToolStatus,
        /// Exit status of a command.
        exit_code: Option<i64>,
        /// Duration as the CLI reports it.
        duration_ms: Option<u64>,
    },
    /// A tool call was denied.
    Denied {
        /// The call.
        tool_id: Option<&'a str>,
        /// The tool.
        name: Option<&'a str>,
        /// The reason.
        message: Option<&'a str>,
    },
    /// A prompt for the agent.
    Prompt {
        /// The text.
        text: Text<'a>,
        /// Whether it echoes a prompt given on standard input.
        replay: bool,
        /// Whether the CLI wrote it itself.
        synthetic: bool,
    },
    /// The token counts of a thread.
    Usage {
        /// The total so far.
        total: Tokens,
        /// The last request.
        last: Option<Tokens>,
    },
    /// The CLI's own count of everything the session has used.
    Total(Box<UsageSnapshot<'a>>),
    /// The run, or a turn of it, has ended.
    Finished(Box<Finished<'a>>),
    /// An error that does not end the turn by itself.
    Error {
        /// What went wrong.
        message: Option<&'a str>,
        /// Details of the failure.
        error: Evidence<'a>,
    },
    /// A request is retried.
    Retry(Retry<'a>),
    /// The state of an account limit.
    RateLimit(RateLimit<'a>),
    /// A task that runs beside the conversation.
    Task(Task<'a>),
    /// The number of background tasks that are running.
    BackgroundTasks {
        /// The number.
        count: usize,
        /// The number of those that are subagents.
        agents: usize,
    },
    /// The conversation was compacted.
    Compacted {
        /// `manual` or `auto`.
        trigger: Option<&'a str>,
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
        /// The summary that replaces the conversation, if the CLI also writes it as a
        /// [`Text`](Self::Text) before this event. That text is no answer.
        summary: Option<Text<'a>>,
    },
    /// The CLI dropped events before they reached the stream.
    Dropped {
        /// The number of events.
        count: u64,
    },
    /// A message of the CLI to the user; never a failure.
    Notice(Notice<'a>),
    /// An object that has no neutral meaning.
    Other {
        /// The `type` of the line.
        kind: Option<&'a str>,
        /// The `subtype` of the line.
        subtype: Option<&'a str>,
    },
}
