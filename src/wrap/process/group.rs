//! Unixes other than Linux: the run is the child's process group.

use std::io;
use std::process::{Child, Command};
use std::time::Instant;

use crossbeam_channel::{Receiver, never};
use rustix::process::{Pid, kill_process_group};

use super::unix::{peek_exit, raw_signal};
use super::{KILL_TIMEOUT, LeftProcess, POLL_INTERVAL, Pipes, ProcessExit, Signal, pre_exec};

/// The child, which leads the group.
pub struct Process {
    leader: Pid,
    child: Child,
    asked_at: Option<Instant>,
    exit: Option<ProcessExit>,
    is_reaped: bool,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        pre_exec::attach(command);
        let mut child = command.spawn()?;
        let pipes = Pipes::take_from(&mut child)?;
        let leader = Pid::from_child(&child);
        Ok((Self { leader, child, asked_at: None, exit: None, is_reaped: false }, pipes))
    }

    /// Returns how the leader ended, if it has. Does not reap it.
    pub fn exit(&mut self) -> Option<ProcessExit> {
        if self.exit.is_none() {
            self.exit = peek_exit(self.leader);
        }
        self.exit
    }

    /// Sends a signal to the group.
    pub fn signal(&mut self, signal: Signal) {
        if !self.is_reaped {
            let _ = kill_process_group(self.leader, raw_signal(signal));
        }
    }

    /// Returns a channel that never is ready: the end of the leader is a signal.
    #[allow(clippy::unused_self)]
    pub fn exits(&self) -> Receiver<ProcessExit> {
        never()
    }

    /// Does nothing: orphans are reaped by the system's init process.
    #[allow(clippy::unused_self)]
    pub fn reap_foreign(&self) {}

    /// Asks the group to end, once.
    pub fn ask_to_end(&mut self) {
        if self.asked_at.is_none() {
            self.asked_at = Some(Instant::now());
            self.signal(Signal::Terminate);
            self.signal(Signal::Continue);
        }
    }

    /// Returns whether any process of the run is alive. A group that contains a dead
    /// leader cannot be tested for other members, so they get a short time to end.
    pub fn is_running(&mut self) -> bool {
        self.exit().is_none() || self.asked_at.is_some_and(|at| at.elapsed() < POLL_INTERVAL * 10)
    }

    /// Kills the group. Whether a member is left cannot be found out.
    pub fn kill_all(&mut self) -> Vec<LeftProcess> {
        if self.is_reaped {
            return Vec::new();
        }
        self.signal(Signal::Kill);
        let deadline = Instant::now() + KILL_TIMEOUT;
        while self.exit().is_none() && Instant::now() < deadline {
            std::thread::sleep(POLL_INTERVAL);
        }
        if self.exit.is_some() {
            let _ = self.child.wait();
        }
        self.is_reaped = true;
        Vec::new()
    }
}

impl Drop for Process {
    /// Kills the group also if a panic ends the run.
    fn drop(&mut self) {
        self.kill_all();
    }
}
