//! `streamj grep`.

use clap::Args;

use super::moment::{Moment, moment};
use super::options::{Files, RowOptions};
use crate::search::{PatternOptions, SearchedPlace};

#[derive(Debug, Args)]
pub(crate) struct GrepArgs {
    /// A regular expression
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: String,
    /// Search these places only, separated by commas
    #[arg(long = "in", value_name = "PLACE", value_delimiter = ',')]
    pub(crate) places: Vec<SearchedPlace>,
    /// Ignore the case of letters
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// Search for PATTERN as it is, not as a regular expression
    #[arg(short = 'F', long)]
    pub(crate) fixed_strings: bool,
    /// Print the sessions that match, not the matches
    #[arg(short = 'l', long, conflicts_with = "count")]
    pub(crate) files_with_matches: bool,
    /// Print the number of matching lines of each session
    #[arg(short, long)]
    pub(crate) count: bool,
    /// Print this many lines of the text before and after a match
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    pub(crate) context: usize,
    /// Search what was said on this day or later: 2026-11-01, yesterday, 7d
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) since: Option<Moment>,
    /// Also search the sessions of the CLIs on this machine
    ///
    /// This is the default if no FILE or folder is given.
    #[arg(long)]
    pub(crate) home: bool,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) input: Files,
}

impl GrepArgs {
    /// Returns how the pattern is read.
    pub fn pattern_options(&self) -> PatternOptions {
        PatternOptions { is_literal: self.fixed_strings, ignores_case: self.ignore_case }
    }
}
