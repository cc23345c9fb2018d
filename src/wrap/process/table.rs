//! The system's process table, read from `/proc`.

use std::collections::HashMap;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// A row of the process table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessEntry {
    pub(super) pid: Pid,
    pub(super) parent: Option<Pid>,
    pub(super) group: Option<Pid>,
    /// The name of the program.
    pub(super) name: String,
    /// Whether it has ended and was not reaped.
    pub(super) is_dead: bool,
    /// When it was started, which tells it from an earlier process with its id.
    started: u64,
}

impl ProcessEntry {
    /// Reads the row of a process; `None` if there is none.
    pub(super) fn read(pid: Pid) -> Option<Self> {
        let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        Self::parse(pid, &stat)
    }

    fn parse(pid: Pid, stat: &[u8]) -> Option<Self> {
        // The name in parentheses may itself contain parentheses and spaces.
        let name_start = stat.iter().position(|byte| *byte == b'(')? + 1;
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let fields: Vec<_> = rest.split_ascii_whitespace().collect();
        // A process that is ending has the group -1.
        let id = |at: usize| {
            let id = fields.get(at)?.parse().ok().filter(|id| *id > 0)?;
            Pid::from_raw(id)
        };
        Some(Self {
            pid,
            parent: id(1),
            group: id(2),
            name: String::from_utf8_lossy(stat.get(name_start..name_end)?).into_owned(),
            is_dead: matches!(*fields.first()?, "Z" | "X"),
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// Sends a signal to this process, and never to another that has got its id since.
    pub(super) fn send(&self, signal: Signal) {
        let is_same =
            || Self::read(self.pid).is_some_and(|current| current.started == self.started);
        match pidfd_open(self.pid, PidfdFlags::empty()) {
            Ok(process) if is_same() => drop(pidfd_send_signal(process, signal)),
            // An old system, or one that forbids the call.
            Err(Errno::NOSYS | Errno::PERM) if is_same() => drop(kill_process(self.pid, signal)),
            _ => {}
        }
    }

    /// Identifies the process among all that ever had its id.
    pub(super) fn identity(&self) -> (Pid, u64) {
        (self.pid, self.started)
    }
}

/// Reads all rows.
pub(super) fn processes() -> impl Iterator<Item = ProcessEntry> {
    std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let name = entry.ok()?.file_name();
        ProcessEntry::read(name.to_str()?.parse().ok().and_then(Pid::from_raw)?)
    })
}

/// Returns the living children of a process.
pub(super) fn children_of(parent: Pid) -> Vec<ProcessEntry> {
    let id = parent.as_raw_nonzero();
    let is_child = |entry: &ProcessEntry| entry.parent == Some(parent) && !entry.is_dead;
    // Not all systems have this list. It is complete for a process with one thread.
    match std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")) {
        Ok(list) => {
            let pids = list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
            let entries = pids.filter_map(Pid::from_raw).filter_map(ProcessEntry::read);
            entries.filter(is_child).collect()
        }
        Err(_) => processes().filter(is_child).collect(),
    }
}

/// Returns the living descendants of a process.
pub(super) fn descendants_of(root: Pid) -> Vec<ProcessEntry> {
    let mut children: HashMap<Pid, Vec<ProcessEntry>> = HashMap::new();
    for entry in processes().filter(|entry| !entry.is_dead) {
        if let Some(parent) = entry.parent {
            children.entry(parent).or_default().push(entry);
        }
    }
    let mut found = children.remove(&root).unwrap_or_default();
    let mut visited = 0;
    while let Some(entry) = found.get(visited) {
        visited += 1;
        found.extend(children.remove(&entry.pid).unwrap_or_default());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_may_contain_parentheses_and_spaces() {
        let pid = Pid::from_raw(7).unwrap();
        let stat = b"7 (a) (b c) S 1 5 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987 1 1";
        let entry = ProcessEntry::parse(pid, stat).unwrap();
        assert_eq!((entry.name.as_str(), entry.started), ("a) (b c", 987));
        assert_eq!((entry.parent, entry.group), (Pid::from_raw(1), Pid::from_raw(5)));
        assert!(!entry.is_dead);
        assert_eq!(ProcessEntry::parse(pid, b"7 (x"), None);
        let ending = b"7 (a) X 0 -1 -1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987 1 1";
        assert_eq!(ProcessEntry::parse(pid, ending).unwrap().group, None);
    }

    #[test]
    fn children_and_descendants_are_found() {
        let script = "sleep 60 & echo; wait";
        let mut child = std::process::Command::new("sh")
            .args(["-c", script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();
        let shell = Pid::from_child(&child);
        // The shell forks before it runs the program.
        let mut below = children_of(shell);
        while below.first().is_none_or(|entry| entry.name != "sleep") {
            below = children_of(shell);
        }
        assert_eq!(below.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["sleep"]);
        let own = descendants_of(rustix::process::getpid());
        let pids: Vec<_> = own.iter().map(|entry| entry.pid).collect();
        assert!(pids.contains(&shell) && pids.contains(&below[0].pid));
        below[0].send(Signal::KILL);
        child.wait().unwrap();
    }
}
