//! The state of the files of a session, by which changes are noticed.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::codec::codec_struct;

/// The clock of a file system stands still this long. A file that changed so shortly before
/// it was read may change again without having another modification time.
const GRANULARITY: Duration = Duration::from_millis(20);

/// The same for file systems that store no fractions of seconds.
const COARSE_GRANULARITY: Duration = Duration::from_secs(2);

/// The state of all files that a session is stored in; a file that does not exist has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) files: Vec<Option<FileState>>,
}

codec_struct!(Stamp { files });

/// The state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    modified_s: i64,
    modified_ns: i64,
    /// When the file was last changed in any way, which no program can set.
    changed_s: i64,
    changed_ns: i64,
}

codec_struct!(FileState { device, inode, size, modified_s, modified_ns, changed_s, changed_ns });

impl Stamp {
    /// Returns the state of these files.
    pub(super) fn of(files: &[PathBuf]) -> io::Result<Self> {
        let state = |path: &PathBuf| match path.metadata() {
            Ok(metadata) => Ok(Some(FileState::of(&metadata)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Self { files: files.iter().map(state).collect::<io::Result<_>>()? })
    }

    /// Returns the state of the only file.
    pub(super) fn single(&self) -> Option<&FileState> {
        match self.files.as_slice() {
            [Some(file)] => Some(file),
            _ => None,
        }
    }

    /// Returns whether every further change after `now` changes the stamp.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        self.files.iter().flatten().all(|file| {
            let granularity = if file.changed_ns == 0 { COARSE_GRANULARITY } else { GRANULARITY };
            file.changed().is_some_and(|changed| changed + granularity < now)
        })
    }
}

impl FileState {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        if !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified_s: metadata.mtime(),
            modified_ns: metadata.mtime_nsec(),
            changed_s: metadata.ctime(),
            changed_ns: metadata.ctime_nsec(),
        })
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> io::Result<Self> {
        if !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let modified = metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH);
        let modified = modified.map_err(io::Error::other)?;
        let seconds = modified.as_secs().cast_signed();
        let nanoseconds = i64::from(modified.subsec_nanos());
        Ok(Self {
            device: 0,
            inode: 0,
            size: metadata.len(),
            modified_s: seconds,
            modified_ns: nanoseconds,
            changed_s: seconds,
            changed_ns: nanoseconds,
        })
    }

    /// Returns the modification time.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        time(self.modified_s, self.modified_ns)
    }

    fn changed(&self) -> Option<SystemTime> {
        time(self.changed_s, self.changed_ns).max(self.modified())
    }

    /// Returns whether both are the same file, whatever it contains.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

fn time(seconds: i64, nanoseconds: i64) -> Option<SystemTime> {
    let fraction = Duration::from_nanos(nanoseconds.try_into().ok()?);
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let time = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)
    };
    time?.checked_add(fraction)
}

/// Returns a hash that stays the same within a release.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_has_just_changed_is_not_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "1").unwrap();
        let stamp = Stamp::of(&[path.clone(), folder.path().join("missing")]).unwrap();
        let changed = stamp.files[0].as_ref().unwrap().changed().unwrap();
        assert!(!stamp.is_settled(changed));
        assert!(!stamp.is_settled(changed + GRANULARITY));
        assert!(stamp.is_settled(changed + COARSE_GRANULARITY + GRANULARITY));
        assert_eq!(stamp.files[1], None);
        assert!(Stamp::of(&[folder.path().to_owned()]).is_err());
    }

    #[test]
    fn time_before_1970_is_understood() {
        let expected = SystemTime::UNIX_EPOCH - Duration::from_millis(500);
        assert_eq!(time(-1, 500_000_000), Some(expected));
    }
}
