//! The keeper: a process between streamj and the command.
//!
//! It is a child subreaper: a process of the run that loses its parent becomes its
//! child, whatever session it is in. So the processes of the run are exactly the
//! keeper's descendants, and nothing else is: neither other children of streamj nor, if
//! streamj is the first process of a container, orphans that the system gives to it. The
//! keeper reaps them, reports how the command ended, and exits when none is left. If
//! streamj dies, it kills the rest.
//!
//! The keeper is a forked copy of streamj that never runs a program: it makes system
//! calls only, and neither allocates nor locks.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, read, write};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_current_process_group, kill_process, wait,
};

use super::ProcessExit;

/// The descriptors that the keeper uses.
#[derive(Clone, Copy)]
pub(super) struct KeeperFds<T> {
    /// Where it [reports](KeeperReport).
    pub(super) reports: T,
    /// A pipe that ends with streamj.
    pub(super) lifeline: T,
    /// The member list of the run's control group, and its kill switch.
    pub(super) cgroup: Option<(T, T)>,
}

impl<T: Copy> KeeperFds<T> {
    /// Converts the descriptors.
    pub(super) fn map<U>(&self, convert: impl Fn(T) -> U) -> KeeperFds<U> {
        KeeperFds {
            reports: convert(self.reports),
            lifeline: convert(self.lifeline),
            cgroup: self.cgroup.map(|(members, kill)| (convert(members), convert(kill))),
        }
    }
}

impl KeeperFds<BorrowedFd<'_>> {
    /// Moves this process, and so all that it starts, to the control group. The keeper
    /// itself stays outside, since it reaps the members.
    pub(super) fn join_cgroup(&self) {
        let is_member = self.cgroup.is_some_and(|(members, _)| write(members, b"0").is_ok());
        self.report(KeeperReport::Cgroup(is_member));
    }

    fn report(&self, report: KeeperReport) {
        // A pipe without a reader is noticed elsewhere.
        let _ = write(self.reports, &report.to_bytes());
    }

    /// Returns all descriptors that stay open; -1 for those that do not exist.
    pub(super) fn raw(&self, signals: Option<BorrowedFd<'_>>) -> [RawFd; 4] {
        let raw = |fd: Option<BorrowedFd<'_>>| fd.map_or(-1, |fd| fd.as_raw_fd());
        let kill = self.cgroup.map(|(_, kill)| kill);
        [raw(Some(self.reports)), raw(Some(self.lifeline)), raw(kill), raw(signals)]
    }
}

/// What the keeper reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeeperReport {
    /// The process id of the command.
    Started(i32),
    /// Whether orphans become children of the keeper.
    Subreaper(bool),
    /// Whether the run has a control group.
    Cgroup(bool),
    /// How the command ended.
    Ended(ProcessExit),
}

impl KeeperReport {
    /// Size of a report in the pipe.
    pub(super) const SIZE: usize = 5;

    fn to_bytes(self) -> [u8; Self::SIZE] {
        let (kind, value) = match self {
            Self::Started(pid) => (b's', pid),
            Self::Subreaper(is) => (b'r', i32::from(is)),
            Self::Cgroup(is) => (b'c', i32::from(is)),
            Self::Ended(ProcessExit::Exited(code)) => (b'e', code),
            Self::Ended(ProcessExit::Killed(signal)) => (b'k', signal),
        };
        let [a, b, c, d] = value.to_ne_bytes();
        [kind, a, b, c, d]
    }

    /// Reads a report.
    pub(super) fn from_bytes([kind, a, b, c, d]: [u8; Self::SIZE]) -> Option<Self> {
        let value = i32::from_ne_bytes([a, b, c, d]);
        Some(match kind {
            b's' => Self::Started(value),
            b'r' => Self::Subreaper(value != 0),
            b'c' => Self::Cgroup(value != 0),
            b'e' => Self::Ended(ProcessExit::Exited(value)),
            b'k' => Self::Ended(ProcessExit::Killed(value)),
            _ => return None,
        })
    }
}

