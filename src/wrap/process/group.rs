//! Unix in general: the process group is the run.

use std::io;
use std::process::{Child, Command};
use std::time::Instant;

use rustix::process::{Pid, kill_process_group};

use super::unix::{how_it_ended, number};
use super::{Ended, LAST_PATIENCE, LOOK, Pipes, Signal, lifeline};

/// The child that leads the run, and its group.
pub struct Process {
    leader: Pid,
    child: Option<Child>,
    asked: Option<Instant>,
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
        Ok((Self { leader, child, asked: None, ended: None, reaped: false }, pipes))
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

    /// Asks the group to end, once.
    pub fn ask(&mut self) {
        if self.asked.is_none() {
            self.asked = Some(Instant::now());
            self.signal(Signal::Terminate);
            self.signal(Signal::Continue);
        }
    }

    /// Whether anything of the run is alive. Who else is in the group cannot
    /// be told from the dead leader: a moment to end well must do.
    pub fn is_left(&mut self) -> bool {
        self.ended().is_none() || self.asked.is_some_and(|at| at.elapsed() < LOOK * 10)
    }

    /// Ends everything that is left in the group.
    pub fn end(&mut self) -> Option<Ended> {
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
            self.end();
        }
    }
}
