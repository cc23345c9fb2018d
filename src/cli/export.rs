//! `streamj export`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::moment::{Moment, moment};
use super::options::Files;
use super::values::size_or_zero;
use crate::tables::{PartitionKey, TableFormat, TableName};

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The folder to write to, which is created if it does not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(required_unless_present_any = ["print_schema", "list_files"])]
    pub(crate) output: Option<PathBuf>,
    /// Format of the files
    #[arg(long, value_name = "FORMAT", default_value_t = TableFormat::DEFAULT, value_enum)]
    pub(crate) format: TableFormat,
    /// Write these tables only (separated by commas)
    #[arg(long, value_name = "TABLES", value_delimiter = ',')]
    pub(crate) tables: Vec<TableName>,
    /// Write a folder for each value: `day=2026-11-01/harness=NAME/requests-….parquet`
    ///
    /// The files do not have the columns that their folders name.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) partition_by: Vec<PartitionKey>,
    /// Write rows from this day on: 2026-11-01, yesterday, 7d
    ///
    /// Days are those of UTC, as in the tables. Files that were modified before are not read.
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) since: Option<Moment>,
    /// Write rows up to the end of this day, or before a time
    #[arg(long, value_name = "DAY", value_parser = moment)]
    pub(crate) until: Option<Moment>,
    /// Cut inputs, outputs and texts after this many bytes (K, M, G); 0 keeps all
    #[arg(long, value_name = "BYTES", default_value = "16K", value_parser = size_or_zero)]
    pub(crate) max_text: usize,
    /// Add files to a folder that has tables already
    ///
    /// Existing files are not changed. Without this option such a folder is an error, since
    /// rows that are exported twice count twice.
    #[arg(long)]
    pub(crate) append: bool,
    /// Also read the sessions of all agent CLIs on this machine
    #[arg(long)]
    pub(crate) home: bool,
    /// Print the files that would be read, with their sizes, as JSON lines and exit
    ///
    /// For programs that divide them among processes: each file must be read as a whole.
    #[arg(long = "list", id = "list_files", conflicts_with_all = ["output", "print_schema"])]
    pub(crate) list: bool,
    /// Print the tables with the types of their columns as JSON and exit
    #[arg(long, conflicts_with_all = ["files", "files_from", "output"])]
    pub(crate) print_schema: bool,
    #[command(flatten)]
    pub(crate) input: Files,
}
