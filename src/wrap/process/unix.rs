//! What all Unixes have in common.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::{ProcessExit, Signal};

/// Returns how `child` ended, if it has. Does not reap it, so its pid stays reserved.
pub(super) fn peek_exit(child: Pid) -> Option<ProcessExit> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(child), options).ok()??;
    let exited = status.exit_status().map(ProcessExit::Exited);
    exited.or_else(|| status.terminating_signal().map(ProcessExit::Killed))
}

/// Returns the system's value for a signal.
pub(super) fn raw_signal(signal: Signal) -> rustix::process::Signal {
    match signal {
        Signal::Interrupt => rustix::process::Signal::INT,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Hangup => rustix::process::Signal::HUP,
        Signal::Quit => rustix::process::Signal::QUIT,
        Signal::Kill => rustix::process::Signal::KILL,
        Signal::Stop => rustix::process::Signal::STOP,
        Signal::Continue => rustix::process::Signal::CONT,
    }
}
