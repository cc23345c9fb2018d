//! The record of a run: the summary in a file, whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::kept_events::KeptEvents;
use crate::output::{Object, Record as _};
use crate::projection::summary::Row;

/// A file the record will be put in place of.
pub struct RecordFile {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl RecordFile {
    /// Prepares a record at `path`; better to fail now than after the run.
    pub fn prepare(path: &Path) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".streamj-record-");
        // A file like others: what the user's mask allows.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Writes the record and puts it in its place.
    pub fn write(self, row: &Row<'_>, events: Option<&KeptEvents>) -> io::Result<()> {
        let mut json = Vec::new();
        Object::write(&mut json, |object| {
            row.json(object);
            if let Some(events) = events {
                object.raw("stream_events", events.json().as_slice());
            }
        });
        json.push(b'\n');
        let mut temporary = self.temporary;
        temporary.write_all(&json)?;
        temporary.flush()?;
        temporary.as_file().sync_all()?;
        temporary.persist(&self.path).map_err(|failed| failed.error)?;
        Ok(())
    }
}
