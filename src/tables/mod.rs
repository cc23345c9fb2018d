//! Tables over many runs, for the engines of others.
//!
//! `schema` defines the tables, `extract` turns a file into rows, `write` writes rows to
//! files. Nothing is kept of a file but what the rows of its session need, so the memory does
//! not depend on the number of files.

mod describe;
mod extract;
mod messages;
mod schema;
mod session;
mod text;
mod write;

pub(crate) use describe::json_schema;
pub(crate) use extract::{ExtractOptions, FileExtraction, FinishedFile};
pub(crate) use schema::{ExportRow, TableName};
pub(crate) use session::SessionRows;
pub(crate) use write::{PartitionKey, TableFormat, TableWriter, WriteOptions};
