//! Kinds of failure.

use crate::codec::{Bytes, Codec};

/// The kinds of failure a script can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Category {
    /// Too many requests, or a quota is used up; retry later.
    RateLimit,
    /// Not logged in, a wrong key, or no permission.
    Auth,
    /// Any other failure of a request or of the run.
    Api,
    /// The process failed and the stream does not say why.
    Subprocess,
    /// The run took too long.
    Timeout,
    /// A signal to `streamj wrap` ended the run before its result.
    Interrupted,
    /// The agent asked a question that was never answered (heuristic).
    Interactive,
    /// The agent left work running in the background (heuristic).
    BackgroundTask,
    /// The stream ends without a terminal event.
    Incomplete,
}

impl Codec for Category {
    fn encode(&self, to: &mut Vec<u8>) {
        self.name().encode(to);
    }

    fn decode(from: &mut Bytes<'_>) -> Option<Self> {
        let name = <&str>::decode(from)?;
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

impl Category {
    const ALL: [Self; 9] = [
        Self::RateLimit,
        Self::Auth,
        Self::Api,
        Self::Subprocess,
        Self::Timeout,
        Self::Interrupted,
        Self::Interactive,
        Self::BackgroundTask,
        Self::Incomplete,
    ];

    /// Returns the name used in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Auth => "auth",
            Self::Api => "api",
            Self::Subprocess => "subprocess",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Interactive => "interactive",
            Self::BackgroundTask => "background-task",
            Self::Incomplete => "incomplete",
        }
    }
}
