//! The record of a run: the summary in a file, whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::kept_events::KeptEvents;
use crate::output::{Object, Record as _};
use crate::projection::summary::Row;

/// Where the record will be.
pub enum RecordFile {
    /// In the place of a file, whole.
    Replaced {
        /// The file.
        path: PathBuf,
        /// What will take its place.
        temporary: NamedTempFile,
    },
    /// In something that is no file and must not be replaced: a device, a
    /// pipe.
    Written(File),
}

impl RecordFile {
    /// Prepares a record at `path`; better to fail now than after the run.
    pub fn prepare(path: &Path) -> io::Result<Self> {
        let path = behind_links(path);
        let existing = path.metadata().ok();
        if let Some(existing) = existing.as_ref().filter(|existing| !existing.is_file()) {
            if existing.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            return File::options().write(true).open(&path).map(Self::Written);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".streamj-record-");
        // A file like the one before, or like others: what the user's mask
        // allows.
        let mode = existing.map(|existing| existing.permissions());
        #[cfg(unix)]
        let mode = mode.or_else(|| Some(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
        if let Some(mode) = mode {
            builder.permissions(mode);
        }
        let temporary = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self::Replaced { path, temporary })
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
        match self {
            Self::Written(mut file) => file.write_all(&json),
            Self::Replaced { path, mut temporary } => {
                temporary.write_all(&json)?;
                temporary.flush()?;
                temporary.as_file().sync_all()?;
                temporary.persist(&path).map_err(|failed| failed.error)?;
                Ok(())
            }
        }
    }
}

/// The file a path leads to, so that a link stays one.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many as the system follows.
    for _ in 0..40 {
        let Ok(target) = path.read_link() else { break };
        // What the system names in brackets is reached by its link only.
        let joined = path.parent().unwrap_or(Path::new("")).join(target);
        if joined.symlink_metadata().is_err() && path.exists() {
            break;
        }
        path = joined;
    }
    path
}
