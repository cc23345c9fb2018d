//! Work on many items on all cores, whose results are used in the order of the items.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// Results for each thread that wait for the one before them.
const WAITING_PER_THREAD: usize = 4;

/// Applies `work` to each item, on `threads` threads, and passes the results to `each` in
/// the order of the items, on the calling thread. Every thread has a state of its own, which
/// `start` creates. Ends early if `each` breaks.
pub(crate) fn in_order<I: Sync, S, T: Send, B>(
    items: &[I],
    threads: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &I) -> T + Sync,
    mut each: impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let queue = ItemQueue { max_waiting: threads * WAITING_PER_THREAD, ..ItemQueue::default() };
    let (sender, receiver) = mpsc::channel();
    let (start, work, queue) = (&start, &work, &queue);
    std::thread::scope(|scope| {
        let mut has_workers = false;
        for _ in 0..threads.min(items.len()) {
            let sender = sender.clone();
            let run = move || {
                let mut state = start();
                while let Some(index) = queue.claim(items.len()) {
                    if sender.send((index, work(&mut state, &items[index]))).is_err() {
                        break;
                    }
                }
            };
            // Without any thread the calling one does the work.
            match Builder::new().spawn_scoped(scope, run) {
                Ok(_) => has_workers = true,
                Err(_) => break,
            }
        }
        drop(sender);
        // Also if `each` panics, threads must not wait for it.
        let _end = EndOnDrop(queue);
        if !has_workers {
            let mut state = start();
            return items.iter().try_for_each(|item| each(work(&mut state, item)));
        }
        let mut finished = BTreeMap::new();
        let mut next = 0;
        for (index, result) in receiver {
            finished.insert(index, result);
            while let Some(result) = finished.remove(&next) {
                each(result)?;
                next += 1;
                queue.used(next);
            }
        }
        ControlFlow::Continue(())
    })
}

/// Divides items into single ones, and several small ones after each other.
pub(crate) fn batches<I>(items: &[I], is_small: impl Fn(&I) -> bool) -> impl Iterator<Item = &[I]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let small = rest.iter().take_while(|item| is_small(item)).count();
        let (batch, others) = rest.split_at_checked(small.max(1))?;
        rest = others;
        Some(batch)
    })
}

/// Which items are claimed and used.
#[derive(Default)]
struct ItemQueue {
    state: Mutex<QueueProgress>,
    max_waiting: usize,
    changed: Condvar,
}

#[derive(Default)]
struct QueueProgress {
    /// Index of the next item to work on.
    next: usize,
    /// Number of results that were used.
    used: usize,
    has_ended: bool,
}

impl ItemQueue {
    /// Returns the index of an item to work on, when it is not too far ahead.
    fn claim(&self, count: usize) -> Option<usize> {
        let too_far = |state: &mut QueueProgress| {
            !state.has_ended && state.next < count && state.next >= state.used + self.max_waiting
        };
        let waited = self.changed.wait_while(self.lock(), too_far);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let is_left = !state.has_ended && state.next < count;
        is_left.then(|| {
            state.next += 1;
            state.next - 1
        })
    }

    fn used(&self, used: usize) {
        self.lock().used = used;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueProgress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the work when it is dropped.
struct EndOnDrop<'a>(&'a ItemQueue);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..500).collect();
        for threads in [0, 1, 3, 16] {
            let started = AtomicUsize::new(0);
            let mut results = Vec::new();
            let end = in_order(
                &items,
                threads,
                || started.fetch_add(1, Ordering::Relaxed),
                |_, item| {
                    std::thread::sleep(Duration::from_micros((item % 7 * 50) as u64));
                    item * 2
                },
                |result| {
                    results.push(result);
                    ControlFlow::<()>::Continue(())
                },
            );
            assert_eq!(end, ControlFlow::Continue(()));
            assert_eq!(results, items.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(started.into_inner(), threads.max(1));
        }
    }

    #[test]
    fn small_items_are_taken_together() {
        let taken: Vec<_> = batches(&[1, 2, 9, 9, 3, 9, 1], |item| *item < 5).collect();
        assert_eq!(taken, [&[1, 2][..], &[9], &[9], &[3], &[9], &[1]]);
    }

    #[test]
    fn break_ends_the_work() {
        let items: Vec<usize> = (0..100_000).collect();
        let worked = AtomicUsize::new(0);
        let work = |(): &mut (), item: &usize| {
            worked.fetch_add(1, Ordering::Relaxed);
            *item
        };
        let each =
            |item| if item == 10 { ControlFlow::Break(item) } else { ControlFlow::Continue(()) };
        assert_eq!(in_order(&items, 4, || (), work, each), ControlFlow::Break(10));
        assert!(worked.into_inner() <= 11 + 4 * WAITING_PER_THREAD);
    }
}
