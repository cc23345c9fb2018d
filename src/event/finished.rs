//! How a run, a turn or a request ends.

use std::borrow::Cow;

use super::{ModelUsage, Tokens};
use crate::json::Json;

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
