//! The only `unsafe` code: what a forked process does before it runs a program.
//!
//! Between fork and exec only system calls are safe: nothing here allocates or locks.
#![allow(unsafe_code)]

/// Makes the child the leader of a new process group.
#[cfg(any(not(target_os = "linux"), test_hooks))]
pub(super) fn attach(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        let die_with_parent = move || linux::die_with(parent, rustix::process::Signal::KILL);
        // SAFETY: the closure makes two system calls.
        unsafe {
            command.pre_exec(die_with_parent);
        }
    }
}

#[cfg(all(target_os = "linux", not(test_hooks)))]
pub(super) use linux::attach;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

    /// Lets the system send `signal` to this process when `parent` dies.
    pub(super) fn die_with(parent: Pid, signal: Signal) -> io::Result<()> {
        set_parent_process_death_signal(Some(signal))?;
        // It may have died before the call.
        if getppid() != Some(parent) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    #[cfg(not(test_hooks))]
    pub(in super::super) use keeper::attach;

    #[cfg(not(test_hooks))]
    mod keeper {
        use std::io;
        use std::os::fd::{BorrowedFd, RawFd};
        use std::os::unix::process::CommandExt;
        use std::process::Command;

        use rustix::process::{Pid, Signal, getpid, set_child_subreaper};

        use super::die_with;
        use crate::wrap::process::keeper::{Keeper, KeeperFds};

        /// Makes the child a keeper that leads a new process group; the program runs as
        /// the keeper's child.
        pub(in super::super::super) fn attach(command: &mut Command, fds: KeeperFds<RawFd>) {
            command.process_group(0);
            let parent = getpid();
            // SAFETY: the closure and the keeper make system calls only.
            unsafe {
                command.pre_exec(move || start(parent, &fds));
            }
        }

        /// Forks. Returns in the new process; the calling process becomes the keeper.
        fn start(parent: Pid, fds: &KeeperFds<RawFd>) -> io::Result<()> {
            // A stopped keeper has to notice the death of its parent, too.
            die_with(parent, Signal::CONT)?;
            let is_subreaper = set_child_subreaper(Some(getpid())).is_ok();
            // SAFETY: the parent keeps these descriptors open until the program runs.
            let borrow = |fd: RawFd| unsafe { BorrowedFd::borrow_raw(fd) };
            let fds = fds.map(borrow);
            set_mask(Mask::All);
            let keeper = getpid();
            // SAFETY: this process has one thread, and both sides go on with system calls.
            match unsafe { libc::fork() } {
                -1 => Err(io::Error::last_os_error()),
                0 => {
                    die_with(keeper, Signal::KILL)?;
                    fds.join_cgroup();
                    set_mask(Mask::None);
                    Ok(())
                }
                child => {
                    let signals = child_signals().map(borrow);
                    close_all_except(&fds, signals);
                    Keeper { fds, signals, command: Pid::from_raw(child) }.run(is_subreaper);
                    // SAFETY: ends the process without running any code of it.
                    unsafe { libc::_exit(0) }
                }
            }
        }

        /// Which signals are blocked.
        #[derive(Clone, Copy)]
        enum Mask {
            All,
            None,
        }

        fn set_mask(mask: Mask) {
            // SAFETY: the set is initialised before it is used.
            unsafe {
                let mut set = std::mem::zeroed();
                match mask {
                    Mask::All => libc::sigfillset(&raw mut set),
                    Mask::None => libc::sigemptyset(&raw mut set),
                };
                libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
            }
        }

        /// Returns a descriptor that can be read when a child has ended.
        fn child_signals() -> Option<RawFd> {
            // SAFETY: the set is initialised before it is used.
            let fd = unsafe {
                let mut set = std::mem::zeroed();
                libc::sigemptyset(&raw mut set);
                libc::sigaddset(&raw mut set, libc::SIGCHLD);
                libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
            };
            (fd >= 0).then_some(fd)
        }

        /// The highest descriptor that is closed where the system cannot close a range.
        const MAX_FD: libc::c_uint = 4096;

        /// Closes all other descriptors, so that the keeper holds no pipe open.
        fn close_all_except(fds: &KeeperFds<BorrowedFd<'_>>, signals: Option<BorrowedFd<'_>>) {
            let mut kept = fds.raw(signals);
            kept.sort_unstable();
            let mut first: libc::c_uint = 0;
            for fd in kept {
                let Ok(fd) = libc::c_uint::try_from(fd) else { continue };
                if fd > first {
                    close_range(first, fd - 1);
                }
                first = fd + 1;
            }
            close_range(first, libc::c_uint::MAX);
        }

        fn close_range(first: libc::c_uint, last: libc::c_uint) {
            // SAFETY: no Rust value owns these descriptors in this process any more.
            unsafe {
                if libc::syscall(libc::SYS_close_range, first, last, 0) != 0 {
                    for fd in first..=last.min(MAX_FD) {
                        libc::close(fd.cast_signed());
                    }
                }
            }
        }
    }
}
