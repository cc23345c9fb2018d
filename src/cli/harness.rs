//! `harness`: which CLIs there are, and descriptions of others.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct HarnessArgs {
    /// What to do
    #[arg(value_name = "ACTION")]
    pub(crate) action: HarnessAction,
    /// A recording for `infer` [default: standard input]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// The `name` that `infer` proposes [default: that of FILE]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Also `list` the CLI that this file describes
    #[arg(long, value_name = "TOML", value_hint = ValueHint::FilePath)]
    pub(crate) harness_file: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HarnessAction {
    /// Print the CLIs that are built in, and those that a file describes
    List,
    /// Propose a description of the CLI that wrote a recording
    Infer,
}
