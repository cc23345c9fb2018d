//! Unix in general: the process group is the run.

use std::io;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, kill_process_group};

use super::unix::{how_it_ended, number};
use super::{Ended, LAST_PATIENCE, LOOK, Pipes, Signal, lifeline};

/// The child that leads the run, and its group.
pub struct Process {
    leader: Pid,
    child: Option<Child>,
    ended: Option<Ended>,
    reaped: bool,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        lifeline::attach(command);
        let mut child = command.spawn()?;
        let pipes = Pipes::of(&mut child)?;
        let leader = Pid::from_child(&child);
        let child = Some(child);
        Ok((Self { leader, child, ended: None, reaped: false }, pipes))
    }

    /// How the leader ended, if it has. It is not reaped yet.
    pub fn ended(&mut self) -> Option<Ended> {
        if self.ended.is_none() {
            self.ended = how_it_ended(self.leader);
        }
        self.ended
    }

    /// Sends a signal to the group.
    pub fn signal(&mut self, signal: Signal) {
        if !self.reaped {
            let _ = kill_process_group(self.leader, number(signal));
        }
    }

    /// Orphans go to the system.
    pub fn reap_orphans(&self) {}

    /// Ends everything that is left in the group, kindly for a while.
    pub fn sweep(&mut self, patience: Duration) -> Option<Ended> {
        let deadline = Instant::now() + patience;
        self.signal(Signal::Terminate);
        self.signal(Signal::Continue);
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        // Who else is in the group cannot be told from the dead leader: a
        // moment to end well must do.
        std::thread::sleep((LOOK * 10).min(patience));
        self.signal(Signal::Kill);
        let deadline = Instant::now() + LAST_PATIENCE;
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        if let Some(mut child) = self.child.take().filter(|_| self.ended.is_some()) {
            let _ = child.wait();
        }
        self.reaped = true;
        self.ended
    }
}

impl Drop for Process {
    /// Whatever happens to us, the group is not left.
    fn drop(&mut self) {
        if !self.reaped {
            self.sweep(Duration::ZERO);
        }
    }
}
