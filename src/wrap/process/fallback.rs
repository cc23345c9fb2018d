//! Systems without process groups: only the child itself is killed.

use std::io;
use std::process::{Child, Command};

use crossbeam_channel::{Receiver, never};

use super::{LeftProcess, Pipes, ProcessExit, Signal};

/// The child.
pub struct Process {
    child: Child,
    exit: Option<ProcessExit>,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let mut child = command.spawn()?;
        let pipes = Pipes::take_from(&mut child)?;
        Ok((Self { child, exit: None }, pipes))
    }

    /// Returns how the child ended, if it has.
    pub fn exit(&mut self) -> Option<ProcessExit> {
        if self.exit.is_none() {
            let status = self.child.try_wait().ok().flatten();
            self.exit = status.map(|status| ProcessExit::Exited(status.code().unwrap_or(1)));
        }
        self.exit
    }

    /// Kills the child for every signal that ends a process.
    pub fn signal(&mut self, signal: Signal) {
        if !matches!(signal, Signal::Stop | Signal::Continue) {
            let _ = self.child.kill();
        }
    }

    /// Returns a channel that never is ready: the end of the child is polled.
    pub fn exits(&self) -> Receiver<ProcessExit> {
        never()
    }

    /// Does nothing: there are no orphans to reap.
    pub fn reap_foreign(&self) {}

    /// Does nothing: there is no signal that a process could handle.
    pub fn ask_to_end(&mut self) {}

    /// Returns whether the child is running.
    pub fn is_running(&mut self) -> bool {
        self.exit().is_none()
    }

    /// Kills the child.
    pub fn kill_all(&mut self) -> Vec<LeftProcess> {
        if self.exit().is_none() {
            self.signal(Signal::Kill);
            let status = self.child.wait().ok();
            self.exit = status.map(|status| ProcessExit::Exited(status.code().unwrap_or(1)));
        }
        Vec::new()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_all();
    }
}
