//! A control group for the processes of a run, where the system allows one.
//!
//! The members of a group can be killed at once, however fast they fork. Needs cgroup v2
//! with write access to the own group: as root, or in a delegated group
//! (`systemd-run --user --scope`).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the names of groups start; the id of the streamj that made it follows.
const PREFIX: &str = "streamj-";

/// Attempts to remove a group whose processes have just ended.
const REMOVE_ATTEMPTS: u32 = 100;

/// A control group. It is removed when it is dropped.
pub(super) struct Cgroup {
    path: PathBuf,
    members: File,
    kill: File,
}

impl Cgroup {
    /// Creates a group below that of this process, if that is possible.
    pub(super) fn create() -> Option<Self> {
        let own = own_group(
            &std::fs::read_to_string("/proc/self/cgroup").ok()?,
            &std::fs::read_to_string("/proc/self/mountinfo").ok()?,
        )?;
        remove_stale(&own);
        let path = (0..100).find_map(|number| {
            let path = own.join(format!("{PREFIX}{}-{number}", std::process::id()));
            std::fs::create_dir(&path).is_ok().then_some(path)
        })?;
        Self::open(&path).inspect_err(|_| drop(std::fs::remove_dir(&path))).ok()
    }

    fn open(path: &Path) -> io::Result<Self> {
        let open = |name: &str| File::options().write(true).open(path.join(name));
        // Missing before Linux 5.14.
        let kill = open("cgroup.kill")?;
        Ok(Self { path: path.to_owned(), members: open("cgroup.procs")?, kill })
    }

    /// Returns the descriptors of the member list and of the kill switch.
    pub(super) fn fds(&self) -> (RawFd, RawFd) {
        (self.members.as_raw_fd(), self.kill.as_raw_fd())
    }

    /// Kills all members. Returns whether that was possible.
    pub(super) fn kill(&self) -> bool {
        (&self.kill).write_all(b"1").is_ok()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // A process that has ended stays a member for a moment.
        for _ in 0..REMOVE_ATTEMPTS {
            match std::fs::remove_dir(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => return,
            }
        }
    }
}

/// Returns the folder of the group that `/proc/self/cgroup` names.
fn own_group(cgroup: &str, mounts: &str) -> Option<PathBuf> {
    let group = Path::new(cgroup.lines().find_map(|line| line.strip_prefix("0::"))?);
    let (root, mount) = mounts.lines().find_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let mut fields = place.split(' ').skip(3);
        let place = (fields.next()?, fields.next()?);
        system.starts_with("cgroup2 ").then_some(place)
    })?;
    let below = group.strip_prefix(root).ok()?;
    let is_plain = |part: &std::ffi::OsStr| part != "..";
    below.iter().all(is_plain).then(|| Path::new(mount).join(below))
}

/// Removes groups of processes that were killed before they could remove them. A group
/// with members cannot be removed.
fn remove_stale(own: &Path) {
    for entry in std::fs::read_dir(own).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = owner.and_then(|name| name.split('-').next()?.parse::<u32>().ok());
        let is_dead = |pid: u32| !Path::new(&format!("/proc/{pid}")).exists();
        if owner.is_some_and(is_dead) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_group_is_found_below_its_mount() {
        let mounts = "22 1 0:20 / /sys rw - sysfs sysfs rw\n\
            30 22 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
        let group = |cgroup: &str, mounts: &str| own_group(cgroup, mounts);
        let path = Path::new("/sys/fs/cgroup/user.slice/app.scope");
        assert_eq!(group("0::/user.slice/app.scope\n", mounts).as_deref(), Some(path));
        let both = "4:memory:/x\n0::/\n";
        assert_eq!(group(both, mounts).as_deref(), Some(Path::new("/sys/fs/cgroup/")));
        let in_container = mounts.replace(" / /sys/fs/cgroup", " /docker/1 /sys/fs/cgroup");
        let path = Path::new("/sys/fs/cgroup/a");
        assert_eq!(group("0::/docker/1/a\n", &in_container).as_deref(), Some(path));
        assert_eq!(group("0::/elsewhere\n", &in_container), None);
        assert_eq!(group("0::/../x\n", mounts), None);
        assert_eq!(group("1:name=systemd:/\n", mounts), None);
        assert_eq!(group("0::/\n", "22 1 0:20 / /sys rw - sysfs sysfs rw\n"), None);
    }
}
