//! The options of `view`.

use crate::run::Heuristics;

/// What is shown, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewOptions {
    /// Whether inputs, outputs and diffs are shown.
    pub(crate) is_full: bool,
    /// Maximum number of lines of the output of a failed call.
    pub(crate) failed_lines: usize,
    pub(crate) thinking: Thinking,
    /// Whether Markdown is rendered.
    pub(crate) renders_markdown: bool,
    pub(crate) ascii_only: bool,
    /// The column to wrap at; that of the terminal by default.
    pub(crate) width: Option<usize>,
    /// Whether the file is read on as it grows.
    pub(crate) follows: bool,
    pub(crate) heuristics: Heuristics,
}

/// How much reasoning is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// Nothing.
    Hidden,
    /// The first line.
    Folded,
    /// Everything.
    Shown,
}
