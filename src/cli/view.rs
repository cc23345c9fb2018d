//! The options of `view`.

use clap::Args;

use super::options::{Files, HeuristicArgs};
use super::read::FailedLines;
use crate::view::{Follow, Thinking, ViewFormat, ViewOptions};

#[derive(Clone, Debug, Args)]
pub(crate) struct ViewArgs {
    /// Show inputs, outputs and diffs
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    failed_lines: FailedLines,
    /// Show all reasoning
    #[arg(long, conflicts_with = "no_thinking")]
    thinking: bool,
    /// Show no reasoning
    #[arg(long)]
    no_thinking: bool,
    /// Print Markdown unchanged
    #[arg(long)]
    no_markdown: bool,
    /// Use ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// Wrap at this column [default: the width of the terminal]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    width: Option<u16>,
    /// Read on as the file grows; wait for it if it does not exist
    ///
    /// Ends after the event that ends the run, or with =forever when it is interrupted.
    /// Session files have no such event.
    #[arg(
        long,
        value_name = "UNTIL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "end"
    )]
    follow: Option<Follow>,
    /// Follow the newest session, and the next one when it starts
    #[arg(long, requires = "follow", conflicts_with = "files")]
    pub(crate) latest: bool,
    /// Output format [default: on a terminal none of these; github in GitHub Actions, else log]
    ///
    /// With github the output of each call is a group, each failure an error with its file
    /// and line if the output has them, and the result is added to the file
    /// `$GITHUB_STEP_SUMMARY`.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ViewFormat>,
    /// Never use $PAGER
    ///
    /// On a terminal, recordings longer than the screen are shown in $PAGER, or in `less`.
    #[arg(long)]
    pub(crate) no_pager: bool,
    #[command(flatten)]
    heuristics: HeuristicArgs,
    #[command(flatten)]
    pub(crate) input: Files,
}

impl ViewArgs {
    /// Returns until when a file is read on as it grows. There is always a newer session.
    pub fn follow(&self) -> Option<Follow> {
        if self.latest { Some(Follow::Forever) } else { self.follow }
    }

    /// Returns the options of the view.
    pub fn options(&self) -> ViewOptions {
        ViewOptions {
            is_full: self.full,
            failed_lines: self.failed_lines.lines,
            thinking: match (self.thinking, self.no_thinking) {
                (true, _) => Thinking::Shown,
                (_, true) => Thinking::Hidden,
                _ => Thinking::Folded,
            },
            renders_markdown: !self.no_markdown,
            ascii_only: self.ascii,
            width: self.width.map(usize::from),
            follow: self.follow(),
            format: self.format,
            heuristics: self.heuristics.mode(),
        }
    }
}
