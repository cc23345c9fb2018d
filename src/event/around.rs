//! What happens beside the conversation.

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
