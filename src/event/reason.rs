//! Reasons for failures.

/// Why a request or a run failed, in more detail than its
/// [category](super::Category).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureReason {
    /// Too many requests or tokens in a short time.
    RateLimit,
    /// A quota is used up.
    Quota,
    /// The service is overloaded.
    Overloaded,
    /// The service failed.
    ServerError,
    /// The service could not be reached, or the connection broke.
    Network,
    /// The service did not answer in time.
    RequestTimeout,
    /// The user or a signal ended the run.
    Interrupted,
    /// The key or the login is missing or invalid.
    Authentication,
    /// The account may not do this.
    Permission,
    /// The account has no credit.
    Billing,
    /// The run reached its limit of turns.
    MaxTurns,
    /// The run reached its limit of cost.
    Budget,
    /// The answer never matched the requested schema.
    StructuredOutput,
    /// The model or the service refused to answer.
    Refusal,
    /// The conversation is longer than the model's context.
    ContextLength,
    /// The answer is longer than allowed.
    MaxOutputTokens,
    /// The request has too many bytes.
    RequestTooLarge,
    /// The service rejected the request.
    InvalidRequest,
    /// The model does not exist, or the account may not use it.
    ModelNotFound,
    /// The session to resume does not exist.
    SessionNotFound,
}

impl FailureReason {
    /// Returns the name used in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Quota => "quota",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Network => "network",
            Self::RequestTimeout => "request_timeout",
            Self::Interrupted => "interrupted",
            Self::Authentication => "authentication",
            Self::Permission => "permission",
            Self::Billing => "billing",
            Self::MaxTurns => "max_turns",
            Self::Budget => "budget",
            Self::StructuredOutput => "structured_output",
            Self::Refusal => "refusal",
            Self::ContextLength => "context_length",
            Self::MaxOutputTokens => "max_output_tokens",
            Self::RequestTooLarge => "request_too_large",
            Self::InvalidRequest => "invalid_request",
            Self::ModelNotFound => "model_not_found",
            Self::SessionNotFound => "session_not_found",
        }
    }
}
