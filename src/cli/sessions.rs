//! `streamj sessions`.

use clap::Args;

use super::moment::{Moment, moment};
use super::options::{Files, RowOptions};
use super::values::{HarnessParser, glob};
use crate::glob::Glob;

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// List sessions of this CLI (repeatable)
    #[arg(long, value_name = "NAME", value_parser = HarnessParser)]
    pub(crate) cli: Vec<String>,
    /// List sessions that were used on this day or later: 2026-11-01, yesterday, 7d
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) since: Option<Moment>,
    /// List sessions that were started by the end of this day, or before a time
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) until: Option<Moment>,
    /// List sessions with a model of this name; * and ? are wildcards
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) model: Option<Glob>,
    /// List sessions that failed or stopped early
    #[arg(long)]
    pub(crate) failed: bool,
    /// List this many sessions at most
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Do not shorten ids, paths and prompts to the width of the terminal
    #[arg(long)]
    pub(crate) wide: bool,
    /// Also read the sessions of the CLIs on this machine
    ///
    /// This is the default if no FILE or folder is given.
    #[arg(long)]
    pub(crate) home: bool,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) input: Files,
}
