//! Writes rows to one file for each table and partition.
//!
//! Files have temporary names until all of them are complete, so that a reader never sees a
//! part of a table. The number of open files and the rows in memory are bounded: what was
//! not used for the longest time is completed, and goes on in another file.

#[cfg(feature = "parquet")]
mod parquet;
mod rows;

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::schema::{Cell, Column, ExportRow, TableName};
use crate::output::private;

/// Files that are open at the same time.
const MAX_OPEN: usize = 100;

/// Bytes of rows that are kept before the largest part of them is written.
const MAX_BUFFERED: usize = 32 << 20;

/// The value of a partition whose rows have none, as Hive writes it.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// The format of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TableFormat {
    /// Columns with types, compressed with Zstandard
    #[cfg(feature = "parquet")]
    Parquet,
    /// One JSON object per row
    Jsonl,
    /// Comma-separated values with a header line
    Csv,
}

impl TableFormat {
    /// The format if none is requested.
    pub(crate) const DEFAULT: Self = {
        #[cfg(feature = "parquet")]
        let default = Self::Parquet;
        #[cfg(not(feature = "parquet"))]
        let default = Self::Jsonl;
        default
    };

    fn extension(self) -> &'static str {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        }
    }
}

/// A column by which rows are divided into folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PartitionKey {
    /// The day in UTC
    Day,
    /// The agent CLI
    Harness,
}

impl PartitionKey {
    fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Harness => "harness",
        }
    }
}

/// How rows are written.
#[derive(Clone, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) folder: PathBuf,
    pub(crate) format: TableFormat,
    pub(crate) partition_by: Vec<PartitionKey>,
    /// Whether cells of CSV files must not be formulas.
    pub(crate) guards_formulas: bool,
}

/// A file of rows.
trait RowFile {
    /// Adds a row and returns the number of bytes that are kept in memory.
    fn write(&mut self, row: &ExportRow) -> io::Result<usize>;

