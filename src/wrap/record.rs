//! The record of a run, written completely or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::event_log::EventLog;
use super::is_stdout;
use crate::output::{self, ObjectWriter};
use crate::projection::SummaryRow;

/// Where the record will be written.
pub(super) enum RecordFile {
    /// To a temporary file that replaces `path`.
    Replace { path: PathBuf, temporary: NamedTempFile },
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
        let path = resolve_links(path);
        let existing = path.metadata().ok();
        if let Some(existing) = existing.as_ref().filter(|existing| !existing.is_file()) {
            if existing.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            return File::options().write(true).open(&path).map(Self::Write);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".streamj-record-");
        // The permissions of the file it replaces; a new one is for the user only.
        if let Some(existing) = existing {
            builder.permissions(existing.permissions());
        }
        let temporary = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self::Replace { path, temporary })
    }

    /// Writes the record.
    pub(super) fn write(
        self,
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
            Self::Write(mut file) => file.write_all(&json),
            Self::Stdout => {
                let mut stdout = output::stdout();
                stdout.write_all(&json)?;
                stdout.flush()
            }
            Self::Replace { path, mut temporary } => {
                temporary.write_all(&json)?;
                temporary.flush()?;
                temporary.as_file().sync_all()?;
                temporary.persist(&path).map_err(|failed| failed.error)?;
                Ok(())
            }
        }
    }
}

/// Returns the file that a link leads to, so that the link is kept.
fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // The limit of Linux.
    for _ in 0..40 {
        let Ok(target) = path.read_link() else { break };
        // Targets like `pipe:[123]` in /proc can be reached by the link only.
        let joined = path.parent().unwrap_or(Path::new("")).join(target);
        if joined.symlink_metadata().is_err() && path.exists() {
            break;
        }
        path = joined;
    }
    path
}
