//! Where there are no process groups: the child alone.

use std::io;
use std::process::{Child, Command};

use super::{Ended, Pipes, Signal};

/// The child.
pub struct Process {
    child: Option<Child>,
    ended: Option<Ended>,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let mut child = command.spawn()?;
        let pipes = Pipes::of(&mut child)?;
        Ok((Self { child: Some(child), ended: None }, pipes))
    }

    /// How the child ended, if it has.
    pub fn ended(&mut self) -> Option<Ended> {
        if self.ended.is_none() {
            let status = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            self.ended = status.map(|status| Ended::Exited(status.code().unwrap_or(1)));
        }
        self.ended
    }

    /// There is one signal only: the end.
    pub fn signal(&mut self, signal: Signal) {
        if !matches!(signal, Signal::Stop | Signal::Continue) {
            if let Some(child) = &mut self.child {
                let _ = child.kill();
            }
        }
    }

    /// There are none.
    pub fn reap_orphans(&self) {}

    /// There is nothing kinder than the end.
    pub fn ask(&mut self) {}

    /// Whether the child is alive.
    pub fn is_left(&mut self) -> bool {
        self.ended().is_none()
    }

    /// Ends the child.
    pub fn end(&mut self) -> Option<Ended> {
        if self.ended().is_none() {
            self.signal(Signal::Kill);
            let status = self.child.as_mut().and_then(|child| child.wait().ok());
            self.ended = status.map(|status| Ended::Exited(status.code().unwrap_or(1)));
        }
        self.ended
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
