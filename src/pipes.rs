//! Pipes that much goes through are made wider, so that both ends work at the same
//! time instead of in turns.

/// So much has to come before it is worth a call.
const MUCH: usize = 1 << 20;

/// Four times what a pipe usually has. More would be faster by little, and what all
/// pipes of a user may hold together is limited.
#[cfg(target_os = "linux")]
const WIDE: usize = 256 << 10;

/// Watches what goes through one end of what may be a pipe.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Throughput {
    so_far: usize,
}

impl Throughput {
    /// So many bytes more have gone through `end`.
    pub(crate) fn count(&mut self, bytes: usize, end: &impl End) {
        if self.so_far < MUCH {
            self.so_far += bytes;
            if self.so_far >= MUCH {
                widen(end);
            }
        }
    }
}

#[cfg(unix)]
pub(crate) use std::os::fd::AsFd as End;

/// Anything.
#[cfg(not(unix))]
pub(crate) trait End {}

#[cfg(not(unix))]
impl<T> End for T {}

#[cfg(target_os = "linux")]
fn widen(end: &impl End) {
    // Files have no width, and a system may be out of room for wide pipes: it goes on
    // as it was.
    let width = rustix::pipe::fcntl_getpipe_size(end);
    if width.is_ok_and(|width| width < WIDE) {
        let _ = rustix::pipe::fcntl_setpipe_size(end, WIDE);
    }
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &impl End) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_that_much_goes_through_is_made_wider_and_another_is_not() {
        let (end, _other) = std::io::pipe().unwrap();
        let width = || rustix::pipe::fcntl_getpipe_size(&end).unwrap();
        let before = width();
        let mut through = Throughput::default();
        through.count(MUCH - 1, &end);
        assert_eq!(width(), before);
        through.count(1, &end);
        assert!(width() > before);
    }

    #[test]
    fn a_file_is_none() {
        Throughput::default().count(MUCH, &tempfile::tempfile().unwrap());
    }
}
