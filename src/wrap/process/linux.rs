//! Linux: nothing escapes.
//!
//! We are a child subreaper, so whatever loses its parent becomes our child.
//! Signals go to the leader's process group, whose number is taken as long as
//! the leader is not reaped, and to our own children, which only we can reap:
//! never to a number that may belong to somebody else by now. What hides
//! deeper comes up when its parent is gone.

use std::collections::HashSet;
use std::io;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    waitid,
};

use super::unix::{how_it_ended, number};
use super::{Ended, LAST_PATIENCE, LOOK, Pipes, Signal, lifeline};

/// The child that leads the run, and all that come from it.
pub struct Process {
    leader: Pid,
    child: Option<Child>,
    /// Whether orphans come to us. Not if we had children before: theirs
    /// would come, too.
    adopts: bool,
    ended: Option<Ended>,
    reaped: bool,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let adopts = !has_children() && set_child_subreaper(Some(getpid())).is_ok();
        lifeline::attach(command);
        let mut child = command.spawn()?;
        let pipes = Pipes::of(&mut child)?;
        let leader = Pid::from_child(&child);
        let child = Some(child);
        Ok((Self { leader, child, adopts, ended: None, reaped: false }, pipes))
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

    /// Ends everything that is left, kindly for a while; afterwards nothing
    /// of the run is alive.
    pub fn sweep(&mut self, patience: Duration) -> Option<Ended> {
        let deadline = Instant::now() + patience;
        let mut asked = HashSet::new();
        while Instant::now() < deadline {
            self.reap_orphans();
            let orphans = self.orphans();
            if self.ended().is_some() && orphans.is_empty() && !self.group_is_alive() {
                break;
            }
            if asked.insert(self.leader) {
                self.signal(Signal::Terminate);
                self.signal(Signal::Continue);
                asked.extend(&orphans);
            }
            // Those who have come up since.
            for orphan in orphans.into_iter().filter(|orphan| asked.insert(*orphan)) {
                let _ = kill_process(orphan, number(Signal::Terminate));
                let _ = kill_process(orphan, number(Signal::Continue));
            }
            std::thread::sleep(LOOK);
        }
        let deadline = Instant::now() + LAST_PATIENCE;
        self.signal(Signal::Kill);
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        if let Some(mut child) = self.child.take().filter(|_| self.ended.is_some()) {
            let _ = child.wait();
        }
        self.reaped = true;
        // As long as there are children there may be more behind them.
        while self.adopts && has_children() && Instant::now() < deadline {
            self.reap_orphans();
            self.signal(Signal::Kill);
            std::thread::sleep(LOOK);
        }
        self.ended
    }

    /// Whether somebody but the dead leader is in its group.
    fn group_is_alive(&self) -> bool {
        // Without adoption the group is all we know; a second look at the
        // process table tells who is in it.
        !self.adopts && members_of_group(self.leader) > 0
    }

    /// Our children but for the leader: those whose parents are gone.
    fn orphans(&self) -> Vec<Pid> {
        if !self.adopts {
            return Vec::new();
        }
        let us = getpid();
        let ours = process_table().filter(|entry| entry.parent == us && entry.pid != self.leader);
        ours.map(|entry| entry.pid).collect()
    }
}

impl Drop for Process {
    /// Whatever happens to us, nothing is left.
    fn drop(&mut self) {
        if !self.reaped {
            self.sweep(Duration::ZERO);
        }
    }
}

fn has_children() -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, how).err() != Some(Errno::CHILD)
}

fn members_of_group(group: Pid) -> usize {
    process_table().filter(|entry| entry.group == group && !entry.dead).count()
}

struct Entry {
    pid: Pid,
    parent: Pid,
    group: Pid,
    dead: bool,
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
