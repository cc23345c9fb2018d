//! Which events a projection needs.

/// Which events are decoded. Everything else, which is most of a stream, is
/// skipped.
///
/// Only [`All`](Self::All) contains the tool calls and prompts that tell whether
/// a session on disk is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventFilter {
    /// Every event.
    #[default]
    All,
    /// The assistant's text and what ends it: calls, prompts and reasoning end a text in
    /// parts, the ends of calls that of subagents.
    Text,
    /// The session and what it used.
    Usage,
    /// Tool calls and their results.
    Tools,
    /// No events; records carry their harness only.
    None,
}

impl EventFilter {
    /// Returns whether text is decoded.
    #[must_use]
    pub fn includes_text(self) -> bool {
        matches!(self, Self::All | Self::Text)
    }

    /// Returns whether the inputs of tools are decoded.
    #[must_use]
    pub fn includes_tools(self) -> bool {
        matches!(self, Self::All | Self::Tools)
    }
}
