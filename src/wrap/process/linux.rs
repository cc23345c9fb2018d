//! Linux: no descendant of the child escapes.
//!
//! This process is a child subreaper, so a descendant that loses its parent becomes
//! our child. Signals go to two kinds of targets: to the leader's process group, whose
//! number is reserved until the leader is reaped; and to our own children, which only
//! we can reap. A signal therefore never reaches a process that reuses a pid. A
//! descendant below another one becomes our child when its parent is killed.
//!
//! If this process had children before (`exec streamj` in a shell with jobs), orphans of
//! those come to us, too. In that case the run's processes are recognised by a
//! variable in their environment.

use std::collections::HashSet;
use std::io;
use std::process::{Child, Command};
use std::time::Instant;

use rustix::process::{
    Pid, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    waitid,
};

use super::unix::{peek_exit, raw_signal};
use super::{KILL_TIMEOUT, POLL_INTERVAL, Pipes, ProcessExit, Signal, pre_exec};

/// The variable that marks processes of the run.
const MARK: &str = "STREAMJ_WRAP";

/// The child, which leads the run, and its descendants.
pub struct Process {
    leader: Pid,
    child: Child,
    /// Whether this process is a subreaper.
    is_subreaper: bool,
    /// Children that this process had before.
    prior_children: HashSet<Pid>,
    /// The variable and its value, if there were children before.
    mark: Option<String>,
    /// Processes that were asked to end.
    asked: HashSet<Pid>,
    exit: Option<ProcessExit>,
    is_reaped: bool,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let prior_children: HashSet<Pid> = children().map(|entry| entry.pid).collect();
        let mark = (!prior_children.is_empty()).then(|| format!("{MARK}={}", unique_value()));
        if let Some((name, value)) = mark.as_ref().and_then(|mark| mark.split_once('=')) {
            command.env(name, value);
        }
        let is_subreaper = set_child_subreaper(Some(getpid())).is_ok();
        pre_exec::attach(command);
        let mut child = command.spawn()?;
        let pipes = Pipes::take_from(&mut child)?;
        let leader = Pid::from_child(&child);
        let process = Self {
            leader,
            child,
            is_subreaper,
            prior_children,
            mark,
            asked: HashSet::new(),
            exit: None,
            is_reaped: false,
        };
        Ok((process, pipes))
    }

    /// Returns how the leader ended, if it has. Does not reap it.
    pub fn exit(&mut self) -> Option<ProcessExit> {
        if self.exit.is_none() {
            self.exit = peek_exit(self.leader);
        }
        self.exit
    }

    /// Sends a signal to the group and to orphans.
    pub fn signal(&mut self, signal: Signal) {
        let signal = raw_signal(signal);
        if !self.is_reaped {
            let _ = kill_process_group(self.leader, signal);
        }
        for orphan in self.orphans() {
            let _ = kill_process(orphan, signal);
        }
    }

    /// Reaps orphans that have ended.
    pub fn reap_orphans(&self) {
        for orphan in self.orphans() {
            let _ = waitid(WaitId::Pid(orphan), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
    }

    /// Asks all processes that were not asked before to end.
    pub fn ask_to_end(&mut self) {
        if self.asked.insert(self.leader) {
            self.signal(Signal::Terminate);
            self.signal(Signal::Continue);
            self.asked.extend(self.orphans());
        }
        for orphan in self.orphans() {
            if self.asked.insert(orphan) {
                let _ = kill_process(orphan, raw_signal(Signal::Terminate));
                let _ = kill_process(orphan, raw_signal(Signal::Continue));
            }
        }
    }

    /// Returns whether any process of the run is alive.
    pub fn is_running(&mut self) -> bool {
        self.reap_orphans();
        self.exit().is_none() || !self.orphans().is_empty() || self.group_is_alive()
    }

    /// Kills all processes of the run, and waits until they are gone.
    pub fn kill_all(&mut self) -> Option<ProcessExit> {
        let deadline = Instant::now() + KILL_TIMEOUT;
        self.signal(Signal::Kill);
        while self.exit().is_none() && Instant::now() < deadline {
            std::thread::sleep(POLL_INTERVAL);
        }
        if self.exit.is_some() {
            let _ = self.child.wait();
        }
        self.is_reaped = true;
        // The children of a killed orphan become orphans in turn.
        while !self.orphans().is_empty() && Instant::now() < deadline {
            self.reap_orphans();
            self.signal(Signal::Kill);
            std::thread::sleep(POLL_INTERVAL);
        }
        self.exit
    }

    /// Returns whether the group has a living member. Only needed if this process is no
    /// subreaper: otherwise members are orphans once the leader is dead.
    fn group_is_alive(&self) -> bool {
        let in_group = |entry: &ProcessEntry| entry.group == self.leader && !entry.is_dead;
        !self.is_subreaper && process_table().any(|entry| in_group(&entry))
    }

    /// Returns our children of this run except the leader.
    fn orphans(&self) -> Vec<Pid> {
        if !self.is_subreaper {
            return Vec::new();
        }
        let is_ours = |entry: &ProcessEntry| {
            entry.pid != self.leader
                && !self.prior_children.contains(&entry.pid)
                && self.mark.as_ref().is_none_or(|mark| {
                    !self.is_reaped && entry.group == self.leader || has_mark(entry.pid, mark)
                })
        };
        children().filter(is_ours).map(|entry| entry.pid).collect()
    }
}

impl Drop for Process {
    /// Kills the run also if a panic ends it.
    fn drop(&mut self) {
        if !self.is_reaped {
            self.kill_all();
        }
    }
}

/// Returns a value that no other process has in its environment.
fn unique_value() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("{}-{}", getpid().as_raw_nonzero(), now.unwrap_or_default().as_nanos())
}

/// Returns whether the environment of `pid` contains `mark`.
fn has_mark(pid: Pid, mark: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
    environment.is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|own| own == mark.as_bytes()))
}

/// A row of the process table.
struct ProcessEntry {
    pid: Pid,
    parent: Pid,
    group: Pid,
    is_dead: bool,
}

/// Iterates over the children of this process.
fn children() -> impl Iterator<Item = ProcessEntry> {
    let us = getpid();
    process_table().filter(move |entry| entry.parent == us)
}

/// Iterates over all processes of the system.
fn process_table() -> impl Iterator<Item = ProcessEntry> {
    std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let name = entry.ok()?.file_name();
        let pid = name.to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The name in parentheses may itself contain parentheses and spaces.
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let mut number = || fields.next()?.parse().ok().and_then(Pid::from_raw);
        Some(ProcessEntry {
            pid,
            parent: number()?,
            group: number()?,
            is_dead: matches!(state, "Z" | "X"),
        })
    })
}
