//! What all Unixes have in common.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::{Ended, Signal};

/// How `child` ended, if it has; it is not reaped.
pub(super) fn how_it_ended(child: Pid) -> Option<Ended> {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(child), how).ok()??;
    let exited = status.exit_status().map(Ended::Exited);
    exited.or_else(|| status.terminating_signal().map(Ended::Killed))
}

/// The signal as the system knows it.
pub(super) fn number(signal: Signal) -> rustix::process::Signal {
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
