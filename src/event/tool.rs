//! Tool calls and their results.

use crate::json::{Json, Text};

/// A call of a tool.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The id that the result refers to.
    pub id: Option<&'a str>,
    /// The tool's name.
    pub name: Option<&'a str>,
    /// The MCP server it belongs to.
    pub server: Option<&'a str>,
    /// The input.
    pub input: ToolInput<'a>,
    /// Whether it was asked to run in the background.
    pub background: bool,
    /// Whether it starts a subagent.
    pub starts_agent: bool,
    /// Whether it asks the user a question.
    pub asks_user: bool,
    /// Whether it delivers the requested document.
    pub gives_document: bool,
}

/// The input of a tool call.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum ToolInput<'a> {
    /// Unknown.
    #[default]
    None,
    /// A JSON value of the line.
    Json(Json<'a>),
    /// A string that contains a JSON value.
    Encoded(Json<'a>),
    /// Members of the line that together are the input.
    Members {
        /// The names.
        names: &'static [&'static str],
        /// The values of those that are present.
        values: [Option<Json<'a>>; 4],
    },
}

impl<'a> ToolInput<'a> {
    /// Collects the members that are present.
    pub(crate) fn members(
        names: &'static [&'static str],
        value: impl Fn(&str) -> Option<Json<'a>>,
    ) -> Self {
        let mut values = [None; 4];
        debug_assert!(names.len() <= values.len(), "{names:?}");
        for (slot, name) in values.iter_mut().zip(names) {
            *slot = value(name);
        }
        Self::Members { names, values }
    }
}

/// The result of a tool call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// The call: its id, and what else the line repeats of it.
    pub call: ToolCall<'a>,
    /// How it ended.
    pub status: ToolStatus,
    /// What the agent received.
    pub output: Option<Text<'a>>,
    /// Standard output of a command.
    pub stdout: Option<Text<'a>>,
    /// Standard error of a command.
    pub stderr: Option<Text<'a>>,
    /// Whether it was interrupted.
    pub interrupted: Option<bool>,
    /// Exit status of a command.
    pub exit_code: Option<i64>,
    /// The CLI's own failure flag.
    pub is_error: Option<bool>,
    /// Duration as the CLI reports it.
    pub duration_ms: Option<u64>,
    /// Whether the work continues in the background.
    pub detached: bool,
    /// The task that the call started, if the work continues in the background.
    pub task_id: Option<&'a str>,
    /// Whether it is the answer of a subagent that has finished.
    pub is_agents_answer: bool,
    /// Whether a later line may report that the call ended in another way.
    pub is_provisional: bool,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolStatus {
    /// It succeeded.
    #[default]
    Completed,
    /// It failed.
    Failed,
    /// It was denied.
    Denied,
    /// It has not ended.
    Pending,
}

impl ToolStatus {
    /// Returns the name used in records.
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
