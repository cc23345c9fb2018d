//! The only `unsafe` code: system calls in the child between fork and exec.
#![allow(unsafe_code)]

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the child the leader of a new process group. On Linux the kernel also kills it
/// when this process dies, even by `SIGKILL`.
pub(super) fn attach(command: &mut Command) {
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        let die_with_parent = move || {
            use rustix::process::{Signal, getppid, set_parent_process_death_signal};
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before the call.
            if getppid() != Some(parent) {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            Ok(())
        };
        // SAFETY: the closure makes two system calls, which are safe between fork and
        // exec, and neither allocates nor locks.
        unsafe {
            command.pre_exec(die_with_parent);
        }
    }
}
