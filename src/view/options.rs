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
    /// Until when the file is read on as it grows, if it is.
    pub(crate) follow: Option<Follow>,
    /// The form of the output, if it is given.
    pub(crate) format: Option<ViewFormat>,
    pub(crate) heuristics: Heuristics,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ViewFormat {
    /// Lines with tags in brackets
    Log,
    /// The same with groups and errors of GitHub Actions, and its step summary
    Github,
    /// A picture of a terminal of 80 columns, or of --width
    Svg,
}

/// Until when a file is read on as it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Follow {
    /// Until the event that ends the run
    End,
    /// Until the program is interrupted
    Forever,
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
