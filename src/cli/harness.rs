//! `harness`: which CLIs there are, and descriptions of others.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Subcommand)]
pub(crate) enum HarnessCommand {
    /// List the CLIs that are built in, and those that a file describes
    ///
    /// Prints one line per CLI: its name for --harness, and the product or the file that
    /// describes it.
    List(ListArgs),
    /// Propose a description of the CLI that wrote a recording
    ///
    /// Prints TOML with comments, to be edited: `streamj harness infer run.jsonl >
    /// my-agent.toml`, then `streamj --harness-file my-agent.toml text run.jsonl`. Recognises
    /// members by their names and by how their values repeat; knows no CLI.
    Infer(InferArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Also list the CLI that this file describes
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) harness_file: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InferArgs {
    /// A recording of the CLI's output [default: standard input]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// The name for --harness and for records [default: that of FILE]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}
