//! Opens the index for a command, and reports its problems.

use std::path::PathBuf;

use crate::index::{Index, IndexOptions};
use crate::output::{Output, system_message};
use crate::reader::ReaderOptions;
use crate::sessions::SessionSource;
use crate::usage::{self, FileUsage};

/// Opens the index. Without it, everything is read.
pub(super) fn open(
    options: &IndexOptions<'_>,
    reader: &ReaderOptions,
    sources: &[SessionSource],
    out: &mut Output,
) -> Option<Index> {
    match Index::open(options, reader, sources) {
        Ok(index) => index,
        Err(error) => {
            let problem = system_message(&error);
            out.diagnostics.note(&format!("index not used: {problem} (--no-index)"));
            None
        }
    }
}

/// Writes what is new. Returns the deleted files whose usage is kept, if they are requested.
pub(super) fn finish(
    index: Option<Index>,
    reader: &ReaderOptions,
    sources: &[SessionSource],
    out: &mut Output,
) -> Vec<FileUsage> {
    let Some(index) = index else { return Vec::new() };
    let (kept, written) = index.finish(sources);
    if let Err(error) = written {
        let problem = system_message(&error);
        out.diagnostics.note(&format!("index not updated: {problem} (--no-index)"));
    }
    let read = |(path, content): (PathBuf, Vec<u8>)| {
        usage::deleted(&SessionSource::deleted(&path), reader, &content)
    };
    kept.into_iter().filter_map(read).collect()
}

/// Returns the folders among arguments.
pub(super) fn folders(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|path| path.is_dir()).cloned().collect()
}
