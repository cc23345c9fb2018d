//! Which core a thread runs on.
//!
//! A thread often begins on the core of the one that has started it, and stays
//! there for milliseconds, until the system sees that another has nothing to do.
//! By then a file of some megabytes could have been read.

/// A core.
#[derive(Clone, Copy)]
pub(super) struct Core(#[cfg(target_os = "linux")] usize);

#[cfg(target_os = "linux")]
impl Core {
    /// The one this thread runs on now.
    pub(super) fn current() -> Self {
        Self(rustix::thread::sched_getcpu())
    }

    /// Goes on elsewhere, if there is anywhere else; where this thread may run
    /// stays as it was.
    pub(super) fn leave(self) {
        use rustix::thread::{sched_getaffinity, sched_setaffinity};
        let Ok(all) = sched_getaffinity(None) else { return };
        let mut others = all;
        others.unset(self.0);
        if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
            let _ = sched_setaffinity(None, &all);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Core {
    pub(super) fn current() -> Self {
        Self()
    }

    pub(super) fn leave(self) {}
}
