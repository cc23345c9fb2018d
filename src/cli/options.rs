//! Options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::{pointer, row_formats};
use crate::catalog::ProjectFilter;
use crate::output::{Format, RowLayout, RowWriter};
use crate::run::Heuristics;

/// The files of a reading command.
#[derive(Clone, Debug, Args)]
#[allow(clippy::struct_field_names)] // `files` is the name of the argument
pub(crate) struct Files {
    /// Files to read, each a run of its own; standard input if there is none, or -
    ///
    /// Files may be compressed with gzip or Zstandard. A session on this machine can be
    /// named by its id, the start of it, or as @last, @last-1, … (see `sessions`).
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Consider sessions of this project only; * and ? are wildcards, . is this folder
    ///
    /// Matches the path of the folder that the agent worked in, or its last part. A folder
    /// (., ./DIR, ../DIR) includes those below it.
    #[arg(long, value_name = "GLOB", value_parser = ProjectFilter::parse)]
    pub(crate) project: Option<ProjectFilter>,
    /// Read all sessions, and remember nothing of them
    ///
    /// Otherwise what was counted in the sessions of folders is remembered in
    /// `$XDG_CACHE_HOME/streamj` (`~/.cache` by default), and only what is new is read. That
    /// contains no text of messages.
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// Options for printing rows.
#[derive(Debug, Args)]
pub(crate) struct RowOptions {
    /// Output format [default: human on a terminal, else jsonl]
    ///
    /// The tables (tsv, csv) have the members that fit in a cell: no lists of models, no
    /// standard output beside the output.
    #[arg(long, value_name = "FORMAT", value_parser = row_formats())]
    format: Option<Format>,
    #[command(flatten)]
    json: JsonFlag,
    /// Print one member only, strings without quotes: `/session_id`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) get: Option<String>,
}

impl RowOptions {
    /// Returns the requested format.
    pub fn format(&self) -> Option<Format> {
        self.json.format().or(self.format)
    }

    /// Returns the writer of the rows.
    pub fn writer(&self, layout: RowLayout, is_terminal: bool) -> RowWriter {
        let default = if is_terminal { Format::Human } else { Format::Jsonl };
        RowWriter::new(self.format().unwrap_or(default), self.get.clone(), layout)
    }
}

/// The short form of `--format json`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct JsonFlag {
    /// Print JSON: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl JsonFlag {
    /// Returns the format, if the flag is given.
    pub fn format(self) -> Option<Format> {
        self.json.then_some(Format::Json)
    }
}

/// Options for heuristics.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct HeuristicArgs {
    /// Do not report runs that end with a question or leave subagents running
    #[arg(long)]
    pub(crate) no_heuristics: bool,
}

impl HeuristicArgs {
    /// Returns whether heuristics are applied.
    pub fn mode(self) -> Heuristics {
        if self.no_heuristics { Heuristics::Ignore } else { Heuristics::Apply }
    }
}
