//! Enlarges pipes that carry much data, so that both ends can work at once.
//!
//! With the default 64 KiB the reader and the writer of a pipe often wait for
//! each other: `cat FILE | streamj events | cat` takes 1.4 times as long.

/// Bytes transferred before a pipe is enlarged.
const THRESHOLD: usize = 1 << 20;

/// Size of an enlarged pipe. Linux limits the sum over all pipes of a user, and
/// larger pipes gain little.
#[cfg(target_os = "linux")]
const PIPE_SIZE: usize = 256 << 10;

/// Counts the bytes that pass one end of a possible pipe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Throughput {
    bytes: usize,
}

impl Throughput {
    /// Counts bytes that passed `end`, and enlarges the pipe at the threshold.
    pub fn count(&mut self, bytes: usize, end: &impl PipeEnd) {
        if self.bytes < THRESHOLD {
            self.bytes += bytes;
            if self.bytes >= THRESHOLD {
                enlarge(end);
            }
        }
    }
}

#[cfg(unix)]
pub use std::os::fd::AsFd as PipeEnd;

/// Stands in for file descriptors, which this system does not have.
#[cfg(not(unix))]
pub trait PipeEnd {}

#[cfg(not(unix))]
impl<T> PipeEnd for T {}

#[cfg(target_os = "linux")]
fn enlarge(end: &impl PipeEnd) {
    // Fails for files, and when the user's limit is reached; both are harmless.
    let size = rustix::pipe::fcntl_getpipe_size(end);
    if size.is_ok_and(|size| size < PIPE_SIZE) {
        let _ = rustix::pipe::fcntl_setpipe_size(end, PIPE_SIZE);
    }
}

#[cfg(not(target_os = "linux"))]
fn enlarge(_: &impl PipeEnd) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn pipe_is_enlarged_at_the_threshold() {
        let (end, _other) = std::io::pipe().unwrap();
        let size = || rustix::pipe::fcntl_getpipe_size(&end).unwrap();
        let before = size();
        let mut throughput = Throughput::default();
        throughput.count(THRESHOLD - 1, &end);
        assert_eq!(size(), before);
        throughput.count(1, &end);
        assert!(size() > before);
    }

    #[test]
    fn file_is_left_alone() {
        Throughput::default().count(THRESHOLD, &tempfile::tempfile().unwrap());
    }
}
