//! Tools: a call and its end.

use crate::json::{Json, Text};

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
    Members {
        /// Their names.
        names: &'static [&'static str],
        /// Their values, where they are there.
        values: [Option<Json<'a>>; 4],
    },
}

impl<'a> ToolInput<'a> {
    /// The members that are there, with their names.
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
