//! The harness-neutral event: the centre of the design.
//!
//! A harness translates each of its lines into a [`Packet`] of these; the run
//! and the projections know nothing else. Events are flat (a message with
//! three blocks is a header and three events) and borrow from the line.
//! `docs/events.md` describes how `events --unified` prints them.

use std::borrow::Cow;

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
    /// What it says, in order. Never empty.
    pub events: &'a [Event<'a>],
    /// The object, tokenised, where that was asked for.
    pub object: Option<Value<'a, 'a>>,
    /// Whether its line had to be mended to be tokenised.
    pub mended: bool,
    /// The object as it came.
    pub json: Json<'a>,
    /// Whether it has a `harness` member already.
    pub tagged: bool,
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

/// A call of a tool.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// What its result will name.
    pub id: Option<&'a str>,
    /// The tool.
    pub name: Option<&'a str>,
    /// The MCP server it belongs to.
    pub server: Option<&'a str>,
    /// What it is called with.
    pub input: ToolInput<'a>,
    /// Asked to run in the background.
    pub background: bool,
    /// Starts a subagent.
    pub starts_agent: bool,
    /// Asks the user a question.
    pub asks_user: bool,
    /// Hands over the document the run was asked for.
    pub gives_document: bool,
}

/// What a tool is called with.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum ToolInput<'a> {
    /// Not told.
    #[default]
    None,
    /// A JSON value, as spelled in the line.
    Json(Json<'a>),
    /// A string that holds a JSON value.
    Encoded(Json<'a>),
    /// Members of the line that together make up the input.
    Members([Option<(&'static str, Json<'a>)>; 4]),
}

/// The end of a tool call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// The call: its id, and whatever else this line repeats of it.
    pub call: ToolCall<'a>,
    /// How it ended.
    pub status: Status,
    /// What the agent was given.
    pub output: Option<Text<'a>>,
    /// Standard output of a command.
    pub stdout: Option<Text<'a>>,
    /// Standard error of a command.
    pub stderr: Option<Text<'a>>,
    /// Whether it was cut short.
    pub interrupted: Option<bool>,
    /// Exit status of a command.
    pub exit_code: Option<i64>,
    /// The harness' own word for failure.
    pub is_error: Option<bool>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The result only says that the work goes on in the background.
    pub detached: bool,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It did what it does.
    #[default]
    Completed,
    /// It failed.
    Failed,
    /// It was not permitted.
    Denied,
    /// It has not ended.
    Pending,
}

impl Status {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Pending => "pending",
        }
    }
}

/// The end of a run, or of a turn.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Finished<'a> {
    /// Which of the two.
    pub scope: Scope,
    /// Its own id: no other end has it.
    pub id: Option<&'a str>,
    /// Whether it failed.
    pub failed: bool,
    /// The harness' word for how it ended.
    pub subtype: Option<&'a str>,
    /// The final answer, or what went wrong.
    pub text: Option<Cow<'a, str>>,
    /// Tokens as this line counts them. Of several lines the last counts.
    pub usage: Option<Tokens>,
    /// Per model, everything since the session began.
    pub models_total: Option<Vec<ModelUsage<'a>>>,
    /// Per model, what came since the previous end.
    pub models_since: Option<Vec<ModelUsage<'a>>>,
    /// What the session cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Requests to the model.
    pub num_turns: Option<i64>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// Why the last message ended.
    pub stop_reason: Option<&'a str>,
    /// Why the run ended.
    pub terminal_reason: Option<&'a str>,
    /// Evidence about the failure.
    pub error: Evidence<'a>,
    /// The structured output asked for.
    pub structured_output: Option<Json<'a>>,
}

/// What [`Finished`] ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// A run, told by a result line.
    #[default]
    Result,
    /// A turn of a thread; its token counts are the thread's.
    Turn,
    /// A request that failed, told by a message in the answer's place.
    Request,
}

/// Structured evidence about a failed request.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Evidence<'a> {
    /// The harness' own category.
    pub category: Option<&'a str>,
    /// The HTTP status.
    pub status: Option<i64>,
    /// The API's error type.
    pub api_type: Option<&'a str>,
    /// When the limit that was hit is reset, in seconds since 1970.
    pub resets_at: Option<i64>,
}

/// Token counts as the harness reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: Option<u64>,
    /// Input written to the cache.
    pub cache_write: Option<u64>,
    /// How much of that was written for an hour instead of five minutes.
    pub cache_write_1h: Option<u64>,
    /// Output spent on reasoning.
    pub reasoning: Option<u64>,
    /// Whether `input` already contains what touched the cache.
    pub input_has_cache: bool,
}

/// Tokens and cost of one model.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ModelUsage<'a> {
    /// The model.
    pub model: &'a str,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its cost in US dollars.
    pub cost_usd: Option<f64>,
}

/// What a session has used so far.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Total<'a> {
    /// The share of each model.
    pub models: Vec<ModelUsage<'a>>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Wall time.
    pub duration_ms: Option<u64>,
}

/// A request that is tried again.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Retry<'a> {
    /// Which attempt failed.
    pub attempt: Option<u64>,
    /// How many there will be.
    pub max: Option<u64>,
    /// How long until the next one.
    pub delay_ms: Option<u64>,
    /// The HTTP status.
    pub status: Option<i64>,
    /// What went wrong.
    pub message: Option<&'a str>,
}

/// How the account stands against its limits.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct RateLimit<'a> {
    /// `allowed`, `allowed_warning`, `rejected`.
    pub status: Option<&'a str>,
    /// Which limit.
    pub kind: Option<&'a str>,
    /// When it is reset, in seconds since 1970.
    pub resets_at: Option<i64>,
    /// How much of it is used, from 0 to 1.
    pub utilization: Option<f64>,
}

/// Something the harness wants to be known.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Notice<'a> {
    /// The text.
    pub text: &'a str,
    /// Whether it is a warning.
    pub warning: bool,
}

/// A task that runs beside the conversation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Task<'a> {
    /// Its id.
    pub id: Option<&'a str>,
    /// The tool call that started it.
    pub tool_id: Option<&'a str>,
    /// What it does.
    pub description: Option<&'a str>,
    /// Where it stands.
    pub state: TaskState<'a>,
}

/// Where a task stands.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TaskState<'a> {
    /// It has begun.
    Started,
    /// It goes on.
    Progress,
    /// It is over: `completed`, `failed`, `stopped`, `killed`.
    Ended(&'a str),
}

impl Packet<'_> {
    /// Whether the packet is an assistant message with a header of its own.
    #[must_use]
    pub fn has_header(&self) -> bool {
        matches!(self.events.first(), Some(Event::Message(_)))
    }
}
