//! One long line at a time: threads that read different files do not hold several.

use std::sync::{Condvar, Mutex, PoisonError};

/// A line is long from this length on, in bytes.
pub(super) const LONG: usize = 1 << 20;

static IS_TAKEN: Mutex<bool> = Mutex::new(false);
static RELEASED: Condvar = Condvar::new();

/// The permission to hold a long line in memory. There is one.
pub(super) struct LongLine(());

impl LongLine {
    /// Waits until no other long line is in memory.
    pub(super) fn acquire() -> Self {
        let is_taken = IS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_taken = RELEASED
            .wait_while(is_taken, |is_taken| *is_taken)
            .unwrap_or_else(PoisonError::into_inner);
        *is_taken = true;
        Self(())
    }
}

impl Drop for LongLine {
    fn drop(&mut self) {
        *IS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = false;
        RELEASED.notify_one();
    }
}
