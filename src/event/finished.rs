//! The end of a run, a turn or a request.

use super::{ModelUsage, Tokens};
use crate::json::{Json, Text};

/// The end of a run, or of a turn.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Finished<'a> {
    /// What has ended.
    pub scope: Scope,
    /// The id of this end.
    pub id: Option<&'a str>,
    /// Whether it failed.
    pub failed: bool,
    /// The CLI's word for how it ended.
    pub subtype: Option<&'a str>,
    /// The final answer, or what went wrong.
    pub text: Option<Text<'a>>,
    /// Whether `text` stands in place of an answer even if the run failed.
    pub has_answer: bool,
    /// Whether the line says that there is no answer, and not why.
    pub is_unanswered: bool,
    /// Whether `text` is everything that the agent wrote, and not its last message only.
    pub has_all_text: bool,
    /// Tokens as this line counts them; the last line of a run is valid.
    pub usage: Option<Tokens>,
    /// Usage per model since the session began.
    pub models_total: Option<Vec<ModelUsage<'a>>>,
    /// Usage per model since the previous end.
    pub models_since: Option<Vec<ModelUsage<'a>>>,
    /// Cost of the session in US dollars.
    pub cost_usd: Option<f64>,
    /// Requests to the model.
    pub num_turns: Option<i64>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// Why the last message ended.
    pub stop_reason: Option<&'a str>,
    /// Why the run ended.
    pub terminal_reason: Option<&'a str>,
    /// Details of the failure.
    pub error: Evidence<'a>,
    /// The requested structured output.
    pub structured_output: Option<Json<'a>>,
    /// The tool calls that were denied, if the line lists them.
    pub denials: Vec<Denial<'a>>,
}

/// A tool call that was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial<'a> {
    /// The tool.
    pub name: Option<&'a str>,
    /// The call.
    pub tool_id: Option<&'a str>,
}

/// What [`Finished`] ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// A run, with a result line.
    #[default]
    Result,
    /// A turn of a thread; its token counts cover the whole thread.
    Turn,
    /// A failed request, reported by a message in place of an answer.
    Request,
}

/// Structured details of a failed request.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Evidence<'a> {
    /// The CLI's own category.
    pub category: Option<&'a str>,
    /// The HTTP status.
    pub status: Option<i64>,
    /// The API's error type.
    pub api_type: Option<&'a str>,
    /// Time when the exceeded limit is reset, in seconds since 1970.
    pub resets_at: Option<i64>,
}
