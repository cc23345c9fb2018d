//! The record of a run, written completely or not at all.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::event_log::EventLog;
use super::is_stdout;
use crate::output::{self, ObjectWriter, private};
use crate::projection::SummaryRow;

/// How the names of temporary files start.
const PREFIX: &str = ".streamj-record-";

/// Where the record will be written.
pub(super) enum RecordFile {
    /// To a temporary file that replaces `path`.
    Replace { path: PathBuf, permissions: Option<Permissions> },
    /// To a device or a pipe, which must not be replaced.
    Write(File),
    /// To standard output.
    Stdout,
}

impl RecordFile {
    /// Prepares a record at `path`, so that an error is reported before the run.
    pub(super) fn prepare(path: &Path) -> io::Result<Self> {
        if is_stdout(path) {
            return Ok(Self::Stdout);
        }
        // The link is kept.
        let path = private::follow_links(path)?;
        let existing = path.metadata().ok();
        if let Some(existing) = existing.as_ref().filter(|existing| !existing.is_file()) {
            if existing.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            return File::options().write(true).open(&path).map(Self::Write);
        }
        let permissions = existing.map(|existing| existing.permissions());
        // Deleted at once: a run that is killed leaves nothing behind.
        temporary(&path, permissions.as_ref())?;
        Ok(Self::Replace { path, permissions })
    }

    /// Returns whether the record can be written several times.
    pub(super) fn is_replaceable(&self) -> bool {
        matches!(self, Self::Replace { .. })
    }

    /// Writes the record.
    pub(super) fn write(
        &mut self,
        row: &SummaryRow<'_>,
        event_log: Option<&EventLog>,
    ) -> io::Result<()> {
        let mut json = Vec::new();
        ObjectWriter::write(&mut json, |object| {
            row.write_members(object);
            if let Some(event_log) = event_log {
                object.raw("stream_events", event_log.json().as_slice());
            }
        });
        json.push(b'\n');
        match self {
            Self::Write(file) => file.write_all(&json),
            Self::Stdout => {
                let mut stdout = output::stdout();
                stdout.write_all(&json)?;
                stdout.flush()
            }
            Self::Replace { path, permissions } => {
                let mut temporary = temporary(path, permissions.as_ref())?;
                temporary.write_all(&json)?;
                temporary.flush()?;
                temporary.as_file().sync_all()?;
                temporary.persist(path).map_err(|failed| failed.error)?;
                Ok(())
            }
        }
    }
}

/// Creates a temporary file beside `path`, with the permissions of the file it replaces; a
/// new one is for the user only.
fn temporary(path: &Path, permissions: Option<&Permissions>) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    if let Some(permissions) = permissions {
        builder.permissions(permissions.clone());
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
