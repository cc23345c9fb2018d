//! Options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::{pointer, row_formats};
use crate::catalog::ProjectFilter;
use crate::output::{Format, RowLayout, RowWriter};
use crate::run::Heuristics;

/// The files of a reading command.
#[allow(clippy::struct_field_names)] // the name of the argument
#[derive(Clone, Debug, Args)]
pub(crate) struct Files {
    /// Files and folders to read, each file a run; standard input if there is none, or -
    ///
    /// In a folder the files of sessions are read, and those that end with .jsonl or .ndjson.
    /// In a name, * and ? are wildcards, and ** stands for any folders, if the shell leaves
    /// them. Files may be compressed with gzip or Zstandard. A session on this machine can be
    /// named by its id, the start of it, or as @last, @last-1, … (see `sessions`).
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Also read the files named in this file, one per line; - is standard input
    ///
    /// In the list the names have no wildcards. Nothing is read if it is empty.
    #[arg(long = "files-from", id = "files_from")]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) list: Option<PathBuf>,
    /// The names of --files-from end with a zero byte, as `find -print0` prints them
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,
    /// Consider sessions of this project only; * and ? are wildcards, . is this folder
    ///
    /// Matches the path of the folder that the agent worked in, or its last part. A folder
    /// (., ./DIR, ../DIR) includes those below it.
    #[arg(long, value_name = "GLOB", value_parser = ProjectFilter::parse)]
    pub(crate) project: Option<ProjectFilter>,
}

impl Files {
    /// Returns the files of a command that reads none.
    pub const fn none() -> Self {
        Self { files: Vec::new(), list: None, null: false, project: None }
    }

    /// Returns whether any file is given.
    pub fn is_given(&self) -> bool {
        !self.files.is_empty() || self.list.is_some()
    }

    /// Returns whether the arguments can stand for more files than they are.
    pub fn is_many(&self) -> bool {
        self.files.len() > 1 || self.list.is_some() || self.files.iter().any(|path| path.is_dir())
    }
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

/// Whether rows say where they come from.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OriginFlag {
    /// Add to every row where it comes from, as is done for several files
    ///
    /// Adds the members that a row does not have: file, line (of the line that completed the
    /// row; none if it is about the whole file), `session_id`, timestamp (of the line, or of
    /// the last one before it that has one), project (the folder the agent worked in) and
    /// harness. Not shown in the human form.
    #[arg(long)]
    pub(crate) provenance: bool,
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
