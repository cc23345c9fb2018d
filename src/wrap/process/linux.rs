//! Linux: nothing escapes.
//!
//! We are a child subreaper, so whatever loses its parent becomes our child.
//! Signals go to the leader's process group, whose number is taken as long as
//! the leader is not reaped, and to our own children, which only we can reap:
//! never to a number that may belong to somebody else by now. What hides
//! deeper comes up when its parent is gone.
//!
//! If we had children before (`exec streamj` from a shell with jobs), theirs
//! come to us, too. Then what is ours is told by a mark in its environment.

use std::collections::HashSet;
use std::io;
use std::process::{Child, Command};
use std::time::Instant;

use rustix::process::{
    Pid, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    waitid,
};

use super::unix::{how_it_ended, number};
use super::{Ended, LAST_PATIENCE, LOOK, Pipes, Signal, lifeline};

/// The variable of the mark.
const MARK: &str = "STREAMJ_WRAP";

/// The child that leads the run, and all that come from it.
pub struct Process {
    leader: Pid,
    child: Option<Child>,
    /// Whether orphans come to us.
    adopts: bool,
    /// Children from before, and how ours are told from theirs.
    strangers: HashSet<Pid>,
    mark: Option<String>,
    asked: HashSet<Pid>,
    ended: Option<Ended>,
    reaped: bool,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let strangers: HashSet<Pid> = children().map(|entry| entry.pid).collect();
        let mark = (!strangers.is_empty()).then(|| format!("{MARK}={}", unlikely()));
        if let Some((name, value)) = mark.as_ref().and_then(|mark| mark.split_once('=')) {
            command.env(name, value);
        }
        let adopts = set_child_subreaper(Some(getpid())).is_ok();
        lifeline::attach(command);
        let mut child = command.spawn()?;
        let pipes = Pipes::of(&mut child)?;
        let leader = Pid::from_child(&child);
        let process = Self {
            leader,
            child: Some(child),
            adopts,
            strangers,
            mark,
            asked: HashSet::new(),
            ended: None,
            reaped: false,
        };
        Ok((process, pipes))
    }

    /// How the leader ended, if it has. It is not reaped yet.
    pub fn ended(&mut self) -> Option<Ended> {
        if self.ended.is_none() {
            self.ended = how_it_ended(self.leader);
        }
        self.ended
    }

    /// Sends a signal to everything of the run within reach.
    pub fn signal(&mut self, signal: Signal) {
        let number = number(signal);
        if !self.reaped {
            let _ = kill_process_group(self.leader, number);
        }
        for orphan in self.orphans() {
            let _ = kill_process(orphan, number);
        }
    }

    /// Takes care of orphans that have ended.
    pub fn reap_orphans(&self) {
        for orphan in self.orphans() {
            let _ = waitid(WaitId::Pid(orphan), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
    }

    /// Asks everything that is left, and was not asked before, to end.
    pub fn ask(&mut self) {
        if self.asked.insert(self.leader) {
            self.signal(Signal::Terminate);
            self.signal(Signal::Continue);
            self.asked.extend(self.orphans());
        }
        for orphan in self.orphans() {
            if self.asked.insert(orphan) {
                let _ = kill_process(orphan, number(Signal::Terminate));
                let _ = kill_process(orphan, number(Signal::Continue));
            }
        }
    }

    /// Whether anything of the run is alive.
    pub fn is_left(&mut self) -> bool {
        self.reap_orphans();
        self.ended().is_none() || !self.orphans().is_empty() || self.group_is_alive()
    }

    /// Ends everything that is left; afterwards nothing of the run is alive.
    pub fn end(&mut self) -> Option<Ended> {
        let deadline = Instant::now() + LAST_PATIENCE;
        self.signal(Signal::Kill);
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        if let Some(mut child) = self.child.take().filter(|_| self.ended.is_some()) {
            let _ = child.wait();
        }
        self.reaped = true;
        // As long as there are orphans there may be more behind them.
        while !self.orphans().is_empty() && Instant::now() < deadline {
            self.reap_orphans();
            self.signal(Signal::Kill);
            std::thread::sleep(LOOK);
        }
        self.ended
    }

    /// Whether somebody but the dead leader is in its group. With adoption
    /// they are all orphans by then, or children of orphans.
    fn group_is_alive(&self) -> bool {
        let in_group = |entry: &Entry| entry.group == self.leader && !entry.dead;
        !self.adopts && process_table().any(|entry| in_group(&entry))
    }

    /// Our children of this run but for the leader: those whose parents are
    /// gone.
    fn orphans(&self) -> Vec<Pid> {
        if !self.adopts {
            return Vec::new();
        }
        let is_ours = |entry: &Entry| {
            entry.pid != self.leader
                && !self.strangers.contains(&entry.pid)
                && self.mark.as_ref().is_none_or(|mark| {
                    !self.reaped && entry.group == self.leader || has_mark(entry.pid, mark)
                })
        };
        children().filter(is_ours).map(|entry| entry.pid).collect()
    }
}

impl Drop for Process {
    /// Whatever happens to us, nothing is left.
    fn drop(&mut self) {
        if !self.reaped {
            self.end();
        }
    }
}

/// What nobody else has in their environment by chance.
fn unlikely() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("{}-{}", getpid().as_raw_nonzero(), now.unwrap_or_default().as_nanos())
}

fn has_mark(pid: Pid, mark: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
    environment.is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|own| own == mark.as_bytes()))
}

struct Entry {
    pid: Pid,
    parent: Pid,
    group: Pid,
    dead: bool,
}

fn children() -> impl Iterator<Item = Entry> {
    let us = getpid();
    process_table().filter(move |entry| entry.parent == us)
}

/// Every process there is.
fn process_table() -> impl Iterator<Item = Entry> {
    std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let name = entry.ok()?.file_name();
        let pid = name.to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The name in parentheses may contain anything.
        let behind_name = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(behind_name + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let mut number = || fields.next()?.parse().ok().and_then(Pid::from_raw);
        Some(Entry { pid, parent: number()?, group: number()?, dead: matches!(state, "Z" | "X") })
    })
}
