//! Linux: no descendant of the command escapes.
//!
//! The command runs below a [keeper](super::keeper), so the processes of the run are the
//! keeper's descendants. The keeper leads their process group, and its id is reserved
//! until it is reaped here. Other processes are signalled through a descriptor after
//! their identity has been verified. Nothing that was not started by the run is ever
//! signalled.
//!
//! To kill a run that forks faster than it can be killed, its control group is used if it
//! has one; else everything is stopped first, until nothing new appears.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal as RawSignal, WaitId, WaitIdOptions, getpid, kill_process_group, waitid,
};

use super::cgroup::Cgroup;
use super::keeper::{KeeperFds, KeeperReport};
use super::table::{ProcessEntry, children_of, descendants_of, processes};
use super::unix::{peek_exit, raw_signal};
use super::{KILL_TIMEOUT, LeftProcess, POLL_INTERVAL, Pipes, ProcessExit, Signal, pre_exec};

/// How long to wait for the last report of a keeper that has ended.
const REPORT_TIMEOUT: Duration = Duration::from_secs(1);

/// The processes of a run.
pub struct Process {
    /// The keeper, which leads the group.
    keeper: Child,
    keeper_pid: Pid,
    /// The command.
    command: Option<Pid>,
    /// Whether orphans become children of the keeper.
    is_subreaper: bool,
    cgroup: Option<Cgroup>,
    /// Receives how the command ended.
    exits: Receiver<ProcessExit>,
    /// The keeper kills the run when this is closed.
    _lifeline: OwnedFd,
    /// Processes that were asked to end.
    asked: HashSet<(Pid, u64)>,
    exit: Option<ProcessExit>,
    is_reaped: bool,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let (report_reader, report_writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let (lifeline_reader, lifeline) = pipe_with(PipeFlags::CLOEXEC)?;
        let cgroup = Cgroup::create();
        let fds = KeeperFds {
            reports: report_writer.as_raw_fd(),
            lifeline: lifeline_reader.as_raw_fd(),
            cgroup: cgroup.as_ref().map(Cgroup::fds),
        };
        pre_exec::attach(command, fds);
        // The command has been executed when this returns.
        let mut keeper = command.spawn()?;
        drop((report_writer, lifeline_reader));
        let pipes = Pipes::take_from(&mut keeper)?;
        let (sender, exits) = bounded(1);
        let mut process = Self {
            keeper_pid: Pid::from_child(&keeper),
            keeper,
            command: None,
            is_subreaper: false,
            cgroup,
            exits,
            _lifeline: lifeline,
            asked: HashSet::new(),
            exit: None,
            is_reaped: false,
        };
        let mut reports = Reports(File::from(report_reader));
        process.read_start(&mut reports);
        // If this fails, the run is ended as the process is dropped.
        std::thread::Builder::new().spawn(move || reports.await_exit(&sender))?;
        Ok((process, pipes))
    }

    /// Reads what the keeper and the command report at the start, in any order.
    fn read_start(&mut self, reports: &mut Reports) {
        let mut awaited = 3;
        while let Some(report) = (awaited > 0).then(|| reports.next()).flatten() {
            awaited -= 1;
            match report {
                KeeperReport::Subreaper(is_subreaper) => self.is_subreaper = is_subreaper,
                KeeperReport::Cgroup(true) => {}
                KeeperReport::Cgroup(false) => self.cgroup = None,
                KeeperReport::Started(pid) => self.command = Pid::from_raw(pid),
                KeeperReport::Ended(exit) => {
                    self.exit = Some(exit);
                    awaited += 1;
                }
            }
        }
    }

    /// Returns a channel that is ready when the command has ended.
    pub fn exits(&self) -> Receiver<ProcessExit> {
        self.exits.clone()
    }

    /// Returns how the command ended, if it has.
    pub fn exit(&mut self) -> Option<ProcessExit> {
        if self.exit.is_none() {
            self.exit = match self.exits.try_recv() {
                Ok(exit) => Some(exit),
                Err(TryRecvError::Empty) => None,
                // The keeper was killed, and the system has killed the command.
                Err(TryRecvError::Disconnected) => {
                    Some(ProcessExit::Killed(RawSignal::KILL.as_raw()))
                }
            };
        }
        self.exit
    }

    /// Sends a signal to the group and to orphans outside of it.
    pub fn signal(&mut self, signal: Signal) {
        if signal == Signal::Kill {
            return self.kill_round(Instant::now() + KILL_TIMEOUT);
        }
        let signal = raw_signal(signal);
        if !self.is_reaped {
            // The keeper is a member; it ignores all signals that a process can ignore.
            let _ = kill_process_group(self.keeper_pid, signal);
        }
        for orphan in self.orphans() {
            if orphan.group != Some(self.keeper_pid) {
                orphan.send(signal);
            }
        }
    }