/// Rounds of killing after the death of streamj, and the time between two.
const MAX_ROUNDS: u32 = 2000;
const ROUND: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// The keeper's state.
pub(super) struct Keeper<'a> {
    pub(super) fds: KeeperFds<BorrowedFd<'a>>,
    /// Can be read when a child has ended.
    pub(super) signals: Option<BorrowedFd<'a>>,
    /// The command.
    pub(super) command: Option<Pid>,
}

/// Whether there are children left.
#[derive(PartialEq, Eq)]
enum Children {
    Some,
    None,
}

impl Keeper<'_> {
    /// Works until the run has no process left.
    pub(super) fn run(&self, is_subreaper: bool) {
        let pid = self.command.map_or(0, |pid| pid.as_raw_nonzero().get());
        self.fds.report(KeeperReport::Subreaper(is_subreaper));
        self.fds.report(KeeperReport::Started(pid));
        while self.reap() == Children::Some {
            if !self.wait(None) {
                return self.kill_rest();
            }
        }
    }

    /// Waits for the end of a child. Returns false if streamj has died.
    fn wait(&self, timeout: Option<&Timespec>) -> bool {
        // Without the descriptor children are looked for at intervals.
        let signals = self.signals.unwrap_or(self.fds.lifeline);
        let timeout = timeout.or(self.signals.is_none().then_some(&ROUND));
        let mut polled = [
            PollFd::from_borrowed_fd(self.fds.lifeline, PollFlags::HUP),
            PollFd::from_borrowed_fd(signals, PollFlags::IN),
        ];
        let _ = poll(&mut polled, timeout);
        let is_alive = !polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR);
        if let Some(signals) = self.signals {
            let mut buffer = [0; 1024];
            let _ = read(signals, &mut buffer);
        }
        is_alive
    }

    /// Reaps all children that have ended.
    fn reap(&self) -> Children {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if Some(pid) == self.command => self.ended(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Children::Some,
                Err(_) => return Children::None,
            }
        }
    }

    fn ended(&self, status: WaitStatus) {
        let exited = status.exit_status().map(ProcessExit::Exited);
        let killed = || status.terminating_signal().map(ProcessExit::Killed);
        if let Some(exit) = exited.or_else(killed) {
            self.fds.report(KeeperReport::Ended(exit));
        }
    }

    /// Kills everything that is left, after the death of streamj.
    fn kill_rest(&self) {
        for _ in 0..MAX_ROUNDS {
            if let Some((_, kill)) = self.fds.cgroup {
                let _ = write(kill, b"1");
            }
            if !kill_children() {
                let _ = kill_current_process_group(Signal::KILL);
            }
            if self.reap() == Children::None {
                return;
            }
            let _ = poll(&mut [], Some(&ROUND));
        }
    }
}

/// Kills all children of this process; their children become its own. Returns false if
/// the system does not list them.
fn kill_children() -> bool {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(list) = openat(CWD, c"/proc/thread-self/children", flags, Mode::empty()) else {
        return false;
    };
    let mut buffer = [0; 4096];
    let mut pid = 0_i32;
    while let Ok(count) = read(&list, &mut buffer) {
        for byte in &buffer[..count] {
            if byte.is_ascii_digit() {
                pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else if let Some(child) = Pid::from_raw(std::mem::take(&mut pid)) {
                // Only this process can reap it, so the id is not used again.
                let _ = kill_process(child, Signal::KILL);
            }
        }
        if count == 0 {
            break;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_were_written() {
        for report in [
            KeeperReport::Started(4_194_304),
            KeeperReport::Subreaper(true),
            KeeperReport::Cgroup(false),
            KeeperReport::Ended(ProcessExit::Exited(255)),
            KeeperReport::Ended(ProcessExit::Killed(9)),
        ] {
            assert_eq!(KeeperReport::from_bytes(report.to_bytes()), Some(report));
        }
        assert_eq!(KeeperReport::from_bytes([0; 5]), None);
    }
}