    /// Writes what is kept in memory.
    fn flush(&mut self) -> io::Result<()>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Writes rows to the files of their tables.
pub(crate) struct TableWriter {
    options: WriteOptions,
    /// Distinguishes the files of this export from those of others.
    stamp: String,
    open: HashMap<(TableName, String), OpenFile>,
    files: Vec<TableFile>,
    /// Bytes kept in memory by all files.
    buffered: usize,
    row_count: u64,
    partition: String,
}

struct OpenFile {
    file: Box<dyn RowFile>,
    buffered: usize,
    /// Number of the row that was written last.
    last_used: u64,
}

/// A file that has its temporary name.
struct TableFile {
    temporary: PathBuf,
    path: PathBuf,
}

impl TableWriter {
    /// Prepares the folder. Fails if it has tables already, unless files are added to them.
    pub(crate) fn new(options: WriteOptions, appends: bool) -> io::Result<Self> {
        fs::create_dir_all(&options.folder)?;
        if !appends && let Some(name) = find_table(&options.folder)? {
            let message = format!("has tables already ({name}): use another folder, or --append");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        let now = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let stamp = format!("{now}-{}", std::process::id());
        let (open, files, partition) = (HashMap::new(), Vec::new(), String::new());
        Ok(Self { options, stamp, open, files, buffered: 0, row_count: 0, partition })
    }

    /// Creates the files of tables that may have no row. Without a file, a pattern of names
    /// would match none.
    pub(crate) fn create(&mut self, tables: &[TableName]) -> io::Result<()> {
        if self.options.partition_by.is_empty() {
            for table in tables {
                let file = self.open_file(*table, "")?;
                self.open.insert((*table, String::new()), file);
            }
        }
        Ok(())
    }

    /// Writes a row.
    pub(crate) fn write(&mut self, row: &ExportRow) -> io::Result<()> {
        let mut partition = std::mem::take(&mut self.partition);
        self.set_partition(row, &mut partition);
        let key = (row.record.table(), partition);
        self.row_count += 1;
        if !self.open.contains_key(&key) {
            if self.open.len() >= MAX_OPEN {
                self.finish_oldest()?;
            }
            let file = self.open_file(key.0, &key.1)?;
            self.open.insert(key.clone(), file);
        }
        if let Some(open) = self.open.get_mut(&key) {
            open.last_used = self.row_count;
            let before = std::mem::replace(&mut open.buffered, open.file.write(row)?);
            self.buffered = self.buffered + open.buffered - before;
        }
        self.partition = key.1;
        if self.buffered > MAX_BUFFERED { self.flush_largest() } else { Ok(()) }
    }

    /// Completes all files, gives them their names, and returns the number of rows and of files.
    pub(crate) fn finish(mut self) -> io::Result<(u64, u64)> {
        for (_, open) in std::mem::take(&mut self.open) {
            open.file.finish()?;
        }
        let files = std::mem::take(&mut self.files);
        for file in &files {
            let renamed = fs::rename(&file.temporary, &file.path);
            if renamed.is_err() {
                // A part of the tables is none.
                for file in &files {
                    let _ = fs::remove_file(&file.path);
                    let _ = fs::remove_file(&file.temporary);
                }
                renamed?;
            }
        }
        Ok((self.row_count, files.len() as u64))
    }

    fn open_file(&mut self, table: TableName, partition: &str) -> io::Result<OpenFile> {
        let Self { options, stamp, files, .. } = self;
        let number = files.len();
        let name = format!("{}-{stamp}-{number}.{}", table.name(), options.format.extension());
        let folder = options.folder.join(partition);
        fs::create_dir_all(&folder)?;
        let file =
            TableFile { temporary: folder.join(format!(".{name}.tmp")), path: folder.join(name) };
        let created = private::create(&file.temporary)?;
        files.push(file);
        let columns = table.columns().filter(|column| !options.is_in_path(column)).copied();
        let file = create(table, columns.collect(), created, options)?;
        Ok(OpenFile { file, buffered: 0, last_used: self.row_count })
    }

    /// Writes the folders of a row: `day=2026-11-01/harness=…`.
    fn set_partition(&self, row: &ExportRow, path: &mut String) {
        path.clear();
        for key in &self.options.partition_by {
            if !path.is_empty() {
                path.push('/');
            }
            let day;
            let value = match key {
                PartitionKey::Day => {
                    day = row.origin.day.map(|day| day.to_string());
                    day.as_deref()
                }
                PartitionKey::Harness => Some(row.origin.harness),
            };
            // Writing to a string cannot fail.
            let _ = write!(path, "{}={}", key.name(), value.unwrap_or(NO_VALUE));
        }
    }

    fn finish_oldest(&mut self) -> io::Result<()> {
        let oldest = self.open.iter().min_by_key(|(_, open)| open.last_used);
        let oldest = oldest.map(|(key, _)| key.clone());
        match oldest.and_then(|key| self.open.remove(&key)) {
            Some(open) => {
                self.buffered -= open.buffered;
                open.file.finish()
            }
            None => Ok(()),
        }
    }

    fn flush_largest(&mut self) -> io::Result<()> {
        let Some(open) = self.open.values_mut().max_by_key(|open| open.buffered) else {
            return Ok(());
        };
        self.buffered -= std::mem::take(&mut open.buffered);
        open.file.flush()
    }
}

/// Removes the files of an export that was not completed.
impl Drop for TableWriter {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(&file.temporary);
        }
    }
}

impl WriteOptions {
    /// Returns whether the folders of a file say what is in a column, so that it has none.
    fn is_in_path(&self, column: &Column) -> bool {
        self.partition_by.iter().any(|key| key.name() == column.name)
    }
}

fn create(
    table: TableName,
    columns: Vec<Column>,
    file: File,
    options: &WriteOptions,
) -> io::Result<Box<dyn RowFile>> {
    let is_kept = table.columns().map(|column| !options.is_in_path(column)).collect();
    match options.format {
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => Ok(Box::new(parquet::ParquetFile::new(&columns, is_kept, file)?)),
        TableFormat::Jsonl | TableFormat::Csv => {
            Ok(Box::new(rows::TextFile::new(table, columns, is_kept, file, options)?))
        }
    }
}

/// Passes the values of the columns that a file has to `cell`.
fn each_kept<'a>(row: &'a ExportRow, is_kept: &[bool], mut cell: impl FnMut(Cell<'a>)) {
    let mut is_kept = is_kept.iter();
    row.each_cell(|value| {
        if is_kept.next() == Some(&true) {
            cell(value);
        }
    });
}

/// Returns an entry of the folder that an export has written.
fn find_table(folder: &Path) -> io::Result<Option<String>> {
    let starts: Vec<String> = TableName::ALL
        .iter()
        .map(|table| format!("{}-", table.name()))
        .chain([PartitionKey::Day, PartitionKey::Harness].map(|key| format!("{}=", key.name())))
        .collect();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if starts.iter().any(|start| name.starts_with(start)) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