    /// Reaps children that are not part of the run, if this is the first process of the
    /// system or container, whose children all orphans become.
    pub fn reap_foreign(&self) {
        if getpid() != Pid::INIT {
            return;
        }
        for child in processes().filter(|entry| entry.parent == Some(Pid::INIT)) {
            if child.is_dead && child.pid != self.keeper_pid {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                let _ = waitid(WaitId::Pid(child.pid), options);
            }
        }
    }

    /// Asks all processes that were not asked before to end.
    pub fn ask_to_end(&mut self) {
        let orphans = self.orphans();
        let is_first = self.asked.is_empty();
        let new: Vec<_> =
            orphans.into_iter().filter(|orphan| self.asked.insert(orphan.identity())).collect();
        if is_first {
            self.signal(Signal::Terminate);
            self.signal(Signal::Continue);
            return;
        }
        for orphan in new {
            orphan.send(raw_signal(Signal::Terminate));
            orphan.send(raw_signal(Signal::Continue));
        }
    }

    /// Returns whether any process of the run is alive.
    pub fn is_running(&mut self) -> bool {
        if self.is_reaped {
            return false;
        }
        // The keeper ends last if it receives the orphans.
        peek_exit(self.keeper_pid).is_none() || !self.is_subreaper && !self.members().is_empty()
    }

    /// Kills all processes of the run, waits until they are gone, and returns those that
    /// are not.
    pub fn kill_all(&mut self) -> Vec<LeftProcess> {
        if self.is_reaped {
            return Vec::new();
        }
        let deadline = Instant::now() + KILL_TIMEOUT;
        while self.is_running() && Instant::now() < deadline {
            self.kill_round(deadline);
            std::thread::sleep(POLL_INTERVAL);
        }
        let left: Vec<_> = self.members().into_iter().map(LeftProcess::from).collect();
        if self.exit.is_none() {
            self.exit = self.exits.recv_timeout(REPORT_TIMEOUT).ok();
        }
        if peek_exit(self.keeper_pid).is_some() {
            let _ = self.keeper.wait();
        }
        self.is_reaped = true;
        left
    }

    /// Kills the processes that exist now. Without a control group they are stopped first,
    /// until nothing new appears or the deadline is reached.
    fn kill_round(&mut self, deadline: Instant) {
        if let Some(cgroup) = &self.cgroup {
            // Processes with enough rights may have left the group.
            let is_killed = cgroup.kill();
            if is_killed && self.members().is_empty() {
                return;
            }
        }
        let mut stopped = HashSet::new();
        while Instant::now() < deadline {
            let mut members = self.members();
            members.retain(|member| stopped.insert(member.identity()));
            if members.is_empty() {
                break;
            }
            for member in members {
                member.send(RawSignal::STOP);
            }
        }
        for member in self.members() {
            member.send(RawSignal::KILL);
        }
    }

    /// Returns the living processes of the run.
    fn members(&self) -> Vec<ProcessEntry> {
        let mut members = descendants_of(self.keeper_pid);
        if !self.is_subreaper {
            let is_member = |entry: &ProcessEntry| {
                entry.group == Some(self.keeper_pid)
                    && entry.pid != self.keeper_pid
                    && !entry.is_dead
            };
            members.extend(processes().filter(is_member));
        }
        members
    }

    /// Returns the children of the keeper except the command.
    fn orphans(&self) -> Vec<ProcessEntry> {
        if self.is_reaped || !self.is_subreaper {
            return Vec::new();
        }
        let mut children = children_of(self.keeper_pid);
        children.retain(|child| Some(child.pid) != self.command);
        children
    }
}

impl Drop for Process {
    /// Kills the run also if a panic ends it.
    fn drop(&mut self) {
        self.kill_all();
    }
}

impl From<ProcessEntry> for LeftProcess {
    fn from(entry: ProcessEntry) -> Self {
        Self { pid: entry.pid.as_raw_nonzero().get(), name: entry.name }
    }
}

/// The reports of the keeper.
struct Reports(File);

impl Reports {
    fn next(&mut self) -> Option<KeeperReport> {
        let mut bytes = [0; KeeperReport::SIZE];
        self.0.read_exact(&mut bytes).ok()?;
        KeeperReport::from_bytes(bytes)
    }

    /// Passes on how the command ended.
    fn await_exit(mut self, exits: &Sender<ProcessExit>) {
        while let Some(report) = self.next() {
            if let KeeperReport::Ended(exit) = report {
                let _ = exits.send(exit);
                return;
            }
        }
    }
}
