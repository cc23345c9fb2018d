//! Events beside the conversation.

/// A request that is retried.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Retry<'a> {
    /// The attempt that failed.
    pub attempt: Option<u64>,
    /// The maximum number of attempts.
    pub max: Option<u64>,
    /// Delay before the next attempt.
    pub delay_ms: Option<u64>,
    /// The HTTP status.
    pub status: Option<i64>,
    /// What went wrong.
    pub message: Option<&'a str>,
    /// Whether `message` also contains everything else.
    pub is_self_contained: bool,
}

/// The state of an account limit.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct RateLimit<'a> {
    /// `allowed`, `allowed_warning`, `rejected`.
    pub status: Option<&'a str>,
    /// The limit's name.
    pub kind: Option<&'a str>,
    /// Time of the reset, in seconds since 1970.
    pub resets_at: Option<i64>,
    /// The used share, from 0 to 1.
    pub utilization: Option<f64>,
}

/// A message of the CLI to the user.
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
    /// The task's id.
    pub id: Option<&'a str>,
    /// The tool call that started it.
    pub tool_id: Option<&'a str>,
    /// What it does.
    pub description: Option<&'a str>,
    /// Its state.
    pub state: TaskState<'a>,
}

/// The state of a task.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TaskState<'a> {
    /// It has started.
    Started,
    /// It reports progress.
    Progress,
    /// It has ended: `completed`, `failed`, `stopped`, `killed`.
    Ended(&'a str),
}
