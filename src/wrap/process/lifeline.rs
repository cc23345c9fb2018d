//! The one place with `unsafe`: what happens in the child between fork and
//! exec. Only calls that are safe there, straight to the kernel.
#![allow(unsafe_code)]

use std::os::unix::process::CommandExt;
use std::process::Command;

/// The child leads a process group of its own; on Linux it dies with us, even
/// if we are killed.
pub(super) fn attach(command: &mut Command) {
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        let die_with_parent = move || {
            use rustix::process::{Signal, getppid, set_parent_process_death_signal};
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // Our parent may have died before we could ask.
            if getppid() != Some(parent) {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            Ok(())
        };
        // SAFETY: the closure makes two system calls, which are safe between
        // fork and exec, and neither allocates nor locks.
        unsafe {
            command.pre_exec(die_with_parent);
        }
    }
}
