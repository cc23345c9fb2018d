//! `streamj report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::options::Files;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Write to this file; - is standard output
    ///
    /// The default is standard output, unless that is a terminal. The file is replaced
    /// when the report is complete.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// The kind of document
    #[arg(long, value_name = "KIND", default_value = "html")]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) input: Files,
}

/// The kind of document that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// One HTML file that needs nothing else
    Html,
    /// Markdown, shortened for issues and pull requests
    Markdown,
}
