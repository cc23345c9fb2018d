//! Files and folders that only the user can read: they contain what an agent saw.

use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How the names of temporary folders of a run start.
const FOLDER_PREFIX: &str = "streamj-run-";

/// Symbolic links that are followed one after the other; the limit of Linux.
const MAX_LINKS: usize = 40;

/// Creates a file, or truncates an existing one, which keeps its permissions. Links of
/// other users are not followed; see [`follow_links`].
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let path = follow_links(path)?;
    let mut options = File::options();
    options.write(true).create(true);
    // What is a link here is one of /proc, which can be opened only as such.
    let file = platform::private(&mut options, !path.is_symlink()).open(&path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        platform::check_owner(&path, &metadata)?;
        file.set_len(0)?;
    }
    Ok(file)
}

/// Creates a file unless it exists.
pub(crate) fn create_new(path: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    match platform::private(&mut options, true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Returns the file that a link leads to. A link that belongs neither to the user nor to
/// root is an error: in a shared folder it may lead to a file of the user.
pub(crate) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = path.read_link() else { break };
        if !platform::is_trusted(&path.symlink_metadata()?) {
            let message = "a link of another user is not followed";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        // Targets like `pipe:[123]` in /proc can be reached by the link only.
        let joined = path.parent().unwrap_or(Path::new("")).join(target);
        if joined.symlink_metadata().is_err() && path.exists() {
            break;
        }
        path = joined;
    }
    Ok(path)
}

/// Returns whether two names lead to the same regular or missing file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let path = follow_links(path).ok()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some((folder.join(path.file_name()?), path.metadata().ok()))
    };
    let (Some((one, first)), Some((other, second))) = (place(one), place(other)) else {
        return false;
    };
    match (first, second) {
        (Some(first), Some(second)) => {
            first.is_file() && (one == other || platform::is_same(&first, &second))
        }
        _ => one == other,
    }
}

/// Makes writing beyond the file size limit an error instead of a fatal signal.
pub(crate) fn ignore_file_size_signal() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        // The flag is not read: a signal with a handler does not end the process.
        ONCE.call_once(|| {
            let _ = signal_hook::flag::register(
                signal_hook::consts::SIGXFSZ,
                std::sync::Arc::default(),
            );
        });
    }
}

/// A temporary folder that is created when it is needed and removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: PathBuf,
    /// The open folder. It is locked as long as its process exists.
    lock: OnceLock<File>,
}

impl TemporaryFolder {
    /// Selects a name, and removes folders of processes that were killed.
    pub(crate) fn new() -> Self {
        let root = std::env::temp_dir();
        remove_stale(&root);
        let random = RandomState::new().build_hasher().finish();
        Self { path: root.join(format!("{FOLDER_PREFIX}{random:016x}")), lock: OnceLock::new() }
    }

    /// Returns a folder for a dry run, which is never created.
    pub(crate) fn named(path: &str) -> Self {
        Self { path: path.into(), lock: OnceLock::new() }
    }

    /// Returns the path, whether the folder exists or not.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the folder.
    pub(crate) fn create(&self) -> io::Result<()> {
        if self.lock.get().is_none() {
            let mut builder = std::fs::DirBuilder::new();
            platform::private_folder(&mut builder).create(&self.path)?;
            let lock = platform::lock(&self.path)?;
            let _ = self.lock.set(lock);
        }
        Ok(())
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if self.lock.get().is_some() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Removes temporary folders of the user that no process has locked.
fn remove_stale(root: &Path) {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let is_ours =
            entry.file_name().to_str().is_some_and(|name| name.starts_with(FOLDER_PREFIX));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours && is_folder && platform::is_abandoned(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::DirBuilder;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
    use std::time::{Duration, SystemTime};

    use rustix::fs::{FlockOperation, OFlags, flock};
    use rustix::process::geteuid;

    use super::{File, Metadata, OpenOptions, Path, io};

    /// A folder is locked at most this long after it was created.
    const MAX_UNLOCKED: Duration = Duration::from_secs(2);

    /// The mode bits of a folder in which everyone can create files.
    const SHARED: u32 = 0o1002;

    /// Makes a new file readable for the user only.
    pub(super) fn private(options: &mut OpenOptions, is_final: bool) -> &mut OpenOptions {
        let flags = if is_final { OFlags::NOFOLLOW } else { OFlags::empty() };
        options.mode(0o600).custom_flags(flags.bits().cast_signed())
    }

    pub(super) fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
        builder.mode(0o700)
    }

    /// Returns whether a link was made by the user or by root.
    pub(super) fn is_trusted(link: &Metadata) -> bool {
        link.uid() == 0 || link.uid() == geteuid().as_raw()
    }

    /// Refuses a file that another user has placed in a shared folder, as Linux does with
    /// `protected_regular`.
    pub(super) fn check_owner(path: &Path, file: &Metadata) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).metadata()?;
        let is_shared = folder.mode() & SHARED == SHARED;
        if is_shared && !is_trusted(file) && file.uid() != folder.uid() {
            let message = "a file of another user in a shared folder";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(())
    }

    pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }

    /// Opens and locks a folder of this process.
    pub(super) fn lock(path: &Path) -> io::Result<File> {
        let folder = File::open(path)?;
        flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
        Ok(folder)
    }

    /// Returns whether the process that made a folder of the user is gone.
    pub(super) fn is_abandoned(path: &Path) -> bool {
        let Ok(folder) = File::open(path) else { return false };
        let Ok(metadata) = folder.metadata() else { return false };
        let age = metadata.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        metadata.uid() == geteuid().as_raw()
            && age.is_some_and(|age| age > MAX_UNLOCKED)
            && flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

#[cfg(not(unix))]
mod platform {
    use super::{File, Metadata, OpenOptions, Path, io};

    pub(super) fn private(options: &mut OpenOptions, _: bool) -> &mut OpenOptions {
        options
    }

    pub(super) fn private_folder(builder: &mut std::fs::DirBuilder) -> &mut std::fs::DirBuilder {
        builder
    }

    pub(super) fn is_trusted(_: &Metadata) -> bool {
        true
    }

    #[allow(clippy::unnecessary_wraps)] // like the other platform
    pub(super) fn check_owner(_: &Path, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn is_same(_: &Metadata, _: &Metadata) -> bool {
        false
    }

    pub(super) fn lock(path: &Path) -> io::Result<File> {
        File::create(path.join(".lock"))
    }

    /// Unknown here.
    pub(super) fn is_abandoned(_: &Path) -> bool {
        false
    }
}
